/* kernels/measure/blocks.c on a simulated device and clock: both sides are sampled alternately, in blocks, and end
 * together. */
#include "support/measure_harness.h"
#include "support/test.h"

/* The work of a side: its share of the device's time, and its letter in the log. */
struct side_work {
    double operation_s;
    char letter;
    bool wrong, fails;
};

static struct side_work base_work, head_work;
static double levels[LAB_SIDES]; /* operations take this share longer in the block; 0: no difference */
static size_t blocks_seen;
static double drift_per_s; /* operations become slower by this share in each simulated second */

static bool enqueue_side(void *context)
{
    const struct side_work *w = context;
    record(w->letter);
    script.enqueued++;
    if (script.cancel_after != 0 && script.enqueued > script.cancel_after)
        atomic_store(&script.cancel, true);
    if (w->fails && script.enqueued > script.fail_after)
        return lab_error_set(&script.device.error, LAB_ERROR_CUDA_ERROR, "", "as the script says");
    for (size_t i = 0; i < STREAMS; i++)
        run_for(&script.work_streams[i], w->operation_s * (1 + drift_per_s * simulated.now_s) *
                                             (1 + (blocks_seen % 2 == 0 ? 1 : -1) * levels[w == &head_work]));
    return true;
}

static bool verify_side(void *context, uint64_t *wrong)
{
    const struct side_work *w = context;
    *wrong = w->wrong ? 7 : 0;
    return true;
}

static bool record_restore(void *restored)
{
    record(*(const char *)restored);
    return true;
}

struct comparison {
    struct fixture f; /* of the head */
    struct lab_run base;
    struct lab_measurer *measurers[LAB_SIDES];
    struct lab_work works[LAB_SIDES];
    struct lab_outcome outcomes[LAB_SIDES];
};

static void open_comparison(struct comparison *c, const char *parameters)
{
    open_points(&c->f, parameters, LAB_SIDES);
    c->base = c->f.run;
    base_work = (struct side_work){.operation_s = 300e-6, .letter = 'b'};
    head_work = (struct side_work){.operation_s = 300e-6, .letter = 'w'};
    drift_per_s = 0;
    levels[LAB_BASE] = levels[LAB_HEAD] = 0;
    c->measurers[LAB_HEAD] = c->f.measurer;
    c->measurers[LAB_BASE] = lab_measurer_create_beside(&c->base, c->f.measurer);
    assert_non_null(c->measurers[LAB_BASE]);
    for (size_t i = 0; i < LAB_SIDES; i++) {
        c->works[i] = c->f.work;
        c->works[i].enqueue = enqueue_side;
        c->works[i].verify = verify_side;
    }
    c->works[LAB_BASE].context = &base_work;
    c->works[LAB_HEAD].context = &head_work;
}

static bool measure_both(struct comparison *c)
{
    const struct lab_work *const works[] = {&c->works[LAB_BASE], &c->works[LAB_HEAD]};
    struct lab_blocks *blocks = lab_blocks_create(c->measurers, c->outcomes);
    bool good = blocks != NULL, complete = false;
    while (good && !complete) {
        blocks_seen = lab_blocks_count(blocks);
        good = lab_blocks_measure(blocks, works);
        complete = good && lab_blocks_complete(blocks);
    }
    lab_blocks_free(blocks);
    return good;
}

static void close_comparison(struct comparison *c)
{
    lab_measurer_free(c->measurers[LAB_BASE]);
    close_fixture(&c->f);
}

static double mean_of(const struct lab_outcome *outcome)
{
    double sum = 0;
    for (size_t i = 0; i < outcome->count; i++)
        sum += outcome->samples[i];
    return sum / (double)outcome->count;
}

/* A block has two rounds of the side. */
static void assert_blocks_cover_the_samples(const struct lab_outcome *outcome)
{
    size_t before = 0;
    for (size_t i = 0; i < outcome->round_count; before = outcome->round_ends[i++])
        assert_true(outcome->round_ends[i] > before);
    assert_int_equal(before, outcome->count);
    for (size_t i = 0; i < outcome->block_count; i++)
        assert_int_equal(outcome->block_ends[i], 2 * (i + 1));
    assert_true(outcome->round_count - 2 * outcome->block_count < 2);
}

/* The turns of the sides in the log: a letter for each, without what comes before the samples. */
static size_t turns_of(char turns[LOG_MAX], char base, char head)
{
    size_t count = 0;
    for (size_t i = 0; i < script.logged; i++)
        if (script.log[i] == base || script.log[i] == head)
            turns[count++] = script.log[i];
    turns[count] = '\0';
    return count;
}

/* --- the tests ---------------------------------------------------------------------------------------------------- */

