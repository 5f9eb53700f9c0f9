/* db/runs/list_runs.c: filters, order, stable pages, and what a page costs. */
#include "store_internal.h"
#include "support/store_harness.h"
#include "support/test.h"

enum { PAGE_MAX = 600 };

struct page {
    size_t count;
    bool more;
    char ids[PAGE_MAX][LAB_RUN_ID_SIZE];
};

static void keep_id(void *context, const struct lab_run_row *run)
{
    struct page *page = context;
    assert_true(page->count < PAGE_MAX);
    strcpy(page->ids[page->count++], run->id);
}

static struct lab_run_filter any(size_t limit)
{
    return (struct lab_run_filter){.since = LAB_NO_TIME, .until = LAB_NO_TIME, .limit = limit};
}

static void list(struct lab_store *store, const struct lab_run_filter *filter, struct page *page)
{
    page->count = 0;
    if (lab_store_list_runs(store, filter, keep_id, page, &page->more) != LAB_STORE_OK)
        fail_msg("%s", lab_store_message(store));
}

/* --- a small history for filters ---------------------------------------------------------------------------------- */

enum { RUNS = 12 };

/* Adds 12 runs; run i was created at second i. Experiment, device and tag repeat with different periods. */
static void add_history(struct lab_store *store, char ids[RUNS][LAB_RUN_ID_SIZE])
{
    static const char *const experiments[] = {"transfer", "overlap"},
                             *const devices[] = {"[" DEVICE("GPU-a", "\"A\"") "]",
                                                 "[" DEVICE("GPU-b", "\"B\"") "," DEVICE("GPU-c", "null") "]",
                                                 "[" DEVICE("GPU-c", "\"B\"") "]"},
                             *const tags[] = {"[\"nightly\"]", "[]", "[]", "[\"nightly\",\"manual\"]"},
                             *const people[] = {"ada", "ben", "Ada"};
    for (int i = 0; i < RUNS; i++) {
        lab_run_id(ids[i]);
        struct lab_run_row run = plain_run(ids[i]);
        run.experiment = experiments[i % 2];
        run.devices = devices[i % 3];
        run.tags = tags[i % 4];
        run.requested_by = i % 4 < 3 ? people[i % 4] : NULL;
        run.secret_until = i % 6 == 0 ? INT64_MAX : i % 6 == 1 ? 1000000 : LAB_NO_TIME;
        run.created_at = (int64_t)i * 1000000;
        add_run(store, &run);
        if (i % 3 != 0)
            assert_int_equal(lab_store_start_run(store, ids[i], 1, NULL), LAB_STORE_OK);
        if (i % 3 == 2)
            assert_int_equal(lab_store_finish_run(store, ids[i], LAB_STATUS_FAILED, 2, false, NULL, NULL),
                             LAB_STORE_OK);
        if (i % 5 == 0)
            assert_int_equal(lab_store_patch_run(store, ids[i], &(struct lab_run_patch){.pinned = &(bool){true}}, NULL),
                             LAB_STORE_OK);
    }
}

/* Fails unless exactly the runs for which `expected` is true are listed, both newest first and oldest first. */
static void assert_lists(struct lab_store *store, struct lab_run_filter filter, char ids[RUNS][LAB_RUN_ID_SIZE],
                         const bool expected[RUNS])
{
    struct page page;
    list(store, &filter, &page);
    size_t at = 0;
    for (int i = RUNS - 1; i >= 0; i--)
        if (expected[i])
            assert_string_equal(page.ids[at++], ids[i]);
    assert_int_equal(page.count, at);
    assert_false(page.more);

    filter.oldest_first = true;
    list(store, &filter, &page);
    assert_int_equal(page.count, at);
    at = 0;
    for (int i = 0; i < RUNS; i++)
        if (expected[i])
            assert_string_equal(page.ids[at++], ids[i]);
}

#define EXPECT(condition)                                                                                              \
    do {                                                                                                               \
        bool expected[RUNS];                                                                                           \
        for (int i = 0; i < RUNS; i++)                                                                                 \
            expected[i] = (condition);                                                                                 \
        assert_lists(fixture->store, filter, ids, expected);                                                           \
        filter = any(50);                                                                                              \
    } while (0)

