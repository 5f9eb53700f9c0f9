/* server/api/run_query.c and time_parse.c: the query of the run list. */
#include "api/run_query.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void expect_time(const char *text, int64_t wanted)
{
    int64_t at;
    if (!lab_time_parse(text, &at))
        fail_msg("%s was rejected", text);
    if (at != wanted)
        fail_msg("%s was read as %lld us", text, (long long)at);
}

static void times_are_read(void **state)
{
    (void)state;
    expect_time("1970-01-01", 0);
    expect_time("1970-01-01T00:00:00Z", 0);
    expect_time("1970-01-01T00:00:01.5Z", 1500000);
    expect_time("1970-01-01T00:00:00.0000019z", 1);
    expect_time("1970-01-01t02:30:00+02:30", 0);
    expect_time("1969-12-31T23:00:00-01:00", 0);
    expect_time("2024-02-29T12:00:00Z", 1709208000000000);
    expect_time("1969-12-31T23:59:59.999999Z", -1);
}

static void malformed_times_are_rejected(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        "yesterday",
                                        "2025",
                                        "2025-1-1",
                                        "2025-02-30",
                                        "2023-02-29",
                                        "2025-13-01",
                                        "2025-01-01T24:00:00Z",
                                        "2025-01-01T00:60:00Z",
                                        "2025-01-01T00:00:60Z",
                                        "2025-01-01T00:00:00",
                                        "2025-01-01 00:00:00Z",
                                        "2025-01-01T00:00:00.Z",
                                        "2025-01-01T00:00:00+1:00",
                                        "2025-01-01T00:00:00+24:00",
                                        "2025-01-01T00:00:00Zx",
                                        "2025-01-01x"};
    int64_t at;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (lab_time_parse(texts[i], &at))
            fail_msg("%s was accepted", texts[i]);
}

static void no_parameters_list_all(void **state)
{
    (void)state;
    const char *texts[LAB_QUERY_COUNT] = {NULL};
    struct lab_run_query query;
    struct lab_errors errors = {0};
    assert_true(lab_run_query_parse(texts, &query, &errors));
    assert_int_equal(query.filter.limit, LAB_PAGE_DEFAULT);
    assert_null(query.filter.experiment);
    assert_false(query.filter.by_status);
    assert_true(query.filter.since == LAB_NO_TIME && query.filter.until == LAB_NO_TIME);
    assert_null(query.filter.before);
    assert_string_equal(query.scope, "");
}

static void all_filters_can_be_combined(void **state)
{
    (void)state;
    const char *texts[LAB_QUERY_COUNT] = {
        [LAB_QUERY_EXPERIMENT] = "transfer", [LAB_QUERY_DEVICE] = "GPU-1",     [LAB_QUERY_STATUS] = "failed",
        [LAB_QUERY_TAG] = "a b&c",           [LAB_QUERY_SINCE] = "1970-01-02", [LAB_QUERY_UNTIL] = "1970-01-03",
        [LAB_QUERY_TEXT] = "100%",           [LAB_QUERY_LIMIT] = "500"};
    struct lab_run_query query;
    struct lab_errors errors = {0};
    assert_true(lab_run_query_parse(texts, &query, &errors));
    assert_string_equal(query.filter.experiment, "transfer");
    assert_string_equal(query.filter.device, "GPU-1");
    assert_true(query.filter.by_status && query.filter.status == LAB_STATUS_FAILED);
    assert_true(query.filter.since == 86400000000 && query.filter.until == 172800000000);
    assert_int_equal(query.filter.limit, 500);
    assert_string_equal(query.scope,
                        "experiment=transfer&device=GPU-1&status=failed&tag=a%20b%26c&since=1970-01-02&"
                        "until=1970-01-03&q=100%25");
}

static void a_cursor_continues_only_its_own_query(void **state)
{
    (void)state;
    static const char id[] = "0190b6a2-7c1e-7d0a-8f00-0123456789ab";
    const char *texts[LAB_QUERY_COUNT] = {[LAB_QUERY_TAG] = "nightly"};
    char cursor[LAB_CURSOR_SIZE];
    struct lab_run_query query;
    struct lab_errors errors = {0};
    assert_true(lab_run_query_parse(texts, &query, &errors));
    assert_true(lab_cursor_write(query.scope, id, cursor));
    texts[LAB_QUERY_CURSOR] = cursor;
    texts[LAB_QUERY_LIMIT] = "3"; /* the limit is not part of the scope */
    assert_true(lab_run_query_parse(texts, &query, &errors));
    assert_string_equal(query.filter.before, id);
    assert_false(query.bad_cursor);
    texts[LAB_QUERY_TAG] = "weekly";
    assert_false(lab_run_query_parse(texts, &query, &errors));
    assert_int_equal(errors.count, 1);
    assert_string_equal(errors.items[0].pointer, "/query/cursor");
    assert_true(query.bad_cursor);
    assert_null(query.filter.before);
}

static void all_errors_are_reported_together(void **state)
{
    (void)state;
    const char *texts[LAB_QUERY_COUNT] = {[LAB_QUERY_EXPERIMENT] = "", [LAB_QUERY_STATUS] = "d\xc3\xa4mmerig",
                                          [LAB_QUERY_SINCE] = "x",     [LAB_QUERY_UNTIL] = "y",
                                          [LAB_QUERY_LIMIT] = "501",   [LAB_QUERY_CURSOR] = "z"};
    static const char *const pointers[] = {"/query/experiment", "/query/status", "/query/since",
                                           "/query/until",      "/query/limit",  "/query/cursor"};
    struct lab_run_query query;
    struct lab_errors errors = {0};
    assert_false(lab_run_query_parse(texts, &query, &errors));
    assert_int_equal(errors.count, sizeof pointers / sizeof *pointers);
    for (size_t i = 0; i < errors.count; i++)
        assert_string_equal(errors.items[i].pointer, pointers[i]);
}

static void a_limit_is_from_1_to_500(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",   "0", "-1", "+1", "1.5", "1e2", "501", "99999999999999999999999",
                                        " 1", "1 "};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *texts[LAB_QUERY_COUNT] = {[LAB_QUERY_LIMIT] = wrong[i]};
        struct lab_run_query query;
        struct lab_errors errors = {0};
        if (lab_run_query_parse(texts, &query, &errors))
            fail_msg("limit=%s was accepted", wrong[i]);
    }
}

static void filters_that_are_too_long_are_rejected(void **state)
{
    (void)state;
    char tag[LAB_SCOPE_MAX];
    memset(tag, '%', sizeof tag - 1);
    tag[sizeof tag - 1] = '\0';
    const char *texts[LAB_QUERY_COUNT] = {[LAB_QUERY_TAG] = tag};
    struct lab_run_query query;
    struct lab_errors errors = {0};
    assert_false(lab_run_query_parse(texts, &query, &errors));
    assert_string_equal(errors.items[0].code, "too-long");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_read),
        cmocka_unit_test(malformed_times_are_rejected),
        cmocka_unit_test(no_parameters_list_all),
        cmocka_unit_test(all_filters_can_be_combined),
        cmocka_unit_test(a_cursor_continues_only_its_own_query),
        cmocka_unit_test(all_errors_are_reported_together),
        cmocka_unit_test(a_limit_is_from_1_to_500),
        cmocka_unit_test(filters_that_are_too_long_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
