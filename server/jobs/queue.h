/* The queued runs: a copy of the store's queue in memory, and their order. Runs of normal priority come before those of
 * low priority. Within a priority people take turns: the next run is the oldest one of the person who was served least
 * recently. Runs that nobody is named for count as those of one person. Not thread-safe; the owner locks it.
 */
#ifndef LAB_QUEUE_H
#define LAB_QUEUE_H

#include "durations.h"
#include "store.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most machines that a lab runs experiments on, and that a run may have devices of. */
enum { LAB_QUEUE_NODES_MAX = 256, LAB_RUN_NODES_MAX = 16, LAB_RUN_OTHERS_MAX = LAB_RUN_NODES_MAX - 1 };

struct lab_person;

/* A queued run. `person` and the members after it belong to the queue. */
struct lab_queue_entry {
    char id[LAB_RUN_ID_SIZE];
    bool stored; /* false: the place is reserved while the run is being stored */
    enum lab_priority priority;
    const struct lab_experiment *experiment; /* NULL: this build does not have it */
    bool is_program;                         /* it executes what a person wrote for the host (own_kernel.h) */
    double planned_s;
    size_t node;        /* the index of the machine that has its devices, less than LAB_QUEUE_NODES_MAX */
    size_t other_count; /* entries of `others` */
    uint8_t others[LAB_RUN_OTHERS_MAX]; /* the machines with the rest of its devices; each index is above `node` */
    char sweep[LAB_RUN_ID_SIZE];        /* the id of its sweep, or "" */
    struct lab_person *person;          /* who requested it */
    size_t turn;                        /* runs of the same person and priority before it */
    size_t position;                    /* runs before it on its node */
    double wait_s;                      /* how long they are expected to take */
};

/* Starts as `{0}`. */
struct lab_queue {
    struct lab_queue_entry *entries; /* sorted by id */
    struct lab_queue_entry **order;  /* the entries in the order of execution; valid while `ordered` */
    size_t count, capacity;
    bool ordered;
    /* The machine starts no run: runs on it and others are passed over. Set by the owner. */
    bool held[LAB_QUEUE_NODES_MAX];
    struct lab_person *people; /* a list of all who have had a run in the queue */
    uint64_t served;           /* how often a run was taken */
    /* How long the runs of each node are expected to take; valid while `ordered`. */
    double expected_s[LAB_QUEUE_NODES_MAX];
    struct lab_durations durations;
};

/* Adds a run, of which the members up to `sweep` are read. `requested_by` may be NULL. False when out of
 * memory. */
bool lab_queue_add(struct lab_queue *queue, const struct lab_queue_entry *run, const char *requested_by);
/* Whether the run of an entry that was added was requested by the person; NULL: by one whose name is unknown. */
bool lab_queue_is_of(const struct lab_queue_entry *run, const char *requested_by);
/* Adds a run again that was taken or removed. False when out of memory. */
bool lab_queue_put_back(struct lab_queue *queue, const struct lab_queue_entry *run);
/* The run's entry, valid until the queue changes; NULL when it is not queued. */
struct lab_queue_entry *lab_queue_find(const struct lab_queue *queue, const char *id);
/* As lab_queue_find; `position` and `wait_s` of the entry are set. */
const struct lab_queue_entry *lab_queue_place(struct lab_queue *queue, const char *id);
/* How long the queued runs of a node together are expected to take. */
double lab_queue_expected_s(struct lab_queue *queue, size_t node);
/* The number of queued runs of a node. */
size_t lab_queue_length(const struct lab_queue *queue, size_t node);
/* Removes the run and copies it to *removed, which may be NULL; false when it is not queued. */
bool lab_queue_remove(struct lab_queue *queue, const char *id, struct lab_queue_entry *removed);
/* The run that the node is to execute next, among those that are stored, valid until the queue changes. A run on
 * several machines is executed when it is the next one of each of them, and belongs to the first: the others get NULL
 * until it is taken. So it does not wait for runs that were queued later. NULL also when there is none. */
const struct lab_queue_entry *lab_queue_next(struct lab_queue *queue, size_t node);
/* Removes lab_queue_next and copies it to *taken; it is the turn of another person then. False when there is none. */
bool lab_queue_take(struct lab_queue *queue, size_t node, struct lab_queue_entry *taken);
/* Notes how long a run took, for the estimates of the others. */
void lab_queue_note_duration(struct lab_queue *queue, const struct lab_experiment *experiment, double planned_s,
                             double actual_s);
void lab_queue_release(struct lab_queue *queue);

/* Fills an empty queue with the runs that are queued in the store, and reads how long the last runs of each experiment
 * took. `place` sets the nodes of a run from its devices, [{id, name, node}]. */
enum lab_store_result lab_queue_load(struct lab_queue *queue, struct lab_store *store,
                                     void (*place)(const void *context, const json_t *devices,
                                                   struct lab_queue_entry *run),
                                     const void *context);

#endif
