/* Visits the points of a run in order. */
#include "benchmark/loop.h"

#include "benchmark/displacement.h"
#include "descriptor/pairing.h"
#include "measure/placement.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRACED_MAX = 32 };

/* A run, or a side of a comparison: what its experiment has passed to lab_loop_run, and its points. */
struct lab_side {
    struct lab_run *run;
    const struct lab_loop *loop;
    void *context;
    struct lab_points points;
    struct lab_measurer *measurer;
};

/* A point of a side while it is visited. */
struct visited {
    const struct lab_side *side;
    struct lab_point point;
    struct lab_case c;
};

struct visit {
    size_t traced;
    bool untraceable; /* tracing was refused or its limit was reached: no further point is traced */
};

/* --- metrics ------------------------------------------------------------------------------------------------------ */

static bool report_metric(const struct lab_case *c, const struct lab_report *report, const struct lab_metric *metric)
{
    bool main_metric = strcmp(metric->name, c->metric) == 0;
    switch (metric->counter) {
    case LAB_COUNT_NONE:
        return true;
    case LAB_COUNT_SECONDS:
        return lab_report_time(report, metric->name);
    case LAB_COUNT_STEPS:
    case LAB_COUNT_PARTS:
        return !(c->counts[metric->counter] > 0) || lab_report_step(report, metric->name, c->counts[metric->counter]);
    case LAB_COUNT_BASELINE:
        return lab_report_ratio(report, metric->name, c->counts[LAB_COUNT_BASELINE]);
    case LAB_COUNT_ENERGY:
        return lab_report_energy(report, metric->name, c->counts[LAB_COUNT_OPERATIONS]);
    default:
        return !(c->counts[metric->counter] > 0) ||
               lab_report_rate(report, metric->name, c->counts[metric->counter] * lab_unit_scale(metric->unit),
                               main_metric ? &c->peak : NULL);
    }
}

static bool report_point(const struct visited *v, const struct lab_outcome *outcome)
{
    const struct lab_side *side = v->side;
    const struct lab_report report = {side->run, &v->point, outcome, v->c.numa_node, v->c.kernel, v->c.metric};
    for (const struct lab_metric *m = side->run->experiment->metrics; m->name != NULL; m++)
        if (!report_metric(&v->c, &report, m))
            return false;
    return side->loop->report == NULL || side->loop->report(side->context, &v->c, &report);
}

static void report_skipped(const struct visited *v, const char *reason)
{
    const struct lab_report report = {.run = v->side->run, .point = &v->point};
    if (!v->side->run->tracing)
        lab_report_skipped(&report, v->c.metric, reason);
}

/* --- a point ------------------------------------------------------------------------------------------------------ */

static struct visited visited_of(const struct lab_side *side, size_t point)
{
    return (struct visited){.side = side,
                            .point = side->points.items[point],
                            .c = {.measurer = side->measurer, .metric = side->run->experiment->metrics[0].name}};
}

/* A point is measured with a cold cache if it has the second value of the axis `cache`. */
static bool is_cold(const struct lab_run *run, const struct lab_point *point)
{
    for (size_t i = 0; run->experiment->axes[i].name != NULL; i++)
        if (strcmp(run->experiment->axes[i].name, "cache") == 0)
            return point->values[i] == 1;
    return false;
}

static bool wants_energy(const struct lab_run *run, const struct lab_case *c)
{
    for (const struct lab_metric *m = run->experiment->metrics; m->name != NULL; m++)
        if (m->counter == LAB_COUNT_ENERGY)
            return c->counts[LAB_COUNT_OPERATIONS] > 0;
    return false;
}

/* Sets how the work of a point is measured, as its axes and the experiment's metrics say. */
static void set_conditions(struct visited *v)
{
    const struct lab_run *run = v->side->run;
    struct lab_work *work = &v->c.work;
    work->cold = work->cold || is_cold(run, &v->point);
    work->sustained = lab_point_load(run->experiment, &v->point) == LAB_SUSTAINED;
    work->energy = wants_energy(run, &v->c);
}

