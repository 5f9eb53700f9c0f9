/* kernels/experiments/overlap: the points of a request, the order of issue of each variant, correct results of all
 * variants, and the bound.
 */
#include "experiments/overlap/bound.h"
#include "experiments/overlap/job.h"
#include "host/host.h"
#include "plan_harness.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* --- the plan ----------------------------------------------------------------------------------------------------- */

static void each_workload_has_one_sequential_point(void **state)
{
    (void)state;
    expect_points("overlap", "{\"variant\": \"depth-first\", \"chunks\": [4, 8], \"streams\": [2, 4]}", 1 + 4);
    expect_points("overlap", "{\"variant\": [\"sequential\"]}", 1);
    expect_points("overlap",
                  "{\"variant\": \"sequential\", \"bytes\": [65536, 131072], \"kernel\": [\"waves\", \"average\"]}", 4);
    /* one-stream ignores the stream counts; each replay mode is a point */
    expect_points(
        "overlap",
        "{\"variant\": \"one-stream\", \"chunks\": 4, \"streams\": [2, 4], \"replay\": [\"stream\", \"graph\"]}",
        1 + 2);
}

static void invalid_requests_are_refused_with_a_pointer(void **state)
{
    (void)state;
    expect_refusal("overlap", "{\"chunks\": 4, \"streams\": [2, 8]}", "streams-above-chunks", "/parameters/streams/1");
    expect_refusal("overlap", "{\"bytes\": 2048, \"chunks\": 4}", "out-of-bounds", "/parameters/bytes/0");
    expect_refusal("overlap", "{\"bytes\": 2147483648}", "exceeds-memory", "/parameters/bytes");
    expect_refusal("overlap", "{\"bytes\": 536870912, \"kernel\": \"average\"}", "exceeds-memory", "/parameters/bytes");
    assert_true(plan_within("overlap", "{\"bytes\": 1073741824, \"kernel\": \"increment\"}", PLAN_MEMORY).good);
}

/* --- the orders --------------------------------------------------------------------------------------------------- */

static void write_operation(char *text, size_t size, const struct overlap_operation *operation)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%c%zu/%zu%s", used > 0 ? " " : "", "ukd"[operation->engine],
             operation -> chunk, operation -> stream, operation -> event_after ? "e" : "");
}

static char order[512];

static bool append(struct overlap_job *job, const struct overlap_operation *operation, void *context)
{
    (void)job;
    (void)context;
    write_operation(order, sizeof order, operation);
    return true;
}

static void expect_order(enum overlap_variant variant, size_t chunks, size_t streams, const char *wanted)
{
    struct overlap_job job = {.point = {.variant = variant, .chunks = chunks, .streams = streams}};
    order[0] = '\0';
    assert_true(overlap_each_operation(&job, append, NULL));
    assert_string_equal(order, wanted);
}

static void each_variant_issues_its_order(void **state)
{
    (void)state;
    expect_order(OVERLAP_SEQUENTIAL, 1, 1, "u0/0 k0/0 d0/0");
    expect_order(OVERLAP_ONE_STREAM, 2, 1, "u0/0 k0/0 d0/0 u1/0 k1/0 d1/0");
    expect_order(OVERLAP_DEPTH_FIRST, 3, 2, "u0/0 k0/0 d0/0 u1/1 k1/1 d1/1 u2/0 k2/0 d2/0");
    expect_order(OVERLAP_BREADTH_FIRST, 3, 2, "u0/0 u1/1 u2/0 k0/0 k1/1 k2/0 d0/0 d1/1 d2/0");
    expect_order(OVERLAP_BREADTH_FIRST_EVENTS, 2, 2, "u0/0 u1/1 k0/0e k1/1e d0/0 d1/1");
    expect_order(OVERLAP_INTERLEAVED, 3, 2, "u0/0 u1/1 k0/0 k1/1 d0/0 d1/1 u2/0 k2/0 d2/0");
}

static void the_averaging_kernel_copies_two_inputs(void **state)
{
    (void)state;
    struct overlap_job job = {.workload.kernel = OVERLAP_AVERAGE,
                              .point = {.variant = OVERLAP_DEPTH_FIRST, .chunks = 1, .streams = 1}};
    order[0] = '\0';
    assert_true(overlap_each_operation(&job, append, NULL));
    assert_string_equal(order, "u0/0 u0/0 k0/0 d0/0");
    assert_int_equal(overlap_operation_count(&job), 4);
}

/* --- the job, on the host runtime --------------------------------------------------------------------------------- */

static struct lab_device *device;
static atomic_bool cancel;

static struct lab_run run_of(const struct lab_parameters *parameters)
{
    return (struct lab_run){
        .parameters = parameters, .device_count = 1, .devices = {device}, .cancel = &cancel, .numa_node = LAB_UNKNOWN};
}

static void run_job(struct overlap_job *job, const struct overlap_point *point, struct lab_comparison *comparison)
{
    const struct lab_runtime *runtime = device->runtime;
    if (!overlap_job_prepare(job, point))
        fail_msg("%s", job->run->error.detail);
    assert_true(overlap_job_poison(job));
    assert_true(overlap_job_enqueue(job));
    assert_true(runtime->stream_synchronize(device, overlap_job_origin(job)));
    assert_true(overlap_job_check(job, comparison));
}

