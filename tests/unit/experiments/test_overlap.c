/* kernels/experiments/streams/overlap: the points of a request, the order of issue of each variant, correct results of
 * all variants, the calibration of the weight, the bound, and the reports of a run.
 */
#include "experiments/streams/overlap/job.h"
#include "host/host.h"
#include "support/plan_harness.h"
#include "support/test.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the plan ----------------------------------------------------------------------------------------------------- */

TEST(each_workload_has_one_sequential_point)
{
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

/* The values of an axis, in the order of the points: "1 4 7". */
static const char *values_of(const char *text, enum overlap_axis axis)
{
    static char list[256];
    struct lab_parameters *parameters = parse("overlap", text);
    struct lab_errors errors = {0};
    struct lab_points points;
    assert_true(lab_points_init(&points, parameters, NULL, 1, &errors));
    size_t length = 0;
    for (size_t i = 0; i < points.count; i++)
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%d", i > 0 ? " " : "",
                                   (int)points.items[i].values[axis]);
    lab_points_release(&points);
    lab_parameters_free(parameters);
    return list;
}

TEST(chunks_are_those_that_run)
{
    /* 10 windows: with 2 windows each there are 5 chunks, with 3 each there are 4 */
    assert_string_equal(
        values_of("{\"bytes\": 10240, \"chunks\": [10, 8, 5, 4, 1], \"streams\": 1, \"variant\": \"depth-first\"}",
                  OVERLAP_AXIS_CHUNKS),
        "1 1 10 5 4");
    assert_string_equal(
        values_of("{\"bytes\": 10240, \"chunks\": [8, 1], \"streams\": 1, \"variant\": \"depth-first\"}",
                  OVERLAP_AXIS_VARIANT),
        "0 2 2"); /* OVERLAP_SEQUENTIAL, OVERLAP_DEPTH_FIRST */
    assert_string_equal(
        values_of(
            "{\"bytes\": 1000003, \"chunks\": 2, \"variant\": \"sequential\", \"kernel\": [\"average\", \"waves\"]}",
            OVERLAP_AXIS_BYTES),
        "999424 1000000");
}

static const struct lab_schema *parameter(const char *name)
{
    const struct lab_schema *found = lab_experiment_find("overlap")->parameters;
    while (strcmp(found->name, name) != 0)
        found++;
    return found;
}

TEST(the_help_says_what_increment_adds)
{
    char wanted[32];
    snprintf(wanted, sizeof wanted, "increment: adds %d.", (int)LAB_INCREMENT);
    assert_non_null(strstr(parameter("kernel")->text, wanted));
}

TEST(the_help_explains_every_variant)
{
    const struct lab_schema *variant = parameter("variant");
    const char *choice;
    for (size_t i = 0; (choice = lab_choice_text(lab_schema_choices(variant), i)) != NULL; i++) {
        char wanted[64];
        snprintf(wanted, sizeof wanted, "%s: ", choice);
        if (strstr(variant->text, wanted) == NULL)
            fail_msg("%s is not explained", choice);
    }
}

TEST(invalid_requests_are_refused_with_a_pointer)
{
    expect_refusal("overlap", "{\"chunks\": 4, \"streams\": [2, 8]}", "streams-above-chunks", "/parameters/streams/1");
    expect_refusal("overlap", "{\"bytes\": 2048, \"chunks\": 4}", "out-of-bounds", "/parameters/bytes/0");
    expect_refusal("overlap", "{\"bytes\": 2147483648}", "exceeds-memory", "/parameters/bytes");
    expect_refusal("overlap", "{\"bytes\": 536870912, \"kernel\": \"average\"}", "exceeds-memory", "/parameters/bytes");
    assert_true(plan_within("overlap", "{\"bytes\": 1073741824, \"kernel\": \"increment\"}", PLAN_MEMORY).good);
}

/* The estimate of the default run on a device whose speed is unknown, as a CPU's is, is what the time budget of 12 s
 * allows; that of a small run is less. */
TEST(the_estimate_keeps_to_the_budget)
{
    double whole = plan_within("overlap", "{}", PLAN_MEMORY).estimate.seconds;
    double small =
        plan_within("overlap", "{\"bytes\": 65536, \"variant\": \"sequential\"}", PLAN_MEMORY).estimate.seconds;
    assert_true(whole >= 12 && whole <= 17);
    assert_true(small > 0.1 && small < 3);
}

