/* The queue as a sorted array, and the order of execution, which is computed when it is asked for after a change. Ids
 * sort by time, so a new run nearly always is the last; the queue limit keeps the array small. */
#include "queue.h"

#include "own_kernel.h"

#include "core/json_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lab_person {
    struct lab_person *next;
    uint64_t served;                     /* queue->served when a run of this person was last taken; 0: never */
    uint64_t recency;                    /* the same while the order is computed */
    size_t turns;                        /* runs of the present priority so far, while the order is computed */
    const struct lab_queue_entry *first; /* the first of them */
    char name[];                         /* "" for runs that nobody is named for */
};

/* --- people ------------------------------------------------------------------------------------------------------- */

/* NULL when out of memory. */
static struct lab_person *person_of(struct lab_queue *queue, const char *name)
{
    struct lab_person *person = queue->people;
    while (person != NULL && strcmp(person->name, name) != 0)
        person = person->next;
    if (person != NULL)
        return person;
    person = calloc(1, sizeof *person + strlen(name) + 1);
    if (person != NULL) {
        strcpy(person->name, name);
        person->next = queue->people;
        queue->people = person;
    }
    return person;
}

/* --- the array ---------------------------------------------------------------------------------------------------- */

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

/* Makes space for another entry. */
static bool reserve(struct lab_queue *queue)
{
    if (queue->count < queue->capacity)
        return true;
    size_t capacity = queue->capacity != 0 ? 2 * queue->capacity : 64;
    struct lab_queue_entry *entries = realloc(queue->entries, capacity * sizeof *entries);
    if (entries != NULL)
        queue->entries = entries;
    struct lab_queue_entry **order = realloc(queue->order, capacity * sizeof *order);
    if (order != NULL)
        queue->order = order;
    if (entries == NULL || order == NULL)
        return false;
    queue->capacity = capacity;
    return true;
}

bool lab_queue_put_back(struct lab_queue *queue, const struct lab_queue_entry *run)
{
    queue->ordered = false;
    if (!reserve(queue))
        return false;
    size_t at = lower_bound(queue, run->id);
    memmove(&queue->entries[at + 1], &queue->entries[at], (queue->count - at) * sizeof *queue->entries);
    queue->entries[at] = *run;
    queue->count++;
    return true;
}

bool lab_queue_add(struct lab_queue *queue, const struct lab_queue_entry *run, const char *requested_by)
{
    struct lab_queue_entry entry = *run;
    entry.person = person_of(queue, requested_by != NULL ? requested_by : "");
    return entry.person != NULL && lab_queue_put_back(queue, &entry);
}

bool lab_queue_is_of(const struct lab_queue_entry *run, const char *requested_by)
{
    return strcmp(run->person->name, requested_by != NULL ? requested_by : "") == 0;
}

struct lab_queue_entry *lab_queue_find(const struct lab_queue *queue, const char *id)
{
    size_t at = lower_bound(queue, id);
    return at < queue->count && strcmp(queue->entries[at].id, id) == 0 ? &queue->entries[at] : NULL;
}

bool lab_queue_remove(struct lab_queue *queue, const char *id, struct lab_queue_entry *removed)
{
    struct lab_queue_entry *entry = lab_queue_find(queue, id);
    if (entry == NULL)
        return false;
    if (removed != NULL)
        *removed = *entry;
    size_t at = (size_t)(entry - queue->entries);
    memmove(entry, entry + 1, (queue->count - at - 1) * sizeof *entry);
    queue->count--;
    queue->ordered = false;
    return true;
}

void lab_queue_release(struct lab_queue *queue)
{
    while (queue->people != NULL) {
        struct lab_person *person = queue->people;
        queue->people = person->next;
        free(person);
    }
    free(queue->order);
    free(queue->entries);
    lab_durations_release(&queue->durations);
    *queue = (struct lab_queue){0};
}

/* --- the order ---------------------------------------------------------------------------------------------------- */

/* Compares two runs of one priority: first the first run of each person, then the second of each, and so on; in each
 * round, the people in the order in which they were served. */
static int compare_turns(const void *left, const void *right)
{
    const struct lab_queue_entry *a = *(struct lab_queue_entry *const *)left;
    const struct lab_queue_entry *b = *(struct lab_queue_entry *const *)right;
    if (a->turn != b->turn)
        return a->turn < b->turn ? -1 : 1;
    if (a->person->recency != b->person->recency)
        return a->person->recency < b->person->recency ? -1 : 1;
    return strcmp(a->person->first->id, b->person->first->id);
}

