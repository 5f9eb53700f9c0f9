/* Measures how long the store takes to answer what a history is asked:
 *
 *     bench_store FILE
 *
 * FILE was written by gpulab-fill-history, with measurements. Lists are asked for with every filter and pair of
 * filters, with values drawn at random, so that some pairs match nothing. The exit code is 1 when a 99th percentile of
 * processor time is above its limit.
 */
#include "history.h"
#include "store.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

enum { PAGE = 50, REPEATS = 200 };
/* A text and another filter may each match many runs and both together none: then all numbers of both are compared. */
static const double limit_ms = 10, limit_with_text_ms = 50;
static uint64_t state = 0x2545f4914f6cdd1d;
static double worst_share; /* of a limit */

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void insist(enum lab_store_result result, struct lab_store *store, const char *what)
{
    if (result == LAB_STORE_OK)
        return;
    fprintf(stderr, "%s: %s\n", what, lab_store_message(store));
    exit(2);
}

/* --- timing ------------------------------------------------------------------------------------------------------- */

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* What is measured: one question, with other values each time. Returns how many rows the answer has. */
typedef size_t question(struct lab_store *store, const void *argument);

/* Prints the median and the 99th percentile of the time that passes, and of the processor's, which does not depend on
 * what else the machine does. */
static void measure(struct lab_store *store, const char *name, double limit, question *ask, const void *argument)
{
    double passed[REPEATS], used[REPEATS];
    size_t rows = 0;
    for (size_t i = 0; i < REPEATS; i++) {
        double start = seconds(CLOCK_MONOTONIC), busy = seconds(CLOCK_THREAD_CPUTIME_ID);
        rows += ask(store, argument);
        passed[i] = 1e3 * (seconds(CLOCK_MONOTONIC) - start);
        used[i] = 1e3 * (seconds(CLOCK_THREAD_CPUTIME_ID) - busy);
    }
    qsort(passed, REPEATS, sizeof *passed, ascending);
    qsort(used, REPEATS, sizeof *used, ascending);
    double p99 = used[REPEATS * 99 / 100];
    worst_share = fmax(worst_share, p99 / limit);
    printf("%-28s %8.1f rows %9.3f %9.3f %9.3f %9.3f%s\n", name, (double)rows / REPEATS, passed[REPEATS / 2],
           passed[REPEATS * 99 / 100], used[REPEATS / 2], p99, p99 > limit ? "  SLOW" : "");
}

/* --- lists -------------------------------------------------------------------------------------------------------- */

#define PICK(table) (table)[bench_random(&state, LENGTH(table))]

static void by_experiment(struct lab_run_filter *filter)
{
    filter->experiment = PICK(bench_experiments);
}
static void by_device(struct lab_run_filter *filter)
{
    static char id[64];
    bench_device(id, bench_random(&state, LENGTH(bench_models)), bench_random(&state, BENCH_DEVICES_A_MODEL));
    filter->device = id;
}
static void by_model(struct lab_run_filter *filter)
{
    filter->device = PICK(bench_models);
}
static void by_status(struct lab_run_filter *filter)
{
    static const enum lab_status statuses[] = {LAB_STATUS_RUNNING, LAB_STATUS_SUCCEEDED, LAB_STATUS_FAILED,
                                               LAB_STATUS_CANCELLED, LAB_STATUS_INTERRUPTED};
    filter->by_status = true;
    filter->status = PICK(statuses);
}
static void by_tag(struct lab_run_filter *filter)
{
    filter->tag = PICK(bench_tags);
}
/* A time in the year of the history. */
static int64_t random_time(void)
{
    return INT64_C(1735689600000000) + (int64_t)bench_random(&state, 365 * 24 * 3600) * 1000000;
}
static void by_since(struct lab_run_filter *filter)
{
    filter->since = random_time();
}
static void by_until(struct lab_run_filter *filter)
{
    filter->until = random_time();
}
static void by_text(struct lab_run_filter *filter)
{
    filter->text = PICK(bench_texts);
}

static const struct condition {
    const char *name;
    void (*set)(struct lab_run_filter *filter);
} conditions[] = {
    {"experiment", by_experiment}, {"device", by_device}, {"model", by_model}, {"status", by_status}, {"tag", by_tag},
    {"since", by_since},           {"until", by_until},   {"text", by_text},
};

struct pair {
    const struct condition *one, *other;
};

static void count_run(void *context, const struct lab_run_row *run)
{
    (void)run;
    ++*(size_t *)context;
}

