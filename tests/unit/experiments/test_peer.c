/* kernels/experiments/multi_gpu/peer: the points of a request, the copies of every pattern, detection of wrong results,
 * and skipped points.
 */
#include "support/peer_harness.h"
#include "support/test.h"

AROUND_EACH_TEST(.setup = open_peers, .teardown = close_devices)

/* Parameters of short runs. 4099 bytes are not a multiple of the word size. The host patterns need longer copies, so
 * that the copies overlap. */
#define QUICK "\"settle_s\": 0, \"time_budget_s\": 600, \"min_samples\": 2, \"max_samples\": 2"
#define PEERS "[\"pair\", \"both-ways\", \"one-to-all\", \"all-to-one\", \"all-to-all\"]"
#define SMALL QUICK ", \"bytes\": [4099, 65536], \"pattern\": " PEERS
#define HOSTS QUICK ", \"bytes\": 8388611, \"pattern\": [\"host-up\", \"host-down\"]"

/* --- reports ------------------------------------------------------------------------------------------------------ */

static bool is(const struct reported *s, const char *pattern, const char *metric)
{
    return strcmp(s->pattern, pattern) == 0 && strcmp(s->metric, metric) == 0;
}

static size_t count_of(const char *pattern, const char *metric)
{
    size_t count = 0;
    for (size_t i = 0; i < reported_count; i++)
        count += is(&reported[i], pattern, metric) && reported[i].skipped[0] == '\0';
    return count;
}

/* --- the plan ----------------------------------------------------------------------------------------------------- */

TEST(the_default_has_every_pair_and_every_pattern)
{
    /* peer access x engine x operation, each: pairs, latencies, both ways, one to all, all to one, all to all; plus
     * engine x host up and down, each for all devices together and one by one. On more than two devices all to all has
     * two schedules. */
    expect_points_on("peer", "{}", 2, 2 * 2 * 2 * (2 + 2 + 1 + 2 + 2 + 1) + 2 * 2 * (1 + 2));
    expect_points_on("peer", "{}", 3, 2 * 2 * 2 * (6 + 6 + 3 + 3 + 3 + 2) + 2 * 2 * (1 + 3));
    expect_points_on("peer", "{}", 16, 2 * 2 * 2 * (240 + 240 + 120 + 16 + 16 + 2) + 2 * 2 * (1 + 16));
}

TEST(latency_is_measured_only_with_pairs)
{
    const char *one = "{\"pattern\": \"pair\", \"engine\": \"copy\", \"access\": \"read\", \"peer_access\": true}";
    expect_points_on("peer", one, 3, 6 + 6);
    const char *sizes =
        "{\"pattern\": \"pair\", \"engine\": \"copy\", \"access\": \"read\", \"peer_access\": true,"
        "\"bytes\": [1024, 2048, 4096]}";
    expect_points_on("peer", sizes, 3, 3 * 6 + 6);
    expect_points_on("peer", "{\"pattern\": [\"all-to-all\"], \"engine\": \"copy\"}", 3, 2 * 2 * 2);
    expect_points_on("peer", "{\"pattern\": [\"host-down\"], \"engine\": \"copy\", \"bytes\": [8, 16]}", 3, 2 * 4);
}

TEST(a_size_that_equals_latency_bytes_is_one_point)
{
    const char *text =
        "{\"pattern\": [\"pair\", \"both-ways\"], \"engine\": \"copy\", \"access\": \"read\","
        "\"peer_access\": true, \"bytes\": [8, 4096], \"latency_bytes\": 8, " QUICK "}";
    expect_points_on("peer", text, 3, 2 * (6 + 3));
    run_to_end("peer", text, 3);
    assert_int_equal(count_of("pair", "latency"), 6);
    assert_int_equal(count_of("pair", "bandwidth"), 2 * 6);
    assert_int_equal(count_of("pair", "time"), 2 * 6);
}

TEST(sizes_that_fit_the_cache_are_noted_once)
{
    set_cache(4096);
    run_to_end("peer", "{" QUICK ", \"bytes\": 4097, \"pattern\": \"pair\", \"engine\": \"copy\"}", 3);
    assert_int_equal(notes, 0);
    run_to_end("peer", "{" QUICK ", \"bytes\": 4096, \"pattern\": \"pair\", \"engine\": \"copy\"}", 3);
    assert_int_equal(notes, 1);
    assert_int_equal(warnings, 0);
    set_cache(LAB_UNKNOWN);
}

