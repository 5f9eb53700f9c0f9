/* Concurrent threads: each reads its own writes, lists are complete, and each thread's writes keep their order. */
#include "support/store_harness.h"
#include "support/test.h"

#include <pthread.h>
#include <stdatomic.h>

enum { WRITERS = 4, READERS = 3, RUNS = 40, MEASUREMENTS = 10 };

struct work {
    struct lab_store *store;
    atomic_bool stop;
    atomic_int wrong; /* failed checks of threads, so that all of them end */
    atomic_int pages;
};

static void expect(struct work *work, bool right)
{
    if (!right)
        atomic_fetch_add(&work->wrong, 1);
}

struct order {
    int64_t next;
    bool right;
};

static void check_order(void *context, const struct lab_measurement_row *row)
{
    struct order *order = context;
    order->right = order->right && row->position == order->next && row->n == order->next;
    order->next++;
}

static void *write_runs(void *argument)
{
    struct work *work = argument;
    for (int i = 0; i < RUNS; i++) {
        char id[LAB_RUN_ID_SIZE], existing[LAB_RUN_ID_SIZE], note[64];
        struct lab_run_row *stored;
        lab_run_id(id);
        struct lab_run_row run = plain_run(id);
        expect(work, lab_store_add_run(work->store, &run, NULL, existing) == LAB_STORE_OK);
        expect(work, lab_store_get_run(work->store, id, &stored) == LAB_STORE_OK);
        expect(work, stored->status == LAB_STATUS_QUEUED);
        free(stored);
        expect(work, lab_store_start_run(work->store, id, 1, NULL) == LAB_STORE_OK);
        for (int64_t j = 0; j < MEASUREMENTS; j++) {
            const struct lab_measurement_row row = {.axes = "{}", .metric = "time", .unit = "s", .n = j};
            lab_store_add_measurement(work->store, id, &row);
        }
        snprintf(note, sizeof note, "note of run %d", i);
        expect(work, lab_store_patch_run(work->store, id, &(struct lab_run_patch){.note = note}, NULL) == LAB_STORE_OK);
        expect(work, lab_store_finish_run(work->store, id, LAB_STATUS_SUCCEEDED, 2, false, NULL, NULL) == LAB_STORE_OK);
        struct order order = {.right = true};
        expect(work, lab_store_list_measurements(work->store, id, 0, SIZE_MAX, check_order, &order) == LAB_STORE_OK);
        expect(work, order.right && order.next == MEASUREMENTS);
        expect(work, lab_store_get_run(work->store, "no-such-run", NULL) == LAB_STORE_NOT_FOUND);
        expect(work, strstr(lab_store_message(work->store), "no-such-run") != NULL);
        if (i % 4 == 0)
            expect(work, lab_store_delete_run(work->store, id) == LAB_STORE_OK);
    }
    return NULL;
}

struct descent {
    char last[LAB_RUN_ID_SIZE];
    size_t count;
    bool right;
};

static void check_descent(void *context, const struct lab_run_row *run)
{
    struct descent *descent = context;
    descent->right = descent->right && (descent->count == 0 || strcmp(run->id, descent->last) < 0);
    snprintf(descent->last, sizeof descent->last, "%s", run->id);
    descent->count++;
}

static void *read_pages(void *argument)
{
    struct work *work = argument;
    static const char *const texts[] = {NULL, "note of", "tr"};
    for (int i = 0; !atomic_load(&work->stop); i++) {
        bool more = false;
        struct descent descent = {.right = true};
        const struct lab_run_filter filter = {.since = LAB_NO_TIME,
                                              .until = LAB_NO_TIME,
                                              .text = texts[i % 3],
                                              .experiment = i % 2 == 0 ? NULL : "transfer",
                                              .limit = 30};
        expect(work, lab_store_list_runs(work->store, &filter, check_descent, &descent, &more) == LAB_STORE_OK);
        expect(work, descent.right && (!more || descent.count == 30));
        expect(work, lab_store_healthy(work->store, NULL, 0));
        atomic_fetch_add(&work->pages, 1);
        sleep_ms(1);
    }
    return NULL;
}

STORE_TEST(threads_do_not_interfere)
{
    struct work work = {.store = fixture->store};
    pthread_t writers[WRITERS], readers[READERS];
    for (int i = 0; i < READERS; i++)
        assert_int_equal(pthread_create(&readers[i], NULL, read_pages, &work), 0);
    for (int i = 0; i < WRITERS; i++)
        assert_int_equal(pthread_create(&writers[i], NULL, write_runs, &work), 0);
    for (int i = 0; i < WRITERS; i++)
        pthread_join(writers[i], NULL);
    atomic_store(&work.stop, true);
    for (int i = 0; i < READERS; i++)
        pthread_join(readers[i], NULL);

    assert_int_equal(atomic_load(&work.wrong), 0);
    assert_true(atomic_load(&work.pages) > 0);
    assert_int_equal(ask_file(fixture->path, "SELECT count(*) FROM run"), WRITERS * RUNS * 3 / 4);
    assert_in_step(fixture->path);
    close_store(fixture);
    assert_search_sound(fixture->path);
}
