/* kernels/benchmark: points whose samples are taken alternately with those of another point. */
#include "benchmark/check.h"
#include "support/benchmark_harness.h"
#include "support/test.h"

#include <time.h>

enum { ELEMENTS = 1024, BYTES = 4 * ELEMENTS };

#define FEW "\"min_samples\": 3, \"max_samples\": 3, \"settle_s\": 0, \"time_budget_s\": 600"

/* --- kernels: a slow and a fast copy ------------------------------------------------------------------------------ */

static const void *slow_output, *fast_output; /* to which the kernels have written last */

static void copy(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    if (part->index == 0)
        memcpy(arguments[1].pointer, arguments[0].pointer, BYTES);
}

static void copy_slowly(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    copy(part, arguments);
    if (part->index == 0)
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    slow_output = arguments[1].pointer;
}

static void copy_fast(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    copy(part, arguments);
    fast_output = arguments[1].pointer;
}

static uint32_t expected(uint64_t i, uint64_t seed, const uint64_t parameters[3])
{
    (void)parameters;
    return lab_pattern_word(i, seed);
}

LAB_CHECK_HOST(baseline_check, expected)

static const struct lab_host_kernel host_kernels[] = {
    {"slow", copy_slowly}, {"fast", copy_fast}, {"check", host_baseline_check}, {NULL, NULL}};
static const struct lab_image image = {"baseline", NULL, host_kernels};

/* --- the benchmark ------------------------------------------------------------------------------------------------ */

enum { STEP };
enum { SLOW, FAST, COMPARED_WITH_SKIPPED, COMPARED_WITH_UNSUPPORTED, SKIPPED, UNSUPPORTED };

static const char *const steps[] = {
    "slow", "fast", "compared-with-skipped", "compared-with-unsupported", "skipped", "unsupported", NULL};
static const char *const kernels[] = {
    [SLOW] = "slow",    [FAST] = "fast",       [COMPARED_WITH_SKIPPED] = "fast", [COMPARED_WITH_UNSUPPORTED] = "fast",
    [SKIPPED] = "fast", [UNSUPPORTED] = "none"};

static const struct lab_schema parameters[] = {
    {.name = "step",
     .type = LAB_TYPE_CHOICE,
     .count = LAB_ONE_OR_LIST,
     .choices = steps,
     .fallback = "[\"slow\", \"fast\"]"},
    {.name = NULL},
};

static const struct lab_axis axes[] = {[STEP] = {.name = "step", .title = "Step"}, {.name = NULL}};

static const struct lab_metric metrics[] = {
    {.name = "time", .unit = "s", .counter = LAB_COUNT_SECONDS},
    {.name = "speedup", .unit = "1", .counter = LAB_COUNT_BASELINE},
    {.name = NULL},
};

static void describe(const struct lab_parameters *given, const struct lab_device_facts *device,
                     const struct lab_point *point, struct lab_workload *workload)
{
    (void)given, (void)device;
    if (point->values[STEP] == SKIPPED)
        snprintf(workload->skipped, sizeof workload->skipped, "not on this device");
    size_t in = lab_workload_input(workload, BYTES, LAB_CONTENT_WORDS), out = lab_workload_output(workload, BYTES);
    lab_workload_add_step(workload, kernels[point->values[STEP]]);
    LAB_ARGUMENTS(workload, LAB_BUFFER(in), LAB_BUFFER(out));
    lab_workload_launch(workload, 1, 1);
    workload->check = (struct lab_workload_check){.kernel = "check", .buffer = out};
    workload->counts[LAB_COUNT_BASELINE] = 1;
    workload->seconds = point->values[STEP] == SLOW ? 1 : 1e-6;
}

static bool baseline(const struct lab_point *point, struct lab_point *found)
{
    *found = *point;
    found->values[STEP] = point->values[STEP] == COMPARED_WITH_SKIPPED       ? SKIPPED
                          : point->values[STEP] == COMPARED_WITH_UNSUPPORTED ? UNSUPPORTED
                                                                             : SLOW;
    return point->values[STEP] != SLOW;
}

static const struct lab_benchmark benchmark = {.image = &image, .describe = describe, .baseline = baseline};
FAKE_BENCHMARK(experiment, benchmark, .name = "baseline", .parameters = parameters, .axes = axes, .metrics = metrics)

/* --- tests -------------------------------------------------------------------------------------------------------- */

DEVICE_TEST(a_point_is_compared_with_its_baseline)
{
    struct results results;
    run_experiment(&experiment, device, "{" FEW "}", &results);
    assert_true(results.good && !results.any_wrong);
    assert_null(find_reported(&results, "speedup", "slow"));
    const struct reported *speedup = find_reported(&results, "speedup", "fast");
    assert_int_equal(speedup->summary.n, 3);
    assert_true(speedup->summary.min > 1);
    assert_true(find_reported(&results, "time", "fast")->verified);
}

/* The baseline cannot complete the result that is verified. */
DEVICE_TEST(a_baseline_has_its_own_memory)
{
    struct results results;
    run_experiment(&experiment, device, "{\"step\": \"fast\"," FEW "}", &results);
    assert_true(results.good);
    assert_non_null(slow_output);
    assert_ptr_not_equal(slow_output, fast_output);
}

DEVICE_TEST(a_point_whose_baseline_is_skipped_is_measured)
{
    static const char *const texts[] = {"{\"step\": \"compared-with-skipped\"," FEW "}",
                                        "{\"step\": \"compared-with-unsupported\"," FEW "}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct results results;
        run_experiment(&experiment, device, texts[i], &results);
        assert_true(results.good);
        assert_null(find_reported(&results, "speedup", ""));
        assert_true(find_reported(&results, "time", "")->verified);
    }
}

static struct lab_estimate plan(const char *text)
{
    struct lab_errors errors = {0};
    struct lab_estimate estimate;
    struct lab_device_facts facts;
    const struct lab_device_facts *const devices[] = {&facts};
    json_t *given = json_loads(text, 0, NULL);
    struct lab_parameters *of_request = lab_parameters_parse(&experiment, given, &errors);
    lab_facts_clear(&facts);
    assert_true(lab_benchmark_plan(of_request, devices, 1, &estimate, &errors));
    lab_parameters_free(of_request);
    json_decref(given);
    return estimate;
}

TEST(the_plan_counts_the_baseline)
{
    struct lab_estimate slow = plan("{\"step\": \"slow\"," FEW "}"), fast = plan("{\"step\": \"fast\"," FEW "}");
    struct lab_estimate alone = plan("{\"step\": \"compared-with-skipped\"," FEW "}");
    assert_int_equal(slow.device_bytes, 2 * BYTES);
    assert_int_equal(fast.device_bytes, 4 * BYTES);
    assert_true(fabs(fast.seconds - slow.seconds) < 0.1);
    assert_int_equal(alone.device_bytes, 2 * BYTES);
    assert_true(alone.seconds < 1);
}