/* --- the orders --------------------------------------------------------------------------------------------------- */

static void write_operation(char *text, size_t size, const struct overlap_operation *operation)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%c%zu/%zu%s", used > 0 ? " " : "", "ukd"[operation->engine],
             operation -> chunk, operation -> stream, operation -> event_after ? "e" : "");
}

static void expect_order_of(const struct lab_offload_kernel *kernel, enum overlap_variant variant, size_t chunks,
                            size_t streams, const char *wanted)
{
    const struct overlap_workload workload = {.arrays.shape.kernel = kernel};
    struct overlap_job job = {.workload = &workload, .variant = variant, .chunks = chunks, .streams = streams};
    char order[512] = "";
    assert_true(overlap_list_operations(&job));
    for (size_t i = 0; i < job.operation_count; i++)
        write_operation(order, sizeof order, &job.operations[i]);
    assert_string_equal(order, wanted);
    free(job.operations);
}

static void expect_order(enum overlap_variant variant, size_t chunks, size_t streams, const char *wanted)
{
    expect_order_of(&lab_offload_waves, variant, chunks, streams, wanted);
}

TEST(each_variant_issues_its_order)
{
    expect_order(OVERLAP_SEQUENTIAL, 1, 1, "u0/0 k0/0 d0/0");
    expect_order(OVERLAP_ONE_STREAM, 2, 1, "u0/0 k0/0 d0/0 u1/0 k1/0 d1/0");
    expect_order(OVERLAP_DEPTH_FIRST, 3, 2, "u0/0 k0/0 d0/0 u1/1 k1/1 d1/1 u2/0 k2/0 d2/0");
    expect_order(OVERLAP_BREADTH_FIRST, 3, 2, "u0/0 u1/1 u2/0 k0/0 k1/1 k2/0 d0/0 d1/1 d2/0");
    expect_order(OVERLAP_BREADTH_FIRST_EVENTS, 2, 2, "u0/0 u1/1 k0/0e k1/1e d0/0 d1/1");
    expect_order(OVERLAP_INTERLEAVED, 3, 2, "u0/0 u1/1 k0/0 k1/1 d0/0 d1/1 u2/0 k2/0 d2/0");
}

TEST(the_averaging_kernel_copies_two_inputs)
{
    expect_order_of(&lab_offload_average, OVERLAP_DEPTH_FIRST, 1, 1, "u0/0 u0/0 k0/0 d0/0");
}

/* --- the job, on the host runtime --------------------------------------------------------------------------------- */

static struct lab_device *device;
static atomic_bool cancel;

static struct lab_run run_of(const struct lab_parameters *parameters)
{
    return (struct lab_run){.experiment = parameters->experiment,
                            .parameters = parameters,
                            .device_count = 1,
                            .devices = {device},
                            .cancel = &cancel,
                            .numa_node = LAB_UNKNOWN};
}

/* Copies of the host runtime and of its table of modules, in which a test replaces functions. */
static struct lab_runtime changed;
static struct lab_runtime_module changed_module;

static struct lab_point point_of(enum overlap_kernel kernel, enum lab_offload_memory memory, size_t bytes)
{
    return (struct lab_point){.values = {[OVERLAP_AXIS_KERNEL] = kernel,
                                         [OVERLAP_AXIS_MEMORY] = memory,
                                         [OVERLAP_AXIS_BYTES] = (int64_t)bytes,
                                         [OVERLAP_AXIS_VARIANT] = OVERLAP_DEPTH_FIRST,
                                         [OVERLAP_AXIS_CHUNKS] = 4,
                                         [OVERLAP_AXIS_STREAMS] = 2}};
}

static void open_workload(struct overlap_workload *workload, struct lab_run *run, const struct lab_point *point)
{
    if (!overlap_workload_open(workload, run, point))
        fail_msg("%s", run->error.detail);
    workload->weight = 3;
}

/* Runs the job and returns the number of wrong elements. */
static uint64_t run_job(struct overlap_job *job, bool poison)
{
    uint64_t wrong;
    assert_true(!poison || overlap_job_poison(job));
    assert_true(overlap_job_enqueue(job));
    assert_true(lab_host_runtime.stream_synchronize(device, overlap_job_origin(job)));
    assert_true(overlap_job_verify(job, &wrong));
    return wrong;
}

