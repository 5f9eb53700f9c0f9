/* Fills a store with runs over a year, for tests/bench/history.mjs and bench_store:
 *
 *   gpulab-fill-history FILE RUNS [MEASUREMENTS]
 *
 * Each run has MEASUREMENTS measurements (default 0) without samples. Several threads import runs, so that they share
 * commits.
 */
#include "history.h"
#include "store.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 16, MEASUREMENTS_MAX = BENCH_POINTS };

struct filling {
    struct lab_store *store;
    size_t total, measurements;
    atomic_size_t next;
    atomic_bool failed;
};

/* 93 % of the runs succeeded. */
static enum lab_status status_of(uint64_t *random)
{
    size_t percent = bench_random(random, 100);
    return percent < 93   ? LAB_STATUS_SUCCEEDED
           : percent < 97 ? LAB_STATUS_FAILED
           : percent < 99 ? LAB_STATUS_CANCELLED
                          : LAB_STATUS_INTERRUPTED;
}

static void write_id(char id[LAB_RUN_ID_SIZE], int64_t at, size_t i)
{
    long long ms = at / 1000;
    snprintf(id, LAB_RUN_ID_SIZE, "%08llx-%04llx-7%03zx-8000-%012zx", ms >> 16 & 0xffffffff, ms & 0xffff, i & 0xfff, i);
}

static void write_devices(char *text, size_t size, size_t model, size_t device, bool two)
{
    char first[64], second[64];
    bench_device(first, model, device);
    bench_device(second, model, (device + 1) % BENCH_DEVICES_A_MODEL);
    int length = snprintf(text, size, "[{\"id\":\"%s\",\"name\":\"%s\",\"node\":null}", first, bench_models[model]);
    if (two)
        length += snprintf(text + length, size - (size_t)length, ",{\"id\":\"%s\",\"name\":\"%s\",\"node\":null}",
                           second, bench_models[model]);
    snprintf(text + length, size - (size_t)length, "]");
}

/* Writes the axes of point `i`; every experiment has the same axes. */
static void write_axes(char axes[64], size_t i)
{
    snprintf(axes, 64, "{\"direction\":\"%s\",\"bytes\":%zu}", i % 2 == 0 ? "h2d" : "d2h", (size_t)1024 << i / 2);
}

static bool add(struct filling *filling, size_t i)
{
    enum { YEAR_S = 365 * 24 * 3600 };
    const int64_t start_of_2025 = 1735689600000000;
    uint64_t random = 0x9e3779b97f4a7c15 ^ (i + 1) * 0xbf58476d1ce4e5b9;
    for (int warm = 0; warm < 4; warm++)
        bench_random(&random, 1);
    int64_t at = start_of_2025 + (int64_t)((double)i / (double)filling->total * YEAR_S * 1e6);
    size_t experiment = i % LENGTH(bench_experiments);
    bool two = experiment >= BENCH_FIRST_WITH_TWO;
    size_t model = bench_random(&random, LENGTH(bench_models) / (two ? 2 : 1));
    char id[LAB_RUN_ID_SIZE], devices[512], tags[64] = "[]", axes[MEASUREMENTS_MAX][64];
    write_id(id, at, i);
    write_devices(devices, sizeof devices, model, bench_random(&random, BENCH_DEVICES_A_MODEL), two);
    if (bench_random(&random, 10) == 0)
        snprintf(tags, sizeof tags, "[\"%s\"]", bench_tags[bench_random(&random, LENGTH(bench_tags))]);
    struct lab_measurement_row measurements[MEASUREMENTS_MAX];
    for (size_t m = 0; m < filling->measurements; m++) {
        double median = 20 + (double)bench_random(&random, 1000) / 100;
        write_axes(axes[m], (bench_random(&random, BENCH_POINTS - filling->measurements + 1) + m) % BENCH_POINTS);
        measurements[m] = (struct lab_measurement_row){
            .axes = axes[m],
            .metric = "bandwidth",
            .unit = "GB/s",
            .n = 30,
            .median = median,
            .q1 = median * 0.99,
            .q3 = median * 1.01,
            .min = median * 0.98,
            .max = median * 1.02,
            .mean = median,
            .stdev = 0.1,
            .noise = 0.01,
            .stop_reason = "converged",
            .verified = 1,
            .numa_node = 0,
            .conditions = "{\"sm_clock_mhz\":1980,\"throttle\":[],\"temperature_c\":45,\"power_w\":300.5}"};
    }
    const struct lab_imported_run run = {
        .run = {.id = id,
                .revision = 3,
                .experiment = bench_experiments[experiment],
                .status = status_of(&random),
                .created_at = at,
                .started_at = at + 1000,
                .finished_at = at + 12000000,
                .host = "bench",
                .devices = devices,
                .parameters =
                    "{\"min_bytes\":1024,\"max_bytes\":268435456,\"factor\":4,\"direction\":[\"h2d\",\"d2h\"]}",
                .tags = tags,
                .note = bench_random(&random, 5) == 0 ? bench_notes[bench_random(&random, LENGTH(bench_notes))] : "",
                .environment = "{\"machine\":{\"name\":\"bench\"}}"},
        .environment_key = i < filling->total / 2 ? "570" : "580",
        .measurements = measurements,
        .measurement_count = filling->measurements};
    bool added = false;
    return lab_store_import_run(filling->store, &run, &added) == LAB_STORE_OK;
}

static void *fill(void *argument)
{
    struct filling *filling = argument;
    for (size_t i; !atomic_load(&filling->failed) && (i = atomic_fetch_add(&filling->next, 1)) < filling->total;) {
        if (!add(filling, i)) {
            fprintf(stderr, "run %zu: %s\n", i, lab_store_message(filling->store));
            atomic_store(&filling->failed, true);
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    char message[512];
    if (argc < 3 || argc > 4) {
        fprintf(stderr, "usage: gpulab-fill-history FILE RUNS [MEASUREMENTS]\n");
        return 2;
    }
    struct filling filling = {.total = strtoul(argv[2], NULL, 10),
                              .measurements = argc == 4 ? strtoul(argv[3], NULL, 10) : 0};
    if (filling.measurements > MEASUREMENTS_MAX) {
        fprintf(stderr, "a run has at most %d measurements\n", MEASUREMENTS_MAX);
        return 2;
    }
    filling.store = lab_store_open(argv[1], message, sizeof message);
    if (filling.store == NULL) {
        fprintf(stderr, "%s\n", message);
        return 1;
    }
    pthread_t threads[THREADS];
    size_t started = 0;
    while (started < THREADS && pthread_create(&threads[started], NULL, fill, &filling) == 0)
        started++;
    while (started > 0)
        pthread_join(threads[--started], NULL);
    lab_store_close(filling.store);
    return atomic_load(&filling.failed) || atomic_load(&filling.next) < filling.total ? 1 : 0;
}
