/* kernels/experiments/multi_gpu/scaling: the points of a request, the work partition, correct results of all variants,
 * counted wrong results, and the calibration of the weight. Reports of whole runs: test_scaling_run.c.
 */
#include "benchmark/pairs.h"
#include "experiments/multi_gpu/scaling/job.h"
#include "support/plan_harness.h"
#include "support/test.h"
#include "support/three_devices.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

AROUND_EACH_TEST(.setup = open_devices, .teardown = close_devices)

/* --- the plan ----------------------------------------------------------------------------------------------------- */

TEST(one_device_is_always_measured)
{
    expect_points("scaling", "{}", 2 * 2);
    expect_points_on("scaling", "{}", 3, 2 * 2 * 3);
    expect_points_on("scaling", "{\"kernel\": \"average\", \"scaling\": \"weak\", \"device_count\": 3}", 3, 2);
    expect_points_on("scaling", "{\"kernel\": \"average\", \"scaling\": \"weak\", \"device_count\": [1, 3]}", 3, 2);
    expect_points_on("scaling", "{\"kernel\": \"average\", \"scaling\": \"weak\", \"device_count\": [0, 3]}", 3, 3);
    expect_points_on("scaling",
                     "{\"kernel\": \"pairs\", \"scaling\": \"strong\", \"bytes\": [65536, 131072],"
                     "\"memory\": [\"pageable\", \"pinned\"], \"variant\": [\"one-thread\", \"thread-per-device\"]}",
                     2, 2 * 2 * 2 * 2);
}

TEST(sizes_that_round_to_the_same_are_one)
{
    expect_points("scaling", "{\"scaling\": \"strong\", \"bytes\": [65536, 65539, 66000]}", 2 + 1);
}

TEST(too_many_devices_are_refused_with_a_pointer)
{
    expect_refusal("scaling", "{\"device_count\": 2}", "out-of-bounds", "/parameters/device_count/0");
    struct plan plan = plan_on("scaling", "{\"device_count\": [1, 2, 3, 0]}", 2, INT64_C(1) << 40);
    assert_false(plan.good);
    assert_int_equal(plan.errors.count, 1);
    assert_string_equal(plan.errors.items[0].pointer, "/parameters/device_count/2");
}

TEST(memory_counts_the_largest_part)
{
    const uint64_t mib = 1048576;
    struct plan plan =
        plan_on("scaling", "{\"bytes\": 1048576, \"kernel\": \"average\", \"scaling\": \"strong\"}", 3, 1 << 30);
    /* the first of two devices has half of the arrays, and those of the baseline */
    assert_int_equal(plan.estimate.device_bytes, 3 * mib / 2 + 3 * mib);
    assert_int_equal(plan.estimate.host_bytes, 3 * mib + 3 * mib);
    plan = plan_on("scaling", "{\"bytes\": 1048576, \"kernel\": \"average\", \"scaling\": \"weak\"}", 3, 1 << 30);
    assert_int_equal(plan.estimate.device_bytes, 2 * 3 * mib);
    assert_int_equal(plan.estimate.host_bytes, (3 + 1) * 3 * mib);
    plan = plan_on("scaling", "{\"bytes\": 1048576, \"kernel\": \"pairs\", \"scaling\": \"strong\", \"weight\": 1000}",
                   2, 1 << 30);
    assert_int_equal(plan.estimate.device_bytes, 2 * mib / 2 + 4000 + 2 * mib + 4000);
    assert_int_equal(plan.estimate.host_bytes, 2 * mib + 2 * 4000 + 2 * mib + 4000);
    plan = plan_on("scaling", "{\"bytes\": 1048576, \"kernel\": \"average\"}", 1, 1 << 30);
    assert_int_equal(plan.estimate.device_bytes, 3 * mib);
    plan = plan_on("scaling", "{\"bytes\": 536870912, \"kernel\": \"average\"}", 2, PLAN_MEMORY);
    assert_false(plan.good);
    assert_int_equal(plan.errors.count, 2); /* one error for each device */
    expect_refusal("scaling", "{\"bytes\": 536870912, \"kernel\": \"average\"}", "exceeds-memory", "/parameters/bytes");
    assert_true(
        plan_within("scaling", "{\"bytes\": 536870912, \"kernel\": \"pairs\", \"weight\": 1}", (1 << 30) + 4).good);
}