static uint64_t run_point(const struct overlap_workload *workload, const struct lab_point *point, double *max_error)
{
    struct overlap_job job;
    if (!overlap_job_prepare(&job, workload, point, 0))
        fail_msg("%s", workload->run->error.detail);
    uint64_t wrong = run_job(&job, true);
    *max_error = job.max_error;
    overlap_job_release(&job);
    return wrong;
}

static void expect_correct_variants(struct lab_run *run, enum overlap_kernel kernel, enum lab_offload_memory memory)
{
    /* not divisible by 7 chunks or, except for AVERAGE, by windows of 256 elements */
    struct lab_point point = point_of(kernel, memory, kernel == OVERLAP_AVERAGE ? 999424 : 1000004);
    struct overlap_workload workload;
    open_workload(&workload, run, &point);
    for (int variant = OVERLAP_SEQUENTIAL; variant < OVERLAP_DEFAULT_STREAM; variant++) {
        double max_error;
        point.values[OVERLAP_AXIS_VARIANT] = variant;
        point.values[OVERLAP_AXIS_CHUNKS] = variant != OVERLAP_SEQUENTIAL ? 7 : 1;
        point.values[OVERLAP_AXIS_STREAMS] = variant >= OVERLAP_DEPTH_FIRST ? 3 : 1;
        uint64_t wrong = run_point(&workload, &point, &max_error);
        if (wrong != 0)
            fail_msg("variant %d, kernel %d: %llu wrong", variant, (int)kernel, (unsigned long long)wrong);
        assert_true(max_error < 1e-6);
        assert_true(kernel != OVERLAP_WAVES || max_error > 0);
    }
    overlap_workload_close(&workload);
}

TEST(every_variant_computes_the_correct_result)
{
    struct lab_parameters *parameters = parse("overlap", "{}");
    struct lab_run run = run_of(parameters);
    for (int kernel = OVERLAP_WAVES; kernel <= OVERLAP_INCREMENT; kernel++)
        for (int memory = LAB_OFFLOAD_PAGEABLE; memory <= LAB_OFFLOAD_PINNED; memory++)
            expect_correct_variants(&run, (enum overlap_kernel)kernel, (enum lab_offload_memory)memory);
    lab_parameters_free(parameters);
}

static bool swap_chunks(const struct overlap_job *job)
{
    const struct overlap_workload *w = job->workload;
    for (int engine = LAB_ENGINE_H2D; engine <= LAB_ENGINE_COMPUTE; engine++)
        if (!overlap_enqueue(job, &(struct overlap_operation){.engine = (enum lab_engine)engine}, w->streams[0]))
            return false;
    char *misplaced = (char *)lab_offload_result(&w->arrays).address + job->chunk_bytes;
    return lab_host_runtime.copy(device, w->streams[0], misplaced, lab_buffers_region(&w->arrays.buffers, 2).address,
                                 job->chunk_bytes, LAB_D2H) &&
           lab_host_runtime.stream_synchronize(device, w->streams[0]);
}

TEST(a_misplaced_chunk_is_detected)
{
    struct lab_parameters *parameters = parse("overlap", "{}");
    struct lab_run run = run_of(parameters);
    const struct lab_point point = point_of(OVERLAP_WAVES, LAB_OFFLOAD_PINNED, 1 << 20);
    struct overlap_workload workload;
    struct overlap_job job;
    uint64_t wrong;
    open_workload(&workload, &run, &point);
    assert_true(overlap_job_prepare(&job, &workload, &point, 0));
    assert_int_equal(run_job(&job, true), 0);
    assert_true(swap_chunks(&job));
    assert_true(overlap_job_verify(&job, &wrong));
    assert_true(wrong > (1 << 16) - 100); /* nearly all of the 2^16 elements of a chunk */
    overlap_job_release(&job);
    overlap_workload_close(&workload);
    lab_parameters_free(parameters);
}

/* What the baseline leaves in the arrays is wrong for the job, so each of its samples must overwrite it. */
TEST(the_baseline_leaves_wrong_results)
{
    struct lab_parameters *parameters = parse("overlap", "{}");
    struct lab_run run = run_of(parameters);
    for (int kernel = OVERLAP_WAVES; kernel <= OVERLAP_INCREMENT; kernel++) {
        const struct lab_point point = point_of((enum overlap_kernel)kernel, LAB_OFFLOAD_PINNED, 1 << 20);
        struct overlap_workload workload;
        struct overlap_job job, baseline;
        open_workload(&workload, &run, &point);
        assert_true(overlap_job_prepare_sequential(&baseline, &workload, OVERLAP_BASELINE_OFFSET));
        assert_true(overlap_job_prepare(&job, &workload, &point, 0));
        assert_int_equal(run_job(&job, true), 0);
        assert_true(run_job(&baseline, false) > (1 << 18) - 100);
        assert_int_equal(run_job(&job, false), 0);
        overlap_job_release(&job);
        overlap_job_release(&baseline);
        overlap_workload_close(&workload);
    }
    lab_parameters_free(parameters);
}

