/* Event-driven simulation of a schedule. The simulated events are the ends of operations. */
#include "measure/schedule.h"

#include <math.h>
#include <stdlib.h>

enum { QUEUES = 3, IDLE = -1 };

struct simulation {
    struct lab_scheduled_operation *operations;
    size_t count;
    const struct lab_schedule_device *device;
    size_t *before;       /* of each operation: its predecessor in its stream; itself when it is the first */
    double *remaining;    /* of each operation: the share that is not yet executed, from 1 to 0 */
    bool *begun;          /* of each operation: it has been started */
    size_t first[QUEUES]; /* of each queue: index of the first operation that has not been started */
    long running[QUEUES]; /* of each queue: index of the operation that its engine executes, or IDLE */
};

/* The queue, and so the engine, of an operation. With fewer than two copy engines, operations share one. */
static size_t queue_of(const struct simulation *s, const struct lab_scheduled_operation *operation)
{
    if (s->device->copy_engines == 0)
        return LAB_ENGINE_COMPUTE;
    if (s->device->copy_engines == 1 && operation->engine == LAB_ENGINE_D2H)
        return LAB_ENGINE_H2D;
    return operation->engine;
}

static bool ended(const struct simulation *s, size_t index)
{
    return s->remaining[index] <= 0;
}

/* Whether the end of the operation has been signalled to the operations that wait for it. */
static bool known_to_have_ended(const struct simulation *s, size_t index)
{
    if (!ended(s, index))
        return false;
    if (!s->device->kernels_end_together || s->operations[index].engine != LAB_ENGINE_COMPUTE)
        return true;
    for (size_t i = index; !s->operations[i].event_after; i++) {
        if (i + 1 == s->count || s->operations[i + 1].engine != LAB_ENGINE_COMPUTE)
            break;
        if (!ended(s, i + 1))
            return false;
    }
    return true;
}

/* Whether the operation belongs to `queue` and has not begun. */
static bool is_candidate(const struct simulation *s, size_t index, size_t queue)
{
    return !s->begun[index] && queue_of(s, &s->operations[index]) == queue;
}

/* Whether the operation's predecessor in its stream has ended, or it has none. */
static bool is_ready(const struct simulation *s, size_t index)
{
    return s->before[index] == index || known_to_have_ended(s, s->before[index]);
}

/* The index of the operation that the queue's idle engine starts next, by the device's order; s->count when none is
 * ready. */
static size_t next_of_queue(const struct simulation *s, size_t queue)
{
    size_t best = s->count;
    for (size_t i = s->first[queue]; i < s->count; i++) {
        if (!is_candidate(s, i, queue))
            continue;
        bool ready = is_ready(s, i);
        if (s->device->order == LAB_ORDER_ISSUED)
            return ready ? i : s->count;
        if (ready && s->device->order == LAB_ORDER_READY)
            return i;
        if (ready && (best == s->count || s->operations[i].stream < s->operations[best].stream))
            best = i;
    }
    return best;
}

/* Starts an operation on every idle engine for which one is ready. */
static void start_ready(struct simulation *s, double now)
{
    for (size_t queue = 0; queue < QUEUES; queue++) {
        if (s->running[queue] != IDLE)
            continue;
        size_t index = next_of_queue(s, queue);
        if (index == s->count)
            continue;
        s->running[queue] = (long)index;
        s->begun[index] = true;
        s->operations[index].start = now;
        while (s->first[queue] < s->count && !is_candidate(s, s->first[queue], queue))
            s->first[queue]++;
    }
}

/* Seconds that the operation would take from its start to its end under the current contention. */
static double current_duration(const struct simulation *s, size_t index)
{
    const struct lab_scheduled_operation *operation = &s->operations[index];
    bool both = s->running[LAB_ENGINE_H2D] != IDLE && s->running[LAB_ENGINE_D2H] != IDLE;
    return both && operation->engine != LAB_ENGINE_COMPUTE ? operation->contended : operation->alone;
}

/* Advances to the next end of an operation and returns its time. */
static double advance(struct simulation *s, double now)
{
    double step = INFINITY, durations[QUEUES] = {0};
    for (size_t queue = 0; queue < QUEUES; queue++)
        if (s->running[queue] != IDLE) {
            size_t index = (size_t)s->running[queue];
            durations[queue] = current_duration(s, index);
            step = fmin(step, s->remaining[index] * durations[queue]);
        }
    for (size_t queue = 0; queue < QUEUES; queue++) {
        if (s->running[queue] == IDLE)
            continue;
        size_t index = (size_t)s->running[queue];
        double left = s->remaining[index] * durations[queue] - step;
        s->remaining[index] = left > 1e-12 * durations[queue] ? left / durations[queue] : 0;
        if (ended(s, index)) {
            s->operations[index].end = now + step;
            s->running[queue] = IDLE;
        }
    }
    return now + step;
}

static bool is_running(const struct simulation *s)
{
    for (size_t queue = 0; queue < QUEUES; queue++)
        if (s->running[queue] != IDLE)
            return true;
    return false;
}

/* Finds the predecessor of each operation in its stream. `last` is scratch space, with one entry per stream. */
static void link_streams(struct simulation *s, size_t *last)
{
    for (size_t i = 0; i < s->count; i++)
        last[i] = s->count;
    for (size_t i = 0; i < s->count; i++) {
        size_t *of_stream = &last[s->operations[i].stream];
        s->before[i] = *of_stream == s->count ? i : *of_stream;
        *of_stream = i;
        s->remaining[i] = 1;
    }
}

double lab_schedule_simulate(struct lab_scheduled_operation *operations, size_t count,
                             const struct lab_schedule_device *device)
{
    struct simulation s = {.operations = operations, .count = count, .device = device};
    double now = -1;
    size_t *last = calloc(count + 1, sizeof *last);
    s.before = calloc(count + 1, sizeof *s.before);
    s.remaining = calloc(count + 1, sizeof *s.remaining);
    s.begun = calloc(count + 1, sizeof *s.begun);
    if (last == NULL || s.before == NULL || s.remaining == NULL || s.begun == NULL)
        goto out;
    link_streams(&s, last);
    for (size_t queue = 0; queue < QUEUES; queue++)
        s.running[queue] = IDLE;
    now = 0;
    for (start_ready(&s, now); is_running(&s); start_ready(&s, now))
        now = advance(&s, now);
out:
    free(last);
    free(s.before);
    free(s.remaining);
    free(s.begun);
    return now;
}