/* The estimate of the default run on a device whose speed is unknown, as a CPU's is, is what the time budget of 12 s
 * allows; that of a small run is less. */
TEST(the_estimate_keeps_to_the_budget)
{
    double whole = plan_within("scaling", "{}", PLAN_MEMORY).estimate.seconds;
    double small = plan_within("scaling", "{\"bytes\": 65536, \"kernel\": \"average\"}", PLAN_MEMORY).estimate.seconds;
    assert_true(whole >= 12 && whole <= 17);
    assert_true(small > 0.1 && small < 3);
}

/* --- work partition ----------------------------------------------------------------------------------------------- */

TEST(parts_are_equal_and_cover_the_array)
{
    const struct {
        const struct lab_offload_kernel *kernel;
        size_t unit;
    } kernels[] = {{&lab_offload_pairs, 4}, {&lab_offload_average, 1024}};
    for (size_t k = 0; k < 2; k++)
        for (size_t units = 16; units < 40; units++)
            for (size_t count = 1; count <= 16; count++) {
                const struct scaling_workload workload = {
                    {.kernel = kernels[k].kernel, .bytes = units * kernels[k].unit}, false};
                size_t smallest = SIZE_MAX, largest = 0, start = 0;
                for (size_t i = 0; i < count; i++) {
                    const struct lab_offload_shape part = scaling_part_of(&workload, count, i);
                    assert_int_equal(4 * part.first, start);
                    assert_int_equal(part.bytes % kernels[k].unit, 0);
                    smallest = part.bytes < smallest ? part.bytes : smallest;
                    largest = part.bytes > largest ? part.bytes : largest;
                    start += part.bytes;
                }
                assert_int_equal(start, workload.arrays.bytes);
                assert_true(smallest > 0 && largest - smallest <= kernels[k].unit);
            }
    const struct scaling_workload weak = {{.kernel = &lab_offload_pairs, .bytes = 1004}, true};
    assert_int_equal(scaling_part_of(&weak, 3, 2).first, 2008 / 4);
    assert_int_equal(scaling_part_of(&weak, 3, 2).bytes, 1004);
}

/* --- the job, on the host runtime --------------------------------------------------------------------------------- */

static struct scaling_workload workload_of(int kernel, enum lab_memory memory, size_t bytes, bool weak)
{
    return (struct scaling_workload){{.kernel = kernel == SCALING_PAIRS ? &lab_offload_pairs : &lab_offload_average,
                                      .memory = memory,
                                      .bytes = bytes,
                                      .partners = 777},
                                     weak};
}

static void open_job(struct scaling_job *job, struct lab_run *run, const struct scaling_workload *workload,
                     size_t count)
{
    if (!scaling_job_open(job, run, workload, count))
        fail_msg("%s", run->error.detail);
}

static uint64_t do_job(struct scaling_job *job, enum scaling_variant variant)
{
    uint64_t wrong = UINT64_MAX;
    assert_true(scaling_job_set_variant(job, variant));
    assert_true(scaling_job_poison(job));
    if (!scaling_job_run(job))
        fail_msg("%s", devices[0]->error.detail);
    assert_true(scaling_job_verify(job, &wrong));
    return wrong;
}

/* The concatenated results of all parts. The caller frees them. */
static unsigned char *results_of(const struct scaling_job *job, size_t *bytes)
{
    *bytes = job->workload.arrays.bytes * (job->workload.weak ? job->part_count : 1);
    unsigned char *results = malloc(*bytes), *next = results;
    assert_non_null(results);
    for (size_t i = 0; i < job->part_count; i++) {
        struct lab_region part = lab_offload_result(&job->parts[i].arrays);
        memcpy(next, part.address, part.width);
        next += part.width;
    }
    assert_ptr_equal(next, results + *bytes);
    return results;
}

/* Runs all variants on one job and checks that each result is correct and identical. */
static void expect_right_results(struct lab_run *run, const struct scaling_workload *workload, size_t count)
{
    struct scaling_job job;
    unsigned char *wanted = NULL;
    size_t bytes;
    open_job(&job, run, workload, count);
    for (int variant = SCALING_ONE_THREAD; variant < SCALING_VARIANTS; variant++) {
        uint64_t wrong = do_job(&job, (enum scaling_variant)variant);
        if (wrong != 0)
            fail_msg("%s on %zu devices, variant %d: %llu wrong", workload->arrays.kernel->name, count, variant,
                     (unsigned long long)wrong);
        unsigned char *found = results_of(&job, &bytes);
        if (wanted != NULL)
            assert_memory_equal(found, wanted, bytes);
        free(wanted);
        wanted = found;
    }
    free(wanted);
    scaling_job_close(&job);
}