TEST(memory_counts_the_destination_buffers)
{
    struct plan plan = plan_on("peer", "{\"bytes\": 1048576, \"pattern\": \"pair\"}", 8, INT64_C(1) << 30);
    assert_int_equal(plan.estimate.device_bytes, 2 << 20);
    assert_int_equal(plan.estimate.host_bytes, 0);
    plan = plan_on("peer", "{\"bytes\": [4096, 1048576], \"pattern\": [\"all-to-one\", \"host-up\"]}", 8,
                   INT64_C(1) << 30);
    assert_int_equal(plan.estimate.device_bytes, 8 << 20);
    assert_int_equal(plan.estimate.host_bytes, 8 << 20);
    plan = plan_on("peer", "{\"bytes\": 1, \"latency_bytes\": 64, \"pattern\": \"pair\"}", 2, INT64_C(1) << 30);
    assert_int_equal(plan.estimate.device_bytes, 128);
}

/* A small request takes min_time_s for each of its four points; a large one what the time budget allows. */
TEST(the_duration_follows_the_points_and_the_budget)
{
    const char *small =
        "{\"bytes\": 4096, \"pattern\": \"pair\", \"engine\": \"copy\", \"access\": \"write\", \"peer_access\": true}";
    expect_duration("peer", small, 0.4, 2);
    expect_duration("peer", "{}", 12, 17);
    expect_duration("peer", "{\"time_budget_s\": 100}", 20, 127);
}

TEST(invalid_requests_are_refused_with_a_pointer)
{
    expect_refusal_on("peer", "{\"bytes\": 1073741824, \"pattern\": \"pair\"}", 2, "exceeds-memory",
                      "/parameters/bytes");
    expect_refusal_on("peer", "{\"bytes\": 268435456, \"pattern\": \"all-to-all\"}", 5, "exceeds-memory",
                      "/parameters/bytes");
    assert_true(plan_on("peer", "{\"bytes\": 268435456, \"pattern\": \"all-to-all\"}", 4, PLAN_MEMORY).good);
    expect_refusal_on("peer", "{\"bytes\": [1024, 2048, 4096, 8192]}", 16, "too-many-points", "/parameters");
}

/* --- runs --------------------------------------------------------------------------------------------------------- */

static void expect_all_verified(void)
{
    for (size_t i = 0; i < reported_count; i++) {
        const struct reported *s = &reported[i];
        if (s->skipped[0] != '\0') {
            if (strcmp(s->engine, "sm") != 0 || s->peer_access != 0)
                fail_msg("%s %s %s: %s", s->pattern, s->metric, s->engine, s->skipped);
            continue;
        }
        assert_true(s->verified_known && s->verified);
        assert_true(isfinite(s->summary.median) && s->summary.median > 0);
    }
}

/* Combinations: (two engines with peer access, one engine without) x (read, write). Two sizes. */
enum { COMBINATIONS = 3 * 2, SIZES = 2 };

static void expect_every_pattern_correct(size_t count)
{
    struct lab_run run = run_to_end("peer", "{" SMALL "}", count);
    size_t pairs = count * (count - 1);
    assert_false(run.any_wrong);
    expect_all_verified();
    assert_int_equal(count_of("pair", "bandwidth"), pairs * COMBINATIONS * SIZES);
    assert_int_equal(count_of("pair", "latency"), pairs * COMBINATIONS);
    assert_int_equal(count_of("both-ways", "aggregate_bandwidth"), pairs / 2 * COMBINATIONS * SIZES);
    assert_int_equal(count_of("one-to-all", "aggregate_bandwidth"), count * COMBINATIONS * SIZES);
    assert_int_equal(count_of("all-to-one", "aggregate_bandwidth"), count * COMBINATIONS * SIZES);
    assert_int_equal(count_of("all-to-all", "aggregate_bandwidth"), (count > 2 ? 2 : 1) * COMBINATIONS * SIZES);
    run = run_to_end("peer", "{" HOSTS "}", count);
    assert_false(run.any_wrong);
    expect_all_verified();
    for (int down = 0; down <= 1; down++) {
        const char *pattern = down ? "host-down" : "host-up";
        assert_int_equal(count_of(pattern, "aggregate_bandwidth"), 2);
        assert_int_equal(count_of(pattern, "bandwidth"), count * 2);
    }
}

