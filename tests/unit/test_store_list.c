/* db/list_runs.c: filters, order, stable pages, and that a page does not scan more rows than it returns. */
#include "store_harness.h"
#include "store_internal.h"

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

/* --- a small history for filters ------------------------------------------------------------------------------------- */

enum { RUNS = 12 };

/* Adds 12 runs; run i was created at second i. Experiment, device and tag repeat with different periods. */
static void add_history(struct lab_store *store, char ids[RUNS][LAB_RUN_ID_SIZE])
{
    static const char *const experiments[] = {"transfer", "overlap"}, *const devices[] = {"GPU-a", "GPU-b", "GPU-c"},
                             *const tags[] = {"nightly", "manual", "both"};
    for (int i = 0; i < RUNS; i++) {
        lab_run_id(ids[i]);
        struct lab_new_run run = plain_run(ids[i]);
        run.experiment = experiments[i % 2];
        run.device_ids = &devices[i % 3];
        run.device_count = i % 3 == 1 ? 2 : 1; /* GPU-b together with GPU-c */
        run.tag_names = tags;
        run.tag_count = (size_t)(i % 4 == 3 ? 2 : i % 4 == 0);
        run.created_at = (int64_t)i * 1000000;
        add_run(store, &run);
        if (i % 3 != 0)
            assert_int_equal(lab_store_start_run(store, ids[i], 1), LAB_STORE_OK);
        if (i % 3 == 2)
            assert_int_equal(lab_store_finish_run(store, ids[i], LAB_STATUS_FAILED, 2, false, NULL), LAB_STORE_OK);
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

static void lists_by_each_filter(void **state)
{
    struct fixture *fixture = *state;
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
    filter.tag = "manual";
    EXPECT(i % 4 == 3);
    filter.tag = "nightly";
    EXPECT(i % 4 == 3 || i % 4 == 0);
    filter.by_status = true; /* LAB_STATUS_QUEUED is 0 */
    EXPECT(i % 3 == 0);
    filter.by_status = true, filter.status = LAB_STATUS_RUNNING;
    EXPECT(i % 3 == 1);
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

static void lists_by_several_filters(void **state)
{
    struct fixture *fixture = *state;
    char ids[RUNS][LAB_RUN_ID_SIZE];
    struct lab_run_filter filter = any(50);
    add_history(fixture->store, ids);
    filter.experiment = "transfer", filter.device = "GPU-c";
    EXPECT(i % 2 == 0 && i % 3 != 0);
    filter.tag = "manual", filter.by_status = true, filter.status = LAB_STATUS_FAILED;
    EXPECT(i % 4 == 3 && i % 3 == 2);
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

static void no_match_gives_an_empty_list(void **state)
{
    struct fixture *fixture = *state;
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

static void limits_are_enforced(void **state)
{
    struct fixture *fixture = *state;
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

/* --- order and cursors ---------------------------------------------------------------------------------------------- */

static void order_is_that_of_ids_when_the_clock_goes_back(void **state)
{
    struct fixture *fixture = *state;
    /* The clock went back before "c"; "b" is added later with an earlier id. */
    static const struct {
        const char *id;
        int64_t at, kept_at;
    } runs[] = {{"a", 5000000, 5000000}, {"c", 4000000, 5000000}, {"d", 9000000, 9000000}, {"b", 7000000, 5000000}};
    struct page page;
    struct kept_run kept;
    struct lab_run_filter filter = any(10);
    for (size_t i = 0; i < 4; i++) {
        struct lab_new_run run = plain_run(runs[i].id);
        run.created_at = runs[i].at;
        add_run(fixture->store, &run);
    }
    list(fixture->store, &filter, &page);
    assert_int_equal(page.count, 4);
    for (size_t i = 0; i < 4; i++) {
        const char expected[] = {(char)('d' - i), '\0'};
        assert_string_equal(page.ids[i], expected);
        get_run(fixture->store, runs[i].id, &kept);
        assert_int_equal(kept.row.created_at, runs[i].kept_at);
    }
    filter.since = 5000000, filter.until = 5000001;
    list(fixture->store, &filter, &page);
    assert_int_equal(page.count, 3);
    assert_in_step(fixture->path);
}

static void count_measurement(void *context, const struct lab_measurement_row *row)
{
    (void)row;
    ++*(size_t *)context;
}

static void many_runs_of_one_millisecond_can_be_added(void **state)
{
    struct fixture *fixture = *state;
    char id[LAB_RUN_ID_SIZE];
    struct lab_run_filter filter = any(500);
    struct page page;
    for (int i = 0; i < 200; i++) {
        lab_run_id(id);
        struct lab_new_run run = plain_run(id);
        run.created_at = 1000000;
        add_run(fixture->store, &run);
    }
    list(fixture->store, &filter, &page);
    assert_int_equal(page.count, 200);
    for (size_t i = 1; i < page.count; i++)
        assert_true(strcmp(page.ids[i - 1], page.ids[i]) > 0);
    /* An id between two runs with consecutive numbers: the numbers above are shifted. */
    const struct lab_measurement_row measurement = {.axes = "{}", .metric = "time", .unit = "s", .n = 1};
    char between[LAB_RUN_ID_SIZE];
    lab_store_add_measurement(fixture->store, page.ids[50], &measurement);
    sleep_ms(300);
    snprintf(between, sizeof between, "%.35s~", page.ids[100]);
    struct lab_new_run run = plain_run(between);
    add_run(fixture->store, &run);
    struct page after;
    list(fixture->store, &filter, &after);
    assert_int_equal(after.count, 201);
    assert_string_equal(after.ids[100], between);
    assert_string_equal(after.ids[99], page.ids[99]);
    assert_string_equal(after.ids[101], page.ids[100]);
    struct kept_run kept;
    get_run(fixture->store, page.ids[50], &kept);
    assert_int_equal(kept.row.measurement_count, 1);
    size_t measurements = 0;
    assert_int_equal(lab_store_list_measurements(fixture->store, page.ids[50], false, count_measurement, &measurements),
                     LAB_STORE_OK);
    assert_int_equal(measurements, 1);
    filter.text = "transfer";
    list(fixture->store, &filter, &after);
    assert_int_equal(after.count, 201);
    assert_in_step(fixture->path);
    close_store(fixture);
    assert_search_sound(fixture->path);
}

/* Reads all pages while runs are added, deleted and changed; a run that exists throughout is listed exactly once. */
static void pages_are_stable_while_runs_are_added_and_deleted(void **state)
{
    struct fixture *fixture = *state;
    enum { COUNT = 120 };
    static char ids[COUNT][LAB_RUN_ID_SIZE];
    bool removed[COUNT] = {false};
    int seen[COUNT] = {0};
    for (int i = 0; i < COUNT; i++) {
        add_plain_run(fixture->store, ids[i]);
        assert_int_equal(lab_store_finish_run(fixture->store, ids[i], LAB_STATUS_CANCELLED, 1, false, NULL),
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

static void a_callback_may_read_too(void **state)
{
    struct fixture *fixture = *state;
    char ids[RUNS][LAB_RUN_ID_SIZE];
    bool more = false;
    struct nested nested = {.store = fixture->store};
    struct lab_run_filter filter = any(50);
    add_history(fixture->store, ids);
    assert_int_equal(lab_store_list_runs(fixture->store, &filter, read_again, &nested, &more), LAB_STORE_OK);
    assert_int_equal(nested.count, RUNS);
}

/* --- cost of a list ------------------------------------------------------------------------------------------------- */

struct cost {
    int steps, scanned, sorted;
};

/* The work of the reader's statements since the previous call. */
static struct cost cost_so_far(struct lab_store *store)
{
    struct cost cost = {0};
    assert_int_equal(store->readers.idle_count, 1);
    struct lab_connection *reader = store->readers.idle[0];
    for (size_t i = 0; i < reader->statement_count; i++) {
        cost.steps += sqlite3_stmt_status(reader->statements[i].statement, SQLITE_STMTSTATUS_VM_STEP, 1);
        cost.scanned += sqlite3_stmt_status(reader->statements[i].statement, SQLITE_STMTSTATUS_FULLSCAN_STEP, 1);
        cost.sorted += sqlite3_stmt_status(reader->statements[i].statement, SQLITE_STMTSTATUS_SORT, 1);
    }
    return cost;
}

/* Even and odd runs have nothing in common. */
static void add_halves(struct lab_store *store, int from, int to)
{
    static const char *const experiments[] = {"transfer", "overlap"}, *const devices[] = {"GPU-a", "GPU-b"},
                             *const tags[] = {"nightly", "manual"}, *const notes[] = {"blue moon", "green sun"};
    for (int i = from; i < to; i++) {
        char id[LAB_RUN_ID_SIZE];
        lab_run_id(id);
        struct lab_new_run run = plain_run(id);
        run.experiment = experiments[i % 2];
        run.device_ids = &devices[i % 2];
        run.tag_names = &tags[i % 2];
        run.tag_count = 1;
        run.note = notes[i % 2];
        run.created_at = (int64_t)i * 1000000;
        add_run(store, &run);
        if (i % 2 == 1)
            assert_int_equal(lab_store_finish_run(store, id, LAB_STATUS_CANCELLED, 1, false, NULL), LAB_STORE_OK);
    }
}

/* Sets filter number `which` to a value that the runs of half 0 or 1 have, or (half 2) that no run has. */
static void set_filter(struct lab_run_filter *filter, int which, int half)
{
    static const char *const experiments[] = {"transfer", "overlap", "none"},
                             *const devices[] = {"GPU-a", "GPU-b", "none"},
                             *const tags[] = {"nightly", "manual", "none"},
                             *const texts[] = {"blue moon", "een", "none"}, *const short_texts[] = {"bl", "gr", "zz"};
    static const int64_t since[] = {0, 1000000, INT64_MAX}, until[] = {INT64_MAX, 150000000, 0};
    switch (which) {
    case 0:
        filter->experiment = experiments[half];
        break;
    case 1:
        filter->device = devices[half];
        break;
    case 2:
        filter->by_status = true;
        filter->status = half == 0 ? LAB_STATUS_QUEUED : half == 1 ? LAB_STATUS_CANCELLED : LAB_STATUS_FAILED;
        break;
    case 3:
        filter->tag = tags[half];
        break;
    case 4:
        filter->since = since[half];
        break;
    case 5:
        filter->until = until[half];
        break;
    case 6:
        filter->text = texts[half];
        break;
    default:
        filter->text = short_texts[half];
    }
}
enum { FILTERS = 8 };

static void no_list_scans_more_than_it_returns(void **state)
{
    struct fixture *fixture = *state;
    enum { SMALL = 300, LARGE = 1500, PAGE = 20 };
    static int small[FILTERS][FILTERS][3][3];
    for (int size = SMALL; size <= LARGE; size += LARGE - SMALL) {
        add_halves(fixture->store, size == SMALL ? 0 : SMALL, size);
        for (int i = 0; i < FILTERS; i++) {
            for (int j = i; j < FILTERS; j++) {
                for (int cell = 0; cell < 9; cell++) {
                    struct lab_run_filter filter = any(PAGE);
                    struct page page;
                    set_filter(&filter, i, cell / 3);
                    set_filter(&filter, j, cell % 3);
                    list(fixture->store, &filter, &page); /* prepares the statements */
                    cost_so_far(fixture->store);
                    list(fixture->store, &filter, &page);
                    struct cost cost = cost_so_far(fixture->store);
                    if (cost.steps > 8000)
                        fail_msg("filters %d %d, values %d %d: %d steps", i, j, cell / 3, cell % 3, cost.steps);
                    int *before = &small[i][j][cell / 3][cell % 3];
                    if (size == SMALL)
                        *before = cost.steps;
                    else if (cost.steps > *before + 50)
                        fail_msg("filters %d %d, values %d %d: %d steps for %d runs, %d for %d", i, j, cell / 3,
                                 cell % 3, *before, SMALL, cost.steps, LARGE);
                    /* A page with text merges two pages. */
                    if (cost.scanned > 0 || cost.sorted > (filter.text != NULL))
                        fail_msg("filters %d %d, values %d %d: %d rows scanned, %d sorts", i, j, cell / 3, cell % 3,
                                 cost.scanned, cost.sorted);
                }
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(lists_by_each_filter),
        STORE_TEST(lists_by_several_filters),
        STORE_TEST(no_match_gives_an_empty_list),
        STORE_TEST(limits_are_enforced),
        STORE_TEST(order_is_that_of_ids_when_the_clock_goes_back),
        STORE_TEST(many_runs_of_one_millisecond_can_be_added),
        STORE_TEST(pages_are_stable_while_runs_are_added_and_deleted),
        STORE_TEST(a_callback_may_read_too),
        STORE_TEST(no_list_scans_more_than_it_returns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