static size_t list(struct lab_store *store, const void *argument)
{
    const struct pair *pair = argument;
    struct lab_run_filter filter = {.since = LAB_NO_TIME, .until = LAB_NO_TIME, .limit = PAGE};
    size_t rows = 0;
    bool more = false;
    if (pair->one != NULL)
        pair->one->set(&filter);
    if (pair->other != NULL)
        pair->other->set(&filter);
    insist(lab_store_list_runs(store, &filter, count_run, &rows, &more), store, "list");
    return rows;
}

static void measure_lists(struct lab_store *store)
{
    measure(store, "list", limit_ms, list, &(struct pair){0});
    for (size_t i = 0; i < LENGTH(conditions); i++) {
        measure(store, conditions[i].name, limit_ms, list, &(struct pair){.one = &conditions[i]});
        for (size_t j = i + 1; j < LENGTH(conditions); j++) {
            char name[64];
            snprintf(name, sizeof name, "%s + %s", conditions[i].name, conditions[j].name);
            if (conditions[i].set != by_device || conditions[j].set != by_model) /* they are one filter */
                measure(store, name, conditions[j].set == by_text ? limit_with_text_ms : limit_ms, list,
                        &(struct pair){&conditions[i], &conditions[j]});
        }
    }
}

/* --- runs and series ---------------------------------------------------------------------------------------------- */

struct sight {
    size_t count;
    char id[LAB_RUN_ID_SIZE];
};

static void see_run(void *context, const struct lab_run_row *run)
{
    struct sight *sight = context;
    sight->count++;
    snprintf(sight->id, sizeof sight->id, "%s", run->id);
}

static void count_measurement(void *context, const struct lab_measurement_row *row)
{
    (void)row;
    ++*(size_t *)context;
}

/* A run at a random time, with its measurements. */
static size_t read_run(struct lab_store *store, const void *argument)
{
    (void)argument;
    struct sight sight = {0};
    struct lab_run_row *run;
    size_t rows = 0;
    bool more = false;
    const struct lab_run_filter filter = {.since = LAB_NO_TIME, .until = random_time(), .limit = 1};
    insist(lab_store_list_runs(store, &filter, see_run, &sight, &more), store, "list");
    if (sight.count == 0)
        return 0;
    insist(lab_store_get_run(store, sight.id, &run), store, "run");
    free(run);
    insist(lab_store_list_measurements(store, sight.id, 0, SIZE_MAX, count_measurement, &rows), store, "measurements");
    return rows;
}

static void see_point(void *context, const struct lab_point_row *point)
{
    *(int64_t *)context = point->id;
}

static void count_series(void *context, const struct lab_series_row *row)
{
    (void)row;
    ++*(size_t *)context;
}

/* 1000 runs of a point that is in the middle of its experiment's axes. */
static size_t read_series(struct lab_store *store, const void *argument)
{
    (void)argument;
    int64_t point = 0;
    size_t rows = 0;
    char axes[64];
    snprintf(axes, sizeof axes, "{\"bytes\":%zu,\"direction\":\"h2d\"}",
             (size_t)1024 << (5 + bench_random(&state, 10)));
    if (lab_store_find_point(store, PICK(bench_experiments), "bandwidth", axes, see_point, &point) != LAB_STORE_OK)
        return 0;
    const struct lab_series_filter filter = {
        .point = point, .model = bench_models[bench_random(&state, 4)], .limit = 1000};
    insist(lab_store_series(store, &filter, count_series, &rows), store, "series");
    return rows;
}

/* --- the program -------------------------------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
    char message[320];
    struct stat file;
    struct rusage usage;
    if (argc != 2) {
        fprintf(stderr, "usage: bench_store FILE\n");
        return 2;
    }
    double start = seconds(CLOCK_MONOTONIC);
    struct lab_store *store = lab_store_open(argv[1], message, sizeof message);
    if (store == NULL || stat(argv[1], &file) != 0) {
        fprintf(stderr, "%s\n", message);
        return 2;
    }
    printf("opened in %.1f ms, %.0f MiB\n", 1e3 * (seconds(CLOCK_MONOTONIC) - start), (double)file.st_size / 1048576);
    printf("%-28s %13s %9s %9s %9s %9s\n", "ms", "", "p50", "p99", "p50 CPU", "p99 CPU");
    measure_lists(store);
    measure(store, "run with measurements", limit_ms, read_run, NULL);
    measure(store, "series", limit_ms, read_series, NULL);
    getrusage(RUSAGE_SELF, &usage);
    printf("worst p99 %.0f %% of its limit, %.0f MiB of memory\n", 100 * worst_share, (double)usage.ru_maxrss / 1024);
    lab_store_close(store);
    return worst_share <= 1 ? 0 : 1;
}
