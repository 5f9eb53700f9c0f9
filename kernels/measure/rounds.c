/* Measures two points alternately, in rounds (METHOD.md 19). */
#include "measure/measuring.h"

#include <math.h>

/* The fewest rounds of each side. ROUNDS_LEAST: if the time of the point is over; an interval needs as many. */
enum { ROUNDS_MIN = 8, ROUNDS_LEAST = 6 };

/* A sample before each round is discarded, because the other side has used the caches. It is left out where samples take
 * longer, because filling a cache then is a small part of their time. */
static const double lead_max_s = 0.02;

/* Base, head, head, base: a drift that is linear in time changes both sides by the same amount. */
static const size_t order[] = {LAB_BASE, LAB_HEAD, LAB_HEAD, LAB_BASE};
enum { GROUP = sizeof order / sizeof *order };

/* --- rounds ------------------------------------------------------------------------------------------------------- */

static size_t part_of(size_t samples, size_t parts)
{
    return (samples + parts - 1) / parts;
}

static size_t longest_round(const struct lab_measuring *p)
{
    return p->m->limits.max_samples / LAB_COMPARED_SAMPLES_MIN;
}

/* Whether a round, which began with sample `first` when `began_s` had been measured, is long enough: it has an eighth of the
 * samples and of the time that a point needs, or its time is over. */
static bool is_long_enough(const struct lab_measuring *p, size_t first, double began_s, double end_s)
{
    const struct lab_stopping_limits *limits = &p->m->limits;
    size_t count = p->outcome->count - first;
    if (count == 0)
        return false;
    return lab_now_s() >= end_s || count >= longest_round(p) ||
           (count >= part_of(limits->min_samples, ROUNDS_MIN) &&
            p->stopping.measured_s - began_s >= limits->min_time_s / ROUNDS_MIN);
}

static bool must_end(const struct lab_measuring *p)
{
    return p->outcome->unmeasurable != NULL || lab_run_cancelled(p->m->run) || lab_measurer_remaining_s(p->m) <= 0;
}

/* Takes the samples of a round, which should end at `end_s` but has at least one. */
static bool take_round(struct lab_measuring *p, double end_s)
{
    struct lab_outcome *outcome = p->outcome;
    size_t first = outcome->count;
    double began_s = p->stopping.measured_s, unused;
    bool lead = p->sampling.repetition_s * (double)p->sampling.repetitions < lead_max_s;
    if (!lab_measuring_enter(p) || (lead && !lab_measuring_run_once(p, &unused)))
        return false;
    while (!is_long_enough(p, first, began_s, end_s) && !must_end(p))
        if (!lab_measuring_take(p))
            return false;
    if (outcome->count > first)
        p->m->round_ends[outcome->round_count++] = outcome->count;
    return true;
}

/* Whether the samples are enough before a group of rounds. */
static bool are_enough(struct lab_measuring *const sides[LAB_SIDES])
{
    bool full = false, satisfied = true;
    size_t rounds = sides[LAB_BASE]->outcome->round_count;
    for (size_t i = 0; i < LAB_SIDES; i++) {
        const struct lab_measuring *p = sides[i];
        full = full || p->outcome->count + GROUP / LAB_SIDES * longest_round(p) > p->m->limits.max_samples;
        satisfied = satisfied && p->outcome->stop_reason != NULL;
    }
    return full || (satisfied && rounds >= (lab_now_s() >= sides[LAB_BASE]->deadline_s ? ROUNDS_LEAST : ROUNDS_MIN));
}

static bool take_rounds(struct lab_measuring *const sides[LAB_SIDES])
{
    for (size_t round = 0; round % GROUP != 0 || !are_enough(sides); round++) {
        struct lab_measuring *p = sides[order[round % GROUP]];
        size_t left = round < LAB_SIDES * ROUNDS_MIN ? LAB_SIDES * ROUNDS_MIN - round : 1;
        double now = lab_now_s();
        if (!take_round(p, now + (p->deadline_s - now) / (double)left))
            return false;
        if (must_end(p))
            break;
    }
    return true;
}