TEST(every_pattern_is_correct_on_two_devices)
{
    expect_every_pattern_correct(2);
}

TEST(every_pattern_is_correct_on_three_devices)
{
    expect_every_pattern_correct(3);
}

/* The number of copies that are measured together by a pattern on three devices. */
static double copies_of(const char *pattern, bool sum)
{
    static const struct {
        const char *pattern;
        double copies;
    } all[] = {{"both-ways", 2},  {"one-to-all", 2}, {"all-to-one", 2},
               {"all-to-all", 6}, {"host-up", 3},    {"host-down", 3}};
    for (size_t i = 0; sum && i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].pattern, pattern) == 0)
            return all[i].copies;
    return 1;
}

static size_t check_bandwidths(const char *text)
{
    size_t seen = 0;
    run_to_end("peer", text, 3);
    for (size_t i = 0; i + 1 < reported_count; i++) {
        const struct reported *rate = &reported[i], *time = &reported[i + 1];
        bool sum = strcmp(rate->metric, "aggregate_bandwidth") == 0;
        if (!sum && strcmp(rate->metric, "bandwidth") != 0)
            continue;
        assert_string_equal(time->metric, "time");
        double gigabytes = copies_of(rate->pattern, sum) * (double)rate->bytes / 1e9;
        assert_true(fabs(rate->summary.max * time->summary.min / gigabytes - 1) < 1e-9);
        seen++;
    }
    return seen;
}

TEST(bandwidth_is_copied_bytes_over_time)
{
    /* reads and writes, two sizes: pairs, both ways, one to all, all to one, all to all in two schedules */
    assert_int_equal(check_bandwidths("{" SMALL ", \"peer_access\": true, \"engine\": \"copy\"}"),
                     2 * 2 * (6 + 3 + 3 + 3 + 2));
    assert_int_equal(check_bandwidths("{" HOSTS ", \"engine\": \"copy\"}"), 2 * (1 + 3));
}

TEST(what_limits_copies_with_the_host_is_noted_once)
{
    run_to_end("peer", "{" HOSTS ", \"engine\": \"copy\"}", 3);
    assert_int_equal(notes, 1);
}

/* Expects whether the measurements of a pattern have the axes source and target. */
static void expect_devices_named(const char *pattern, const char *metric, bool source, bool target)
{
    size_t seen = 0;
    for (size_t i = 0; i < reported_count; i++) {
        const struct reported *s = &reported[i];
        if (!is(s, pattern, metric))
            continue;
        seen++;
        bool host = strncmp(pattern, "host", 4) == 0;
        assert_true((s->source >= 0) == source && (s->target >= 0) == target);
        assert_true(s->source != s->target || s->source < 0);
        assert_true((s->peer_access >= 0) == !host && (s->access[0] != '\0') == !host);
    }
    assert_true(seen > 0);
}

TEST(measurements_name_their_devices)
{
    run_to_end("peer", "{" SMALL ", \"engine\": \"copy\"}", 3);
    expect_devices_named("pair", "bandwidth", true, true);
    expect_devices_named("pair", "latency", true, true);
    expect_devices_named("both-ways", "aggregate_bandwidth", true, true);
    expect_devices_named("one-to-all", "aggregate_bandwidth", true, false);
    expect_devices_named("all-to-one", "aggregate_bandwidth", false, true);
    expect_devices_named("all-to-all", "aggregate_bandwidth", false, false);
    run_to_end("peer", "{" HOSTS ", \"engine\": \"copy\"}", 3);
    expect_devices_named("host-up", "aggregate_bandwidth", false, false);
    expect_devices_named("host-up", "bandwidth", false, true);
    expect_devices_named("host-down", "aggregate_bandwidth", false, false);
    expect_devices_named("host-down", "bandwidth", true, false);
}

/* --- copies between devices --------------------------------------------------------------------------------------- */

/* The expected state of the copies, and which of them are corrupted. */
static struct copies {
    bool allowed, write;
    size_t wrong_lanes;
    bool corrupted[DEVICES][DEVICES]; /* [from][to] */
} copies;