static bool enqueue_nothing(struct lab_device *of, struct lab_plan *plan, struct lab_stream *stream)
{
    (void)of;
    (void)plan;
    (void)stream;
    return true;
}

TEST(a_missing_kernel_is_detected)
{
    struct lab_parameters *parameters = parse("overlap", "{}");
    struct lab_run run = run_of(parameters);
    for (int kernel = OVERLAP_WAVES; kernel <= OVERLAP_INCREMENT; kernel++) {
        const struct lab_point point = point_of((enum overlap_kernel)kernel, LAB_OFFLOAD_PINNED, 1 << 20);
        struct overlap_workload workload;
        double max_error;
        open_workload(&workload, &run, &point);
        assert_int_equal(run_point(&workload, &point, &max_error), 0);
        changed = lab_host_runtime;
        changed.enqueue = enqueue_nothing;
        workload.runtime = &changed;
        assert_true(run_point(&workload, &point, &max_error) > (1 << 18) - 100);
        overlap_workload_close(&workload);
    }
    lab_parameters_free(parameters);
}

/* --- the bound ---------------------------------------------------------------------------------------------------- */

static void list_again(struct overlap_job *job)
{
    free(job->operations);
    job->operation_count = 0;
    assert_true(overlap_list_operations(job));
}

TEST(bounds_of_equal_phases_are_those_of_the_article)
{
    const struct overlap_phases unit = {{1, 1, 1}, {1, 1, 1}};
    struct lab_device old = {.facts.compute_capability = "2.0"}, newer = {.facts.compute_capability = "9.0"};
    struct overlap_workload workload = {.device = &old, .arrays.shape = {.kernel = &lab_offload_waves, .bytes = 4096}};
    struct overlap_job job = {
        .workload = &workload, .variant = OVERLAP_DEPTH_FIRST, .chunks = 4, .streams = 4, .chunk_bytes = 1024};
    assert_true(overlap_list_operations(&job));
    assert_true(fabs(overlap_bound(&job, &unit, 0) - 12) < 1e-9);
    assert_true(fabs(overlap_bound(&job, &unit, 1) - 12) < 1e-9);
    assert_true(fabs(overlap_bound(&job, &unit, 2) - 6) < 1e-9);
    workload.device = &newer; /* many queues: a copy out that is not ready does not block a copy in */
    assert_true(fabs(overlap_bound(&job, &unit, 1) - 8) < 1e-9);
    job.variant = OVERLAP_BREADTH_FIRST;
    list_again(&job);
    assert_true(fabs(overlap_bound(&job, &unit, 1) - 8) < 1e-9);
    /* a last chunk of half the size takes half the time */
    workload.arrays.shape.bytes = 3584;
    assert_true(fabs(overlap_bound(&job, &unit, 0) - 10.5) < 1e-9);
    free(job.operations);
}

/* The latest end of the simulated spans by the number of copy engines, and how many there were. */
static struct {
    int64_t end_ns[3];
    size_t count[3];
} simulated;

static void take_simulated(void *context, const struct lab_span *span)
{
    (void)context;
    for (size_t i = 0; i < span->axes->count; i++) {
        const struct lab_coordinate *axis = &span->axes->items[i];
        if (strcmp(axis->axis, "copy_engines") != 0)
            continue;
        size_t engines = (size_t)axis->number;
        assert_in_range(engines, 1, 2);
        simulated.count[engines]++;
        if (span->end_ns > simulated.end_ns[engines])
            simulated.end_ns[engines] = span->end_ns;
    }
}

