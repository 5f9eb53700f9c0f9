/* The ids of the queued runs, oldest first: what the store's queue looks like, kept in memory so that places in it can
 * be told at once. Not locked; its owner is.
 */
#ifndef LAB_QUEUE_H
#define LAB_QUEUE_H

#include "store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lab_queue_entry {
    char id[LAB_RUN_ID_SIZE];
    bool stored; /* the run is on the disk; before that its place is only reserved */
};

/* Starts as `{0}`. */
struct lab_queue {
    struct lab_queue_entry *entries; /* sorted by id */
    size_t count, capacity;
};

/* Takes a place for a run about to be stored, or one that is stored; false when out of memory. */
bool lab_queue_add(struct lab_queue *queue, const char *id, bool stored);
/* NULL when it is not there; valid until the queue changes. */
struct lab_queue_entry *lab_queue_find(const struct lab_queue *queue, const char *id);
/* How many are before it; -1 when it is not there. */
int64_t lab_queue_position(const struct lab_queue *queue, const char *id);
bool lab_queue_remove(struct lab_queue *queue, const char *id);
/* The oldest that is stored; NULL when there is none. */
const struct lab_queue_entry *lab_queue_first(const struct lab_queue *queue);
void lab_queue_release(struct lab_queue *queue);

/* Fills an empty queue with what is queued in the store. */
enum lab_store_result lab_queue_load(struct lab_queue *queue, struct lab_store *store);

#endif
