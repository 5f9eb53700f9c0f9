/* db/comments.c: comments on runs and marks are added, listed and deleted. */
#include "support/store_harness.h"
#include "support/test.h"

struct listed {
    size_t count;
    char texts[64];
};

static void add_row(void *context, const struct lab_comment_row *comment)
{
    struct listed *listed = context;
    if (listed->count++ < 8)
        strncat(listed->texts, comment->text, sizeof listed->texts - strlen(listed->texts) - 1);
}

static struct listed list(struct fixture *fixture, const char *run, int64_t since, int64_t until)
{
    struct listed listed = {0};
    assert_int_equal(lab_store_list_comments(fixture->store, run, since, until, add_row, &listed), LAB_STORE_OK);
    return listed;
}

static enum lab_store_result add(struct fixture *fixture, const char *run, int64_t at, const char *text, int64_t *id)
{
    const struct lab_comment_row row = {.run = run, .at = at, .created_at = 5, .author = "ada", .text = text};
    return lab_store_add_comment(fixture->store, &row, id);
}

STORE_TEST(comments_go_with_their_run_and_marks_stay)
{
    char run[LAB_RUN_ID_SIZE], other[LAB_RUN_ID_SIZE];
    int64_t id;
    add_plain_run(fixture->store, run);
    add_plain_run(fixture->store, other);
    assert_int_equal(add(fixture, run, 1, "a", &id), LAB_STORE_OK);
    assert_int_equal(add(fixture, other, 1, "b", &id), LAB_STORE_OK);
    assert_int_equal(add(fixture, NULL, 1, "c", &id), LAB_STORE_OK);
    assert_string_equal(list(fixture, run, LAB_NO_TIME, LAB_NO_TIME).texts, "a");
    reopen_store(fixture);
    assert_string_equal(list(fixture, other, LAB_NO_TIME, LAB_NO_TIME).texts, "b");
    close_store(fixture);
    change_file(fixture->path,
                "PRAGMA foreign_keys = ON; DELETE FROM run WHERE number = (SELECT min(number) FROM run)");
    assert_int_equal(ask_file(fixture->path, "SELECT count(*) FROM comment WHERE text = 'a'"), 0);
    assert_int_equal(ask_file(fixture->path, "SELECT count(*) FROM comment"), 2);
    open_store(fixture);
    assert_int_equal(
        lab_store_list_comments(fixture->store, run, LAB_NO_TIME, LAB_NO_TIME, add_row, &(struct listed){0}),
        LAB_STORE_NOT_FOUND);
    assert_int_equal(add(fixture, run, 1, "a", &id), LAB_STORE_NOT_FOUND);
    assert_string_equal(list(fixture, NULL, LAB_NO_TIME, LAB_NO_TIME).texts, "c");
}

STORE_TEST(marks_are_by_time_and_cut)
{
    int64_t id;
    add(fixture, NULL, 30, "c", &id);
    add(fixture, NULL, 10, "a", &id);
    add(fixture, NULL, 20, "b", &id);
    assert_string_equal(list(fixture, NULL, LAB_NO_TIME, LAB_NO_TIME).texts, "abc");
    assert_string_equal(list(fixture, NULL, 20, LAB_NO_TIME).texts, "bc");
    assert_string_equal(list(fixture, NULL, 10, 30).texts, "ab");
}

STORE_TEST(who_deletes)
{
    int64_t first, second;
    add(fixture, NULL, 1, "a", &first);
    assert_int_equal(lab_store_delete_comment(fixture->store, NULL, first, "grace"), LAB_STORE_CONFLICT);
    assert_int_equal(lab_store_delete_comment(fixture->store, NULL, first, ""), LAB_STORE_CONFLICT);
    assert_int_equal(lab_store_delete_comment(fixture->store, NULL, first, "ada"), LAB_STORE_OK);
    assert_int_equal(lab_store_delete_comment(fixture->store, NULL, first, NULL), LAB_STORE_NOT_FOUND);
    add(fixture, NULL, 1, "b", &second);
    assert_true(second > first);
    assert_int_equal(lab_store_delete_comment(fixture->store, NULL, second, NULL), LAB_STORE_OK);
}

STORE_TEST(the_number_of_comments_is_bounded)
{
    char run[LAB_RUN_ID_SIZE];
    int64_t id;
    add_plain_run(fixture->store, run);
    close_store(fixture);
    change_file(
        fixture->path,
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1999)"
        " INSERT INTO comment(run, at, created_at, text) SELECT CASE WHEN i < 1000 THEN NULL ELSE number END, 1, 1, 'x' FROM n, run");
    open_store(fixture);
    assert_int_equal(add(fixture, NULL, 1, "y", &id), LAB_STORE_OK);
    assert_int_equal(add(fixture, NULL, 1, "z", &id), LAB_STORE_CONFLICT);
    assert_int_equal(add(fixture, run, 1, "z", &id), LAB_STORE_CONFLICT);
    assert_int_equal(list(fixture, run, LAB_NO_TIME, LAB_NO_TIME).count, LAB_COMMENTS_MAX);
}
