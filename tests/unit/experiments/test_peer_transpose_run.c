/* kernels/experiments/multi_gpu/peer_transpose: what whole runs on two and three devices report, skip, count as wrong
 * and trace.
 */
#include "support/peer_harness.h"
#include "support/test.h"

#include <stdlib.h>

AROUND_EACH_TEST(.setup = open_peers, .teardown = close_devices)

#define QUICK "\"settle_s\": 0, \"time_budget_s\": 600, \"min_samples\": 2, \"max_samples\": 4"

/* --- whole runs --------------------------------------------------------------------------------------------------- */

static size_t count_of(const char *variant, const char *metric, int peer_access)
{
    size_t count = 0;
    for (size_t i = 0; i < reported_count; i++)
        count += strcmp(reported[i].variant, variant) == 0 && strcmp(reported[i].metric, metric) == 0 &&
                 reported[i].peer_access == peer_access && reported[i].skipped[0] == '\0';
    return count;
}

static const struct reported *find(const char *variant, const char *metric, int peer_access)
{
    for (size_t i = 0; i < reported_count; i++)
        if (strcmp(reported[i].variant, variant) == 0 && strcmp(reported[i].metric, metric) == 0 &&
            reported[i].peer_access == peer_access)
            return &reported[i];
    fail_msg("no %s of %s", metric, variant);
    abort();
}

TEST(a_run_measures_and_verifies_every_point)
{
    for (size_t count = 2; count <= DEVICES; count++) {
        struct lab_run run =
            run_to_end("peer-transpose",
                       "{" QUICK ", \"n\": [64, 500], \"chunks\": [1, 2], \"access\": [\"read\", \"write\"]}", count);
        assert_false(run.any_wrong);
        assert_int_equal(warnings, 0);
        assert_int_equal(count_of("", "local_transpose_time", -1), 4);
        for (int access = 0; access <= 1; access++) {
            assert_int_equal(count_of("all-to-all", "bandwidth", access), 8);
            assert_int_equal(count_of("all-to-all", "share_of_all_to_all", access), 0);
            assert_int_equal(count_of("sequential", "share_of_all_to_all", access), 8);
            assert_int_equal(count_of("overlapped", "share_of_all_to_all", access), 8);
            assert_int_equal(count_of("overlapped", "time", access), 8);
        }
        assert_int_equal(count_of("direct", "share_of_all_to_all", 1), 4);
        assert_int_equal(count_of("direct", "time", 0), 0);
        for (size_t i = 0; i < reported_count; i++) {
            assert_true(reported[i].verified_known && reported[i].verified && reported[i].summary.median > 0);
            assert_false(reported[i].nameless_kernel);
        }
    }
}

TEST(metrics_follow_their_formulas)
{
    run_to_end("peer-transpose", "{" QUICK ", \"n\": 300, \"chunks\": 2, \"peer_access\": true}", 3);
    static const char *const variants[] = {"all-to-all", "sequential", "overlapped", "direct"};
    for (size_t v = 0; v < 4; v++) {
        const struct reported *time = find(variants[v], "time", 1), *rate = find(variants[v], "bandwidth", 1);
        double gigabytes = 300 * 300 * 4 * (2.0 / 3) / 1e9;
        assert_true(fabs(rate->summary.max * time->summary.min / gigabytes - 1) < 1e-9);
        assert_int_equal(time->n, 300);
        if (v == 0)
            continue;
        const struct reported *share = find(variants[v], "share_of_all_to_all", 1);
        assert_int_equal(share->summary.n, time->summary.n);
        assert_true(share->summary.median > 0);
    }
}

TEST(matrices_that_fit_the_cache_are_noted_once)
{
    set_cache(2 * 64 * 32 * 4 - 1);
    run_to_end("peer-transpose", "{" QUICK ", \"n\": 64}", 2);
    assert_int_equal(notes, 0);
    set_cache(2 * 64 * 32 * 4);
    run_to_end("peer-transpose", "{" QUICK ", \"n\": 64}", 2);
    assert_int_equal(notes, 1);
    assert_int_equal(warnings, 0);
    set_cache(LAB_UNKNOWN);
}

TEST(peer_access_is_denied_at_the_end)
{
    struct lab_run run;
    watch_peers();
    run_to_end("peer-transpose", "{" QUICK ", \"n\": 64, \"peer_access\": [false, true]}", 3);
    assert_int_equal(watch.allowances, 6);
    expect_nothing_allowed();
    watch_peers();
    watch.failing = 20;
    assert_false(run_on("peer-transpose", "{" QUICK ", \"n\": 64, \"peer_access\": true}", 3, &run));
    assert_string_equal(run.error.detail, "the copy of the test failed");
    expect_nothing_allowed();
}