STORE_TEST(lists_by_each_filter)
{
    char ids[RUNS][LAB_RUN_ID_SIZE];
    struct lab_run_filter filter = any(50);
    add_history(fixture->store, ids);
    EXPECT(true);
    filter.experiment = "overlap";
    EXPECT(i % 2 == 1);
    filter.device = "GPU-a";
    EXPECT(i % 3 == 0);
    filter.device = "GPU-c";
    EXPECT(i % 3 != 0);
    filter.device = "B";
    EXPECT(i % 3 != 0);
    filter.tag = "manual";
    EXPECT(i % 4 == 3);
    filter.tag = "nightly";
    EXPECT(i % 4 == 3 || i % 4 == 0);
    filter.by_status = true; /* LAB_STATUS_QUEUED is 0 */
    EXPECT(i % 3 == 0);
    filter.by_status = true, filter.status = LAB_STATUS_RUNNING;
    EXPECT(i % 3 == 1);
    filter.by_pinned = true, filter.pinned = true;
    EXPECT(i % 5 == 0);
    filter.by_pinned = true, filter.pinned = false;
    EXPECT(i % 5 != 0);
    filter.requested_by = "ada";
    EXPECT(i % 4 == 0);
    filter.requested_by = "carl";
    EXPECT(false);
    filter.viewer = "Ada"; /* of the runs 0 and 6, which are secret, the second is this person's */
    EXPECT(i != 0);
    filter.viewer = "", filter.text = "transfer";
    EXPECT(i % 2 == 0 && i % 6 != 0);
    filter.since = 5000000;
    EXPECT(i >= 5);
    filter.since = 5000001;
    EXPECT(i >= 6);
    filter.until = 5000000;
    EXPECT(i < 5);
    filter.until = 5000001;
    EXPECT(i <= 5);
    filter.text = "anSF";
    EXPECT(i % 2 == 0);
    filter.text = "";
    EXPECT(true);
}

STORE_TEST(lists_by_several_filters)
{
    char ids[RUNS][LAB_RUN_ID_SIZE];
    struct lab_run_filter filter = any(50);
    add_history(fixture->store, ids);
    filter.experiment = "transfer", filter.device = "GPU-c";
    EXPECT(i % 2 == 0 && i % 3 != 0);
    filter.tag = "manual", filter.by_status = true, filter.status = LAB_STATUS_FAILED;
    EXPECT(i % 4 == 3 && i % 3 == 2);
    filter.by_pinned = true, filter.pinned = true, filter.experiment = "transfer", filter.text = "transfer";
    EXPECT(i % 5 == 0 && i % 2 == 0);
    filter.requested_by = "ben", filter.text = "transfer";
    EXPECT(false);
    filter.requested_by = "ben", filter.text = "overlap";
    EXPECT(i % 4 == 1);
    filter.requested_by = "Ada", filter.device = "GPU-c", filter.text = "transfer";
    EXPECT(i % 4 == 2 && i % 3 != 0);
    filter.since = 3000000, filter.until = 9000000;
    EXPECT(i >= 3 && i < 9);
    filter.tag = "nightly", filter.since = 3000000;
    EXPECT((i % 4 == 3 || i % 4 == 0) && i >= 3);
    filter.text = "overlap", filter.device = "GPU-a";
    EXPECT(i % 2 == 1 && i % 3 == 0);
    filter.text = "nightly", filter.experiment = "transfer", filter.device = "GPU-c", filter.until = 9000000;
    EXPECT((i % 4 == 3 || i % 4 == 0) && i % 2 == 0 && i % 3 != 0 && i < 9);
    filter.experiment = "transfer", filter.device = "GPU-a", filter.tag = "nightly", filter.by_status = true,
    filter.since = 0, filter.until = 100000000, filter.text = "tr";
    EXPECT(i % 2 == 0 && i % 3 == 0 && (i % 4 == 3 || i % 4 == 0));
    filter.before = ids[7], filter.experiment = "overlap";
    EXPECT(i < 7 && i % 2 == 1);
    filter.after = ids[7], filter.text = "overlap";
    EXPECT(i > 7 && i % 2 == 1);
}

