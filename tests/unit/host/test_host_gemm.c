/* Matrix products of the host runtime: every method is compared with exact integer arithmetic; errors and faults. */
#include "support/gemm_harness.h"
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static const char openblas[] = "openblas";
static const char *const methods[] = {"naive", "tiled-8", "tiled-16", "tiled-32", "blocked", openblas};

static struct lab_gemm gemm_of(const struct product *p)
{
    return (struct lab_gemm){p->type, p->layout, p->shape.m, p->shape.n, p->shape.k, p->a, p->b, c_of(p)};
}

/* Prepares a product. Returns NULL if the method is OpenBLAS and OpenBLAS is not installed; the device's error must
 * then contain this. */
static struct lab_plan *prepare_by(const struct product *p, const char *method)
{
    const struct lab_gemm what = gemm_of(p);
    struct lab_plan *plan = runtime->gemm->prepare(p->device, method, &what);
    if (plan == NULL && method == openblas) {
        assert_int_equal(p->device->error.code, LAB_ERROR_UNSUPPORTED);
        assert_string_equal(p->device->error.detail, "OpenBLAS is not installed");
        return NULL;
    }
    succeed(p->device, plan != NULL);
    return plan;
}

/* --- methods ------------------------------------------------------------------------------------------------------ */

static void check_method(struct product *p, const char *method)
{
    poison_product(p);
    struct lab_plan *plan = prepare_by(p, method);
    if (plan == NULL)
        return;
    for (int repetition = 0; repetition < 2; repetition++) {
        succeed(p->device, runtime->enqueue(p->device, plan, p->stream));
        succeed(p->device, runtime->stream_synchronize(p->device, p->stream));
        uint64_t wrong = wrong_elements(p, p->expected);
        if (wrong != 0)
            fail_msg("%s, type %d, layout %d, %zu x %zu x %zu: %llu wrong", method, p->type, p->layout, p->shape.m,
                     p->shape.n, p->shape.k, (unsigned long long)wrong);
    }
    runtime->plan_free(p->device, plan);
    assert_guards_untouched(p);
}

DEVICE_TEST(test_every_method_is_exact)
{
    for (size_t s = 0; s < COUNT(shapes); s++)
        for (size_t t = 0; t < COUNT(types); t++)
            for (int layout = 0; layout < LAB_GEMM_LAYOUTS; layout++) {
                struct product p = open_product(device, shapes[s], types[t], (enum lab_gemm_layout)layout);
                for (size_t method = 0; method < COUNT(methods); method++)
                    check_method(&p, methods[method]);
                close_product(&p);
            }
}

/* The methods must agree within rounding for normally distributed inputs, which timed products have. */
DEVICE_TEST(test_methods_agree_on_normal_numbers)
{
    const struct shape shape = {67, 45, 301};
    for (size_t t = 0; t < COUNT(types); t++) {
        struct product p = open_product(device, shape, types[t], LAB_GEMM_NN);
        double *first = calloc(shape.m * shape.n, sizeof *first), bound = types[t] == LAB_GEMM_FP64 ? 1e-12 : 1e-3;
        assert_non_null(first);
        fill_matrix(&p, (struct lab_gemm_fill){0, LAB_GEMM_NORMAL, shape.m, shape.k, false, 1, p.a});
        fill_matrix(&p, (struct lab_gemm_fill){0, LAB_GEMM_NORMAL, shape.k, shape.n, false, 2, p.b});
        for (size_t method = 0; method < COUNT(methods); method++) {
            struct lab_plan *plan = prepare_by(&p, methods[method]);
            if (plan == NULL)
                continue;
            run_plan(p.device, p.stream, plan);
            for (size_t i = 0; i < shape.m * shape.n; i++) {
                double found = element_of(&p, c_of(&p), i);
                first[i] = method == 0 ? found : first[i];
                assert_true(fabs(found - first[i]) <= bound);
            }
        }
        free(first);
        close_product(&p);
    }
}

/* Copies a matrix to the end of a page that is followed by an inaccessible page. */
static void *copy_before_guard_page(const void *matrix, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), mapped = (bytes + page - 1) / page * page;
    unsigned char *start = mmap(NULL, mapped + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(start, MAP_FAILED);
    assert_int_equal(mprotect(start + mapped, page, PROT_NONE), 0);
    return memcpy(start + mapped - bytes, matrix, bytes);
}

