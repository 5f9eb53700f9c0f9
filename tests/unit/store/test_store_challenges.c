/* db/challenges.c: challenges are added, changed, listed and deleted, and their submissions are secret until they
 * end. */
#include "support/store_harness.h"
#include "support/test.h"

#include <stdlib.h>
#include <unistd.h>

static const struct lab_challenge_row example = {.name = "add",
                                                 .title = "Addition",
                                                 .text = "Add.",
                                                 .kernel = "{}",
                                                 .start = "void add()",
                                                 .score = "time",
                                                 .shows = "{}",
                                                 .created_by = "ada",
                                                 .created_at = 5,
                                                 .opens_at = LAB_NO_TIME,
                                                 .closes_at = 1000};

/* Adds a run that is a submission; false when it is refused. */
static bool submit(struct fixture *fixture, const char *challenge, const char *person, char id[LAB_RUN_ID_SIZE])
{
    char existing[LAB_RUN_ID_SIZE];
    lab_run_id(id);
    struct lab_run_row run = {.id = id,
                              .experiment = "kernel",
                              .host = "here",
                              .devices = "[]",
                              .parameters = "{}",
                              .created_at = 7,
                              .requested_by = person,
                              .secret_until = LAB_NO_TIME,
                              .time_limit_s = 1,
                              .challenge = challenge};
    return lab_store_add_run(fixture->store, &run, NULL, existing) == LAB_STORE_OK;
}

/* Adds a run that compares two submissions to the example. */
static void add_comparison(struct fixture *fixture, char id[LAB_RUN_ID_SIZE])
{
    char existing[LAB_RUN_ID_SIZE];
    lab_run_id(id);
    struct lab_run_row run = {.id = id,
                              .experiment = "kernel",
                              .host = "here",
                              .devices = "[]",
                              .parameters = "{}",
                              .compare_with = "{}",
                              .created_at = 7,
                              .secret_until = example.closes_at,
                              .time_limit_s = 1};
    assert_int_equal(lab_store_add_run(fixture->store, &run, NULL, existing), LAB_STORE_OK);
}

static struct lab_run_row *read_run(struct fixture *fixture, const char *id)
{
    struct lab_run_row *run;
    assert_int_equal(lab_store_get_run(fixture->store, id, &run), LAB_STORE_OK);
    return run;
}

STORE_TEST(a_challenge_is_read_as_it_was_added)
{
    struct lab_challenge_row *read;
    assert_int_equal(lab_store_add_challenge(fixture->store, &example), LAB_STORE_OK);
    assert_int_equal(lab_store_add_challenge(fixture->store, &example), LAB_STORE_CONFLICT);
    assert_int_equal(lab_store_get_challenge(fixture->store, "add", NULL, &read), LAB_STORE_OK);
    assert_string_equal(read->title, "Addition");
    assert_string_equal(read->start, "void add()");
    assert_true(read->opens_at == LAB_NO_TIME && read->closes_at == 1000 && read->submissions == 0);
    free(read);
    assert_int_equal(lab_store_get_challenge(fixture->store, "sub", NULL, &read), LAB_STORE_NOT_FOUND);
    assert_null(read);
}

STORE_TEST(submissions_are_secret_until_the_challenge_ends)
{
    char id[LAB_RUN_ID_SIZE], other[LAB_RUN_ID_SIZE], both[LAB_RUN_ID_SIZE];
    struct lab_challenge_row *written;
    lab_store_add_challenge(fixture->store, &example);
    add_comparison(fixture, both);
    assert_false(submit(fixture, "sub", "ada", id));
    assert_true(submit(fixture, "add", "ada", id) && submit(fixture, "add", "grace", other));
    struct lab_run_row *run = read_run(fixture, id);
    assert_string_equal(run->challenge, "add");
    assert_true(run->secret_until == 1000);
    free(run);
    assert_int_equal(lab_store_close_challenge(fixture->store, "add", 2000, 500, "ada", &written), LAB_STORE_OK);
    assert_true(written->closes_at == 2000 && written->submissions == 1);
    free(written);
    const char *const secret[] = {other, both};
    for (size_t i = 0; i < 2; i++) {
        run = read_run(fixture, secret[i]);
        assert_true(run->secret_until == 2000);
        free(run);
    }
    assert_int_equal(lab_store_close_challenge(fixture->store, "add", 3000, 2000, NULL, &written), LAB_STORE_CONFLICT);
    assert_null(written);
    assert_int_equal(lab_store_close_challenge(fixture->store, "add", 1500, 2000, NULL, &written), LAB_STORE_OK);
    free(written);
    assert_int_equal(lab_store_close_challenge(fixture->store, "sub", 2000, 500, NULL, &written), LAB_STORE_NOT_FOUND);
    assert_null(written);
}

