/* Measures two points alternately, in blocks that each have memory of their own (METHOD.md 19). */
#include "measure/measuring.h"

#include <math.h>
#include <stdlib.h>

/* In its two turns a block has the sides prepared and measured in opposite orders: base, head, head, base. So neither
 * the order nor a drift that is linear in time changes its ratio. */
enum { BLOCKS = LAB_COMPARED_BLOCKS, TURNS = LAB_COMPARED_TURNS };

/* More blocks are measured while the standard error of the logarithm of the ratio is larger. */
static const double error_max = 0.001;

/* A sample before each round is discarded, because the other side has used the caches. It is left out where samples
 * take longer, because filling a cache then is a small part of their time. */
static const double lead_max_s = 0.02;

struct lab_blocks {
    struct lab_measurer *measurers[LAB_SIDES];
    struct lab_outcome *outcomes;
    struct lab_measuring points[LAB_SIDES];
    size_t turns;                         /* so far */
    bool failed;                          /* both points are ended */
    struct lab_running_statistics ratios; /* logarithms, of the blocks */
    double began_s;                       /* when the block began, on the clock of lab_now_s */
    double block_s;                       /* seconds that the previous block took */
    double ended_s;                       /* when the previous turn ended, or the creation */
    double idle_s;                        /* when the rounds of the previous turn ended */
    double outside_s;                     /* seconds of the previous turn that were outside its rounds */
};

/* --- rounds ------------------------------------------------------------------------------------------------------- */

static size_t part_of(size_t samples, size_t parts)
{
    return (samples + parts - 1) / parts;
}

static size_t longest_round(const struct lab_measuring *p)
{
    return p->m->limits.max_samples / (BLOCKS * TURNS);
}

/* Whether a round, which began with sample `first` when `began_s` had been measured, is long enough: it has its part of
 * the samples and of the time that a point needs, or its time is over. */