/* The kernels of the variant direct do not use it. */
static bool copy_only_from_device_0(const struct lab_lane *lane, struct lab_device *target, void *destination,
                                    struct lab_device *source, const void *from, size_t bytes)
{
    return source != devices[0] || lab_host_runtime.peer->copy(lane, target, destination, source, from, bytes);
}

TEST(wrong_results_are_reported_for_each_point)
{
    watch_peers();
    watch.copy = copy_only_from_device_0;
    struct lab_run run = run_to_end("peer-transpose", "{" QUICK ", \"n\": 64, \"peer_access\": true}", 2);
    assert_true(run.any_wrong);
    for (size_t i = 0; i < reported_count; i++) {
        bool sends = reported[i].variant[0] != '\0' && strcmp(reported[i].variant, "direct") != 0;
        assert_true(reported[i].verified_known && reported[i].verified == !sends);
        assert_int_equal(reported[i].wrong, sends ? 32 * 32 : 0);
    }
}

TEST(pairs_with_access_use_it_if_others_have_none)
{
    watch_peers();
    watch.missing_one = 1;
    struct lab_run run = run_to_end("peer-transpose", "{" QUICK ", \"n\": 64, \"peer_access\": true}", 3);
    assert_false(run.any_wrong);
    assert_int_equal(watch.allowances, 2);
    assert_int_equal(warnings, 1);
    assert_int_equal(count_of("overlapped", "time", 1), 1);
    assert_int_equal(count_of("direct", "time", 1), 0);
    assert_non_null(strstr(find("direct", "time", 1)->skipped, "needs peer access"));
    expect_nothing_allowed();
}

TEST(without_any_peer_access_the_point_is_skipped)
{
    watch_peers();
    watch.all_missing = true;
    run_to_end("peer-transpose", "{" QUICK ", \"n\": 64}", 3);
    assert_int_equal(count_of("", "local_transpose_time", -1), 1);
    assert_int_equal(count_of("overlapped", "time", 0), 1);
    assert_int_equal(count_of("overlapped", "time", 1), 0);
    assert_non_null(strstr(find("overlapped", "time", 1)->skipped, "no peer access between"));
}

TEST(without_a_peer_table_only_the_transposes_are_measured)
{
    changed.peer = NULL;
    use_runtime(&changed);
    run_to_end("peer-transpose", "{" QUICK ", \"n\": 64}", 2);
    assert_int_equal(reported_count, 8);
    assert_int_equal(count_of("", "local_transpose_time", -1), 1);
    for (size_t i = 0; i < reported_count; i++)
        assert_true((reported[i].skipped[0] == '\0') == (reported[i].variant[0] == '\0'));
}

static size_t prepared; /* launches prepared so far */

static struct lab_plan *prepare_three(struct lab_device *device, struct lab_kernel *kernel,
                                      const struct lab_launch *launch, const struct lab_argument *arguments,
                                      size_t count)
{
    if (prepared++ < 3)
        return lab_host_runtime.module->prepare(device, kernel, launch, arguments, count);
    lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "", "no transposes in this test");
    return NULL;
}

TEST(an_unsupported_kernel_is_the_skip_reason)
{
    struct lab_runtime_module modules = *lab_host_runtime.module;
    prepared = 0;
    modules.prepare = prepare_three;
    watch_peers();
    changed.module = &modules;
    run_to_end("peer-transpose", "{" QUICK ", \"n\": 64}", 2);
    assert_int_equal(reported_count, 8);
    for (size_t i = 0; i < reported_count; i++)
        assert_string_equal(reported[i].skipped, "no transposes in this test");
    assert_int_equal(watch.copies, 0);
    changed.module = NULL;
    run_to_end("peer-transpose", "{" QUICK ", \"n\": 64}", 2);
    assert_string_equal(reported[0].skipped, "this build cannot load kernels on this device");
}

TEST(a_run_can_be_cancelled)
{
    struct lab_run run;
    cancel_at = 3;
    assert_false(run_on("peer-transpose", "{" QUICK ", \"n\": 64}", 2, &run));
    assert_int_equal(run.error.code, LAB_ERROR_CANCELLED);
}

/* --- the timeline ------------------------------------------------------------------------------------------------- */

static size_t count_kind(const char *kind)
{
    size_t count = 0;
    for (size_t i = 0; i < span_count; i++)
        count += strcmp(spans[i].kind, kind) == 0;
    return count;
}

