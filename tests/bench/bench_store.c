/* Measures how long the store takes to list runs in a history of 100,000: with every filter and pair of filters, with values
 * that match, with pairs that each match half of all runs but no run together, and with values that no run has.
 *
 *     bench_store FILE [RUNS]
 *
 * FILE is created, or used again when it already has that many runs. Runs are added, started and finished with one commit
 * each, as in the lab. Times are in milliseconds, for a page of 50 and the one run more that tells whether another page
 * follows. The exit code is 1 when a median is not below 5 ms.
 */
#include "store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PAGE = 50, REPEATS = 51 };
static const double limit_ms = 5;

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void insist(enum lab_store_result result, struct lab_store *store, const char *what)
{
    if (result == LAB_STORE_OK)
        return;
    fprintf(stderr, "%s: %s\n", what, lab_store_message(store));
    exit(2);
}

/* --- the history ---------------------------------------------------------------------------------------------------- */

/* Even and odd runs have nothing in common: not experiment, device, status, tag, nor the colour in the note. */
struct kind {
    const char *experiment, *device, *tag, *colour;
    enum lab_status status;
};
static const struct kind kinds[2] = {
    {"transfer", "GPU-8f3c2e10-5a7b-4c1d-9e21-000000000001", "nightly", "blue", LAB_STATUS_SUCCEEDED},
    {"overlap", "GPU-8f3c2e10-5a7b-4c1d-9e21-000000000002", "bring-up", "green", LAB_STATUS_FAILED},
};
static const char *const words[] = {"after", "before", "driver", "kernel", "power", "cap", "cooling", "rack", "reboot"};
enum { WORD_COUNT = sizeof words / sizeof *words };

static void add(struct lab_store *store, size_t i)
{
    const struct kind *kind = &kinds[i % 2];
    char id[LAB_RUN_ID_SIZE], existing[LAB_RUN_ID_SIZE], devices[128], tags[64], note[160], half[32];
    snprintf(half, sizeof half, "week-%zu", i / 1000);
    snprintf(devices, sizeof devices, "[{\"id\":\"%s\"}]", kind->device);
    snprintf(tags, sizeof tags, "[\"%s\",\"%s\"]", kind->tag, half);
    snprintf(note, sizeof note, "%s %s the %s of run %zu", kind->colour, words[i % WORD_COUNT],
             words[i / WORD_COUNT % WORD_COUNT], i);
    struct timespec clock;
    clock_gettime(CLOCK_REALTIME, &clock);
    int64_t at = (int64_t)clock.tv_sec * 1000000 + clock.tv_nsec / 1000;
    lab_run_id(id);
    const struct lab_new_run run = {
        .id = id,
        .experiment = kind->experiment,
        .host = "bench",
        .devices = devices,
        .parameters = "{\"min_bytes\":1024,\"max_bytes\":268435456,\"factor\":4,\"direction\":[\"h2d\",\"d2h\"]}",
        .tags = tags,
        .note = note,
        .created_at = at,
    };
    insist(lab_store_add_run(store, &run, existing), store, "add");
    insist(lab_store_start_run(store, id, at), store, "start");
    insist(lab_store_finish_run(store, id, kind->status, at, false, NULL), store, "finish");
}

struct bounds {
    size_t count;
    int64_t middle; /* the creation time of a run in the middle */
    char id[LAB_RUN_ID_SIZE];
};

static void see(void *context, const struct lab_run_row *run)
{
    struct bounds *bounds = context;
    bounds->count++;
    bounds->middle = run->created_at;
    snprintf(bounds->id, sizeof bounds->id, "%s", run->id);
}

static void fill(struct lab_store *store, size_t runs)
{
    char value[32] = "0";
    lab_store_get(store, "bench.runs", value, sizeof value);
    double start = now_s();
    size_t present = strtoul(value, NULL, 10);
    for (size_t i = present; i < runs; i++)
        add(store, i);
    snprintf(value, sizeof value, "%zu", runs);
    insist(lab_store_set(store, "bench.runs", value), store, "set");
    if (runs > present)
        printf("%zu runs added, started and finished in %.1f s: %.3f ms a run\n", runs - present, now_s() - start,
               1e3 * (now_s() - start) / (double)(runs - present));
}

/* Walks half the history page by page. */
static void find_middle(struct lab_store *store, size_t runs, struct bounds *middle)
{
    bool more = true;
    struct lab_run_filter filter = {.since = LAB_NO_TIME, .until = LAB_NO_TIME, .limit = LAB_LIST_MAX};
    double start = now_s();
    while (more && middle->count < runs / 2) {
        insist(lab_store_list_runs(store, &filter, see, middle, &more), store, "list");
        filter.before = middle->id;
    }
    printf("walked %zu runs in pages of %d: %.3f ms a page\n", middle->count, LAB_LIST_MAX,
           1e3 * (now_s() - start) / ((double)middle->count / LAB_LIST_MAX));
}

/* --- the filters ---------------------------------------------------------------------------------------------------- */

enum variant { MATCHING, NOTHING_IN_COMMON, ABSENT, VARIANT_COUNT };
static const char *const variant_names[] = {"matching", "nothing in common", "absent"};

/* Each filter sets its field to what fits `kind`; kind NULL: to what no run has. */
struct condition {
    const char *name;
    void (*set)(struct lab_run_filter *filter, const struct kind *kind, int64_t middle);
};