static bool is_long_enough(const struct lab_measuring *p, size_t first, double began_s, double end_s)
{
    enum { PARTS = BLOCKS * TURNS };
    const struct lab_stopping_limits *limits = &p->m->limits;
    size_t count = p->outcome->count - first;
    if (count == 0)
        return false;
    return lab_now_s() >= end_s || count >= longest_round(p) ||
           (count >= part_of(limits->min_samples, PARTS) &&
            p->stopping.measured_s - began_s >= limits->min_time_s / PARTS);
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

/* When the rounds of this turn should end: the turns that are left share the time that they do not spend outside their
 * rounds. */
static double end_of_rounds(const struct lab_blocks *b)
{
    double left = b->turns < BLOCKS * TURNS ? (double)(BLOCKS * TURNS - b->turns) : 1, now = lab_now_s();
    double outside_s = b->turns > 0 ? b->outside_s : now - b->ended_s;
    return now + fmax(0, b->points[LAB_BASE].deadline_s - now - (left - 1) * outside_s) / left;
}

/* Takes a round of each side. */
static bool take_rounds(struct lab_blocks *b, struct lab_measuring *const sides[LAB_SIDES])
{
    double end_s = end_of_rounds(b), now = lab_now_s();
    for (size_t i = 0; i < LAB_SIDES && !must_end(sides[0]) && !must_end(sides[1]); i++)
        if (!take_round(sides[i], i == 0 ? (now + end_s) / 2 : end_s))
            return false;
    for (size_t i = 0; i < LAB_SIDES; i++) {
        struct lab_outcome *outcome = sides[i]->outcome;
        if (outcome->count == 0 && lab_run_cancelled(sides[i]->m->run))
            return lab_error_set(&sides[i]->work->lanes[0].device->error, LAB_ERROR_CANCELLED, "",
                                 "the run was cancelled");
        if (outcome->count == 0 && outcome->unmeasurable == NULL)
            outcome->unmeasurable = lab_measurer_used_up(sides[i]->m);
    }
    return true;
}

/* --- a turn ------------------------------------------------------------------------------------------------------- */

/* Takes a step for each side. Goes on if a side is unmeasurable: its point ends, and with it that of the other one. */
static bool for_each(struct lab_measuring *const sides[LAB_SIDES], bool (*step)(struct lab_measuring *p))
{
    for (size_t i = 0; i < LAB_SIDES; i++)
        if (!lab_measuring_enter(sides[i]) || !step(sides[i]))
            return false;
    return true;
}

static bool prepare(struct lab_blocks *b, struct lab_measuring *const sides[LAB_SIDES])
{
    struct lab_measuring *base = &b->points[LAB_BASE], *head = &b->points[LAB_HEAD];
    if (!for_each(sides, lab_measuring_prepare))
        return false;
    /* The time that each side keeps for its verification is subtracted for both. */
    base->deadline_s = head->deadline_s = base->deadline_s + head->deadline_s - base->share_end_s;
    return true;
}

/* The devices were at work until the turn before ended, so they are settled for as long as they were idle. The first
 * time is not part of what other turns take. */
static bool settle(struct lab_blocks *b, struct lab_measuring *const sides[LAB_SIDES])
{
    double began_s = lab_now_s();
    if (!lab_measuring_settle(sides, LAB_SIDES, b->turns > 0 ? began_s - b->idle_s : (double)INFINITY))
        return false;
    b->ended_s += b->turns == 0 ? lab_now_s() - began_s : 0;
    return true;
}

static bool sample(struct lab_blocks *b, struct lab_measuring *const sides[LAB_SIDES])
{
    double began_s = lab_now_s();
    if (!take_rounds(b, sides))
        return false;
    b->idle_s = lab_now_s();
    b->outside_s = began_s - b->idle_s; /* and the time of the turn, which lab_blocks_measure adds */
    return true;
}

static bool read_conditions(struct lab_blocks *b, struct lab_measuring *const sides[LAB_SIDES])
{
    (void)b;
    return for_each(sides, lab_measuring_read_conditions);
}

/* Counts what both sides do, in the first turn. The time is neither part of what other turns take nor of the points'
 * shares. */
static bool count(struct lab_blocks *b, struct lab_measuring *const sides[LAB_SIDES])
{
    if (b->turns > 0 || (b->measurers[LAB_BASE]->passes == 0 && b->measurers[LAB_HEAD]->passes == 0))
        return true;
    double began_s = lab_now_s();
    if (!for_each(sides, lab_measuring_count))
        return false;
    double taken_s = lab_now_s() - began_s;
    b->began_s += taken_s;
    b->ended_s += taken_s;
    for (size_t i = 0; i < LAB_SIDES; i++)
        b->points[i].share_end_s += taken_s;
    return true;
}

static bool verify(struct lab_blocks *b, struct lab_measuring *const sides[LAB_SIDES])
{
    (void)b;
    return for_each(sides, lab_measuring_verify);
}

static bool measure_turn(struct lab_blocks *b)
{
    static bool (*const steps[])(struct lab_blocks *, struct lab_measuring *const *) = {
        prepare, settle, read_conditions, sample, read_conditions, count, verify};
    size_t first = lab_blocks_first(b);
    struct lab_measuring *const sides[LAB_SIDES] = {&b->points[first], &b->points[LAB_SIDES - 1 - first]};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (!steps[i](b, sides))
            return false;
        for (size_t side = 0; side < LAB_SIDES; side++)
            if (sides[side]->outcome->unmeasurable != NULL)
                return true;
    }
    return true;
}

static void begin(struct lab_blocks *b, const struct lab_work *const works[LAB_SIDES])
{
    for (size_t i = 0; i < LAB_SIDES; i++) {
        if (b->turns > 0) {
            lab_measuring_renew(&b->points[i], works[i]);
            continue;
        }
        b->points[i] = lab_measuring_begin(b->measurers[i], works[i], &b->outcomes[i], LAB_SIDES);
        b->points[i].stopping.renewed = true;
        b->outcomes[i].round_ends = b->measurers[i]->round_ends;
        b->outcomes[i].block_ends = b->measurers[i]->block_ends;
    }
}

/* --- a block ------------------------------------------------------------------------------------------------------ */

/* Adds the logarithms of the medians of the rounds that have been added since the block before. Returns false when out
 * of memory. */
static bool add_rounds(const struct lab_outcome *outcome, double *sum)
{
    size_t round = outcome->block_count > 0 ? outcome->block_ends[outcome->block_count - 1] : 0;
    for (; round < outcome->round_count; round++) {
        size_t first = round > 0 ? outcome->round_ends[round - 1] : 0;
        struct lab_summary summary;
        if (!lab_summarise(&outcome->samples[first], outcome->round_ends[round] - first, &summary))
            return false;
        *sum += log(summary.median);
    }
    return true;
}

/* Ends a block, unless the run ends and a round is missing. Returns false with the error of the run set when out of
 * memory. */