TEST(every_variant_computes_the_correct_result_on_1_to_3_devices)
{
    struct lab_parameters *parameters = parse("scaling", "{}");
    struct lab_run run = run_of(parameters);
    for (int kernel = SCALING_PAIRS; kernel <= SCALING_AVERAGE; kernel++)
        for (int memory = LAB_MEMORY_PAGEABLE; memory <= LAB_MEMORY_PINNED; memory++)
            for (size_t count = 1; count <= DEVICES; count++)
                for (int weak = 0; weak <= 1; weak++) {
                    /* not divisible by 2 or 3, in elements or in windows of 256 */
                    size_t bytes = kernel == SCALING_AVERAGE ? 29 * 1024 : 29 * 1024 + 4;
                    const struct scaling_workload workload =
                        workload_of(kernel, (enum lab_memory)memory, bytes, weak != 0);
                    expect_right_results(&run, &workload, count);
                }
    lab_parameters_free(parameters);
}

/* Verifies a result with a flipped bit, then two swapped parts: both are detected. */
TEST(wrong_results_are_counted)
{
    struct lab_parameters *parameters = parse("scaling", "{}");
    struct lab_run run = run_of(parameters);
    for (int kernel = SCALING_PAIRS; kernel <= SCALING_AVERAGE; kernel++) {
        const struct scaling_workload workload = workload_of(kernel, LAB_MEMORY_PINNED, 98304, false);
        struct scaling_job job;
        uint64_t wrong;
        open_job(&job, &run, &workload, 2);
        assert_int_equal(do_job(&job, SCALING_ONE_THREAD), 0);
        uint32_t *first = lab_offload_result(&job.parts[0].arrays).address,
                 *second = lab_offload_result(&job.parts[1].arrays).address;
        second[12287] ^= 1u << 31;
        assert_true(scaling_job_verify(&job, &wrong));
        assert_int_equal(wrong, 1);
        for (size_t i = 0; i < 12288; i++) {
            uint32_t swapped = first[i];
            first[i] = second[i];
            second[i] = swapped;
        }
        assert_true(scaling_job_verify(&job, &wrong));
        assert_true(wrong > 24576 - 100); /* fewer than 100 words may be equal by chance */
        scaling_job_close(&job);
    }
    lab_parameters_free(parameters);
}

/* If the inputs are not copied to the second device, its kernel computes on poison, which is detected. */
static bool copy_up_to_the_first_only(struct lab_device *device, struct lab_stream *stream, void *destination,
                                      const void *source, size_t bytes, enum lab_direction direction)
{
    return (direction == LAB_H2D && device != devices[0]) ||
           lab_host_runtime.copy(device, stream, destination, source, bytes, direction);
}

TEST(a_missing_input_is_detected)
{
    struct lab_parameters *parameters = parse("scaling", "{}");
    struct lab_run run = run_of(parameters);
    changed = lab_host_runtime;
    changed.copy = copy_up_to_the_first_only;
    for (int kernel = SCALING_PAIRS; kernel <= SCALING_AVERAGE; kernel++) {
        const struct scaling_workload workload = workload_of(kernel, LAB_MEMORY_PINNED, 98304, false);
        struct scaling_job job;
        open_job(&job, &run, &workload, 2);
        assert_int_equal(do_job(&job, SCALING_ONE_THREAD), 0);
        use_runtime(&changed);
        uint64_t wrong = do_job(&job, SCALING_ONE_THREAD);
        use_runtime(&lab_host_runtime);
        assert_true(wrong > 12288 - 100 && wrong <= 12288);
        scaling_job_close(&job);
    }
    lab_parameters_free(parameters);
}