/* For a copy "to device 2 · chunk 1 · …" in lane "device 1 copies 2": expects that the transpose of that chunk, in lane
 * "device 1", ended before it began. Returns the number of such transposes. */
static size_t expect_transposed_before(const struct seen_span *copy)
{
    size_t count = 0;
    char wanted[96], piece[64];
    assert_int_equal(strncmp(copy->label, "to device ", 10), 0);
    snprintf(piece, sizeof piece, "%s", copy->label + 3);
    char *size = strstr(piece, "chunk");
    assert_non_null(size);
    size[strcspn(size, "\xc2")] = '\0'; /* the middle dot between chunk and size */
    size[strlen(size) - 1] = '\0';
    snprintf(wanted, sizeof wanted, "transpose for %s", piece);
    for (size_t i = 0; i < span_count; i++) {
        const struct seen_span *s = &spans[i];
        if (strcmp(s->variant, copy->variant) != 0 || s->peer_access != copy->peer_access ||
            strcmp(s->label, wanted) != 0 || strncmp(s->lane, copy->lane, strlen("device 1")) != 0)
            continue;
        assert_true(s->end_ns <= copy->start_ns);
        count++;
    }
    return count;
}

TEST(a_traced_run_reports_only_spans)
{
    if (lab_host_runtime.trace == NULL)
        skip();
    tracing = true;
    run_to_end("peer-transpose", "{" QUICK ", \"n\": 96, \"chunks\": 2}", 3);
    assert_int_equal(reported_count, 0);
    assert_int_equal(warnings, 0);
    /* two variants with and without peer access: per device two chunks in two steps, and its own block; and one kernel
     * per device of the variant direct, with peer access */
    assert_int_equal(count_kind("compute"), 2 * 2 * 3 * (2 * 2 + 1) + 3);
    assert_int_equal(count_kind("copy-peer"), 2 * 2 * 3 * 2 * 2);
    assert_int_equal(span_count, count_kind("compute") + count_kind("copy-peer"));
    for (size_t i = 0; i < span_count; i++) {
        assert_true(spans[i].start_ns >= 0 && spans[i].end_ns >= spans[i].start_ns);
        if (strcmp(spans[i].kind, "copy-peer") != 0)
            continue;
        assert_int_equal(expect_transposed_before(&spans[i]), 1);
        assert_true((strstr(spans[i].label, "part of") == NULL) == (spans[i].peer_access == 1));
    }
}

/* The spans of a copy are in the lanes of the device that copies; the label names the other one. */
TEST(reads_are_traced_on_their_targets)
{
    if (lab_host_runtime.trace == NULL)
        skip();
    tracing = true;
    run_to_end("peer-transpose",
               "{" QUICK
               ", \"n\": 96, \"chunks\": 1, \"access\": \"read\", \"variant\": \"sequential\", \"peer_access\": true}",
               3);
    assert_int_equal(count_kind("copy-peer"), 3 * 2);
    for (size_t d = 1; d <= 3; d++)
        for (size_t other = 1; other <= 3; other++) {
            size_t count = 0;
            char lane[32], label[32];
            snprintf(lane, sizeof lane, "device %zu copies", d);
            snprintf(label, sizeof label, "from device %zu ", other);
            for (size_t i = 0; i < span_count; i++)
                count += strncmp(spans[i].lane, lane, strlen(lane)) == 0 &&
                         strncmp(spans[i].label, label, strlen(label)) == 0;
            assert_int_equal(count, d != other);
        }
}

TEST(a_note_says_that_later_points_have_no_timeline)
{
    if (lab_host_runtime.trace == NULL)
        skip();
    tracing = true;
    char text[1024] = "{" QUICK ", \"variant\": \"overlapped\", \"peer_access\": true, \"chunks\": 1, \"n\": [64";
    for (int n = 66; n <= 64 + 2 * 32; n += 2)
        snprintf(text + strlen(text), sizeof text - strlen(text), ", %d", n);
    strcat(text, "]}");
    run_to_end("peer-transpose", text, 2);
    assert_int_equal(notes, 1);
    assert_int_equal(warnings, 0);
}

TEST(without_a_tracer_there_is_one_warning)
{
    changed.trace = NULL;
    use_runtime(&changed);
    tracing = true;
    run_to_end("peer-transpose", "{" QUICK ", \"n\": 96}", 2);
    assert_int_equal(reported_count, 0);
    assert_int_equal(span_count, 0);
    assert_int_equal(warnings, 1);
}