STORE_TEST(no_match_gives_an_empty_list)
{
    char ids[RUNS][LAB_RUN_ID_SIZE];
    struct lab_run_filter filter = any(50);
    EXPECT(false); /* an empty store */
    add_history(fixture->store, ids);
    filter.experiment = "matmul";
    EXPECT(false);
    filter.device = "";
    EXPECT(false);
    filter.tag = "transfer"; /* a name of another kind */
    EXPECT(false);
    filter.by_status = true, filter.status = LAB_STATUS_SUCCEEDED;
    EXPECT(false);
    filter.since = INT64_MAX;
    EXPECT(false);
    filter.until = 0;
    EXPECT(false);
    filter.since = 8000000, filter.until = 8000000;
    EXPECT(false);
    filter.since = 9000000, filter.until = 2000000;
    EXPECT(false);
    filter.device = "GPU-a", filter.by_status = true, filter.status = LAB_STATUS_FAILED; /* each matches a third */
    EXPECT(false);
    filter.text = "overlap", filter.experiment = "transfer"; /* each matches half */
    EXPECT(false);
    filter.before = "";
    EXPECT(false);
    filter.after = "~";
    EXPECT(false);
}

STORE_TEST(limits_are_enforced)
{
    char ids[RUNS][LAB_RUN_ID_SIZE];
    struct page page;
    struct lab_run_filter filter = any(0);
    add_history(fixture->store, ids);
    assert_int_equal(lab_store_list_runs(fixture->store, &filter, keep_id, &page, &page.more), LAB_STORE_FAILED);
    filter.limit = LAB_LIST_MAX + 1;
    assert_int_equal(lab_store_list_runs(fixture->store, &filter, keep_id, &page, &page.more), LAB_STORE_FAILED);
    filter.limit = RUNS;
    list(fixture->store, &filter, &page);
    assert_int_equal(page.count, RUNS);
    assert_false(page.more);
    filter.limit = RUNS - 1;
    list(fixture->store, &filter, &page);
    assert_int_equal(page.count, RUNS - 1);
    assert_true(page.more);
}

/* --- order and cursors -------------------------------------------------------------------------------------------- */

/* Writes the id with this time, in units of 1/4096 ms. */
static void write_id(char id[LAB_RUN_ID_SIZE], long long tick)
{
    snprintf(id, LAB_RUN_ID_SIZE, "%08llx-%04llx-7%03llx-8000-%012d", tick >> 28, tick >> 12 & 0xffff, tick & 0xfff, 0);
}

static void add_at(struct lab_store *store, const char *id, int64_t at)
{
    struct lab_run_row run = plain_run(id);
    run.created_at = at;
    add_run(store, &run);
}

static void assert_created(struct lab_store *store, const char *id, int64_t at)
{
    struct kept_run kept;
    get_run(store, id, &kept);
    assert_int_equal(kept.row.created_at, at);
}

STORE_TEST(order_is_that_of_ids_when_the_clock_goes_back)
{
    /* The clock went back before run 3; run 2 is added last. */
    static const struct {
        int tick;
        int64_t at, kept_at;
    } runs[] = {{1, 5000000, 5000000}, {3, 4000000, 5000000}, {4, 9000000, 9000000}, {2, 7000000, 5000000}};
    struct page page;
    struct lab_run_filter filter = any(10);
    char id[LAB_RUN_ID_SIZE];
    for (size_t i = 0; i < 4; i++) {
        write_id(id, runs[i].tick);
        add_at(fixture->store, id, runs[i].at);
    }
    list(fixture->store, &filter, &page);
    assert_int_equal(page.count, 4);
    for (size_t i = 0; i < 4; i++) {
        write_id(id, 4 - (int)i);
        assert_string_equal(page.ids[i], id);
        write_id(id, runs[i].tick);
        assert_created(fixture->store, id, runs[i].kept_at);
    }
    filter.since = 5000000, filter.until = 5000001;
    list(fixture->store, &filter, &page);
    assert_int_equal(page.count, 3);
    assert_in_step(fixture->path);
}