/* Compares the closed formula with the sum over all partners. */
TEST(the_formula_of_pairs_equals_its_definition)
{
    enum { RESULTS = 100 };
    const struct lab_expectation elements = {.seed = 6, .first = UINT64_C(0xFFFFFFF0)}; /* crosses 2^32 */
    const struct lab_expectation partners = {.seed = 7, .first = 1000}, others = {.seed = 7, .first = 9000};
    const uint32_t weights[] = {1, 2, 777, 4096};
    uint32_t results[RESULTS];
    for (size_t w = 0; w < sizeof weights / sizeof *weights; w++) {
        for (uint64_t i = 0; i < RESULTS; i++) {
            results[i] = 0;
            for (uint64_t k = 0; k < weights[w]; k++) {
                uint32_t difference = lab_pattern_word(elements.first + i, elements.seed) -
                                      lab_pattern_word(partners.first + k, partners.seed);
                results[i] += difference * difference;
            }
        }
        const struct lab_expectation shifted = {.seed = elements.seed, .first = elements.first + 1};
        assert_int_equal(lab_pairs_count_wrong(results, RESULTS, elements, partners, weights[w]), 0);
        assert_true(lab_pairs_count_wrong(results, RESULTS, shifted, partners, weights[w]) > RESULTS - 3);
        assert_true(lab_pairs_count_wrong(results, RESULTS, elements, others, weights[w]) > RESULTS - 3);
        results[RESULTS - 1]++;
        assert_int_equal(lab_pairs_count_wrong(results, RESULTS, elements, partners, weights[w]), 1);
    }
}

/* Checks enough results to use several threads; three of the results are wrong. */
TEST(all_threads_count_wrong_pairs)
{
    enum { RESULTS = (1 << 20) + 3 };
    uint32_t *results = calloc(RESULTS, sizeof *results);
    assert_non_null(results);
    const struct lab_expectation any = {0};
    assert_int_equal(lab_pairs_count_wrong(results, RESULTS, any, any, 0), 0); /* without partners every result is 0 */
    results[0] = results[RESULTS / 2] = results[RESULTS - 1] = 1;
    assert_int_equal(lab_pairs_count_wrong(results, RESULTS, any, any, 0), 3);
    free(results);
}

/* Kernels fail on all devices except the first: the job must end and report the reason. */
static bool enqueue_on_the_first_only(struct lab_device *device, struct lab_plan *plan, struct lab_stream *stream)
{
    return device == devices[0] ? lab_host_runtime.enqueue(device, plan, stream)
                                : lab_error_set(&device->error, LAB_ERROR_CUDA_ERROR, "", "no launch here");
}

TEST(a_failure_on_any_device_ends_the_job_with_its_reason)
{
    struct lab_parameters *parameters = parse("scaling", "{}");
    struct lab_run run = run_of(parameters);
    const struct scaling_workload workload = workload_of(SCALING_AVERAGE, LAB_MEMORY_PINNED, 98304, false);
    struct scaling_job job;
    changed = lab_host_runtime;
    changed.enqueue = enqueue_on_the_first_only;
    open_job(&job, &run, &workload, DEVICES);
    for (int variant = SCALING_ONE_THREAD; variant < SCALING_VARIANTS; variant++) {
        job.runtime = &lab_host_runtime;
        assert_int_equal(do_job(&job, (enum scaling_variant)variant), 0);
        job.runtime = &changed;
        devices[0]->error = (struct lab_error){0};
        assert_false(scaling_job_run(&job));
        assert_string_equal(devices[0]->error.detail, "no launch here");
    }
    scaling_job_close(&job);
    lab_parameters_free(parameters);
}

/* --- calibration of the weight ------------------------------------------------------------------------------------ */

/* Simulates a device whose kernel takes seconds_per_partner for each partner; the kernel itself does nothing. */
static double seconds_per_partner;
static uint32_t prepared_weight;

static struct lab_plan *prepare_and_record_weight(struct lab_device *device, struct lab_kernel *kernel,
                                                  const struct lab_launch *launch, const struct lab_argument *arguments,
                                                  size_t count)
{
    struct lab_argument of_nothing[LAB_ARGUMENTS_MAX];
    assert_int_equal(count, 5); /* of pairs: result, elements, their number, partners, their number */
    prepared_weight = arguments[4].u32;
    memcpy(of_nothing, arguments, count * sizeof *arguments);
    of_nothing[2] = lab_argument_u64(0);
    return lab_host_runtime.module->prepare(device, kernel, launch, of_nothing, count);
}