static void keep_count(void *context, const struct lab_challenge_row *challenge)
{
    int64_t *counts = context;
    counts[challenge->name[0] == 'b'] = challenge->submissions;
}

STORE_TEST(the_list_counts_the_submissions_of_a_person)
{
    char id[LAB_RUN_ID_SIZE];
    struct lab_challenge_row second = example;
    int64_t counts[2] = {-1, -1};
    second.name = "b";
    lab_store_add_challenge(fixture->store, &example);
    lab_store_add_challenge(fixture->store, &second);
    submit(fixture, "add", "ada", id);
    submit(fixture, "add", "grace", id);
    submit(fixture, "add", "ada", id);
    assert_int_equal(lab_store_list_challenges(fixture->store, "ada", keep_count, counts), LAB_STORE_OK);
    assert_true(counts[0] == 2 && counts[1] == 0);
}

STORE_TEST(a_challenge_is_deleted_when_nothing_of_it_is_secret_or_live)
{
    char id[LAB_RUN_ID_SIZE];
    lab_store_add_challenge(fixture->store, &example);
    submit(fixture, "add", "ada", id);
    assert_int_equal(lab_store_delete_challenge(fixture->store, "add", 2000), LAB_STORE_CONFLICT); /* it is queued */
    lab_store_start_run(fixture->store, id, 8, NULL);
    lab_store_finish_run(fixture->store, id, LAB_STATUS_SUCCEEDED, 9, false, NULL, NULL);
    assert_int_equal(lab_store_delete_challenge(fixture->store, "add", 999), LAB_STORE_CONFLICT);
    assert_int_equal(lab_store_delete_challenge(fixture->store, "add", 1000), LAB_STORE_OK);
    assert_int_equal(lab_store_delete_challenge(fixture->store, "add", 1000), LAB_STORE_NOT_FOUND);
    struct lab_run_row *run = read_run(fixture, id);
    assert_null(run->challenge);
    free(run);
    assert_int_equal(lab_store_add_challenge(fixture->store, &example), LAB_STORE_OK);
    run = read_run(fixture, id);
    assert_null(run->challenge);
    free(run);
}

static void count_run(void *context, const struct lab_run_row *run)
{
    (void)run;
    ++*(size_t *)context;
}

STORE_TEST(runs_are_listed_by_challenge)
{
    char id[LAB_RUN_ID_SIZE];
    size_t count = 0;
    bool more;
    lab_store_add_challenge(fixture->store, &example);
    add_plain_run(fixture->store, id);
    submit(fixture, "add", "ada", id);
    submit(fixture, "add", "grace", id);
    struct lab_run_filter filter = {.challenge = "add", .since = LAB_NO_TIME, .until = LAB_NO_TIME, .limit = 10};
    assert_int_equal(lab_store_list_runs(fixture->store, &filter, count_run, &count, &more), LAB_STORE_OK);
    assert_int_equal(count, 2);
    filter.requested_by = "ada";
    assert_int_equal(lab_store_list_runs(fixture->store, &filter, count_run, &count, &more), LAB_STORE_OK);
    assert_int_equal(count, 3);
    filter.challenge = "sub";
    assert_int_equal(lab_store_list_runs(fixture->store, &filter, count_run, &count, &more), LAB_STORE_OK);
    assert_int_equal(count, 3);
}

STORE_TEST(answers_that_were_kept_are_made_again_when_a_secret_time_ends)
{
    char id[LAB_RUN_ID_SIZE];
    struct lab_challenge_row challenge = example;
    challenge.closes_at = lab_time_now() + 10000;
    lab_store_add_challenge(fixture->store, &challenge);
    submit(fixture, "add", "ada", id);
    uint64_t before = lab_store_generation(fixture->store);
    double deadline = lab_clock_now() + 60;
    while (lab_store_generation(fixture->store) == before && lab_clock_now() < deadline)
        usleep(1000);
    assert_true(lab_store_generation(fixture->store) > before);
    assert_true(lab_time_now() >= challenge.closes_at);
}