TEST(simulated_timelines_of_equal_phases_are_those_of_the_article)
{
    static const struct {
        enum overlap_variant variant;
        int64_t units[3]; /* by the number of copy engines */
    } expected[] = {
        {OVERLAP_ONE_STREAM, {0, 12, 12}},
        {OVERLAP_DEPTH_FIRST, {0, 12, 6}},
        {OVERLAP_BREADTH_FIRST, {0, 8, 9}},
        {OVERLAP_BREADTH_FIRST_EVENTS, {0, 8, 6}},
    };
    const struct overlap_phases unit = {{1, 1, 1}, {1, 1, 1}};
    struct lab_parameters *parameters = parse("overlap", "{}");
    struct lab_run run = run_of(parameters);
    struct overlap_workload workload = {
        .run = &run, .device = device, .arrays.shape = {.kernel = &lab_offload_waves, .bytes = 4096}};
    run.sink.span = take_simulated;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct lab_point point = point_of(OVERLAP_WAVES, LAB_OFFLOAD_PINNED, 4096);
        struct overlap_job job = {.workload = &workload,
                                  .variant = expected[i].variant,
                                  .chunks = 4,
                                  .streams = expected[i].variant == OVERLAP_ONE_STREAM ? 1 : 4,
                                  .chunk_bytes = 1024};
        point.values[OVERLAP_AXIS_VARIANT] = expected[i].variant;
        assert_true(overlap_list_operations(&job));
        memset(&simulated, 0, sizeof simulated);
        assert_true(overlap_report_simulated(&job, &unit, &point));
        for (size_t engines = 1; engines <= 2; engines++) {
            assert_int_equal(simulated.count[engines], 12);
            assert_int_equal(simulated.end_ns[engines], expected[i].units[engines] * INT64_C(1000000000));
        }
        free(job.operations);
    }
    lab_parameters_free(parameters);
}

/* --- the weight --------------------------------------------------------------------------------------------------- */

/* Simulates a device on which a copy takes `copy_s` and a kernel 1 us and `kernel_s` for each unit of weight. */
static double copy_s, kernel_s;
static uint32_t prepared_weight, heaviest;
static bool last_was_kernel;

static struct lab_plan *prepare_and_record_weight(struct lab_device *of, struct lab_kernel *kernel,
                                                  const struct lab_launch *launch, const struct lab_argument *arguments,
                                                  size_t count)
{
    assert_int_equal(count, 4); /* of add_sine_cosine, the weight last */
    prepared_weight = arguments[3].u32;
    heaviest = prepared_weight > heaviest ? prepared_weight : heaviest;
    return lab_host_runtime.module->prepare(of, kernel, launch, arguments, count);
}

static bool enqueue_and_record(struct lab_device *of, struct lab_plan *plan, struct lab_stream *stream)
{
    last_was_kernel = true;
    return lab_host_runtime.enqueue(of, plan, stream);
}

static bool copy_and_record(struct lab_device *of, struct lab_stream *stream, void *destination, const void *source,
                            size_t bytes, enum lab_direction direction)
{
    last_was_kernel = false;
    return lab_host_runtime.copy(of, stream, destination, source, bytes, direction);
}

static bool elapsed_by_weight(struct lab_device *of, struct lab_event *start, struct lab_event *stop, double *seconds)
{
    (void)of;
    (void)start;
    (void)stop;
    *seconds = last_was_kernel ? 1e-6 + kernel_s * prepared_weight : copy_s;
    return true;
}

static uint32_t find_weight(struct lab_run *run)
{
    const struct lab_point point = point_of(OVERLAP_WAVES, LAB_OFFLOAD_PINNED, 1 << 16);
    struct overlap_workload workload;
    heaviest = 0;
    changed = lab_host_runtime;
    changed_module = *lab_host_runtime.module;
    changed_module.prepare = prepare_and_record_weight;
    changed.module = &changed_module;
    changed.enqueue = enqueue_and_record;
    changed.copy = copy_and_record;
    changed.event_elapsed = elapsed_by_weight;
    device->runtime = &changed;
    struct lab_measurer *measurer = lab_measurer_create(run, 1);
    open_workload(&workload, run, &point);
    if (!overlap_balance_weight(&workload, measurer))
        fail_msg("%s", run->error.detail);
    uint32_t weight = workload.weight;
    overlap_workload_close(&workload);
    lab_measurer_free(measurer);
    device->runtime = &lab_host_runtime;
    return weight;
}

