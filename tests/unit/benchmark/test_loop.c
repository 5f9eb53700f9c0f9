/* kernels/benchmark/loop.c on a simulated clock: what is left out when the time budget is used up, or not
 * supported, and the order in which the points of a comparison are visited. */
#include "benchmark/loop.h"
#include "measure/clock.h"
#include "support/simulated_clock.h"
#include "support/test.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

AROUND_EACH_TEST(.setup = simulate_clock)

static const struct lab_schema parameters[] = {{.name = "size",
                                                .title = "Size",
                                                .text = "Size.",
                                                .type = LAB_TYPE_SIZE,
                                                .count = LAB_ONE_OR_LIST,
                                                .minimum = 1,
                                                .maximum = 9,
                                                .fallback = "[1, 2, 3]"},
                                               {.name = NULL}};
static const struct lab_axis axes[] = {{.name = "size", .title = "Size"}, {.name = NULL}};
static const struct lab_metric metrics[] = {
    {.name = "time", .title = "Time", .unit = "s", .formula = "time", .counter = LAB_COUNT_SECONDS}, {.name = NULL}};
static const struct lab_experiment experiment = {
    .name = "test", .title = "Test", .parameters = parameters, .axes = axes, .metrics = metrics};

static struct {
    size_t begun, ended, traced, skipped, used_up, notes;
} seen;

/* Preparing a point takes 10 s. */
static bool begin(void *context, struct lab_point *point, struct lab_case *c)
{
    (void)context;
    (void)point;
    seen.begun++;
    simulated.now_s += 10;
    strcpy(c->skipped, "as the test says");
    return true;
}

static void end(void *context)
{
    (void)context;
    seen.ended++;
}

static bool trace(void *context, const struct lab_point *point, struct lab_timeline *timeline)
{
    (void)context;
    (void)point;
    (void)timeline;
    seen.traced++;
    return false;
}

static void take_measurement(void *context, const struct lab_measurement *m)
{
    (void)context;
    assert_non_null(m->skipped);
    seen.skipped++;
    seen.used_up += strstr(m->skipped, "time budget of the run (1 s) is used up") != NULL;
}

static void take_progress(void *context, size_t done, size_t total, const char *label)
{
    (void)context;
    assert_true(done <= total && strlen(label) > 0);
}

static void refuse_warning(void *context, const char *text)
{
    (void)context;
    fail_msg("%s", text);
}

static void take_note(void *context, const char *text)
{
    (void)context;
    assert_non_null(strstr(text, "not all points have a timeline"));
    seen.notes++;
}

static void run_with(bool tracing)
{
    static const struct lab_loop loop = {.begin = begin, .trace = trace, .end = end};
    struct lab_errors errors = {0};
    atomic_bool cancel = false;
    json_t *given = json_pack("{s:i}", "time_budget_s", 1);
    struct lab_parameters *parsed = lab_parameters_parse(&experiment, given, &errors);
    assert_non_null(parsed);
    struct lab_run run = {.experiment = &experiment, .parameters = parsed, .cancel = &cancel, .tracing = tracing};
    run.sink = (struct lab_sink){
        .measurement = take_measurement, .progress = take_progress, .warning = refuse_warning, .note = take_note};
    memset(&seen, 0, sizeof seen);
    assert_true(lab_loop_run(&run, &loop, NULL));
    lab_parameters_free(parsed);
    json_decref(given);
}

TEST(points_after_the_budget_are_skipped_unprepared)
{
    run_with(false);
    assert_int_equal(seen.begun, 1);
    assert_int_equal(seen.ended, 1);
    assert_int_equal(seen.skipped, 3);
    assert_int_equal(seen.used_up, 2);
    assert_int_equal(seen.notes, 0);
}

TEST(tracing_ends_with_its_share_of_the_budget)
{
    run_with(true);
    assert_int_equal(seen.begun, 1);
    assert_int_equal(seen.skipped, 0);
    assert_int_equal(seen.notes, 1);
}

/* --- points that cannot be prepared ------------------------------------------------------------------------------- */

static enum lab_error_code code; /* of the error of each point */
static char reason[64];          /* the one that was reported last */

static bool fail_to_begin(void *context, struct lab_point *point, struct lab_case *c)
{
    struct lab_run *run = context;
    (void)point;
    (void)c;
    seen.begun++;
    return lab_error_set(&run->error, code, "", "no such kernel");
}

static void take_reason(void *context, const struct lab_measurement *m)
{
    (void)context;
    seen.skipped++;
    snprintf(reason, sizeof reason, "%s", m->skipped);
}

static bool run_failing(enum lab_error_code with_code, bool lost, struct lab_error *error)
{
    static const struct lab_loop loop = {.begin = fail_to_begin, .end = end};
    struct lab_errors errors = {0};
    struct lab_device device = {.lost = lost};
    atomic_bool cancel = false;
    struct lab_parameters *parsed = lab_parameters_parse(&experiment, NULL, &errors);
    assert_non_null(parsed);
    struct lab_run run = {.experiment = &experiment,
                          .parameters = parsed,
                          .cancel = &cancel,
                          .device_count = 1,
                          .devices = {&device},
                          .sink = {NULL, take_reason, NULL, take_progress, refuse_warning, take_note}};
    memset(&seen, 0, sizeof seen);
    code = with_code;
    reason[0] = '\0';
    bool good = lab_loop_run(&run, &loop, &run);
    *error = run.error;
    lab_parameters_free(parsed);
    return good;
}

TEST(points_that_are_not_supported_are_skipped)
{
    struct lab_error error;
    assert_true(run_failing(LAB_ERROR_UNSUPPORTED, false, &error));
    assert_int_equal(seen.begun, 3);
    assert_int_equal(seen.ended, 3);
    assert_int_equal(seen.skipped, 3);
    assert_string_equal(reason, "no such kernel");
    assert_int_equal(error.code, LAB_ERROR_NONE);
}

