/* server/api/runs/query.c: the query of the run list. The values are the subject of test_field.c. */
#include "api/runs/query.h"
#include "support/test.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

TEST(no_parameters_list_all)
{
    const char *texts[LAB_QUERY_COUNT] = {NULL};
    struct lab_run_query query;
    struct lab_errors errors = {0};
    assert_true(lab_run_query_read(texts, &query, &errors));
    assert_int_equal(query.filter.limit, 50);
    assert_null(query.filter.experiment);
    assert_false(query.filter.by_status || query.filter.by_pinned);
    assert_true(query.filter.since == LAB_NO_TIME && query.filter.until == LAB_NO_TIME);
    assert_null(query.filter.before);
    assert_string_equal(query.scope, "");
}

TEST(all_filters_can_be_combined)
{
    const char *texts[LAB_QUERY_COUNT] = {
        [LAB_QUERY_EXPERIMENT] = "transfer", [LAB_QUERY_DEVICE] = "GPU-1",     [LAB_QUERY_STATUS] = "failed",
        [LAB_QUERY_TAG] = "a b&c",           [LAB_QUERY_SINCE] = "1970-01-02", [LAB_QUERY_UNTIL] = "1970-01-03",
        [LAB_QUERY_TEXT] = "100%",           [LAB_QUERY_LIMIT] = "500",        [LAB_QUERY_PINNED] = "true"};
    struct lab_run_query query;
    struct lab_errors errors = {0};
    assert_true(lab_run_query_read(texts, &query, &errors));
    assert_string_equal(query.filter.experiment, "transfer");
    assert_string_equal(query.filter.device, "GPU-1");
    assert_true(query.filter.by_status && query.filter.status == LAB_STATUS_FAILED);
    assert_true(query.filter.by_pinned && query.filter.pinned);
    assert_true(query.filter.since == 86400000000 && query.filter.until == 172800000000);
    assert_int_equal(query.filter.limit, 500);
    assert_string_equal(query.scope,
                        "experiment=transfer&device=GPU-1&status=failed&tag=a%20b%26c&since=1970-01-02&"
                        "until=1970-01-03&pinned=true&q=100%25");
}

TEST(a_cursor_continues_only_its_own_query)
{
    static const char id[] = "0190b6a2-7c1e-7d0a-8f00-0123456789ab";
    const char *texts[LAB_QUERY_COUNT] = {[LAB_QUERY_TAG] = "nightly"};
    char cursor[LAB_CURSOR_SIZE];
    struct lab_run_query query;
    struct lab_errors errors = {0};
    assert_true(lab_run_query_read(texts, &query, &errors));
    assert_true(lab_cursor_write(query.scope, id, cursor));
    texts[LAB_QUERY_CURSOR] = cursor;
    texts[LAB_QUERY_LIMIT] = "3"; /* the limit is not part of the scope */
    assert_true(lab_run_query_read(texts, &query, &errors));
    assert_string_equal(query.filter.before, id);
    assert_false(query.bad_cursor);
    texts[LAB_QUERY_TAG] = "weekly";
    assert_false(lab_run_query_read(texts, &query, &errors));
    assert_int_equal(errors.count, 1);
    assert_string_equal(errors.items[0].pointer, "/query/cursor");
    assert_true(query.bad_cursor);
    assert_null(query.filter.before);
}

TEST(filters_that_are_too_long_are_rejected)
{
    char tag[LAB_SCOPE_MAX];
    memset(tag, '%', sizeof tag - 1);
    tag[sizeof tag - 1] = '\0';
    const char *texts[LAB_QUERY_COUNT] = {[LAB_QUERY_TAG] = tag};
    struct lab_run_query query;
    struct lab_errors errors = {0};
    assert_false(lab_run_query_read(texts, &query, &errors));
    assert_int_equal(errors.items[0].code, LAB_ERROR_TOO_LONG);
}