/* Adds the runs of one priority to the first `placed` of the order; returns their number together. */
static size_t order_priority(struct lab_queue *queue, enum lab_priority priority, size_t placed, uint64_t *recency)
{
    size_t end = placed;
    for (struct lab_person *person = queue->people; person != NULL; person = person->next)
        person->turns = 0;
    for (size_t i = 0; i < queue->count; i++) {
        struct lab_queue_entry *entry = &queue->entries[i];
        if (entry->priority != priority)
            continue;
        entry->turn = entry->person->turns++;
        if (entry->turn == 0)
            entry->person->first = entry;
        queue->order[end++] = entry;
    }
    if (end > placed) /* an empty queue may have no array */
        qsort(queue->order + placed, end - placed, sizeof(struct lab_queue_entry *), compare_turns);
    for (size_t i = placed; i < end; i++)
        queue->order[i]->person->recency = ++*recency;
    return end;
}

/* The number of machines that the run is on, and their indices. */
static size_t node_count(const struct lab_queue_entry *run)
{
    return 1 + run->other_count;
}

static size_t node_at(const struct lab_queue_entry *run, size_t index)
{
    return index == 0 ? run->node : run->others[index - 1];
}

static bool is_on(const struct lab_queue_entry *run, size_t node)
{
    bool found = false;
    for (size_t i = 0; i < node_count(run); i++)
        found = found || node_at(run, i) == node;
    return found;
}

/* Places a run behind those that were placed before, on each of its machines. */
static void place(struct lab_queue *queue, struct lab_queue_entry *run, size_t before[LAB_QUEUE_NODES_MAX])
{
    double *expected_s = queue->expected_s;
    run->position = 0;
    run->wait_s = 0;
    for (size_t i = 0; i < node_count(run); i++) {
        size_t node = node_at(run, i);
        run->position = before[node] > run->position ? before[node] : run->position;
        run->wait_s = fmax(run->wait_s, expected_s[node]);
        before[node]++;
    }
    double end_s = run->wait_s + lab_durations_expect(&queue->durations, run->experiment, run->planned_s);
    for (size_t i = 0; i < node_count(run); i++)
        expected_s[node_at(run, i)] = end_s;
}

static void compute_order(struct lab_queue *queue)
{
    uint64_t recency = queue->served;
    size_t before[LAB_QUEUE_NODES_MAX] = {0};
    if (queue->ordered)
        return;
    for (struct lab_person *person = queue->people; person != NULL; person = person->next)
        person->recency = person->served;
    size_t placed = order_priority(queue, LAB_PRIORITY_NORMAL, 0, &recency);
    placed = order_priority(queue, LAB_PRIORITY_LOW, placed, &recency);
    memset(queue->expected_s, 0, sizeof queue->expected_s);
    for (size_t i = 0; i < placed; i++)
        place(queue, queue->order[i], before);
    queue->ordered = true;
}

const struct lab_queue_entry *lab_queue_place(struct lab_queue *queue, const char *id)
{
    compute_order(queue);
    return lab_queue_find(queue, id);
}

double lab_queue_expected_s(struct lab_queue *queue, size_t node)
{
    compute_order(queue);
    return queue->expected_s[node];
}

size_t lab_queue_length(const struct lab_queue *queue, size_t node)
{
    size_t length = 0;
    for (size_t i = 0; i < queue->count; i++)
        length += is_on(&queue->entries[i], node);
    return length;
}

/* Whether the run is on several machines and one of them starts no run. */
static bool is_held_up(const struct lab_queue *queue, const struct lab_queue_entry *run)
{
    bool held = false;
    for (size_t i = 0; i < node_count(run); i++)
        held = held || queue->held[node_at(run, i)];
    return held && run->other_count > 0;
}

/* The first run on the node, also if it belongs to another one; NULL when there is none. */
static const struct lab_queue_entry *first_on(struct lab_queue *queue, size_t node)
{
    compute_order(queue);
    for (size_t i = 0; i < queue->count; i++)
        if (queue->order[i]->stored && is_on(queue->order[i], node) && !is_held_up(queue, queue->order[i]))
            return queue->order[i];
    return NULL;
}

const struct lab_queue_entry *lab_queue_next(struct lab_queue *queue, size_t node)
{
    const struct lab_queue_entry *run = first_on(queue, node);
    bool next = run != NULL && run->node == node;
    for (size_t i = 0; next && i < run->other_count; i++)
        next = first_on(queue, run->others[i]) == run;
    return next ? run : NULL;
}

