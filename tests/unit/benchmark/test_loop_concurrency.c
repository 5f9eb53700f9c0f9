/* kernels/benchmark/loop.c with points that are measured at the same time, on three devices of the host runtime. */
#include "benchmark/loop.h"
#include "support/test.h"
#include "support/three_devices.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

AROUND_EACH_TEST(.setup = open_devices, .teardown = close_devices)

/* The points are the pairs of a device and a step. Those of different devices and the same step go together, but for
 * step 0. */
enum { DEVICE, STEP, STEPS = 3 };

static void list_devices(const struct lab_points_request *request, const struct lab_point *point,
                         struct lab_axis_values *values)
{
    (void)point;
    for (size_t i = 0; i < request->device_count; i++)
        lab_axis_values_add(values, (int64_t)i);
}

static void list_steps(const struct lab_points_request *request, const struct lab_point *point,
                       struct lab_axis_values *values)
{
    (void)request;
    (void)point;
    for (int64_t i = 0; i < STEPS; i++)
        lab_axis_values_add(values, i);
}

static const struct lab_schema parameters[] = {{.name = NULL}};
static const struct lab_axis axes[] = {{.name = "device", .title = "Device", .list = list_devices},
                                       {.name = "step", .title = "Step", .list = list_steps},
                                       {.name = NULL}};
static const struct lab_metric metrics[] = {
    {.name = "time", .title = "Time", .unit = "s", .formula = "time", .counter = LAB_COUNT_SECONDS}, {.name = NULL}};
static const struct lab_experiment experiment = {
    .name = "test", .title = "Test", .parameters = parameters, .axes = axes, .metrics = metrics};

/* A context, of which there is one for each point that is measured at the same time. */
struct work {
    struct lab_run *run;
    struct lab_lane lane;
    size_t together; /* points of the round that are measured */
};

static char events[1024]; /* "b01" the point of device 0 and step 1 begins, "r01" it is reported, "e" it ends */
static atomic_size_t arrived;
static int64_t skipped_device, wrong_device, failing_device; /* of step 1; -1: none */
static size_t opened;

static void note_event(char what, const struct lab_point *point)
{
    size_t used = strlen(events);
    snprintf(events + used, sizeof events - used, "%c%d%d", what, (int)point->values[DEVICE], (int)point->values[STEP]);
}

/* Waits until all points of the round have arrived, at most 20 s: that they are measured at the same time. */
static bool enqueue(void *context)
{
    const struct work *w = context;
    atomic_fetch_add(&arrived, 1);
    for (int i = 0; i < 20000 && atomic_load(&arrived) < w->together; i++)
        usleep(1000);
    return atomic_load(&arrived) >= w->together || lab_error_set(&w->lane.device->error, LAB_ERROR_FAILED, "", "alone");
}

static bool sample(void *context, size_t repetitions, double *seconds)
{
    (void)context;
    (void)repetitions;
    *seconds = 1e-3;
    return true;
}

static bool poison(void *context)
{
    (void)context;
    return true;
}

static bool verify(void *context, uint64_t *wrong)
{
    const struct work *w = context;
    *wrong = wrong_device >= 0 && w->lane.device == devices[wrong_device];
    return true;
}

static bool begin(void *context, struct lab_point *point, struct lab_case *c)
{
    struct work *w = context;
    bool first = point->values[STEP] == 1;
    note_event('b', point);
    atomic_store(&arrived, 0);
    w->together = point->values[STEP] == 0 ? 1 : DEVICES - (size_t)(first && skipped_device >= 0);
    if (first && point->values[DEVICE] == failing_device)
        return lab_error_set(&w->run->error, LAB_ERROR_FAILED, "", "as the test says");
    if (first && point->values[DEVICE] == skipped_device)
        strcpy(c->skipped, "as the test says");
    w->lane = (struct lab_lane){w->run->devices[point->values[DEVICE]], NULL};
    w->lane.stream = w->lane.device->runtime->stream_create(w->lane.device);
    assert_non_null(w->lane.stream);
    c->work = (struct lab_work){.timing = LAB_TIME_BY_WORK,
                                .lane_count = 1,
                                .lanes = &w->lane,
                                .operations = 1,
                                .context = w,
                                .enqueue = enqueue,
                                .sample = sample,
                                .poison = poison,
                                .verify = verify};
    return true;
}