TEST(other_failures_end_the_run)
{
    struct lab_error error;
    assert_false(run_failing(LAB_ERROR_CUDA_ERROR, false, &error));
    assert_int_equal(seen.begun, 1);
    assert_int_equal(seen.ended, 1);
    assert_int_equal(seen.skipped, 0);
    assert_int_equal(error.code, LAB_ERROR_CUDA_ERROR);
    assert_false(run_failing(LAB_ERROR_UNSUPPORTED, true, &error)); /* the device is lost */
    assert_int_equal(seen.begun, 1);
}

/* --- comparisons -------------------------------------------------------------------------------------------------- */

/* What happened, in order: "b1" the base begins the point of size 1, "h1" the head; "e" a point ends; "B1:REASON." the
 * base skips it, "H1:REASON." the head; "P0/4." progress. */
static char events[1024];

__attribute__((format(printf, 1, 2))) static void note_event(const char *format, ...)
{
    va_list arguments;
    size_t used = strlen(events);
    va_start(arguments, format);
    vsnprintf(events + used, sizeof events - used, format, arguments);
    va_end(arguments);
}

/* The base skips points of an odd size; the head skips all. */
static bool begin_side(void *context, struct lab_point *point, struct lab_case *c)
{
    const struct lab_run *run = context;
    int size = (int)point->values[0];
    bool base = strcmp(run->side, "base") == 0;
    note_event("%c%d", run->side[0], size);
    if (!base || size % 2 == 1)
        snprintf(c->skipped, sizeof c->skipped, "%s", base ? "odd" : "never");
    return true;
}

static void end_side(void *context)
{
    (void)context;
    note_event("e");
}

static bool run_side(struct lab_run *run)
{
    static const struct lab_loop loop = {.begin = begin_side, .end = end_side};
    if (code != LAB_ERROR_NONE && strcmp(run->side, "base") == 0)
        return lab_error_set(&run->error, code, "", "the base cannot run");
    return lab_loop_run(run, &loop, run);
}

static const struct lab_experiment compared = {.name = "compared",
                                               .title = "Compared",
                                               .parameters = parameters,
                                               .axes = axes,
                                               .metrics = metrics,
                                               .run = run_side};

static void take_skipped(void *context, const struct lab_measurement *m)
{
    const struct lab_run *run = context;
    assert_string_equal(m->side, run->side);
    note_event("%c%d:%s.", run->side[0] - 'a' + 'A', (int)m->axes.items[0].number, m->skipped);
}

static void take_total(void *context, size_t done, size_t total, const char *label)
{
    assert_string_equal(((const struct lab_run *)context)->side, "head");
    assert_true(strlen(label) > 0);
    note_event("P%zu/%zu.", done, total);
}

static struct lab_run side_of(const char *side, const struct lab_parameters *parsed, atomic_bool *cancel)
{
    return (struct lab_run){.side = side,
                            .experiment = &compared,
                            .parameters = parsed,
                            .cancel = cancel,
                            .sink = {NULL, take_skipped, NULL, take_total, refuse_warning, take_note}};
}

static bool compare(const char *base_sizes, const char *head_sizes, bool cancelled, struct lab_error *error)
{
    struct lab_errors errors = {0};
    atomic_bool cancel = cancelled;
    json_t *base_given = json_loads(base_sizes, 0, NULL), *head_given = json_loads(head_sizes, 0, NULL);
    struct lab_parameters *of_base = lab_parameters_parse(&compared, base_given, &errors);
    struct lab_parameters *of_head = lab_parameters_parse(&compared, head_given, &errors);
    struct lab_run base = side_of("base", of_base, &cancel), head = side_of("head", of_head, &cancel);
    base.sink.context = &base;
    head.sink.context = &head;
    head.base = &base;
    events[0] = '\0';
    bool good = run_side(&head);
    assert_null(base.head);
    *error = head.error;
    lab_parameters_free(of_base);
    lab_parameters_free(of_head);
    json_decref(base_given);
    json_decref(head_given);
    return good;
}

TEST(a_pair_is_skipped_if_one_of_its_points_is)
{
    struct lab_error error;
    code = LAB_ERROR_NONE;
    assert_true(compare("{\"size\": [1, 2]}", "{\"size\": [1, 2]}", false, &error));
    assert_string_equal(events,
                        "P0/4.b1h1B1:odd.H1:never.ee"
                        "P2/4.b2h2B2:the head of the comparison is skipped: never.H2:never.ee"
                        "P4/4.");
}

TEST(points_without_a_partner_are_skipped_unprepared)
{
    struct lab_error error;
    code = LAB_ERROR_NONE;
    assert_true(compare("{\"size\": [4, 6, 8]}", "{\"size\": [3, 5]}", false, &error)); /* in order */
    assert_string_equal(events,
                        "P0/4.b4h3B4:the head of the comparison is skipped: never.H3:never.ee"
                        "P2/4.b6h5B6:the head of the comparison is skipped: never.H5:never.ee"
                        "B8:no point of the head is compared with this one.P4/4.");
}

TEST(a_comparison_ends_with_the_error_of_its_base)
{
    struct lab_error error;
    code = LAB_ERROR_OUT_OF_MEMORY;
    assert_false(compare("{}", "{}", false, &error));
    assert_int_equal(error.code, LAB_ERROR_OUT_OF_MEMORY);
    assert_string_equal(error.detail, "the base cannot run");
    code = LAB_ERROR_NONE;
    assert_false(compare("{}", "{}", true, &error));
    assert_int_equal(error.code, LAB_ERROR_CANCELLED);
    assert_string_equal(events, "");
}