bool lab_queue_take(struct lab_queue *queue, size_t node, struct lab_queue_entry *taken)
{
    const struct lab_queue_entry *next = lab_queue_next(queue, node);
    if (next == NULL)
        return false;
    next->person->served = ++queue->served;
    return lab_queue_remove(queue, next->id, taken);
}

void lab_queue_note_duration(struct lab_queue *queue, const struct lab_experiment *experiment, double planned_s,
                             double actual_s)
{
    lab_durations_add(&queue->durations, experiment, planned_s, actual_s);
    queue->ordered = false;
}

/* --- loading ------------------------------------------------------------------------------------------------------ */

struct loading {
    struct lab_queue *queue;
    void (*place)(const void *context, const json_t *devices, struct lab_queue_entry *run);
    const void *context;
    char last[LAB_RUN_ID_SIZE]; /* id of the run that was read last */
    bool complete;              /* false: memory ran out */
};

static void load_queued(void *context, const struct lab_run_row *row)
{
    struct loading *loading = context;
    json_t *devices = lab_json_stored_list(row->devices), *kernel = lab_json_stored(row->kernel);
    json_t *compare_with = lab_json_stored(row->compare_with);
    struct lab_queue_entry run = {.stored = true,
                                  .priority = row->priority,
                                  .experiment = lab_experiment_find(row->experiment),
                                  .planned_s = row->estimate_s};
    run.is_program = lab_side_is_program(run.experiment, kernel) ||
                     lab_side_is_program(NULL, json_object_get(compare_with, "kernel"));
    loading->place(loading->context, devices, &run);
    json_decref(devices);
    json_decref(kernel);
    json_decref(compare_with);
    snprintf(run.id, sizeof run.id, "%s", row->id);
    snprintf(run.sweep, sizeof run.sweep, "%s", row->sweep != NULL ? row->sweep : "");
    snprintf(loading->last, sizeof loading->last, "%s", row->id);
    if (!lab_queue_add(loading->queue, &run, row->requested_by))
        loading->complete = false;
}

/* The last runs of an experiment, newest first. */
struct last_runs {
    double planned_s[LAB_DURATIONS_KEPT], actual_s[LAB_DURATIONS_KEPT];
    size_t count;
};

static void load_duration(void *context, const struct lab_run_row *row)
{
    struct last_runs *last = context;
    last->planned_s[last->count] = row->estimate_s;
    last->actual_s[last->count++] = (double)(row->finished_at - row->started_at) * 1e-6;
}

static enum lab_store_result load_durations(struct lab_durations *durations, struct lab_store *store)
{
    enum lab_store_result result = LAB_STORE_OK;
    for (size_t i = 0; lab_experiments[i] != NULL && result == LAB_STORE_OK; i++) {
        const struct lab_run_filter filter = {.experiment = lab_experiments[i]->name,
                                              .by_status = true,
                                              .status = LAB_STATUS_SUCCEEDED,
                                              .since = LAB_NO_TIME,
                                              .until = LAB_NO_TIME,
                                              .limit = LAB_DURATIONS_KEPT};
        struct last_runs last = {.count = 0};
        bool more;
        result = lab_store_list_runs(store, &filter, load_duration, &last, &more);
        for (size_t k = last.count; k-- > 0;)
            lab_durations_add(durations, lab_experiments[i], last.planned_s[k], last.actual_s[k]);
    }
    return result;
}

enum lab_store_result lab_queue_load(struct lab_queue *queue, struct lab_store *store,
                                     void (*place_run)(const void *context, const json_t *devices,
                                                       struct lab_queue_entry *run),
                                     const void *context)
{
    struct loading loading = {.queue = queue, .place = place_run, .context = context, .complete = true};
    enum lab_store_result result = LAB_STORE_OK;
    for (bool more = true; more && result == LAB_STORE_OK;) {
        char after[LAB_RUN_ID_SIZE];
        memcpy(after, loading.last, sizeof after);
        const struct lab_run_filter filter = {.by_status = true,
                                              .status = LAB_STATUS_QUEUED,
                                              .since = LAB_NO_TIME,
                                              .until = LAB_NO_TIME,
                                              .after = after[0] != '\0' ? after : NULL,
                                              .oldest_first = true,
                                              .limit = LAB_LIST_MAX};
        result = lab_store_list_runs(store, &filter, load_queued, &loading, &more);
    }
    if (result == LAB_STORE_OK && !loading.complete)
        result = lab_store_no_memory();
    return result == LAB_STORE_OK ? load_durations(&queue->durations, store) : result;
}