static void free_copy(void *copy, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), mapped = (bytes + page - 1) / page * page;
    munmap((unsigned char *)copy + bytes - mapped, mapped + page);
}

DEVICE_TEST(test_no_method_reads_beyond_its_matrices)
{
    for (size_t variant = 0; variant < COUNT(methods) * COUNT(types) * LAB_GEMM_LAYOUTS; variant++) {
        struct product p = open_product(device, (struct shape){43, 51, 37}, types[variant % 2], variant / 2 % 2);
        const struct lab_gemm what = gemm_of(&p);
        const struct host_gemm_method *step =
            lab_host_gemm_method(methods[variant / 4], p.type, lab_host_best_instructions());
        size_t element = lab_gemm_element_bytes(p.type), a_bytes = 43 * 37 * element, b_bytes = 37 * 51 * element;
        struct host_gemm gemm = lab_host_gemm_describe(lab_host_device(device), &what);
        struct lab_error error;
        gemm.a.start = copy_before_guard_page(p.a, a_bytes);
        gemm.b.start = copy_before_guard_page(p.b, b_bytes);
        gemm.workspace =
            step->workspace_bytes != NULL ? aligned_alloc(256, (step->workspace_bytes(&gemm) + 255) / 256 * 256) : NULL;
        if (step->prepare == NULL || step->prepare(&gemm, &error)) {
            step->run(&gemm);
            assert_int_equal(wrong_elements(&p, p.expected), 0);
        }
        free(gemm.workspace);
        free_copy(gemm.a.start, a_bytes);
        free_copy(gemm.b.start, b_bytes);
        close_product(&p);
    }
}

/* --- refused products --------------------------------------------------------------------------------------------- */

static void assert_refused(struct lab_device *device, const struct lab_plan *plan, const char *code, const char *says)
{
    assert_null(plan);
    assert_string_equal(lab_error_name(device->error.code), code);
    assert_non_null(strstr(device->error.detail, says));
    assert_false(device->lost);
}

DEVICE_TEST(test_unsupported)
{
    static const enum lab_gemm_type others[] = {LAB_GEMM_TF32, LAB_GEMM_BF16, LAB_GEMM_FP16, LAB_GEMM_FP8};
    const struct lab_runtime_gemm *gemm = runtime->gemm;
    struct product p = open_product(device, (struct shape){16, 16, 16}, LAB_GEMM_FP32, LAB_GEMM_NN);
    uint64_t wrong;
    struct lab_gemm what = gemm_of(&p);
    assert_refused(device, gemm->prepare(device, "wgmma", &what), "unsupported",
                   "wgmma is not implemented for host devices");
    assert_refused(device, gemm->prepare(device, "", &what), "unsupported", "not implemented for host devices");
    for (size_t i = 0; i < COUNT(others); i++) {
        what.type = others[i];
        const struct lab_gemm_fill fill = {others[i], LAB_GEMM_SMALL_INTS, 16, 16, false, 0, p.a};
        const struct lab_gemm_compare compare = {others[i], 256, c_of(&p), NULL, &wrong};
        for (size_t method = 0; method < COUNT(methods); method++)
            assert_refused(device, gemm->prepare(device, methods[method], &what), "unsupported", "fp32 and fp64");
        assert_refused(device, gemm->prepare_fill(device, &fill), "unsupported", "fp32 and fp64");
        assert_refused(device, gemm->prepare_compare(device, &compare), "unsupported", "fp32 and fp64");
        assert_refused(device, gemm->prepare_ceiling(device, &(struct lab_gemm_ceiling){.type = others[i]}),
                       "unsupported", "fp32 and fp64");
    }
    close_product(&p);
}