TEST(the_kernel_takes_as_long_as_a_copy)
{
    struct lab_parameters *parameters = parse("overlap", "{}");
    struct lab_run run = run_of(parameters);
    copy_s = 1.000001; /* long enough for a sample of one repetition */
    kernel_s = 0.01;
    assert_int_equal(find_weight(&run), 100);
    kernel_s = 2; /* slower than the copy at the lowest weight: a heavier one is not tried */
    assert_int_equal(find_weight(&run), 1);
    assert_int_equal(heaviest, 1);
    lab_parameters_free(parameters);
}

TEST(the_weight_is_found_once)
{
    struct lab_parameters *parameters = parse("overlap", "{}");
    struct lab_run run = run_of(parameters);
    run.calibrated = json_object();
    copy_s = 1.000001;
    kernel_s = 0.01;
    assert_int_equal(find_weight(&run), 100);
    kernel_s = 0.02; /* a device that now is slower */
    assert_int_equal(find_weight(&run), 100);
    assert_int_equal(heaviest, 0);
    json_decref(run.calibrated);
    lab_parameters_free(parameters);
}

/* --- a run -------------------------------------------------------------------------------------------------------- */

static struct {
    size_t times, speedups, values, spans;
    size_t phases_skipped;
    size_t samples; /* of the last time */
} seen;

static void take_measurement(void *context, const struct lab_measurement *m)
{
    (void)context;
    if (strcmp(m->metric, "phase_time") ==
        0) { /* skipped where the machine is too busy for copies in both directions */
        seen.phases_skipped += m->skipped != NULL;
        return;
    }
    assert_null(m->skipped);
    assert_true(!m->verified_known || m->verified);
    if (strcmp(m->metric, "time") == 0) {
        seen.times++;
        seen.samples = m->sample_count;
    } else if (strcmp(m->metric, "speedup") == 0) {
        seen.speedups++;
        assert_int_equal(m->sample_count, seen.samples);
    } else if (strcmp(m->metric, "cpu_time") == 0 || strcmp(m->metric, "polls") == 0) {
        seen.values++;
        assert_true(m->sample_count >= 3);
        assert_non_null(m->samples);
        assert_non_null(m->stop_reason);
    }
}

static void take_span(void *context, const struct lab_span *span)
{
    (void)context;
    const struct lab_coordinate *weight = NULL;
    for (size_t i = 0; i < span->axes->count; i++)
        if (strcmp(span->axes->items[i].axis, "weight") == 0)
            weight = &span->axes->items[i];
    assert_true(weight != NULL && weight->number == 7);
    assert_true(strncmp(span->lane, "stream ", 7) == 0 && strncmp(span->label, "chunk ", 6) == 0);
    seen.spans++;
}

static void ignore_progress(void *context, size_t done, size_t total, const char *label)
{
    (void)context;
    (void)label;
    assert_true(done <= total);
}

static void refuse_text(void *context, const char *text)
{
    (void)context;
    fail_msg("%s", text);
}

static void run_whole(bool tracing)
{
    struct lab_parameters *parameters =
        parse("overlap",
              "{\"bytes\": 262144, \"chunks\": 4, \"streams\": 2, \"min_samples\": 2, \"max_samples\": 3,"
              "\"time_budget_s\": 600, \"variant\": [\"one-stream\", \"depth-first\"]}");
    struct lab_run run = run_of(parameters);
    run.calibrated = json_pack("{s:i}", "weight 262144 pinned", 7);
    run.tracing = tracing;
    run.sink = (struct lab_sink){.measurement = take_measurement,
                                 .span = take_span,
                                 .progress = ignore_progress,
                                 .warning = refuse_text,
                                 .note = refuse_text};
    memset(&seen, 0, sizeof seen);
    if (!parameters->experiment->run(&run))
        fail_msg("%s", run.error.detail);
    assert_false(run.any_wrong);
    json_decref(run.calibrated);
    lab_parameters_free(parameters);
}

TEST(a_run_reports_speedups_over_alternate_samples)
{
    run_whole(false);
    assert_int_equal(seen.times, 3);
    assert_int_equal(seen.speedups, 2);
    assert_int_equal(seen.values, 2 * 3);
    assert_int_equal(seen.spans, seen.phases_skipped > 0 ? 0 : 2 * 2 * 3 * 4); /* simulated on two devices */
}

TEST(a_traced_run_has_the_calibrated_weight)
{
    run_whole(true);
    assert_int_equal(seen.times, 0);
    assert_int_equal(seen.spans, 3 + 2 * 3 * 4);
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

AROUND_EACH_TEST(.setup = open_device, .teardown = close_device)
