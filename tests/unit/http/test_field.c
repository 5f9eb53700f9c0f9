/* server/http/work/field.c: the check of a query and of headers; the check of their values is that of
 * kernels/core/schema.c. */
#include "http/work/field.h"
#include "support/test.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const struct lab_schema rows[] = {{.name = "must", .type = LAB_TYPE_BOOLEAN, .required = true},
                                         {.name = "count", .type = LAB_TYPE_INTEGER, .minimum = 1, .maximum = 9},
                                         {0}};

TEST(all_faults_of_a_query_are_reported)
{
    static const struct lab_query queries[] = {{"a/b~c", "1"}, {"count", "10"}, {"count", "5"}};
    static const char *const wanted[] = {
        "unknown-parameter /query/a~1b~0c Unknown query parameter 'a/b~c'; allowed are must, count.",
        "out-of-bounds /query/count 'count' must be an integer in digits from 1 to 9, not '10'.",
        "repeated-parameter /query/count The query parameter 'count' must be given only once.",
        "missing /query/must 'must' is missing; it must be true or false."};
    struct lab_errors errors = {0};
    assert_false(lab_query_check(rows, queries, sizeof queries / sizeof *queries, &errors));
    assert_int_equal(errors.count, sizeof wanted / sizeof *wanted);
    for (size_t i = 0; i < errors.count; i++) {
        char found[512];
        snprintf(found, sizeof found, "%s %s %s", lab_error_name(errors.items[i].code), errors.items[i].pointer,
                 errors.items[i].detail);
        assert_string_equal(found, wanted[i]);
    }
}

TEST(no_table_allows_nothing_and_any_members_everything)
{
    const struct lab_query query = {"x", "1"};
    struct lab_errors errors = {0};
    assert_true(lab_query_check(NULL, NULL, 0, &errors) && lab_query_check(lab_any_members, &query, 1, &errors));
    assert_int_equal(errors.count, 0);
    assert_false(lab_query_check(NULL, &query, 1, &errors));
    assert_string_equal(errors.items[0].detail, "Unknown query parameter 'x'; none is allowed.");
}

TEST(headers_are_printable)
{
    static const struct lab_schema key = {.name = "X-Key", .type = LAB_TYPE_STRING, .minimum = 1, .maximum = 4};
    struct lab_errors errors = {0};
    assert_true(lab_header_check(&key, "a ~", &errors));
    assert_false(lab_header_check(&key, "", &errors));
    assert_false(lab_header_check(&key, "abcde", &errors));
    assert_false(lab_header_check(&key, "\xc3\xa4", &errors));
    for (size_t i = 0; i < errors.count; i++)
        assert_string_equal(errors.items[i].pointer, "/headers/X-Key");
}
