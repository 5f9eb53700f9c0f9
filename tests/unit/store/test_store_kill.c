/* A store whose process is killed keeps what it acknowledged, its file is intact, and its lock is released. */
#include "store_internal.h"
#include "support/store_harness.h"
#include "support/test.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

enum { KILLS = 20, WRITERS = 3 };

/* What the child reports: 'a' a run was added, 'f' it was finished after `measurements` measurements. */
struct acknowledged {
    char what;
    char id[LAB_RUN_ID_SIZE];
};

struct load {
    struct lab_store *store;
    int pipe;
};

static void tell(int pipe, char what, const char *id)
{
    struct acknowledged reports = {.what = what};
    memcpy(reports.id, id, LAB_RUN_ID_SIZE);
    if (write(pipe, &reports, sizeof reports) != sizeof reports) /* less than PIPE_BUF: atomic */
        _exit(3);
}

enum { MEASUREMENTS = 5 };

static void *write_for_ever(void *argument)
{
    const struct load *load = argument;
    static const double samples[200];
    const struct lab_measurement_row row = {
        .axes = "{}", .metric = "time", .unit = "s", .n = 200, .verified = 1, .samples = samples, .sample_count = 200};
    for (;;) {
        char id[LAB_RUN_ID_SIZE], existing[LAB_RUN_ID_SIZE];
        lab_run_id(id);
        struct lab_run_row run = plain_run(id);
        if (lab_store_add_run(load->store, &run, NULL, existing) != LAB_STORE_OK)
            _exit(4);
        tell(load->pipe, 'a', id);
        if (lab_store_start_run(load->store, id, 1, NULL) != LAB_STORE_OK)
            _exit(5);
        for (int i = 0; i < MEASUREMENTS; i++)
            lab_store_add_measurement(load->store, id, &row);
        if (lab_store_finish_run(load->store, id, LAB_STATUS_SUCCEEDED, 2, false, NULL, NULL) != LAB_STORE_OK)
            _exit(6);
        tell(load->pipe, 'f', id);
    }
    return NULL;
}

static void write_until_killed(const char *path, int pipe)
{
    char message[200];
    struct load load = {lab_store_open(path, message, sizeof message), pipe};
    pthread_t threads[WRITERS];
    if (load.store == NULL)
        _exit(2);
    for (int i = 0; i < WRITERS; i++)
        pthread_create(&threads[i], NULL, write_for_ever, &load);
    pthread_join(threads[0], NULL);
}

/* Starts a writer process, kills it after a while and returns what it had reported; the caller frees it. */
static struct acknowledged *write_and_kill(const char *path, long after_ms, size_t *count)
{
    int ends[2], status = 0;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        write_until_killed(path, ends[1]);
        _exit(7);
    }
    close(ends[1]);
    struct acknowledged first;
    assert_int_equal(read(ends[0], &first, sizeof first), sizeof first); /* it is writing */

    struct acknowledged *reports = malloc(sizeof *reports);
    size_t capacity = 1;
    reports[0] = first;
    *count = 1;
    double until = lab_clock_now() + (double)after_ms / 1e3;
    for (bool killed = false;;) {
        if (!killed && lab_clock_now() >= until) {
            kill(child, SIGKILL);
            killed = true;
        }
        if (*count == capacity) {
            capacity *= 2;
            reports = realloc(reports, capacity * sizeof *reports);
            assert_non_null(reports);
        }
        ssize_t got = read(ends[0], &reports[*count], sizeof *reports);
        if (got <= 0)
            break;
        ++*count;
    }
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    return reports;
}

static void assert_kept(struct lab_store *store, const struct acknowledged *reports)
{
    struct kept_run kept;
    get_run(store, reports->id, &kept);
    if (reports->what != 'f')
        return;
    assert_int_equal(kept.row.status, LAB_STATUS_SUCCEEDED);
    assert_int_equal(kept.row.measurement_count, MEASUREMENTS);
}

FOLDER_TEST(a_killed_writer_keeps_what_it_acknowledged)
{
    size_t all = 0, interrupted = 0;
    for (int i = 0; i < KILLS; i++) {
        size_t count = 0, running = 0;
        struct acknowledged *reports = write_and_kill(fixture->path, 10 + 13 * i % 120, &count);
        open_store(fixture);
        if (!is_sound(fixture->path))
            fail_msg("kill %d: the file is damaged", i);
        for (size_t j = 0; j < count; j++)
            assert_kept(fixture->store, &reports[j]);
        assert_int_equal(lab_store_interrupt_running(fixture->store, 3, &running), LAB_STORE_OK);
        assert_in_step(fixture->path);
        close_store(fixture);
        assert_search_sound(fixture->path);
        all += count;
        interrupted += running;
        free(reports);
    }
    printf("%d kills, %zu acknowledgements, %zu runs interrupted\n", KILLS, all, interrupted);
    assert_true(interrupted > 0); /* some kills happened during a run */
}