static void by_experiment(struct lab_run_filter *filter, const struct kind *kind, int64_t middle)
{
    (void)middle;
    filter->experiment = kind != NULL ? kind->experiment : "collectives";
}
static void by_device(struct lab_run_filter *filter, const struct kind *kind, int64_t middle)
{
    (void)middle;
    filter->device = kind != NULL ? kind->device : "GPU-none";
}
static void by_status(struct lab_run_filter *filter, const struct kind *kind, int64_t middle)
{
    (void)middle;
    filter->by_status = true;
    filter->status = kind != NULL ? kind->status : LAB_STATUS_CANCELLED;
}
static void by_tag(struct lab_run_filter *filter, const struct kind *kind, int64_t middle)
{
    (void)middle;
    filter->tag = kind != NULL ? kind->tag : "no-such-tag";
}
/* The older half for one kind, the newer for the other. */
static void by_since(struct lab_run_filter *filter, const struct kind *kind, int64_t middle)
{
    filter->since = kind == NULL ? INT64_MAX : middle;
}
static void by_until(struct lab_run_filter *filter, const struct kind *kind, int64_t middle)
{
    filter->until = kind == NULL ? 0 : middle;
}
static void by_text(struct lab_run_filter *filter, const struct kind *kind, int64_t middle)
{
    (void)middle;
    filter->text = kind != NULL ? kind->colour : "purple";
}
static void by_two_letters(struct lab_run_filter *filter, const struct kind *kind, int64_t middle)
{
    (void)middle;
    filter->text = kind == NULL ? "zq" : kind == &kinds[0] ? "bl" : "gr";
}
static void by_letter(struct lab_run_filter *filter, const struct kind *kind, int64_t middle)
{
    (void)middle;
    filter->text = kind == NULL ? "z" : kind == &kinds[0] ? "n" : "g";
}
static void by_two_words(struct lab_run_filter *filter, const struct kind *kind, int64_t middle)
{
    (void)middle;
    filter->text = kind == NULL        ? "run the power"
                   : kind == &kinds[0] ? "blue driver the power"
                                       : "green driver the power";
}

static const struct condition conditions[] = {
    {"experiment", by_experiment},
    {"device", by_device},
    {"status", by_status},
    {"tag", by_tag},
    {"since", by_since},
    {"until", by_until},
    {"text", by_text},
    {"text of 2", by_two_letters},
    {"text of 1", by_letter},
    {"text of words", by_two_words},
};
enum { CONDITION_COUNT = sizeof conditions / sizeof *conditions };

static bool is_text(const struct condition *condition)
{
    return strncmp(condition->name, "text", 4) == 0;
}

/* --- timing --------------------------------------------------------------------------------------------------------- */

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void count_row(void *context, const struct lab_run_row *run)
{
    (void)run;
    ++*(size_t *)context;
}

/* Prints one line; returns the median in ms. */
static double measure(struct lab_store *store, const char *name, const char *variant,
                      const struct lab_run_filter *filter)
{
    double ms[REPEATS];
    size_t rows = 0;
    bool more = false;
    for (size_t i = 0; i < REPEATS; i++) {
        rows = 0;
        double start = now_s();
        insist(lab_store_list_runs(store, filter, count_row, &rows, &more), store, name);
        ms[i] = 1e3 * (now_s() - start);
    }
    double first = ms[0];
    qsort(ms, REPEATS, sizeof *ms, ascending);
    printf("%-28s %-18s %4zu%c %9.3f %9.3f %9.3f\n", name, variant, rows, more ? '+' : ' ', first, ms[REPEATS / 2],
           ms[REPEATS - 1]);
    return ms[REPEATS / 2];
}

static double measure_pair(struct lab_store *store, size_t i, size_t j, enum variant variant, int64_t middle)
{
    const struct condition *one = &conditions[i], *other = &conditions[j];
    struct lab_run_filter filter = {.since = LAB_NO_TIME, .until = LAB_NO_TIME, .limit = PAGE};
    char name[64];
    snprintf(name, sizeof name, i == j ? "%s" : "%s + %s", one->name, other->name);
    one->set(&filter, variant == ABSENT ? NULL : &kinds[0], middle);
    if (i != j)
        other->set(&filter, variant == MATCHING ? &kinds[0] : &kinds[1], middle);
    return measure(store, name, variant_names[variant], &filter);
}

static double measure_all(struct lab_store *store, int64_t middle)
{
    double worst = 0;
    struct lab_run_filter any = {.since = LAB_NO_TIME, .until = LAB_NO_TIME, .limit = PAGE};
    printf("%-28s %-18s %5s %9s %9s %9s\n", "filter", "", "rows", "first ms", "median", "most");
    worst = measure(store, "none", "matching", &any);
    for (size_t i = 0; i < CONDITION_COUNT; i++) {
        for (size_t j = i; j < CONDITION_COUNT; j++) {
            if (i != j && is_text(&conditions[i]) && is_text(&conditions[j]))
                continue;
            for (enum variant variant = 0; variant < VARIANT_COUNT; variant++) {
                if (i == j && variant == NOTHING_IN_COMMON)
                    continue;
                double median = measure_pair(store, i, j, variant, middle);
                worst = median > worst ? median : worst;
            }
        }
    }
    return worst;
}

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: bench_store FILE [RUNS]\n");
        return 2;
    }
    size_t runs = argc == 3 ? strtoul(argv[2], NULL, 10) : 100000;
    char message[320];
    struct lab_store *store = lab_store_open(argv[1], message, sizeof message);
    if (store == NULL) {
        fprintf(stderr, "%s\n", message);
        return 2;
    }
    struct bounds middle = {0};
    fill(store, runs);
    find_middle(store, runs, &middle);
    double worst = measure_all(store, middle.middle);
    printf("worst median %.3f ms\n", worst);
    lab_store_close(store);
    return worst < limit_ms ? 0 : 1;
}