static bool measure(struct visited *point)
{
    struct lab_outcome outcome;
    set_conditions(point);
    if (!lab_measure(point->side->measurer, &point->c.work, &outcome))
        return false;
    if (outcome.unmeasurable == NULL)
        return report_point(point, &outcome);
    report_skipped(point, outcome.unmeasurable);
    return true;
}

static bool trace(struct visit *visit, const struct visited *v)
{
    const struct lab_side *side = v->side;
    struct lab_timeline timeline = {0};
    if (visit->untraceable || side->loop->trace == NULL || !side->loop->trace(side->context, &v->point, &timeline))
        return true;
    if (visit->traced++ == TRACED_MAX) {
        char text[64];
        snprintf(text, sizeof text, "only the first %d points have a timeline", TRACED_MAX);
        side->run->sink.note(side->run->sink.context, text);
        visit->untraceable = true;
        return true;
    }
    enum lab_timeline_result result = lab_timeline_trace(side->run, &v->point, &timeline);
    visit->untraceable = result == LAB_TIMELINE_REFUSED;
    return result != LAB_TIMELINE_FAILED;
}

/* Skips a point, without preparing it, because the time budget is used up. */
static void pass_over(struct visit *visit, const struct visited *v, const char *reason)
{
    const struct lab_run *run = v->side->run;
    if (run->tracing && !visit->untraceable)
        run->sink.note(run->sink.context, "not all points have a timeline: a quarter of the time budget is used up");
    visit->untraceable = true;
    report_skipped(v, reason);
}

/* Prepares a point. What a device does not support is skipped, unless the device has failed. */
static bool begin(struct visited *v)
{
    struct lab_run *run = v->side->run;
    struct lab_error *error = &run->error;
    lab_placement_bind(run->numa_node);
    v->c.peak.what = v->c.peak_text;
    if (v->side->loop->begin(v->side->context, &v->point, &v->c))
        return true;
    bool ends = error->code != LAB_ERROR_UNSUPPORTED;
    for (size_t i = 0; i < run->device_count; i++)
        ends = ends || run->devices[i]->lost;
    if (ends)
        return false;
    snprintf(v->c.skipped, sizeof v->c.skipped, "%s", error->detail);
    *error = (struct lab_error){0};
    return true;
}

static const char *reason_of(const struct visited *point)
{
    return point->c.skipped[0] != '\0' ? point->c.skipped : NULL;
}

static void end(const struct lab_side *side)
{
    if (side->loop->end != NULL)
        side->loop->end(side->context);
}

/* Prepares a point, and measures or traces it unless it is skipped. */
static bool visit_prepared(struct visit *visit, struct visited *point)
{
    if (!begin(point))
        return false;
    if (reason_of(point) == NULL)
        return point->side->run->tracing ? trace(visit, point) : measure(point);
    report_skipped(point, reason_of(point));
    lab_measurer_skip(point->side->measurer);
    return true;
}

static bool visit_point(struct visit *visit, const struct lab_side *side, size_t index)
{
    struct visited point = visited_of(side, index);
    const char *used_up = lab_measurer_used_up(side->measurer);
    if (used_up != NULL) {
        pass_over(visit, &point, used_up);
        return true;
    }
    bool good = visit_prepared(visit, &point);
    end(side);
    return good;
}

/* --- points at the same time -------------------------------------------------------------------------------------- */

/* Copies of a side, each for one of the points that are measured at the same time. They are kept for later points. */
struct others {
    size_t count;
    struct {
        struct lab_run run;
        struct lab_side side;
    } items[LAB_RUN_DEVICES_MAX];
};