static void every_variant_computes_the_correct_result(void **state)
{
    (void)state;
    struct lab_parameters *parameters = parse("overlap", "{}");
    struct lab_run run = run_of(parameters);
    for (int kernel = OVERLAP_WAVES; kernel <= OVERLAP_INCREMENT; kernel++)
        for (int memory = LAB_MEMORY_PAGEABLE; memory <= LAB_MEMORY_PINNED; memory++) {
            /* not divisible by 7 chunks or by windows of 256 elements */
            struct overlap_workload workload = {.memory = (enum lab_memory)memory,
                                                .kernel = (enum overlap_kernel)kernel};
            workload.bytes = overlap_whole_bytes(workload.kernel, 1000007);
            struct overlap_job job;
            assert_true(overlap_job_open(&job, &run, &workload));
            job.weight = 3;
            for (int variant = OVERLAP_SEQUENTIAL; variant < OVERLAP_DEFAULT_STREAM; variant++) {
                bool chunked = variant != OVERLAP_SEQUENTIAL;
                struct overlap_point point = {
                    .workload = workload, .variant = (enum overlap_variant)variant, .chunks = chunked ? 7 : 1};
                point.streams = variant >= OVERLAP_DEPTH_FIRST ? 3 : 1;
                struct lab_comparison comparison;
                run_job(&job, &point, &comparison);
                if (comparison.wrong != 0)
                    fail_msg("%s %s: %llu wrong", overlap_variants[variant], overlap_kernels[kernel],
                             (unsigned long long)comparison.wrong);
                assert_true(comparison.max_error < 1e-6);
                assert_true(kernel != OVERLAP_WAVES || comparison.max_error > 0);
            }
            overlap_job_close(&job);
        }
    lab_parameters_free(parameters);
}

static bool swap_chunks(struct overlap_job *job)
{
    return overlap_enqueue_up(job, 0, 0, job->streams[0]) && overlap_enqueue_kernel(job, 0, job->streams[0]) &&
           device->runtime->copy(device, job->streams[0], (char *)job->host_output + job->chunk_bytes,
                                 job->device_output, job->chunk_bytes, LAB_D2H) &&
           device->runtime->stream_synchronize(device, job->streams[0]);
}

static void a_misplaced_chunk_is_detected(void **state)
{
    (void)state;
    struct lab_parameters *parameters = parse("overlap", "{}");
    struct lab_run run = run_of(parameters);
    struct overlap_workload workload = {1 << 20, LAB_MEMORY_PINNED, OVERLAP_WAVES};
    struct overlap_point point = {.workload = workload, .variant = OVERLAP_DEPTH_FIRST, .chunks = 4, .streams = 2};
    struct overlap_job job;
    struct lab_comparison comparison;
    assert_true(overlap_job_open(&job, &run, &workload));
    run_job(&job, &point, &comparison);
    assert_int_equal(comparison.wrong, 0);
    assert_true(swap_chunks(&job));
    assert_true(overlap_job_check(&job, &comparison));
    assert_true(comparison.wrong > (1 << 16) - 100); /* nearly all of the 2^16 elements of a chunk */
    overlap_job_close(&job);
    lab_parameters_free(parameters);
}

/* --- the bound ---------------------------------------------------------------------------------------------------- */

static void bounds_of_equal_phases_are_those_of_the_article(void **state)
{
    (void)state;
    const struct overlap_phases unit = {1, 1, 1, 1, 1};
    struct lab_device old = {.facts.compute_capability = "2.0"}, newer = {.facts.compute_capability = "9.0"};
    struct overlap_job job = {.device = &old, .workload.bytes = 4096, .chunk_bytes = 1024};
    job.point = (struct overlap_point){.variant = OVERLAP_DEPTH_FIRST, .chunks = 4, .streams = 4};
    assert_true(fabs(overlap_bound(&job, &unit, 0) - 12) < 1e-9);
    assert_true(fabs(overlap_bound(&job, &unit, 1) - 12) < 1e-9);
    assert_true(fabs(overlap_bound(&job, &unit, 2) - 6) < 1e-9);
    job.device = &newer; /* many queues: a copy out that is not ready does not block a copy in */
    assert_true(fabs(overlap_bound(&job, &unit, 1) - 8) < 1e-9);
    job.point.variant = OVERLAP_BREADTH_FIRST;
    assert_true(fabs(overlap_bound(&job, &unit, 1) - 8) < 1e-9);
    /* a last chunk of half the size takes half the time */
    job.workload.bytes = 3584;
    assert_true(fabs(overlap_bound(&job, &unit, 0) - 10.5) < 1e-9);
}

static int open_device(void **state)
{
    (void)state;
    struct lab_error error;
    if (!lab_host_runtime.start(&(struct lab_runtime_options){.host_devices = 1}, &error))
        return -1;
    device = lab_host_runtime.open(0, &error);
    return device != NULL ? 0 : -1;
}

static int close_device(void **state)
{
    (void)state;
    lab_host_runtime.close(device);
    lab_host_runtime.stop();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_workload_has_one_sequential_point),
        cmocka_unit_test(invalid_requests_are_refused_with_a_pointer),
        cmocka_unit_test(each_variant_issues_its_order),
        cmocka_unit_test(the_averaging_kernel_copies_two_inputs),
        cmocka_unit_test(every_variant_computes_the_correct_result),
        cmocka_unit_test(a_misplaced_chunk_is_detected),
        cmocka_unit_test(bounds_of_equal_phases_are_those_of_the_article),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
