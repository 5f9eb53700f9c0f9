/* kernels/experiments/matmul/kernels.c: which kernel computes a product and how it is launched, on a device that only
 * records the launches.
 */
#include "experiments/matmul/kernels.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

static struct {
    size_t loaded, unloaded;
    char name[64]; /* of the kernel */
    char method[16];
    struct lab_launch launch;
    size_t arguments;
    uint32_t m, n, k;
} last;

static struct lab_module *load(struct lab_device *device, const struct lab_image *image)
{
    (void)device;
    last.loaded++;
    return (struct lab_module *)(uintptr_t)image;
}

static void unload(struct lab_device *device, struct lab_module *module)
{
    (void)device, (void)module;
    last.unloaded++;
}

static struct lab_kernel *find(struct lab_device *device, struct lab_module *module, const char *name)
{
    (void)device, (void)module;
    snprintf(last.name, sizeof last.name, "%s", name);
    return (struct lab_kernel *)last.name;
}

static struct lab_plan *prepare(struct lab_device *device, struct lab_kernel *kernel, const struct lab_launch *launch,
                                const struct lab_argument *arguments, size_t count)
{
    (void)device;
    last.launch = *launch;
    last.arguments = count;
    last.m = arguments[0].u32;
    last.n = arguments[1].u32;
    last.k = arguments[2].u32;
    return (struct lab_plan *)kernel;
}

static bool attributes(struct lab_device *device, struct lab_kernel *kernel, const struct lab_launch *launch,
                       struct lab_kernel_attributes *found)
{
    (void)device, (void)kernel, (void)launch;
    *found = (struct lab_kernel_attributes){.registers = 210, .blocks_per_multiprocessor = 1, .occupancy = 0.125};
    return true;
}

static struct lab_plan *prepare_own(struct lab_device *device, const char *method, const struct lab_gemm *gemm)
{
    (void)device, (void)gemm;
    snprintf(last.name, sizeof last.name, "own");
    snprintf(last.method, sizeof last.method, "%s", method);
    return (struct lab_plan *)last.name;
}

static bool describe_own(struct lab_device *device, struct lab_plan *plan, struct lab_gemm_kernel *kernel)
{
    (void)device;
    if (strcmp((const char *)plan, "own") != 0)
        return false;
    *kernel = (struct lab_gemm_kernel){.name = "mma 256x128", .threads = 256, .attributes = {.registers = 244}};
    return true;
}

static const struct lab_runtime_gemm own_gemm = {.prepare = prepare_own, .describe = describe_own};
static const struct lab_runtime_gemm silent_gemm = {.prepare = prepare_own};
static const struct lab_runtime_module module = {
    .load = load, .unload = unload, .kernel = find, .prepare = prepare, .attributes = attributes};
static const struct lab_runtime runtime = {.gemm = &own_gemm, .module = &module};

static struct lab_device device;
static struct matmul_kernels kernels;
static struct lab_kernel_record record;

static int open_device(void **state)
{
    (void)state;
    memset(&last, 0, sizeof last);
    device = (struct lab_device){.runtime = &runtime};
    lab_facts_clear(&device.facts);
    device.facts.multiprocessors = 132;
    kernels = (struct matmul_kernels){.device = &device};
    return 0;
}

AROUND_EACH_TEST(.setup = open_device)

static void expect_launch(const char *step, uint32_t m, uint32_t n, uint32_t k, const char *name, uint32_t x,
                          uint32_t y)
{
    const struct lab_gemm gemm = {.type = LAB_GEMM_FP32, .m = m, .n = n, .k = k};
    assert_non_null(matmul_kernels_prepare(&kernels, matmul_step_find(step), &gemm, &record));
    assert_string_equal(last.name, name);
    assert_int_equal(last.launch.grid[0], x);
    assert_int_equal(last.launch.grid[1], y);
    assert_int_equal(last.arguments, 6);
    assert_true(last.m == m && last.n == n && last.k == k);
}

/* Rows and columns of C per block; naive counts rows along x, which makes its accesses uncoalesced. */
TEST(grids_cover_the_result)
{
    expect_launch("naive", 65, 32, 7, "naive_fp32", 3, 1);
    assert_true(last.launch.block[0] == 32 && last.launch.block[1] == 32);
    expect_launch("coalesced", 65, 32, 7, "coalesced", 1, 3);
    expect_launch("tiled-8", 65, 32, 7, "tiled_8_fp32", 4, 9);
    assert_true(last.launch.block[0] == 8 && last.launch.block[1] == 8);
    expect_launch("register-tiles", 129, 100, 7, "block_tiling", 1, 2);
    assert_true(last.launch.block[0] == 256 && last.launch.block[1] == 0);
}

TEST(sizes_select_aligned_kernels)
{
    expect_launch("vectorized", 5, 128, 8, "vectorized_aligned", 1, 1);
    expect_launch("vectorized", 5, 127, 8, "vectorized", 1, 1);
    expect_launch("vectorized", 5, 128, 9, "vectorized", 1, 1);
    expect_launch("double-buffered", 5, 128, 9, "double_buffered_aligned", 1, 1);
    expect_launch("double-buffered", 5, 127, 8, "double_buffered", 1, 1);
}