static size_t elapsed_calls;

static bool elapsed_by_weight(struct lab_device *device, struct lab_event *start, struct lab_event *stop,
                              double *seconds)
{
    if (!lab_host_runtime.event_elapsed(device, start, stop, seconds))
        return false;
    if (elapsed_calls++ % SCALING_PHASES == SCALING_KERNEL)
        *seconds = 1e-6 + seconds_per_partner * prepared_weight;
    return true;
}

static uint32_t find_weight_with(json_t *calibrated, double seconds_each, double target_s)
{
    struct lab_parameters *parameters = parse("scaling", "{}");
    struct lab_run run = run_of(parameters);
    run.calibrated = calibrated;
    const struct scaling_workload workload = workload_of(SCALING_PAIRS, LAB_MEMORY_PINNED, 16384, false);
    uint32_t weight = 0;
    struct lab_runtime_module modules = *lab_host_runtime.module;
    modules.prepare = prepare_and_record_weight;
    elapsed_calls = 0;
    seconds_per_partner = seconds_each;
    changed = lab_host_runtime;
    changed.module = &modules;
    changed.event_elapsed = elapsed_by_weight;
    use_runtime(&changed);
    bool good = scaling_find_weight(&run, &workload, target_s, &weight);
    use_runtime(&lab_host_runtime);
    if (!good)
        fail_msg("%s", run.error.detail);
    lab_parameters_free(parameters);
    return weight;
}

static uint32_t find_weight(double seconds_each)
{
    return find_weight_with(NULL, seconds_each, 0.5);
}

TEST(the_calibrated_job_takes_the_given_time)
{
    assert_int_equal(find_weight(0.5 / 3000), 3072);
    assert_int_equal(find_weight(0.5 / 2000), 2048);
    assert_int_equal(find_weight(0.5 / 262144), 262144);
    assert_int_equal(find_weight(1e-12), SCALING_WEIGHT_MAX); /* the maximum */
    assert_int_equal(find_weight(2), 1);                      /* the minimum */
    assert_int_equal(find_weight_with(NULL, 0.5 / 4096, 0.125), 1024);
}

TEST(the_weight_is_found_once)
{
    json_t *calibrated = json_object();
    assert_int_equal(find_weight_with(calibrated, 0.5 / 2048, 0.5), 2048);
    assert_int_equal(find_weight_with(calibrated, 0.5 / 512, 0.5), 2048); /* although the device is now slower */
    json_decref(calibrated);
}

/* The time that calibrated jobs of a run on `count` devices take. */
static double target_of(size_t count, const char *text)
{
    struct lab_parameters *parameters = parse("scaling", text);
    struct lab_errors errors = {0};
    struct lab_points points;
    assert_true(lab_points_init(&points, parameters, NULL, count, &errors));
    double target_s = scaling_target_s(parameters, &points);
    lab_points_release(&points);
    lab_parameters_free(parameters);
    return target_s;
}

TEST(calibrated_jobs_fit_into_the_budget)
{
    assert_true(target_of(1, "{\"time_budget_s\": 30}") == 0.5);
    assert_true(target_of(1, "{\"kernel\": \"average\", \"time_budget_s\": 0.1}") <= 0.1);
    double two = target_of(2, "{}"), eight = target_of(8, "{}");
    assert_true(eight < two && two < 0.5);
    /* on two devices: 11 jobs of one device twice, 11 of half the size, 11 of the whole, and 10 of the baselines */
    assert_true((11 * 2 + 5.5 + 11 + 10) * two <= 0.75 * 12 + 1e-9);
    assert_true(target_of(8, "{\"time_budget_s\": 600}") == 0.5);
}

TEST(calibration_ends_when_the_run_is_cancelled)
{
    struct lab_parameters *parameters = parse("scaling", "{}");
    struct lab_run run = run_of(parameters);
    const struct scaling_workload workload = workload_of(SCALING_PAIRS, LAB_MEMORY_PINNED, 16384, false);
    uint32_t weight;
    atomic_store(&cancel, true);
    assert_false(scaling_find_weight(&run, &workload, 0.5, &weight));
    assert_int_equal(run.error.code, LAB_ERROR_CANCELLED);
    atomic_store(&cancel, false);
    lab_parameters_free(parameters);
}