static bool report(void *context, const struct lab_case *c, const struct lab_report *reported)
{
    (void)context;
    (void)c;
    note_event('r', reported->point);
    return true;
}

static void end(void *context)
{
    struct work *w = context;
    if (w->lane.stream != NULL)
        w->lane.device->runtime->stream_free(w->lane.device, w->lane.stream);
    w->lane.stream = NULL;
    strcat(events, "e");
}

static bool allows(const void *context, const struct lab_point *one, const struct lab_point *other)
{
    (void)context;
    return one->values[STEP] > 0 && one->values[STEP] == other->values[STEP] &&
           one->values[DEVICE] != other->values[DEVICE];
}

static void *open_work(const void *context, struct lab_run *run)
{
    struct work *other = calloc(1, sizeof *other);
    (void)context;
    assert_non_null(other);
    other->run = run;
    opened++;
    return other;
}

static void close_work(void *other)
{
    opened--;
    free(other);
}

static size_t measured, skips;

static void take_measurement(void *context, const struct lab_measurement *m)
{
    (void)context;
    measured += m->skipped == NULL;
    skips += m->skipped != NULL;
}

static void take_progress(void *context, size_t done, size_t total, const char *label)
{
    (void)context;
    assert_true(done <= total && strlen(label) > 0);
}

static void refuse_text(void *context, const char *text)
{
    (void)context;
    fail_msg("%s", text);
}

/* Runs all points. The run is kept in *run, without its parameters. */
static bool run_all(struct lab_run *run, bool tracing)
{
    static const struct lab_loop_concurrency concurrency = {allows, open_work, close_work};
    static const struct lab_loop loop = {.begin = begin, .report = report, .end = end, .concurrency = &concurrency};
    struct lab_errors errors = {0};
    json_t *given = json_pack("{s:i, s:i, s:f}", "min_samples", 3, "max_samples", 3, "min_time_s", 0.0);
    struct lab_parameters *parsed = lab_parameters_parse(&experiment, given, &errors);
    assert_non_null(parsed);
    *run = run_of(parsed);
    run->tracing = tracing;
    run->sink = (struct lab_sink){
        .measurement = take_measurement, .progress = take_progress, .warning = refuse_text, .note = refuse_text};
    struct work first = {.run = run};
    events[0] = '\0';
    measured = skips = opened = 0;
    bool good = lab_loop_run(run, &loop, &first);
    assert_int_equal(opened, 0);
    lab_parameters_free(parsed);
    json_decref(given);
    return good;
}

static void choose(int64_t skipped, int64_t wrong, int64_t failing)
{
    skipped_device = skipped;
    wrong_device = wrong;
    failing_device = failing;
}

TEST(points_of_different_devices_are_measured_at_the_same_time)
{
    struct lab_run run;
    choose(-1, -1, -1);
    assert_true(run_all(&run, false));
    assert_string_equal(events,
                        "b00r00e"
                        "b01b11b21r01r11r21eee"
                        "b02b12b22r02r12r22eee"
                        "b10r10e"
                        "b20r20e");
    assert_int_equal(measured, DEVICES * STEPS);
    assert_false(run.any_wrong);
}

TEST(a_skipped_point_leaves_the_others_of_its_round)
{
    struct lab_run run;
    choose(1, -1, -1);
    assert_true(run_all(&run, false));
    assert_non_null(strstr(events, "b01b11b21r01r21eee"));
    assert_int_equal(measured, DEVICES * STEPS - 1);
    assert_int_equal(skips, 1);
}

TEST(a_wrong_result_of_one_thread_is_one_of_the_run)
{
    struct lab_run run;
    choose(-1, 2, -1);
    assert_true(run_all(&run, false));
    assert_true(run.any_wrong);
}

TEST(a_point_that_cannot_be_prepared_ends_the_run_with_its_error)
{
    struct lab_run run;
    choose(-1, -1, 1);
    assert_false(run_all(&run, false));
    assert_string_equal(events, "b00r00eb01b11ee");
    assert_string_equal(run.error.detail, "as the test says");
}
