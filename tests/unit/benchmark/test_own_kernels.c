/* kernels/benchmark/own_kernels.c: a person's own kernels are used instead of those of the experiment by name, with
 * other launches where the run asks for them. */
#include "benchmark/check.h"
#include "support/benchmark_harness.h"
#include "support/test.h"

AROUND_EACH_TEST(.setup = open_one, .teardown = close_one)

enum { ELEMENTS = 1000, BYTES = 4 * ELEMENTS, THREADS = 256 };

#define FEW "\"min_samples\": 3, \"max_samples\": 3, \"settle_s\": 0, \"time_budget_s\": 600"

/* --- kernels: b = 2 a --------------------------------------------------------------------------------------------- */

static struct lab_launch launched; /* the last launch of an own kernel */
static size_t own_launches, original_launches;

static void twice(const struct lab_host_part *part, const struct lab_argument *arguments, uint32_t added)
{
    const uint32_t *a = arguments[0].pointer;
    uint32_t *b = arguments[1].pointer;
    uint64_t begin, end;
    lab_host_part_range(part, ELEMENTS, 1, &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        b[i] = 2 * a[i] + (i == 7 ? added : 0);
}

static void original(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    original_launches += part->index == 0;
    twice(part, arguments, 0);
}

static void own(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    if (part->index == 0) {
        launched = *part->launch;
        own_launches++;
    }
    twice(part, arguments, 0);
}

static void wrong(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    twice(part, arguments, 1);
}

static uint32_t expected(uint64_t i, uint64_t seed, const uint64_t parameters[3])
{
    (void)parameters;
    return 2 * lab_pattern_word(i, seed);
}

LAB_CHECK_HOST(own_kernels_check, expected)

static const struct lab_host_kernel image_kernels[] = {
    {"twice", original}, {"rows", original}, {"check", host_own_kernels_check}, {NULL, NULL}};
static const struct lab_image image = {"test", NULL, image_kernels};

static const struct lab_host_kernel own_table[] = {{"twice", own}, {"rows", own}, {NULL, NULL}};
static const struct lab_host_kernel wrong_table[] = {{"twice", wrong}, {NULL, NULL}};
static const struct lab_host_kernel other_table[] = {{"thrice", own}, {NULL, NULL}};

/* --- the benchmark ------------------------------------------------------------------------------------------------ */

enum { STEP };
enum { TWICE, ROWS };
static const char *const steps[] = {"twice", "rows", NULL};

static const struct lab_schema parameters[] = {
    {.name = "step", .type = LAB_TYPE_CHOICE, .count = LAB_ONE_OR_LIST, .choices = steps, .fallback = "[\"twice\"]"},
    {.name = NULL},
};
static const struct lab_axis axes[] = {[STEP] = {.name = "step", .title = "Step"}, {.name = NULL}};
static const struct lab_metric metrics[] = {{.name = "time", .unit = "s", .counter = LAB_COUNT_SECONDS},
                                            {.name = NULL}};

/* The grid of `twice` follows from its block; that of `rows` does not. */
static void describe(const struct lab_parameters *given, const struct lab_device_facts *device,
                     const struct lab_point *point, struct lab_workload *workload)
{
    (void)given, (void)device;
    size_t a = lab_workload_input(workload, BYTES, LAB_CONTENT_WORDS), b = lab_workload_output(workload, BYTES);
    lab_workload_add_step(workload, steps[point->values[STEP]]);
    LAB_ARGUMENTS(workload, LAB_BUFFER(a), LAB_BUFFER(b));
    if (point->values[STEP] == TWICE)
        lab_workload_launch_items(workload, ELEMENTS, THREADS);
    else
        lab_workload_launch(workload, 8, THREADS);
    workload->check = (struct lab_workload_check){.kernel = "check", .buffer = b};
}

static const struct lab_benchmark benchmark = {.image = &image, .describe = describe};
FAKE_BENCHMARK(experiment, benchmark, .name = "own", .parameters = parameters, .axes = axes, .metrics = metrics)

static struct lab_own_kernels kernels_of(const char *step, const struct lab_host_kernel *table)
{
    own_launches = original_launches = 0;
    return (struct lab_own_kernels){.step = step, .image = {.name = "the edited source", .host = table}};
}

/* --- tests -------------------------------------------------------------------------------------------------------- */

TEST_WITH(own_kernels_are_launched_and_checked_like_those_of_the_experiment, struct lab_device *device)
{
    struct results results;
    struct lab_own_kernels kernels = kernels_of("twice", own_table);
    run_with_kernels(&experiment, device, "{" FEW "}", &kernels, &results);
    assert_true(results.good);
    assert_true(find_reported(&results, "time", "twice")->verified);
    assert_true(own_launches > 0);
    assert_int_equal(original_launches, 0);
    assert_int_equal(launched.grid[0], 4);
    assert_int_equal(launched.block[0], THREADS);
}

TEST_WITH(a_wrong_own_kernel_is_caught, struct lab_device *device)
{
    struct results results;
    struct lab_own_kernels kernels = kernels_of("twice", wrong_table);
    run_with_kernels(&experiment, device, "{" FEW "}", &kernels, &results);
    assert_true(results.good && results.any_wrong);
    assert_int_equal(find_reported(&results, "time", "twice")->wrong, 1);
    assert_non_null(strstr(results.warning, "twice: element 7 is the first that is wrong: 0x"));
    uint32_t right = expected(7, 1, NULL), found = right + 1;
    char words[64];
    snprintf(words, sizeof words, "0x%08x", found);
    assert_non_null(strstr(results.warning, words));
    snprintf(words, sizeof words, "instead of 0x%08x", right);
    assert_non_null(strstr(results.warning, words));
}

TEST_WITH(kernels_of_other_names_are_those_of_the_experiment, struct lab_device *device)
{
    struct results results;
    struct lab_own_kernels kernels = kernels_of("twice", wrong_table);
    run_with_kernels(&experiment, device, "{\"step\": [\"rows\"]," FEW "}", &kernels, &results);
    assert_true(results.good && !results.any_wrong);
    assert_true(original_launches > 0);
}

TEST_WITH(a_text_without_the_kernel_ends_the_run, struct lab_device *device)
{
    struct results results;
    struct lab_own_kernels kernels = kernels_of("twice", other_table);
    run_with_kernels(&experiment, device, "{" FEW "}", &kernels, &results);
    assert_false(results.good);
    assert_int_equal(results.error.code, LAB_ERROR_KERNEL_NOT_FOUND);
    assert_non_null(strstr(results.error.detail, "no kernel twice"));
}

TEST_WITH(the_grid_of_items_follows_from_another_block, struct lab_device *device)
{
    struct results results;
    struct lab_own_kernels kernels = kernels_of("twice", own_table);
    memcpy(kernels.block, (uint32_t[3]){32, 2}, sizeof kernels.block);
    run_with_kernels(&experiment, device, "{" FEW "}", &kernels, &results);
    assert_true(results.good);
    assert_int_equal(launched.block[1], 2);
    assert_int_equal(launched.grid[0], 16);
}

TEST_WITH(another_block_of_a_fixed_grid_needs_the_grid, struct lab_device *device)
{
    struct results results;
    struct lab_own_kernels kernels = kernels_of("rows", own_table);
    kernels.block[0] = 64;
    run_with_kernels(&experiment, device, "{\"step\": [\"rows\"]," FEW "}", &kernels, &results);
    assert_false(results.good);
    assert_int_equal(results.error.code, LAB_ERROR_INVALID_LAUNCH);
    kernels.grid[0] = 3;
    run_with_kernels(&experiment, device, "{\"step\": [\"rows\"]," FEW "}", &kernels, &results);
    assert_true(results.good);
    assert_int_equal(launched.grid[0], 3);
    assert_int_equal(launched.block[0], 64);
}