/* A corrupted copy is shifted by one word. */
static bool checked_copy(const struct lab_lane *lane, struct lab_device *target, void *destination,
                         struct lab_device *source, const void *from, size_t bytes)
{
    size_t s = place_of_device(source), t = place_of_device(target);
    bool corrupted = copies.corrupted[s][t] && bytes > 4;
    copies.wrong_lanes += (lane->device == source) != copies.write;
    assert_true(watch.allowed[s][t] == copies.allowed && watch.allowed[t][s] == copies.allowed);
    return lab_host_runtime.peer->copy(lane, target, (char *)destination + (corrupted ? 4 : 0), source, from,
                                       corrupted ? bytes - 4 : bytes);
}

static void watch_copies(bool allowed, bool write)
{
    watch_peers();
    watch.copy = checked_copy;
    copies = (struct copies){.allowed = allowed, .write = write};
}

#define WATCHED SMALL ", \"engine\": \"copy\""

TEST(peer_access_follows_the_point_and_is_denied_at_the_end)
{
    watch_copies(true, true);
    run_to_end("peer", "{" WATCHED ", \"peer_access\": true, \"access\": \"write\"}", 3);
    assert_int_equal(watch.allowances, 6);
    assert_true(watch.copies > 100);
    expect_nothing_allowed();
    watch_copies(false, true);
    run_to_end("peer", "{" WATCHED ", \"peer_access\": false, \"access\": \"write\"}", 3);
    assert_int_equal(watch.allowances, 0);
    assert_true(watch.copies > 100);
}

TEST(the_source_writes_and_the_target_reads)
{
    watch_copies(true, true);
    run_to_end("peer", "{" WATCHED ", \"peer_access\": true, \"access\": \"write\"}", 3);
    assert_int_equal(copies.wrong_lanes, 0);
    watch_copies(true, false);
    run_to_end("peer", "{" WATCHED ", \"peer_access\": true, \"access\": \"read\"}", 3);
    assert_int_equal(copies.wrong_lanes, 0);
    assert_true(watch.copies > 100);
}

TEST(all_to_all_starts_in_steps)
{
    watch_peers();
    run_to_end("peer", "{" WATCHED ", \"peer_access\": true, \"access\": \"write\", \"pattern\": \"all-to-all\"}", 3);
    assert_true(watch.copies >= 6);
    for (size_t step = 1; step <= 2; step++)
        for (size_t d = 0; d < 3; d++) {
            size_t at = (step - 1) * 3 + d;
            assert_int_equal(watch.from[at], d);
            assert_int_equal(watch.to[at], (d + step) % 3);
        }
}

/* Keeps the streams of the first copies, one of each pair. */
static struct {
    size_t count;
    const struct lab_stream *streams[DEVICES * (DEVICES - 1)];
} first_copies;

static bool keep_stream(const struct lab_lane *lane, struct lab_device *target, void *destination,
                        struct lab_device *source, const void *from, size_t bytes)
{
    if (first_copies.count < DEVICES * (DEVICES - 1))
        first_copies.streams[first_copies.count++] = lane->stream;
    return lab_host_runtime.peer->copy(lane, target, destination, source, from, bytes);
}

static void expect_streams(const char *schedule, const char *access, size_t expected)
{
    char text[512];
    size_t streams = 0;
    snprintf(text, sizeof text,
             "{" WATCHED
             ", \"peer_access\": true, \"pattern\": \"all-to-all\", \"schedule\": \"%s\", \"access\": \"%s\"}",
             schedule, access);
    watch_peers();
    watch.copy = keep_stream;
    first_copies.count = 0;
    run_to_end("peer", text, DEVICES);
    assert_int_equal(first_copies.count, DEVICES * (DEVICES - 1));
    for (size_t i = 0; i < first_copies.count; i++) {
        bool seen = false;
        for (size_t k = 0; k < i; k++)
            seen = seen || first_copies.streams[k] == first_copies.streams[i];
        streams += !seen;
    }
    assert_int_equal(streams, expected);
}

TEST(in_steps_a_device_has_one_stream_and_together_every_copy)
{
    expect_streams("steps", "write", DEVICES);
    expect_streams("steps", "read", DEVICES);
    expect_streams("together", "write", DEVICES * (DEVICES - 1));
}