/* One run was created while the clock showed the year 2150. */
STORE_TEST(a_clock_that_was_wrong_once_spoils_nothing)
{
    const int64_t year_2150 = INT64_C(5680281600000000);
    char before[LAB_RUN_ID_SIZE], wrong[LAB_RUN_ID_SIZE], after[3][LAB_RUN_ID_SIZE];
    struct page page;
    struct lab_run_filter filter = any(10);
    add_plain_run(fixture->store, before);
    const int64_t now = lab_time_now();
    write_id(wrong, year_2150 / 1000 << 12);
    add_at(fixture->store, wrong, year_2150);
    for (int i = 0; i < 3; i++) {
        lab_run_id(after[i]);
        assert_true(strcmp(after[i], wrong) > 0);
        add_at(fixture->store, after[i], now + i);
        if (i == 1)
            reopen_store(fixture);
        assert_created(fixture->store, after[i], now + i);
    }
    assert_in_step(fixture->path);
    list(fixture->store, &filter, &page);
    assert_int_equal(page.count, 5);
    assert_string_equal(page.ids[3], wrong);
    filter.since = now, filter.until = now + 2;
    list(fixture->store, &filter, &page);
    assert_int_equal(page.count, 2);
    assert_string_equal(page.ids[0], after[1]);
    filter.until = LAB_NO_TIME;
    list(fixture->store, &filter, &page);
    assert_int_equal(page.count, 4);
    filter.since = LAB_NO_TIME, filter.until = now;
    list(fixture->store, &filter, &page);
    assert_int_equal(page.count, 1);
    assert_string_equal(page.ids[0], before);

    /* Without the run after which the clock went back, the next one is still found. */
    assert_int_equal(lab_store_finish_run(fixture->store, after[0], LAB_STATUS_CANCELLED, now, false, NULL, NULL),
                     LAB_STORE_OK);
    assert_int_equal(lab_store_delete_run(fixture->store, after[0]), LAB_STORE_OK);
    assert_in_step(fixture->path);
    filter.until = now + 2;
    list(fixture->store, &filter, &page);
    assert_int_equal(page.count, 2);
}

STORE_TEST(ids_of_equal_time_get_the_next_number)
{
    char ids[4][LAB_RUN_ID_SIZE];
    struct page page;
    struct lab_run_filter filter = any(2);
    for (int i = 0; i < 3; i++) {
        write_id(ids[i], 4096);
        ids[i][LAB_RUN_ID_SIZE - 2] = (char)('1' + i);
        add_at(fixture->store, ids[i], 1000 + i);
    }
    write_id(ids[3], 4100);
    add_at(fixture->store, ids[3], 2000);
    list(fixture->store, &filter, &page);
    assert_string_equal(page.ids[0], ids[3]);
    assert_string_equal(page.ids[1], ids[2]);
    filter.before = ids[2];
    list(fixture->store, &filter, &page);
    assert_int_equal(page.count, 2);
    assert_string_equal(page.ids[0], ids[1]);
    assert_string_equal(page.ids[1], ids[0]);
    assert_in_step(fixture->path);
}

/* Reads all pages while runs are added, deleted and changed; a run that exists throughout is listed exactly once. */
STORE_TEST(pages_are_stable_while_runs_are_added_and_deleted)
{
    enum { COUNT = 120 };
    static char ids[COUNT][LAB_RUN_ID_SIZE];
    bool removed[COUNT] = {false};
    int seen[COUNT] = {0};
    for (int i = 0; i < COUNT; i++) {
        add_plain_run(fixture->store, ids[i]);
        assert_int_equal(lab_store_finish_run(fixture->store, ids[i], LAB_STATUS_CANCELLED, 1, false, NULL, NULL),
                         LAB_STORE_OK);
    }
    struct lab_run_filter filter = any(7);
    char cursor[LAB_RUN_ID_SIZE], unrelated[LAB_RUN_ID_SIZE];
    filter.text = "transfer";
    for (bool more = true; more;) {
        struct page page;
        list(fixture->store, &filter, &page);
        for (size_t i = 0; i < page.count; i++)
            for (int j = 0; j < COUNT; j++)
                seen[j] += strcmp(page.ids[i], ids[j]) == 0;
        more = page.more;
        strcpy(cursor, page.ids[page.count - 1]);
        filter.before = cursor;
        filter.text = filter.text == NULL ? "transfer" : NULL; /* both kinds of query share their cursors */
        add_plain_run(fixture->store, unrelated);
        for (int j = 0; j < COUNT; j++) { /* the run of the cursor and a later one */
            bool goes = strcmp(ids[j], cursor) == 0 || (j + 3 < COUNT && strcmp(ids[j + 3], cursor) == 0);
            if (goes && !removed[j]) {
                removed[j] = true;
                assert_int_equal(lab_store_delete_run(fixture->store, ids[j]), LAB_STORE_OK);
            }
        }
    }
    for (int j = 0; j < COUNT; j++)
        assert_in_range(seen[j], removed[j] ? 0 : 1, 1);
    assert_in_step(fixture->path);
}