static bool end_block(struct lab_blocks *b, double now)
{
    struct lab_outcome *base = &b->outcomes[LAB_BASE], *head = &b->outcomes[LAB_HEAD];
    double sums[LAB_SIDES] = {0};
    if (base->round_count != b->turns || head->round_count != b->turns)
        return true;
    if (!add_rounds(base, &sums[LAB_BASE]) || !add_rounds(head, &sums[LAB_HEAD]))
        return lab_error_set(&b->measurers[LAB_HEAD]->run->error, LAB_ERROR_OUT_OF_MEMORY, "",
                             "out of memory for the samples of a point");
    lab_running_statistics_add(&b->ratios, (sums[LAB_HEAD] - sums[LAB_BASE]) / TURNS);
    for (size_t i = 0; i < LAB_SIDES; i++)
        b->measurers[i]->block_ends[b->outcomes[i].block_count++] = b->outcomes[i].round_count;
    b->block_s = now - b->began_s;
    b->began_s = now;
    return true;
}

bool lab_blocks_measure(struct lab_blocks *b, const struct lab_work *const works[LAB_SIDES])
{
    begin(b, works);
    b->failed = !measure_turn(b);
    for (size_t i = 0; i < LAB_SIDES && b->failed; i++)
        lab_measuring_end(&b->points[i], false);
    double now = lab_now_s();
    b->outside_s += now - b->ended_s;
    b->ended_s = now;
    return !b->failed && (++b->turns % TURNS != 0 || end_block(b, now));
}

/* --- a pair of points --------------------------------------------------------------------------------------------- */

struct lab_blocks *lab_blocks_create(struct lab_measurer *const measurers[LAB_SIDES],
                                     struct lab_outcome outcomes[LAB_SIDES])
{
    struct lab_blocks *b = calloc(1, sizeof *b);
    if (b == NULL) {
        lab_error_set(&measurers[LAB_HEAD]->run->error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for a comparison");
        return NULL;
    }
    for (size_t i = 0; i < LAB_SIDES; i++)
        b->measurers[i] = measurers[i];
    b->outcomes = outcomes;
    b->began_s = b->ended_s = lab_now_s();
    return b;
}

void lab_blocks_free(struct lab_blocks *b)
{
    for (size_t i = 0; b != NULL && i < LAB_SIDES && !b->failed; i++) {
        if (b->turns > 0)
            lab_measuring_end(&b->points[i], true);
        else
            lab_measurer_skip(b->measurers[i]);
    }
    free(b);
}

size_t lab_blocks_first(const struct lab_blocks *b)
{
    return b->turns % TURNS == 0 ? LAB_BASE : LAB_HEAD;
}

size_t lab_blocks_count(const struct lab_blocks *b)
{
    return b->turns / TURNS;
}

/* Whether another block could have more samples than there is space for. */
static bool is_full(const struct lab_blocks *b)
{
    bool full = false;
    for (size_t i = 0; i < LAB_SIDES; i++)
        full =
            full || b->outcomes[i].count + TURNS * longest_round(&b->points[i]) > b->measurers[i]->limits.max_samples;
    return full;
}

static bool is_satisfied(const struct lab_blocks *b)
{
    return b->ratios.n >= BLOCKS && lab_running_statistics_error(&b->ratios) <= error_max &&
           b->outcomes[LAB_BASE].stop_reason != NULL && b->outcomes[LAB_HEAD].stop_reason != NULL;
}

/* The reason of a side whose samples were not enough when the pair ended. */
static const char *reason_of_end(const struct lab_measuring *p, bool full)
{
    if (lab_run_cancelled(p->m->run))
        return "cancelled";
    return full ? "sample-limit" : "budget";
}

bool lab_blocks_complete(struct lab_blocks *b)
{
    double left_s = b->points[LAB_BASE].share_end_s - lab_now_s();
    bool ends = must_end(&b->points[LAB_BASE]) || must_end(&b->points[LAB_HEAD]), full = is_full(b);
    if (!ends && (b->turns % TURNS != 0 || (!full && !is_satisfied(b) && b->block_s <= left_s)))
        return false;
    for (size_t i = 0; i < LAB_SIDES; i++)
        if (b->outcomes[i].stop_reason == NULL && b->outcomes[i].unmeasurable == NULL)
            b->outcomes[i].stop_reason = reason_of_end(&b->points[i], full);
    return true;
}