/* The reason of a side whose samples were not enough when the point ended. */
static const char *reason_of_end(const struct lab_measuring *p)
{
    if (lab_run_cancelled(p->m->run))
        return "cancelled";
    if (lab_stopping_drifts(&p->stopping, p->m->samples, p->outcome->count))
        return "drifting";
    return lab_now_s() >= p->deadline_s || lab_measurer_remaining_s(p->m) <= 0 ? "budget" : "sample-limit";
}

static bool rounds_sample(struct lab_measuring *const sides[LAB_SIDES])
{
    if (!take_rounds(sides))
        return false;
    for (size_t i = 0; i < LAB_SIDES; i++) {
        struct lab_measuring *p = sides[i];
        if (p->outcome->count == 0 && lab_run_cancelled(p->m->run))
            return lab_error_set(&p->work->lanes[0].device->error, LAB_ERROR_CANCELLED, "", "the run was cancelled");
        if (p->outcome->count == 0 && p->outcome->unmeasurable == NULL)
            p->outcome->unmeasurable = lab_measurer_used_up(p->m);
        if (p->outcome->stop_reason == NULL)
            p->outcome->stop_reason = reason_of_end(p);
    }
    return true;
}

/* --- a pair of points --------------------------------------------------------------------------------------------- */

/* Takes a step for each side. Goes on if a side is unmeasurable: its point ends, and with it that of the other one. */
static bool for_each(struct lab_measuring *const sides[LAB_SIDES], bool (*step)(struct lab_measuring *p))
{
    for (size_t i = 0; i < LAB_SIDES; i++)
        if (!lab_measuring_enter(sides[i]) || !step(sides[i]))
            return false;
    return true;
}

static bool rounds_prepare(struct lab_measuring *const sides[LAB_SIDES])
{
    struct lab_measuring *base = sides[LAB_BASE], *head = sides[LAB_HEAD];
    if (!for_each(sides, lab_measuring_prepare))
        return false;
    /* The time that each side keeps for its verification is subtracted for both. */
    base->deadline_s = head->deadline_s = base->deadline_s + head->deadline_s - base->share_end_s;
    return true;
}

static bool rounds_settle(struct lab_measuring *const sides[LAB_SIDES])
{
    return lab_measuring_settle(sides, LAB_SIDES);
}

static bool read_conditions(struct lab_measuring *const sides[LAB_SIDES])
{
    return for_each(sides, lab_measuring_read_conditions);
}

static bool rounds_verify(struct lab_measuring *const sides[LAB_SIDES])
{
    return for_each(sides, lab_measuring_verify);
}

static bool measure_points(struct lab_measuring *const sides[LAB_SIDES])
{
    static bool (*const steps[])(struct lab_measuring *const *sides) = {
        rounds_prepare, rounds_settle, read_conditions, rounds_sample, read_conditions, rounds_verify};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (!steps[i](sides))
            return false;
        for (size_t side = 0; side < LAB_SIDES; side++)
            if (sides[side]->outcome->unmeasurable != NULL)
                return true;
    }
    return true;
}

bool lab_measure_alternately(struct lab_measurer *const measurers[LAB_SIDES],
                             const struct lab_work *const works[LAB_SIDES], struct lab_outcome outcomes[LAB_SIDES])
{
    struct lab_measuring points[LAB_SIDES], *const sides[LAB_SIDES] = {&points[LAB_BASE], &points[LAB_HEAD]};
    for (size_t i = 0; i < LAB_SIDES; i++) {
        points[i] = lab_measuring_begin(measurers[i], works[i], &outcomes[i], LAB_SIDES);
        outcomes[i].round_ends = measurers[i]->round_ends;
    }
    bool good = measure_points(sides);
    for (size_t i = 0; i < LAB_SIDES; i++)
        lab_measuring_end(sides[i], good);
    return good;
}