static bool open_others(const struct lab_side *side, struct others *others, size_t count)
{
    const struct lab_loop_concurrency *concurrency = side->loop->concurrency;
    for (; others->count < count; others->count++) {
        struct lab_run *run = &others->items[others->count].run;
        struct lab_side *other = &others->items[others->count].side;
        *run = *side->run;
        *other = *side;
        other->run = run;
        other->measurer = lab_measurer_create(run, 1);
        other->context = other->measurer != NULL ? concurrency->open(side->context, run) : NULL;
        if (other->context != NULL)
            continue;
        lab_measurer_free(other->measurer);
        side->run->error = run->error;
        return false;
    }
    return true;
}

static void close_others(struct others *others)
{
    for (size_t i = 0; i < others->count; i++) {
        const struct lab_side *side = &others->items[i].side;
        side->loop->concurrency->close(side->context);
        lab_measurer_free(side->measurer);
    }
}

/* Reports a point that was measured, or copies its error to the run. */
static bool report_concurrent(struct lab_run *run, const struct visited *v, const struct lab_concurrent_point *measured)
{
    bool good = measured->good;
    run->any_wrong = run->any_wrong || v->side->run->any_wrong;
    if (good && measured->outcome->unmeasurable != NULL)
        report_skipped(v, measured->outcome->unmeasurable);
    else if (good)
        good = report_point(v, measured->outcome);
    if (!good)
        run->error = v->side->run->error;
    return good;
}

/* Prepares the points, measures those that are not skipped at the same time, and reports them. */
static bool visit_others(const struct lab_side *side, const struct others *others, const size_t *round, size_t count)
{
    struct visited points[LAB_RUN_DEVICES_MAX];
    struct lab_outcome outcomes[LAB_RUN_DEVICES_MAX];
    struct lab_concurrent_point measured[LAB_RUN_DEVICES_MAX];
    const struct visited *which[LAB_RUN_DEVICES_MAX];
    size_t begun = 0, prepared = 0;
    bool good = true;
    for (; good && begun < count; begun++) {
        struct visited *v = &points[begun];
        *v = visited_of(&others->items[begun].side, round[begun]);
        good = begin(v);
        if (!good) {
            side->run->error = v->side->run->error;
        } else if (reason_of(v) != NULL) {
            report_skipped(v, reason_of(v));
            lab_measurer_skip(side->measurer);
        } else {
            set_conditions(v);
            measured[prepared] = (struct lab_concurrent_point){
                .measurer = v->side->measurer, .work = &v->c.work, .outcome = &outcomes[prepared]};
            which[prepared++] = v;
        }
    }
    if (good)
        lab_measure_concurrently(side->measurer, measured, prepared);
    for (size_t i = 0; good && i < prepared; i++)
        good = report_concurrent(side->run, which[i], &measured[i]);
    for (size_t i = 0; i < begun; i++)
        end(points[i].side);
    return good;
}

static bool visit_round(struct visit *visit, const struct lab_side *side, struct others *others, const size_t *round,
                        size_t count)
{
    const char *used_up = lab_measurer_used_up(side->measurer);
    for (size_t i = 0; used_up != NULL && i < count; i++) {
        const struct visited point = visited_of(side, round[i]);
        pass_over(visit, &point, used_up);
    }
    return used_up != NULL || (open_others(side, others, count) && visit_others(side, others, round, count));
}

/* --- all points --------------------------------------------------------------------------------------------------- */

static bool check_cancelled(struct lab_run *run)
{
    return !lab_run_cancelled(run) || lab_error_set(&run->error, LAB_ERROR_CANCELLED, "", "the run was cancelled");
}

/* Chooses the points that are visited together with `first`, which are marked in `visited`. Returns their number; the
 * first of them is `first`. */
static size_t choose_round(const struct lab_side *side, size_t first, bool *visited, size_t round[LAB_RUN_DEVICES_MAX])
{
    const struct lab_loop_concurrency *concurrency = side->run->tracing ? NULL : side->loop->concurrency;
    const struct lab_point *points = side->points.items;
    size_t count = 0;
    for (size_t i = first; i < side->points.count && count < LAB_RUN_DEVICES_MAX; i++) {
        bool fits = !visited[i] && (i == first || concurrency != NULL);
        for (size_t k = 0; fits && k < count; k++)
            fits = concurrency->allows(side->context, &points[round[k]], &points[i]);
        if (!fits)
            continue;
        visited[i] = true;
        round[count++] = i;
        if (concurrency == NULL)
            break;
    }
    return count;
}

