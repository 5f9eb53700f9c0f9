/* The queue as a sorted array. Ids sort by time, so a new run nearly always is the last; the queue limit keeps it small. */
#include "queue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How many runs are read from the store at a time. */
enum { PAGE = 500 };

/* The index of `id`, or where it would be. */
static size_t lower_bound(const struct lab_queue *queue, const char *id)
{
    size_t low = 0, high = queue->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(queue->entries[middle].id, id) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool lab_queue_add(struct lab_queue *queue, const char *id, bool stored)
{
    if (queue->count == queue->capacity) {
        size_t capacity = queue->capacity != 0 ? 2 * queue->capacity : 64;
        struct lab_queue_entry *entries = realloc(queue->entries, capacity * sizeof *entries);
        if (entries == NULL)
            return false;
        queue->entries = entries;
        queue->capacity = capacity;
    }
    size_t at = lower_bound(queue, id);
    memmove(&queue->entries[at + 1], &queue->entries[at], (queue->count - at) * sizeof *queue->entries);
    queue->entries[at].stored = stored;
    snprintf(queue->entries[at].id, sizeof queue->entries[at].id, "%s", id);
    queue->count++;
    return true;
}

struct lab_queue_entry *lab_queue_find(const struct lab_queue *queue, const char *id)
{
    size_t at = lower_bound(queue, id);
    return at < queue->count && strcmp(queue->entries[at].id, id) == 0 ? &queue->entries[at] : NULL;
}

int64_t lab_queue_position(const struct lab_queue *queue, const char *id)
{
    const struct lab_queue_entry *entry = lab_queue_find(queue, id);
    return entry != NULL ? entry - queue->entries : -1;
}

bool lab_queue_remove(struct lab_queue *queue, const char *id)
{
    struct lab_queue_entry *entry = lab_queue_find(queue, id);
    if (entry == NULL)
        return false;
    size_t at = (size_t)(entry - queue->entries);
    memmove(entry, entry + 1, (queue->count - at - 1) * sizeof *entry);
    queue->count--;
    return true;
}

const struct lab_queue_entry *lab_queue_first(const struct lab_queue *queue)
{
    for (size_t i = 0; i < queue->count; i++)
        if (queue->entries[i].stored)
            return &queue->entries[i];
    return NULL;
}

void lab_queue_release(struct lab_queue *queue)
{
    free(queue->entries);
    *queue = (struct lab_queue){0};
}

struct loading {
    struct lab_queue *queue;
    char last[LAB_RUN_ID_SIZE]; /* id of the run that was read last, the oldest so far */
    bool complete;              /* false: memory ran out */
};

static void load_row(void *context, const struct lab_run_row *run)
{
    struct loading *loading = context;
    if (!lab_queue_add(loading->queue, run->id, true))
        loading->complete = false;
    snprintf(loading->last, sizeof loading->last, "%s", run->id);
}

enum lab_store_result lab_queue_load(struct lab_queue *queue, struct lab_store *store)
{
    struct loading loading = {.queue = queue, .complete = true};
    enum lab_store_result result = LAB_STORE_OK;
    for (bool more = true; more && result == LAB_STORE_OK;) {
        char before[LAB_RUN_ID_SIZE];
        memcpy(before, loading.last, sizeof before);
        const struct lab_run_filter filter = {.by_status = true,
                                              .status = LAB_STATUS_QUEUED,
                                              .since = LAB_NO_TIME,
                                              .until = LAB_NO_TIME,
                                              .before = before[0] != '\0' ? before : NULL,
                                              .limit = PAGE};
        result = lab_store_list_runs(store, &filter, load_row, &loading, &more);
    }
    return result == LAB_STORE_OK && !loading.complete ? LAB_STORE_FAILED : result;
}
