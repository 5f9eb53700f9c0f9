/* Prepares the points of laplace for the loop that measures them, and solves small plates. */
#include "solve.h"

#include "benchmark/loop.h"
#include "benchmark/peer_access.h"

#include <stdio.h>
#include <string.h>

/* Operations that are queued behind a latch at most; more are timed without one. */
enum { LATCHED_MAX = 192 };

static const double several_sample_s = 5e-3; /* METHOD.md 18 */

struct state {
    struct lab_run *run;
    struct lab_peer_access access;
    struct laplace_plate plate, reference; /* of the point, and of what it is compared with */
    struct lab_work reference_work;
    uint32_t drawn_n; /* of the last field that was reported */
};

/* Allows the devices of neighbouring parts to access each other. Copies between those that cannot go through host
 * memory. */
static bool allow_neighbours(struct state *s, size_t devices)
{
    if (devices > 1 && !lab_peer_access_check(s->run))
        return false;
    for (size_t d = 0; d + 1 < devices; d++)
        if (!lab_peer_access_allow(&s->access, d, d + 1)) {
            if (s->run->error.code != LAB_ERROR_UNSUPPORTED)
                return false;
            s->run->error = (struct lab_error){0};
            lab_loop_warn_once(s->run, "rows between devices without peer access go through host memory");
        }
    return true;
}

/* What a point is compared with: on one device the copy of the same bytes, on several the variant rows on one. */
static struct laplace_shape reference_of(struct laplace_shape shape)
{
    shape.variant = shape.devices > 1 ? LAPLACE_ROWS : LAPLACE_COPY;
    shape.total = shape.n;
    shape.devices = 1;
    return shape;
}

static struct lab_work work_of(struct laplace_plate *plate)
{
    bool latched = plate->devices == 1 && laplace_operations(plate) <= LATCHED_MAX;
    return (struct lab_work){
        .timing = latched ? LAB_TIME_LATCHED : LAB_TIME_EVENTS,
        .lane_count = plate->devices,
        .lanes = plate->lanes,
        .operations = laplace_operations(plate),
        .sample_s = plate->devices > 1 ? several_sample_s : 0,
        .compute = true,
        .context = plate,
        .enqueue = laplace_enqueue,
        .poison = laplace_poison,
        .verify = laplace_verify,
        .accumulates = true,
    };
}

static void set_case(struct state *s, const struct laplace_shape *shape, struct lab_case *c)
{
    const struct lab_device_facts *facts = &s->run->devices[0]->facts;
    double bytes = laplace_iteration_bytes(shape) * shape->iterations, devices = (double)shape->devices;
    c->work = work_of(&s->plate);
    c->counts[shape->devices > 1 ? LAB_COUNT_AGGREGATE_BYTES : LAB_COUNT_BYTES] = bytes;
    c->counts[LAB_COUNT_STEPS] = shape->iterations;
    if (facts->memory_peak_bytes_per_s > 0) {
        snprintf(c->peak_text, sizeof c->peak_text, "memory of %zu device%s", shape->devices,
                 shape->devices > 1 ? "s" : "");
        c->peak = (struct lab_peak){devices * facts->memory_peak_bytes_per_s / 1e9, c->peak_text};
    }
    if (shape->variant == LAPLACE_COPY)
        return;
    s->reference_work = work_of(&s->reference);
    c->work.baseline = &s->reference_work;
    c->work.restore = lab_peer_access_restore;
    c->work.restored = &s->access;
}

static bool laplace_begin(void *context, struct lab_point *point, struct lab_case *c)
{
    struct state *s = context;
    const struct laplace_shape shape = laplace_shape_of(point), reference = reference_of(shape);
    const struct lab_device_facts *facts = &s->run->devices[0]->facts;
    c->metric = shape.devices > 1 ? "aggregate_bandwidth" : "bandwidth";
    if (6 * laplace_repetition_s(&shape, facts) > lab_measurer_remaining_s(c->measurer)) {
        snprintf(c->skipped, sizeof c->skipped, "%u iterations are expected to take too long for the time budget",
                 shape.iterations);
        return true;
    }
    if (!allow_neighbours(s, shape.devices) || !laplace_plate_open(&s->plate, s->run, &shape) ||
        (shape.variant != LAPLACE_COPY && !laplace_plate_open(&s->reference, s->run, &reference)))
        return false;
    set_case(s, &shape, c);
    lab_loop_note_cache(s->run, s->run->devices[0], (size_t)laplace_iteration_bytes(&shape) / shape.devices);
    return true;
}

/* Speedup and efficiency on several devices, whose job is `devices` times as large for weak scaling. */
static bool report_scaling(const struct lab_report *report, const struct laplace_shape *shape)
{
    double devices = (double)shape->devices, factor = shape->total > shape->n ? devices : 1;
    return lab_report_ratio(report, "speedup", factor) && lab_report_ratio(report, "efficiency", factor / devices);
}

/* Reports that the plate is not solved, and returns true, if this would take longer than the run has left. */
static bool skip_solution(const struct lab_case *c, const struct lab_report *report, const struct laplace_shape *shape)
{
    char reason[LAB_DETAIL_MAX];
    double bound = lab_parameter_number(report->run->parameters, "bound");
    double iterations = laplace_predicted_iterations(shape->n, bound);
    double needed_s = iterations * report->outcome->samples[0] / shape->iterations;
    double left_s = lab_measurer_remaining_s(c->measurer);
    if (needed_s <= left_s)
        return false;
    snprintf(reason, sizeof reason,
             "%.0f iterations are expected to take %.3g s, too long for the %.3g s that the run has left: raise "
             "time_budget_s",
             iterations, needed_s, fmax(left_s, 0));
    lab_report_skipped(report, "iterations", reason);
    return true;
}

static bool laplace_report(void *context, const struct lab_case *c, const struct lab_report *report)
{
    struct state *s = context;
    const struct laplace_shape shape = laplace_shape_of(report->point);
    if (shape.devices > 1)
        return report_scaling(report, &shape);
    if (shape.variant == LAPLACE_COPY)
        return true;
    if (!lab_report_ratio(report, "share_of_reference", 1))
        return false;
    if (!laplace_is_solved(s->run->parameters, &shape) || skip_solution(c, report, &shape))
        return true;
    laplace_plate_close(&s->plate);
    return laplace_solve(&s->plate, report, &shape, &s->drawn_n);
}

static void laplace_end(void *context)
{
    struct state *s = context;
    laplace_plate_close(&s->plate);
    laplace_plate_close(&s->reference);
}

bool laplace_run(struct lab_run *run)
{
    static const struct lab_loop loop = {.begin = laplace_begin, .report = laplace_report, .end = laplace_end};
    struct state s = {.run = run, .access = {.run = run}};
    bool good = lab_loop_run(run, &loop, &s);
    return lab_peer_access_deny(&s.access) && good;
}
