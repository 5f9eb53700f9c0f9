/* Fills a store with runs over a year, for tests/bench/history.mjs:
 *
 *   gpulab-fill-history FILE RUNS
 */
#include "store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const experiments[] = {"transfer", "overlap", "matmul", "scaling"};
static const char *const devices[] = {"host-0-bench", "GPU-11111111-2222-3333-4444-555555555555"};
static const char *const tags[] = {"nightly", "manual", "driver-580", "before-upgrade", "after-upgrade"};
static const char *const notes[] = {"", "", "", "weekly check", "after moving the card to another slot"};
static const enum lab_status endings[] = {LAB_STATUS_SUCCEEDED, LAB_STATUS_SUCCEEDED, LAB_STATUS_SUCCEEDED,
                                          LAB_STATUS_FAILED,    LAB_STATUS_CANCELLED, LAB_STATUS_INTERRUPTED};

#define PICK(table, i) (table)[(i) % (sizeof(table) / sizeof *(table))]

static bool add(struct lab_store *store, size_t i, size_t total)
{
    enum { YEAR_S = 365 * 24 * 3600 };
    const int64_t start_of_2025 = 1735689600000000;
    int64_t at = start_of_2025 + (int64_t)((double)i / (double)total * YEAR_S * 1e6);
    char id[LAB_RUN_ID_SIZE], existing[LAB_RUN_ID_SIZE], device_list[128], tag_list[64];
    const char *device = PICK(devices, i / 3), *tag = PICK(tags, i / 7);
    lab_run_id(id);
    snprintf(device_list, sizeof device_list, "[{\"id\":\"%s\",\"name\":\"NVIDIA H200\",\"node\":null}]", device);
    snprintf(tag_list, sizeof tag_list, "[\"%s\"]", tag);
    struct lab_new_run run = {
        .id = id,
        .experiment = PICK(experiments, i),
        .host = "bench",
        .devices = device_list,
        .parameters = "{\"min_bytes\":1024,\"max_bytes\":268435456}",
        .tags = tag_list,
        .note = PICK(notes, i / 11),
        .created_at = at,
    };
    enum lab_status ending = PICK(endings, i / 5);
    return lab_store_add_run(store, &run, existing) == LAB_STORE_OK &&
           lab_store_start_run(store, id, at + 1000) == LAB_STORE_OK &&
           lab_store_finish_run(store, id, ending, at + 12000000, false, NULL) == LAB_STORE_OK;
}

int main(int argc, char **argv)
{
    char message[512];
    if (argc != 3) {
        fprintf(stderr, "usage: gpulab-fill-history FILE RUNS\n");
        return 2;
    }
    struct lab_store *store = lab_store_open(argv[1], message, sizeof message);
    if (store == NULL) {
        fprintf(stderr, "%s\n", message);
        return 1;
    }
    size_t total = strtoul(argv[2], NULL, 10);
    bool good = true;
    for (size_t i = 0; good && i < total; i++)
        good = add(store, i, total);
    if (!good)
        fprintf(stderr, "%s\n", lab_store_message(store));
    lab_store_close(store);
    return good ? 0 : 1;
}
