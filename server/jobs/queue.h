/* The ids of the queued runs, oldest first: a copy of the store's queue in memory, so that positions are known without a
 * query. Not thread-safe; the owner locks it.
 */
#ifndef LAB_QUEUE_H
#define LAB_QUEUE_H

#include "store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lab_queue_entry {
    char id[LAB_RUN_ID_SIZE];
    bool stored; /* false: the place is reserved while the run is being stored */
};

/* Starts as `{0}`. */
struct lab_queue {
    struct lab_queue_entry *entries; /* sorted by id */
    size_t count, capacity;
};

/* Adds a run that is stored, or reserves a place for one that is about to be. False when out of memory. */
bool lab_queue_add(struct lab_queue *queue, const char *id, bool stored);
/* The run's entry, valid until the queue changes; NULL when it is not queued. */
struct lab_queue_entry *lab_queue_find(const struct lab_queue *queue, const char *id);
/* The number of runs before this one; -1 when it is not queued. */
int64_t lab_queue_position(const struct lab_queue *queue, const char *id);
/* Removes the run; false when it is not queued. */
bool lab_queue_remove(struct lab_queue *queue, const char *id);
/* The oldest run that is stored; NULL when there is none. */
const struct lab_queue_entry *lab_queue_first(const struct lab_queue *queue);
void lab_queue_release(struct lab_queue *queue);

/* Fills an empty queue with the runs that are queued in the store. */
enum lab_store_result lab_queue_load(struct lab_queue *queue, struct lab_store *store);

#endif