struct nested {
    struct lab_store *store;
    size_t count;
};

static void read_again(void *context, const struct lab_run_row *run)
{
    struct nested *nested = context;
    struct kept_run kept;
    get_run(nested->store, run->id, &kept);
    assert_string_equal(kept.id, run->id);
    nested->count++;
}

STORE_TEST(a_callback_may_read_too)
{
    char ids[RUNS][LAB_RUN_ID_SIZE];
    bool more = false;
    struct nested nested = {.store = fixture->store};
    struct lab_run_filter filter = any(50);
    add_history(fixture->store, ids);
    assert_int_equal(lab_store_list_runs(fixture->store, &filter, read_again, &nested, &more), LAB_STORE_OK);
    assert_int_equal(nested.count, RUNS);
}

/* --- cost of a list ----------------------------------------------------------------------------------------------- */

/* The work of the reader's statements since the previous call, in steps of SQLite's virtual machine. */
static int cost_so_far(struct lab_store *store)
{
    int steps = 0;
    assert_int_equal(store->readers.idle_count, 1);
    struct lab_db *reader = store->readers.idle[0];
    for (size_t i = 0; i < reader->statement_count; i++)
        steps += sqlite3_stmt_status(reader->statements[i].statement, SQLITE_STMTSTATUS_VM_STEP, 1);
    return steps;
}

/* Writes runs directly into the file. Even and odd runs have nothing in common; the 20 oldest differ from both. */
static void fill(struct fixture *fixture, int from, int to)
{
    static const char model[] =
        "INSERT INTO model(id, name) VALUES (1, '') ON CONFLICT DO NOTHING;"
        "CREATE TEMP TABLE kind(half INTEGER, experiment TEXT, device TEXT, status TEXT, tag TEXT, note TEXT);"
        "INSERT INTO kind VALUES (0, 'transfer', 'GPU-a', 'succeeded', 'nightly', 'blue moon'),"
        " (1, 'overlap', 'GPU-b', 'failed', 'manual', 'green sun'),"
        " (2, 'matmul', 'GPU-c', 'cancelled', 'special', 'red star')";
    char sql[2048];
    close_store(fixture);
    snprintf(
        sql, sizeof sql,
        "BEGIN; %s; CREATE TEMP TABLE new AS WITH RECURSIVE i(i) AS (SELECT %d UNION ALL SELECT i + 1 FROM i WHERE"
        " i + 1 < %d) SELECT (i + 1) * 4096 AS number, i, kind.* FROM i JOIN kind ON half = iif(i < 20, 2, i %% 2);"
        "INSERT INTO run(number, id, experiment, status, created_at, model, host, devices, parameters, tags, note)"
        " SELECT number, printf('00000000-%%04x-7000-8000-000000000000', i + 1), experiment, status, i * 1000000, 1,"
        " '', '[]', '{}', '[]', note FROM new; INSERT INTO run_device SELECT device, number, experiment FROM new;"
        "INSERT INTO run_tag SELECT tag, number FROM new;"
        "INSERT INTO search(rowid, words) SELECT -number, note || char(10, 1, 1) || substr(note, 1, 2) FROM new ORDER BY number DESC; COMMIT",
        model, from, to);
    change_file(fixture->path, sql);
    open_store(fixture);
}

enum value { EVEN, ODD, OLDEST, ABSENT, VALUES };