DEVICE_TEST(test_invalid)
{
    static const struct shape impossible[] = {{0, 8, 8},     {8, 0, 8},     {8, 8, 0},
                                              {65537, 1, 1}, {1, 65537, 1}, {1, 1, 65537}};
    const struct lab_runtime_gemm *gemm = runtime->gemm;
    struct product p = open_product(device, (struct shape){16, 16, 16}, LAB_GEMM_FP32, LAB_GEMM_NN);
    struct lab_gemm what = gemm_of(&p);
    uint64_t wrong;
    for (size_t i = 0; i < COUNT(impossible); i++) {
        const struct shape s = impossible[i];
        what.m = s.m, what.n = s.n, what.k = s.k;
        assert_refused(device, gemm->prepare(device, "tiled-8", &what), "invalid-argument", "1 to 65536");
        assert_refused(device,
                       gemm->prepare_expected(device, &(struct lab_gemm_expected){s.m, s.n, s.k, 0, 0, p.expected}),
                       "invalid-argument", "1 to 65536");
    }
    what = gemm_of(&p);
    what.m = 65536;
    assert_refused(device, gemm->prepare(device, "tiled-8", &what), "invalid-argument", "outside");
    what = gemm_of(&p);
    what.b = &wrong;
    assert_null(gemm->prepare(device, "tiled-8", &what));
    assert_int_equal(device->error.code, LAB_ERROR_INVALID_ARGUMENT);
    what.b = (char *)p.b + 4;
    assert_refused(device, gemm->prepare(device, "tiled-8", &what), "invalid-argument", "256 bytes");
    assert_refused(device,
                   gemm->prepare_fill(device, &(struct lab_gemm_fill){.rows = 4096, .columns = 4096, .matrix = p.a}),
                   "invalid-argument", "outside");
    assert_refused(device, gemm->prepare_fill(device, &(struct lab_gemm_fill){.rows = 0, .columns = 1, .matrix = p.a}),
                   "invalid-argument", "1 to 65536");
    assert_refused(device, gemm->prepare_compare(device, &(struct lab_gemm_compare){.count = 256, .c = c_of(&p)}),
                   "invalid-argument", "address for the number of wrong elements");
    assert_refused(device,
                   gemm->prepare_compare(device, &(struct lab_gemm_compare){0, 1 << 24, c_of(&p), NULL, &wrong}),
                   "invalid-argument", "outside");
    close_product(&p);
}

/* --- faults, several devices, release ----------------------------------------------------------------------------- */

TEST(test_a_wrong_result_is_found)
{
    for (size_t method = 0; method < COUNT(methods); method++) {
        struct lab_device *device = open_with(0, "wrong-result@5"); /* after the writes of open_product */
        struct product p = open_product(device, (struct shape){61, 83, 47}, types[method % 2], LAB_GEMM_NN);
        struct lab_plan *plan = prepare_by(&p, methods[method]);
        for (int repetition = 0; plan != NULL && repetition < 3; repetition++) {
            succeed(device, runtime->enqueue(device, plan, p.stream));
            succeed(device, runtime->stream_synchronize(device, p.stream));
            assert_int_equal(wrong_elements(&p, p.expected), 1);
        }
        runtime->plan_free(device, plan);
        close_product(&p);
        close_and_stop(device);
    }
}

TEST(test_a_lost_device_makes_no_plans)
{
    struct lab_device *device = open_with(0, "launch@6"); /* after the operations of open_product and one product */
    struct product p = open_product(device, (struct shape){16, 16, 16}, LAB_GEMM_FP32, LAB_GEMM_NN);
    const struct lab_gemm what = gemm_of(&p);
    struct lab_plan *plan = prepare_by(&p, "naive");
    succeed(device, runtime->enqueue(device, plan, p.stream));
    assert_false(runtime->enqueue(device, plan, p.stream));
    assert_true(device->lost);
    assert_null(runtime->gemm->prepare(device, "naive", &what));
    assert_null(runtime->gemm->prepare_ceiling(device, &(struct lab_gemm_ceiling){.type = LAB_GEMM_FP32}));
    assert_int_equal(device->error.code, LAB_ERROR_DEVICE_LOST);
    runtime->plan_free(device, plan);
    close_product(&p);
    close_and_stop(device);
}