TEST(a_corrupted_pair_is_detected_in_every_pattern)
{
    watch_copies(true, true);
    copies.corrupted[2][0] = true;
    struct lab_run run = run_to_end("peer", "{" WATCHED ", \"peer_access\": true, \"access\": \"write\"}", 3);
    assert_true(run.any_wrong);
    for (size_t i = 0; i < reported_count; i++) {
        const struct reported *s = &reported[i];
        bool from = s->source == 2 || s->source < 0, to = s->target == 0 || s->target < 0;
        bool both = strcmp(s->pattern, "both-ways") == 0 && s->source == 0 && s->target == 2;
        bool wrong = strcmp(s->metric, "latency") != 0 && ((from && to) || both);
        assert_true(s->verified_known);
        if (s->verified == wrong)
            fail_msg("%s %s from %d to %d: verified is %d", s->pattern, s->metric, s->source, s->target, s->verified);
        if (wrong) /* every word is wrong */
            assert_int_equal(s->wrong, (s->bytes + 3) / 4);
    }
}

/* --- unsupported points ------------------------------------------------------------------------------------------- */

TEST(without_a_peer_table_only_host_patterns_are_measured)
{
    changed.peer = NULL;
    use_runtime(&changed);
    run_to_end("peer", "{" SMALL "}", 2);
    assert_true(reported_count > 0);
    for (size_t i = 0; i < reported_count; i++)
        assert_true(strlen(reported[i].skipped) > 20);
    run_to_end("peer", "{" HOSTS "}", 2);
    expect_all_verified();
    assert_int_equal(count_of("host-up", "bandwidth"), 2 * 2);
}

TEST(pairs_without_access_are_skipped_with_the_runtimes_reason)
{
    watch_copies(true, true);
    watch.missing_one = 1;
    run_to_end("peer", "{" WATCHED ", \"peer_access\": true, \"access\": \"write\"}", 3);
    for (size_t i = 0; i < reported_count; i++) {
        const struct reported *s = &reported[i];
        bool reachable = (strcmp(s->pattern, "pair") == 0 || strcmp(s->pattern, "both-ways") == 0) && s->source != 1 &&
                         s->target != 1;
        assert_true((s->skipped[0] == '\0') == reachable);
        if (!reachable)
            assert_non_null(strstr(s->skipped, "no peer access between"));
    }
    assert_int_equal(count_of("pair", "bandwidth"), 2 * SIZES);
    expect_nothing_allowed();
    copies.allowed = false;
    run_to_end("peer", "{" WATCHED ", \"peer_access\": false, \"access\": \"write\"}", 3);
    assert_int_equal(count_of("pair", "bandwidth"), 6 * SIZES);
}

TEST(a_failed_copy_ends_the_run_and_denies_access)
{
    struct lab_run run;
    watch_peers();
    watch.failing = 40;
    assert_false(run_on("peer", "{" WATCHED ", \"peer_access\": true, \"access\": \"write\"}", 3, &run));
    assert_int_equal(run.error.code, LAB_ERROR_DEVICE_LOST);
    assert_string_equal(run.error.detail, "the copy of the test failed");
    expect_nothing_allowed();
}

static struct lab_plan *prepare_no_copy(struct lab_device *device, const struct lab_operation *problem)
{
    if (problem->kind != LAB_OPERATION_COPY)
        return lab_host_runtime.prepare(device, problem);
    lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "", "no copies by cores in this test");
    return NULL;
}

TEST(an_unsupported_kernel_is_the_skip_reason)
{
    changed.prepare = prepare_no_copy;
    use_runtime(&changed);
    run_to_end("peer", "{" SMALL ", \"engine\": \"sm\", \"peer_access\": true}", 2);
    assert_true(reported_count > 0);
    for (size_t i = 0; i < reported_count; i++)
        assert_string_equal(reported[i].skipped, "no copies by cores in this test");
}

TEST(a_run_can_be_cancelled)
{
    struct lab_run run;
    cancel_at = 5;
    assert_false(run_on("peer", "{" SMALL "}", 2, &run));
    assert_int_equal(run.error.code, LAB_ERROR_CANCELLED);
    assert_true(last_done <= 6);
}