/* Smaller tiles where larger ones would leave multiprocessors idle. */
TEST(sizes_select_the_tile_of_warp_tiling)
{
    expect_launch("warp-tiled", 4096, 4096, 4096, "warp_tiled_128x256_aligned", 16, 32);
    assert_int_equal(last.launch.block[0], 256);
    expect_launch("warp-tiled", 1024, 1024, 1024, "warp_tiled_64x128_aligned", 8, 16);
    assert_int_equal(last.launch.block[0], 128);
    expect_launch("warp-tiled", 512, 512, 512, "warp_tiled_32x64_aligned", 8, 16);
    expect_launch("warp-tiled", 4096, 4095, 4096, "warp_tiled_128x256", 16, 32);
}

TEST(warp_tiling_has_kernels_for_both_layouts)
{
    static const struct {
        size_t n, k;
        const char *name;
    } cases[] = {
        {4096, 7, "warp_tiled_tn_128x256_aligned"},  {4095, 8, "warp_tiled_tn_128x256"},
        {1024, 1024, "warp_tiled_tn_32x64_aligned"}, {1024, 1023, "warp_tiled_tn_32x64"},
        {511, 512, "warp_tiled_tn_16x64_aligned"},   {511, 7, "warp_tiled_tn_16x64"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const size_t n = cases[i].n;
        struct lab_gemm gemm = {.layout = LAB_GEMM_TN, .m = n, .n = n, .k = cases[i].k};
        assert_non_null(matmul_kernels_prepare(&kernels, matmul_step_find("warp-tiled"), &gemm, &record));
        assert_string_equal(last.name, cases[i].name);
    }
}

TEST(the_kernel_is_recorded)
{
    expect_launch("tiled-16", 16, 16, 16, "tiled_16_fp32", 1, 1);
    assert_string_equal(record.name, "tiled_16_fp32");
    assert_int_equal(record.registers, 210);
    assert_int_equal(record.block, 256);
    const struct lab_gemm own = {.type = LAB_GEMM_BF16, .m = 1, .n = 1, .k = 1};
    assert_non_null(matmul_kernels_prepare(&kernels, matmul_step_find("mma"), &own, &record));
    assert_string_equal(last.name, "own");
    assert_string_equal(record.name, "mma 256x128");
    assert_int_equal(record.registers, 244);
    assert_int_equal(record.block, 256);
}

TEST(a_runtime_may_know_nothing_of_its_kernels)
{
    static const struct lab_runtime silent = {.gemm = &silent_gemm, .module = &module};
    const struct lab_gemm own = {.type = LAB_GEMM_BF16, .m = 1, .n = 1, .k = 1};
    device.runtime = &silent;
    assert_non_null(matmul_kernels_prepare(&kernels, matmul_step_find("mma"), &own, &record));
    assert_null(record.name);
}

TEST(an_image_is_loaded_once)
{
    expect_launch("tiled-8", 8, 8, 8, "tiled_8_fp32", 1, 1);
    expect_launch("tiled-16", 8, 8, 8, "tiled_16_fp32", 1, 1);
    expect_launch("naive", 8, 8, 8, "naive_fp32", 1, 1);
    assert_int_equal(last.loaded, 2);
    matmul_kernels_close(&kernels);
    assert_int_equal(last.unloaded, 2);
}

TEST(the_steps_that_are_calls_name_the_method_of_the_runtime)
{
    static const struct {
        const char *backend, *method;
    } cases[] = {
        {"cuda", "mma"},      {"cuda", "wgmma"},    {"cuda", "cublas"},  {"host", "naive"},    {"host", "tiled-8"},
        {"host", "tiled-16"}, {"host", "tiled-32"}, {"host", "blocked"}, {"host", "openblas"},
    };
    const struct lab_gemm gemm = {.m = 1, .n = 1, .k = 1};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(device.facts.backend, sizeof device.facts.backend, "%s", cases[i].backend);
        assert_non_null(matmul_kernels_prepare(&kernels, matmul_step_find(cases[i].method), &gemm, &record));
        assert_string_equal(last.method, cases[i].method);
    }
    assert_int_equal(last.loaded, 0);
}

static void expect_refusal(const char *step, const struct lab_gemm *gemm, const char *detail)
{
    assert_null(matmul_kernels_prepare(&kernels, matmul_step_find(step), gemm, &record));
    assert_int_equal(device.error.code, LAB_ERROR_UNSUPPORTED);
    assert_string_equal(device.error.detail, detail);
}

TEST(products_without_a_kernel_are_refused)
{
    static const struct lab_runtime without_module = {.gemm = &own_gemm};
    struct lab_gemm gemm = {.type = LAB_GEMM_FP64, .m = 1, .n = 1, .k = 1};
    expect_refusal("coalesced", &gemm, "coalesced does not support the type fp64");
    gemm.type = LAB_GEMM_FP32;
    gemm.layout = LAB_GEMM_TN;
    expect_refusal("coalesced", &gemm, "coalesced supports only the layout nn");
    gemm.layout = LAB_GEMM_NN;
    expect_refusal("blocked", &gemm, "blocked is not implemented for CUDA devices");
    device.runtime = &without_module;
    expect_refusal("coalesced", &gemm, "this build cannot load kernels on this device");
    snprintf(device.facts.backend, sizeof device.facts.backend, "host");
    expect_refusal("coalesced", &gemm, "coalesced is not implemented for host devices");
    expect_refusal("wgmma", &gemm, "wgmma is not implemented for host devices");
}