TEST(a_pair_has_eight_blocks_of_two_rounds_a_side)
{
    struct comparison c;
    open_comparison(&c, "{}");
    assert_true(measure_both(&c));
    for (size_t i = 0; i < LAB_SIDES; i++) {
        assert_null(c.outcomes[i].unmeasurable);
        assert_string_equal(c.outcomes[i].stop_reason, "converged");
        assert_true(c.outcomes[i].verified_known && c.outcomes[i].verified);
        assert_int_equal(c.outcomes[i].block_count, 8);
        assert_int_equal(c.outcomes[i].round_count, 16);
        assert_blocks_cover_the_samples(&c.outcomes[i]);
    }
    assert_true(script.latched > c.outcomes[LAB_BASE].count + c.outcomes[LAB_HEAD].count + 32); /* discarded samples */
    close_comparison(&c);
}

/* Each turn prepares both sides and reads their conditions before and after the rounds; it verifies both at the end. */
TEST(the_sides_take_turns_that_cancel_a_drift)
{
    static char turns[LOG_MAX];
    struct comparison c;
    open_comparison(&c, "{}");
    c.works[LAB_BASE].restore = c.works[LAB_HEAD].restore = record_restore;
    c.works[LAB_BASE].restored = "B";
    c.works[LAB_HEAD].restored = "H";
    assert_true(measure_both(&c));
    size_t count = turns_of(turns, 'B', 'H');
    assert_int_equal(count % 20, 0);
    assert_int_equal(count / 10, c.outcomes[LAB_BASE].round_count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(turns[i], i / 10 % 2 == 0 ? "BH"[i % 2] : "HB"[i % 2]);
    close_comparison(&c);
}

TEST(a_drift_changes_both_sides_alike)
{
    struct comparison c;
    open_comparison(&c, "{\"max_samples\": 640}");
    drift_per_s = 1;
    assert_true(measure_both(&c));
    const struct lab_outcome *base = &c.outcomes[LAB_BASE], *head = &c.outcomes[LAB_HEAD];
    assert_true(base->samples[base->count - 1] > 1.2 * base->samples[0]);
    assert_true(fabs(mean_of(head) / mean_of(base) - 1) < 0.01);
    close_comparison(&c);
}

TEST(blocks_go_on_while_their_ratios_differ)
{
    struct comparison c;
    open_comparison(&c, "{\"time_budget_s\": 4, \"max_noise\": 1}");
    levels[LAB_HEAD] = 0.003; /* the standard error is below 0.1 % from ten blocks on */
    assert_true(measure_both(&c));
    assert_true(c.outcomes[LAB_HEAD].block_count >= 10 && c.outcomes[LAB_HEAD].block_count <= 12);
    assert_blocks_cover_the_samples(&c.outcomes[LAB_HEAD]);
    close_comparison(&c);
    open_comparison(&c, "{\"time_budget_s\": 1, \"max_noise\": 1, \"max_samples\": 100000}");
    levels[LAB_HEAD] = 0.1;
    assert_true(measure_both(&c));
    assert_true(c.outcomes[LAB_HEAD].block_count > 12);
    assert_true(simulated.now_s > 0.8 && simulated.now_s < 1.2);
    close_comparison(&c);
}

TEST(levels_of_blocks_are_no_drift)
{
    struct comparison c;
    open_comparison(&c, "{\"max_noise\": 1}");
    levels[LAB_BASE] = levels[LAB_HEAD] = 0.05;
    assert_true(measure_both(&c));
    assert_string_equal(c.outcomes[LAB_BASE].stop_reason, "converged");
    close_comparison(&c);
}

TEST(the_fewest_samples_of_a_comparison_are_one_a_round)
{
    struct comparison c;
    open_comparison(&c, "{\"max_samples\": 16, \"min_samples\": 16}");
    assert_true(measure_both(&c));
    for (size_t i = 0; i < LAB_SIDES; i++) {
        assert_int_equal(c.outcomes[i].count, 16);
        assert_int_equal(c.outcomes[i].block_count, 8);
    }
    close_comparison(&c);
}

TEST(sides_of_different_speed_have_the_same_number_of_rounds)
{
    struct comparison c;
    open_comparison(&c, "{}");
    base_work.operation_s = 10e-6;
    head_work.operation_s = 15e-3;
    assert_true(measure_both(&c));
    assert_int_equal(c.outcomes[LAB_BASE].round_count, c.outcomes[LAB_HEAD].round_count);
    assert_true(fabs(c.outcomes[LAB_BASE].samples[0] - 10e-6) < 1e-9);
    assert_true(fabs(c.outcomes[LAB_HEAD].samples[0] - 15e-3) < 1e-9);
    assert_true(c.outcomes[LAB_BASE].count <= 1000);
    close_comparison(&c);
}

TEST(work_that_exceeds_the_budget_has_fewer_blocks)
{
    struct comparison c;
    open_comparison(&c, "{\"time_budget_s\": 20}");
    base_work.operation_s = head_work.operation_s = 0.5;
    assert_true(measure_both(&c));
    for (size_t i = 0; i < LAB_SIDES; i++) {
        assert_string_equal(c.outcomes[i].stop_reason, "budget");
        assert_true(c.outcomes[i].block_count >= 1 && c.outcomes[i].block_count < 8);
        assert_int_equal(c.outcomes[i].count, 2 * c.outcomes[i].block_count);
        assert_blocks_cover_the_samples(&c.outcomes[i]);
    }
    assert_int_equal(c.outcomes[LAB_BASE].round_count, c.outcomes[LAB_HEAD].round_count);
    assert_true(simulated.now_s < 1.25 * 20 + 2);
    close_comparison(&c);
}

TEST(both_sides_share_the_time_budget)
{
    struct comparison c;
    open_comparison(&c, "{\"time_budget_s\": 1, \"max_noise\": 0, \"max_samples\": 100000}");
    drift_per_s = 0.5; /* so that nothing converges */
    assert_true(measure_both(&c));
    assert_true(simulated.now_s > 0.9 && simulated.now_s < 1.1);
    assert_true(lab_measurer_remaining_s(c.measurers[LAB_BASE]) == lab_measurer_remaining_s(c.measurers[LAB_HEAD]));
    close_comparison(&c);
}

TEST(a_cancel_keeps_the_samples_so_far)
{
    struct comparison c;
    open_comparison(&c, "{\"max_noise\": 0, \"min_time_s\": 10}");
    script.cancel_after = 400;
    assert_true(measure_both(&c));
    for (size_t i = 0; i < LAB_SIDES; i++) {
        assert_true(c.outcomes[i].count > 0);
        assert_string_equal(c.outcomes[i].stop_reason, "cancelled");
        assert_blocks_cover_the_samples(&c.outcomes[i]);
    }
    close_comparison(&c);
}

TEST(a_cancel_before_the_first_sample_ends_the_run)
{
    struct comparison c;
    open_comparison(&c, "{}");
    atomic_store(&script.cancel, true);
    assert_false(measure_both(&c));
    assert_int_equal(c.base.error.code, LAB_ERROR_CANCELLED);
    close_comparison(&c);
}

TEST(a_wrong_result_is_that_of_its_side)
{
    struct comparison c;
    open_comparison(&c, "{}");
    base_work.wrong = true;
    assert_true(measure_both(&c));
    assert_false(c.outcomes[LAB_BASE].verified);
    assert_int_equal(c.outcomes[LAB_BASE].wrong, 7);
    assert_true(c.outcomes[LAB_HEAD].verified);
    assert_true(c.base.any_wrong);
    assert_false(c.f.run.any_wrong);
    close_comparison(&c);
}

TEST(a_failure_of_either_side_ends_both)
{
    struct comparison c;
    for (int side = LAB_BASE; side < LAB_SIDES; side++) {
        open_comparison(&c, "{}");
        (side == LAB_BASE ? &base_work : &head_work)->fails = true;
        script.fail_after = 100;
        assert_false(measure_both(&c));
        assert_int_equal((side == LAB_BASE ? &c.base : &c.f.run)->error.code, LAB_ERROR_CUDA_ERROR);
        close_comparison(&c);
    }
}

TEST(a_side_that_cannot_be_measured_ends_both)
{
    struct comparison c;
    open_comparison(&c, "{}");
    c.works[LAB_HEAD].cold = true;
    script.cannot_flush = true;
    assert_true(measure_both(&c));
    assert_null(c.outcomes[LAB_BASE].unmeasurable);
    assert_string_equal(c.outcomes[LAB_HEAD].unmeasurable, "the caches cannot be flushed");
    close_comparison(&c);
}

TEST(compute_work_is_settled_with_both_sides)
{
    static char turns[LOG_MAX];
    struct comparison c;
    open_comparison(&c, "{\"settle_s\": 0.2}");
    c.works[LAB_HEAD].compute = true;
    c.works[LAB_BASE].restore = c.works[LAB_HEAD].restore = record_restore;
    c.works[LAB_BASE].restored = "B";
    c.works[LAB_HEAD].restored = "H";
    assert_true(measure_both(&c));
    assert_true(turns_of(turns, 'B', 'H') > 0);
    /* while settling, single samples alternate: 0.2 s of 300 us are more than 300 pairs */
    assert_int_equal(strncmp(turns, "BHBHBHBH", 8), 0);
    assert_int_equal(strspn(turns, "BH") > 600, 1);
    close_comparison(&c);
}