/* Sets filter number `which` to a value that all even, all odd, the oldest or no runs have. */
static void set_filter(struct lab_run_filter *filter, int which, enum value value)
{
    static const char *const experiments[] = {"transfer", "overlap", "matmul", "none"},
                             *const devices[] = {"GPU-a", "GPU-b", "GPU-c", "none"},
                             *const tags[] = {"nightly", "manual", "special", "none"},
                             *const texts[] = {"blue moon", "een", "star", "none"},
                             *const short_texts[] = {"bl", "gr", "re", "zz"};
    static const enum lab_status statuses[] = {LAB_STATUS_SUCCEEDED, LAB_STATUS_FAILED, LAB_STATUS_CANCELLED,
                                               LAB_STATUS_RUNNING};
    static const int64_t since[] = {0, 50000000, 0, INT64_MAX}, until[] = {INT64_MAX, 900000000, 20000000, 0};
    switch (which) {
    case 0:
        filter->experiment = experiments[value];
        break;
    case 1:
        filter->device = devices[value];
        break;
    case 2:
        filter->by_status = true;
        filter->status = statuses[value];
        break;
    case 3:
        filter->tag = tags[value];
        break;
    case 4:
        filter->since = since[value];
        break;
    case 5:
        filter->until = until[value];
        break;
    case 6:
        filter->text = texts[value];
        break;
    default:
        filter->text = short_texts[value];
    }
}
enum { FILTERS = 8, SINCE = 4, UNTIL = 5 };

/* The cost of a pair of filters does not grow with the history, unless each matches half of it and both together
 * nothing. */
STORE_TEST(a_list_reads_the_narrowest_condition_only)
{
    enum { SMALL = 5000, LARGE = 10000, PAGE = 20 };
    static int small[FILTERS][FILTERS][VALUES][VALUES];
    for (int size = SMALL; size <= LARGE; size += LARGE - SMALL) {
        fill(fixture, size == SMALL ? 0 : SMALL, size);
        for (int i = 0; i < FILTERS; i++) {
            for (int j = i; j < FILTERS; j++) {
                for (int pair = 0; pair < VALUES * VALUES; pair++) {
                    const enum value one = (enum value)(pair / VALUES), other = (enum value)(pair % VALUES);
                    struct lab_run_filter filter = any(PAGE);
                    struct page page;
                    bool halves = one + other == EVEN + ODD && one != other && i != SINCE && j != UNTIL && j != SINCE &&
                                  i != UNTIL;
                    set_filter(&filter, i, one);
                    set_filter(&filter, j, other);
                    if (halves)
                        continue;
                    list(fixture->store, &filter, &page); /* prepares the statements */
                    cost_so_far(fixture->store);
                    list(fixture->store, &filter, &page);
                    int steps = cost_so_far(fixture->store);
                    if (size == SMALL)
                        small[i][j][one][other] = steps;
                    else if (steps > small[i][j][one][other] + 200)
                        fail_msg("filters %d %d, values %d %d: %d steps for %d runs, %d for %d", i, j, (int)one,
                                 (int)other, small[i][j][one][other], SMALL, steps, LARGE);
                }
            }
        }
    }
}

/* Whether rows of runs were read since the previous call. */
static bool has_read_runs(struct lab_store *store)
{
    const struct lab_db *reader = store->readers.idle[0];
    bool has_read = false;
    for (size_t i = 0; i < reader->statement_count; i++)
        has_read = has_read || (strstr(reader->statements[i].sql, "revision") != NULL &&
                                sqlite3_stmt_status(reader->statements[i].statement, SQLITE_STMTSTATUS_RUN, 1) > 0);
    return has_read;
}

/* Where a text and another condition each match half of the runs, and both together nothing, their numbers are
 * compared. */
STORE_TEST(a_text_and_another_condition_are_read_side_by_side)
{
    enum { EXPERIMENT, DEVICE_FILTER, STATUS, TAG, OTHERS, TEXT = 6, SHORT_TEXT };
    fill(fixture, 0, 5000);
    for (int text = TEXT; text <= SHORT_TEXT; text++) {
        for (int other = EXPERIMENT; other < OTHERS; other++) {
            struct lab_run_filter filter = any(20);
            struct page page;
            set_filter(&filter, text, EVEN);
            set_filter(&filter, other, EVEN);
            list(fixture->store, &filter, &page);
            assert_int_equal(page.count, 20);
            assert_true(has_read_runs(fixture->store));
            set_filter(&filter, other, ODD);
            list(fixture->store, &filter, &page);
            assert_int_equal(page.count, 0);
            assert_false(has_read_runs(fixture->store));
        }
    }
}