static bool visit_rounds(const struct lab_side *side, bool *visited, struct others *others)
{
    struct visit visit = {0};
    struct lab_run *run = side->run;
    size_t done = 0, round[LAB_RUN_DEVICES_MAX];
    for (size_t i = 0; i < side->points.count; i++) {
        char label[192] = "tracing ";
        size_t prefix = run->tracing ? strlen(label) : 0;
        if (visited[i])
            continue;
        if (!check_cancelled(run))
            return false;
        lab_point_label(run->experiment, &side->points.items[i], label + prefix, sizeof label - prefix);
        run->sink.progress(run->sink.context, done, side->points.count, label);
        size_t count = choose_round(side, i, visited, round);
        if (!(count == 1 ? visit_point(&visit, side, i) : visit_round(&visit, side, others, round, count)))
            return false;
        done += count;
    }
    run->sink.progress(run->sink.context, done, done, "done");
    return true;
}

static bool visit_side(const struct lab_side *side)
{
    bool *visited = calloc(side->points.count + 1, sizeof *visited);
    struct others *others = calloc(1, sizeof *others);
    bool good = visited != NULL && others != NULL
                    ? visit_rounds(side, visited, others)
                    : lab_error_set(&side->run->error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for the points");
    if (others != NULL)
        close_others(others);
    free(others);
    free(visited);
    return good;
}

bool lab_loop_points(struct lab_run *run, struct lab_points *points)
{
    struct lab_errors errors = {0};
    const struct lab_device_facts *devices[LAB_RUN_DEVICES_MAX];
    size_t ranks = lab_run_ranks(run);
    for (size_t i = 0; i < ranks; i++) /* the first device stands for those of other processes */
        devices[i] = &run->devices[i < run->device_count ? i : 0]->facts;
    bool good = lab_points_init(points, run->parameters, devices, ranks, &errors);
    if (!good)
        run->error = errors.items[0];
    return good;
}

static bool run_alone(struct lab_side *side)
{
    side->measurer = lab_measurer_create(side->run, side->points.count + side->loop->extra_points);
    bool good = side->measurer != NULL && visit_side(side);
    lab_measurer_free(side->measurer);
    return good;
}

/* --- comparisons -------------------------------------------------------------------------------------------------- */

/* "h2d, pinned, 4 MiB; base: h2d, pageable, 4 MiB"; one label if both are equal. */
static void label_pair(const struct visited points[LAB_SIDES], char *label, size_t size)
{
    char base[160], head[160];
    lab_point_label(points[LAB_BASE].side->run->experiment, &points[LAB_BASE].point, base, sizeof base);
    lab_point_label(points[LAB_HEAD].side->run->experiment, &points[LAB_HEAD].point, head, sizeof head);
    bool equal = strcmp(base, head) == 0;
    snprintf(label, size, "%s%s%s", head, equal ? "" : "; base: ", equal ? "" : base);
}

/* Skips both points if there is a reason to skip one of them, and returns whether there is. A point without a reason of
 * its own is reported with that of the other side. */
static bool skip_both(const struct visited points[LAB_SIDES], const char *const reasons[LAB_SIDES])
{
    if (reasons[LAB_BASE] == NULL && reasons[LAB_HEAD] == NULL)
        return false;
    for (size_t i = 0; i < LAB_SIDES; i++) {
        size_t other = LAB_SIDES - 1 - i;
        char text[LAB_DETAIL_MAX];
        if (reasons[i] == NULL)
            snprintf(text, sizeof text, "the %s of the comparison is skipped: %s", points[other].side->run->side,
                     reasons[other]);
        report_skipped(&points[i], reasons[i] != NULL ? reasons[i] : text);
    }
    return true;
}

/* A pair of points while it is visited. */
struct pair {
    const struct lab_side *sides[LAB_SIDES];
    size_t indices[LAB_SIDES]; /* of the points of each side */
    uint64_t number;           /* of the pair in the run */
    struct lab_blocks *blocks;
    struct lab_outcome outcomes[LAB_SIDES];
    bool complete;
};

/* Measures a turn of prepared points, and reports them when there need not be another one. */
static bool measure_turn(struct pair *pair, struct visited points[LAB_SIDES])
{
    const struct lab_work *works[LAB_SIDES];
    const char *reasons[LAB_SIDES];
    for (size_t i = 0; i < LAB_SIDES; i++) {
        set_conditions(&points[i]);
        works[i] = &points[i].c.work;
        reasons[i] = reason_of(&points[i]);
    }
    pair->complete = skip_both(points, reasons);
    if (pair->complete)
        return true;
    if (!lab_blocks_measure(pair->blocks, works))
        return false;
    for (size_t i = 0; i < LAB_SIDES; i++)
        reasons[i] = pair->outcomes[i].unmeasurable;
    pair->complete = lab_blocks_complete(pair->blocks);
    for (size_t i = 0; i < LAB_SIDES && pair->complete && !skip_both(points, reasons); i++) {
        lab_placement_bind(points[i].side->run->numa_node);
        if (!report_point(&points[i], &pair->outcomes[i]))
            return false;
    }
    return true;
}

/* Prepares both points with memory of their own, which is in the same places in both turns of a block, and measures a
 * turn. */
static bool visit_turn(struct pair *pair)
{
    struct visited points[LAB_SIDES];
    struct lab_displacement displacements[LAB_SIDES] = {0};
    size_t first = lab_blocks_first(pair->blocks), begun = 0;
    bool good = true;
    for (size_t i = 0; i < LAB_SIDES; i++)
        points[i] = visited_of(pair->sides[i], pair->indices[i]);
    for (; good && begun < LAB_SIDES; begun++) {
        size_t i = (first + begun) % LAB_SIDES;
        uint64_t number = (pair->number << 32) + LAB_SIDES * lab_blocks_count(pair->blocks) + begun;
        lab_displacement_make(&displacements[i], pair->sides[i]->run, number);
        good = begin(&points[i]);
    }
    good = good && measure_turn(pair, points);
    while (begun > 0) {
        size_t i = (first + --begun) % LAB_SIDES;
        end(pair->sides[i]);
        lab_displacement_release(&displacements[i]);
    }
    for (size_t i = 0; good && i < LAB_SIDES; i++)
        good = pair->sides[i]->loop->renew == NULL || pair->sides[i]->loop->renew(pair->sides[i]->context);
    return good;
}

static bool visit_pair(struct pair *pair)
{
    struct lab_measurer *const measurers[LAB_SIDES] = {pair->sides[LAB_BASE]->measurer,
                                                       pair->sides[LAB_HEAD]->measurer};
    const char *used_up = lab_measurer_used_up(measurers[LAB_BASE]);
    for (size_t i = 0; used_up != NULL && i < LAB_SIDES; i++) {
        const struct visited point = visited_of(pair->sides[i], pair->indices[i]);
        report_skipped(&point, used_up);
    }
    if (used_up != NULL)
        return true;
    pair->blocks = lab_blocks_create(measurers, pair->outcomes);
    bool good = pair->blocks != NULL;
    while (good && !pair->complete)
        good = visit_turn(pair);
    lab_blocks_free(pair->blocks);
    return good;
}

static bool visit_pairs(struct lab_side *base, struct lab_side *head, const struct lab_pairs *pairs)
{
    const struct lab_sink *sink = &head->run->sink;
    size_t total = LAB_SIDES * pairs->complete;
    for (size_t i = 0; i < pairs->complete; i++) {
        const struct visited points[LAB_SIDES] = {visited_of(base, pairs->items[i].base),
                                                  visited_of(head, pairs->items[i].head)};
        char label[352];
        if (!check_cancelled(head->run))
            return false;
        label_pair(points, label, sizeof label);
        sink->progress(sink->context, LAB_SIDES * i, total, label);
        if (!visit_pair(&(struct pair){
                .sides = {base, head}, .indices = {pairs->items[i].base, pairs->items[i].head}, .number = i}))
            return false;
    }
    for (size_t i = pairs->complete; i < pairs->count; i++) {
        bool of_head = pairs->items[i].base == LAB_NO_POINT;
        const struct visited v =
            of_head ? visited_of(head, pairs->items[i].head) : visited_of(base, pairs->items[i].base);
        report_skipped(&v, of_head ? "the base has no point that this one can be compared with"
                                   : "no point of the head is compared with this one");
    }
    sink->progress(sink->context, total, total, "done");
    return true;
}

/* Visits the pairs of points, while both experiments are within their run(). */
static bool run_pairs(struct lab_side *base, struct lab_side *head)
{
    struct lab_errors errors = {0};
    struct lab_pairs pairs;
    if (!lab_pairs_init(&pairs, base->run->parameters, &base->points, head->run->parameters, &head->points, &errors)) {
        base->run->error = errors.items[0];
        return false;
    }
    head->measurer = lab_measurer_create(head->run, LAB_SIDES * pairs.complete + base->loop->extra_points +
                                                        head->loop->extra_points);
    base->measurer = head->measurer != NULL ? lab_measurer_create_beside(base->run, head->measurer) : NULL;
    bool good = base->measurer != NULL && visit_pairs(base, head, &pairs);
    lab_measurer_free(base->measurer);
    lab_measurer_free(head->measurer);
    lab_pairs_release(&pairs);
    return good;
}

/* Starts the base's run(), whose call of lab_loop_run finds the head and visits the pairs. */
static bool run_base(struct lab_side *head)
{
    struct lab_run *base = head->run->base;
    base->head = head;
    lab_placement_bind(base->numa_node);
    bool good = base->experiment->run(base);
    lab_placement_bind(head->run->numa_node);
    base->head = NULL;
    if (!good && head->run->error.code == LAB_ERROR_NONE)
        head->run->error = base->error;
    head->run->any_wrong = head->run->any_wrong || base->any_wrong;
    return good;
}

bool lab_loop_run(struct lab_run *run, const struct lab_loop *loop, void *context)
{
    struct lab_side side = {.run = run, .loop = loop, .context = context};
    if (!lab_loop_points(run, &side.points))
        return false;
    bool good = run->base != NULL   ? run_base(&side)
                : run->head != NULL ? run_pairs(&side, run->head)
                                    : run_alone(&side);
    lab_points_release(&side.points);
    return good;
}

/* Whether the run has not said the text yet. */
static bool is_new(struct lab_run *run, const char *text)
{
    uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */
    for (const char *c = text; *c != '\0'; c++)
        hash = (hash ^ (unsigned char)*c) * UINT64_C(1099511628211);
    for (size_t i = 0; i < run->said_count; i++)
        if (run->said[i] == hash)
            return false;
    if (run->said_count < LAB_RUN_SAID_MAX)
        run->said[run->said_count++] = hash;
    return true;
}

void lab_loop_warn_once(struct lab_run *run, const char *text)
{
    if (is_new(run, text))
        run->sink.warning(run->sink.context, text);
}

void lab_loop_note_once(struct lab_run *run, const char *text)
{
    if (is_new(run, text))
        run->sink.note(run->sink.context, text);
}

void lab_loop_note_cache(struct lab_run *run, const struct lab_device *device, size_t bytes)
{
    int64_t cache = device->facts.l2_bytes;
    char text[160];
    if (run->tracing || cache == LAB_UNKNOWN || bytes > (size_t)cache)
        return;
    snprintf(
        text, sizeof text,
        "points whose data fit in the device's last-level cache (%.0f MiB) may be limited by the cache, not by the "
        "memory",
        (double)cache / 1048576);
    lab_loop_note_once(run, text);
}