DEVICE_TEST(test_a_plan_is_released_when_it_has_run)
{
    struct product p = open_product(device, (struct shape){200, 100, 150}, LAB_GEMM_FP32, LAB_GEMM_NN);
    for (size_t method = 0; method < COUNT(methods); method++) {
        poison_product(&p);
        struct lab_plan *plan = prepare_by(&p, methods[method]);
        if (plan == NULL)
            continue;
        succeed(p.device, runtime->enqueue(p.device, plan, p.stream));
        runtime->plan_free(p.device, plan);
        assert_int_equal(wrong_elements(&p, p.expected), 0);
    }
    close_product(&p);
}

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Two devices multiply at the same time. */
TEST(test_two_devices_at_once)
{
    enum { DEVICES = 2, REPETITIONS = 4 };
    struct lab_device *devices[DEVICES] = {open_with(DEVICES, NULL)};
    struct lab_error error;
    devices[1] = runtime->open(1, &error);
    assert_non_null(devices[1]);
    for (size_t method = 0; method < COUNT(methods); method++) {
        struct product p[DEVICES];
        struct lab_plan *plans[DEVICES];
        for (size_t i = 0; i < DEVICES; i++) {
            p[i] = open_product(devices[i], (struct shape){150, 170, 130 + i}, types[i], LAB_GEMM_TN);
            plans[i] = prepare_by(&p[i], methods[method]);
        }
        for (size_t i = 0; i < REPETITIONS * DEVICES && plans[0] != NULL; i++)
            succeed(devices[i % DEVICES],
                    runtime->enqueue(devices[i % DEVICES], plans[i % DEVICES], p[i % DEVICES].stream));
        for (size_t i = 0; i < DEVICES; i++) {
            succeed(devices[i], runtime->stream_synchronize(devices[i], p[i].stream));
            if (plans[i] != NULL)
                assert_int_equal(wrong_elements(&p[i], p[i].expected), 0);
            runtime->plan_free(devices[i], plans[i]);
            close_product(&p[i]);
        }
    }
    runtime->close(devices[1]);
    close_and_stop(devices[0]);
}

/* OpenBLAS's own threads would run on cores of other devices, so they must not be used. */
TEST(test_a_device_uses_only_its_cores)
{
    /* Threads of a library that has just been loaded may spin for a while. */
    enum { REPETITIONS = 20, WAIT_US = 300000 };
    struct lab_device *device = open_with(2, NULL);
    struct product p = open_product(device, (struct shape){512, 512, 512}, LAB_GEMM_FP64, LAB_GEMM_NN);
    struct lab_plan *plan = prepare_by(&p, openblas);
    if (plan == NULL)
        plan = prepare_by(&p, "blocked");
    succeed(device, runtime->enqueue(device, plan, p.stream));
    succeed(device, runtime->stream_synchronize(device, p.stream));
    usleep(WAIT_US);
    double wall = seconds(CLOCK_MONOTONIC), busy = seconds(CLOCK_PROCESS_CPUTIME_ID);
    for (int i = 0; i < REPETITIONS; i++)
        succeed(device, runtime->enqueue(device, plan, p.stream));
    succeed(device, runtime->stream_synchronize(device, p.stream));
    wall = seconds(CLOCK_MONOTONIC) - wall;
    busy = seconds(CLOCK_PROCESS_CPUTIME_ID) - busy;
    double cores = (double)device->facts.multiprocessors;
    if (busy > wall * (cores + 0.5))
        fail_msg("%.3f s of CPU time in %.3f s on %.0f cores", busy, wall, cores);
    runtime->plan_free(device, plan);
    close_product(&p);
    close_and_stop(device);
}

DEVICE_TEST(test_ceiling)
{
    struct lab_stream *stream = runtime->stream_create(device);
    for (size_t t = 0; t < COUNT(types); t++) {
        struct lab_gemm_ceiling ceiling = {.type = types[t]};
        struct lab_plan *plan = runtime->gemm->prepare_ceiling(device, &ceiling);
        succeed(device, plan != NULL);
        double start = seconds(CLOCK_MONOTONIC);
        run_plan(device, stream, plan);
        double took = seconds(CLOCK_MONOTONIC) - start;
        assert_true(took > 1e-3 && took < 1);
        double per_core = ceiling.operations / took / (double)device->facts.multiprocessors;
        assert_true(per_core > 1e6 && per_core < 1e12);
    }
    runtime->stream_free(device, stream);
}
