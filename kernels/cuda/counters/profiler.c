/* The Range Profiler of CUPTI, with one range defined by the user, whose passes are the user's repetitions. What a
 * context needs is prepared once. Only while the work is counted is the profiler enabled, because it then keeps other
 * profilers off the device.
 */
#include "profiler.h"

#include "session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct cuda_profiler {
    struct cuda_chip chip;
    struct cuda_selection selection;
};

static bool select_all(struct cuda_profiler *p, struct lab_error *error)
{
    struct cuda_wanted all = {0};
    for (; all.count < LAB_HARDWARE_COUNTER_COUNT; all.count++)
        all.counters[all.count] = (enum lab_hardware_counter)all.count;
    return lab_cuda_selection_make(&p->selection, &p->chip, &all, error);
}

struct cuda_profiler *lab_cuda_profiler_create(CUcontext context, size_t ordinal, const char *path,
                                               struct lab_error *error)
{
    struct cuda_profiler *p = calloc(1, sizeof *p);
    if (p == NULL) {
        lab_error_set(error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for hardware counters");
        return NULL;
    }
    if (lab_cuda_chip_open(&p->chip, context, ordinal, path, error) && select_all(p, error))
        return p;
    lab_cuda_profiler_free(p);
    return NULL;
}

void lab_cuda_profiler_free(struct cuda_profiler *p)
{
    if (p == NULL)
        return;
    lab_cuda_selection_release(&p->selection, &p->chip);
    lab_cuda_chip_close(&p->chip);
    free(p);
}

size_t lab_cuda_profiler_passes(const struct cuda_profiler *profiler)
{
    return profiler->selection.passes;
}

/* Runs the work once, as the range. */
static bool run_range(const struct cuda_session *session, const struct lab_counted_work *work, struct lab_error *error)
{
    struct lab_error popping;
    if (!lab_cuda_session_push(session, 0, error))
        return false;
    bool ran = work->run(work->context), popped = lab_cuda_session_pop(session, &popping);
    if (ran && !popped)
        *error = popping;
    return ran && popped;
}

/* A pass; sets *last when no other one is needed. */
static bool run_pass(struct cuda_session *session, const struct lab_counted_work *work, bool *last,
                     struct lab_error *error)
{
    struct lab_error stopping;
    if (!work->prepare(work->context) || !lab_cuda_session_start(session, error))
        return false;
    bool ran = run_range(session, work, error), stopped = lab_cuda_session_stop(session, last, &stopping);
    if (ran && !stopped)
        *error = stopping;
    return ran && stopped;
}

static bool run_passes(struct cuda_session *session, const struct lab_counted_work *work, struct lab_error *error)
{
    size_t passes = session->selection->passes;
    bool last = false;
    for (size_t i = 0; i < passes && !last; i++)
        if (!run_pass(session, work, &last, error))
            return false;
    return last || lab_error_set(error, LAB_ERROR_UNSUPPORTED, "",
                                 "CUPTI needs more passes than the %zu that it had said", passes);
}

static bool evaluate(const struct cuda_session *session, struct lab_hardware_counts *counts, struct lab_error *error)
{
    const struct cuda_selection *selection = session->selection;
    double values[LAB_HARDWARE_COUNTER_COUNT] = {0};
    if (!lab_cuda_session_values(session, 0, values, error))
        return false;
    for (size_t i = 0; i < LAB_HARDWARE_COUNTER_COUNT; i++)
        counts->items[i] = (struct lab_hardware_count){.value = NAN};
    for (size_t i = 0; i < selection->count; i++) {
        struct lab_hardware_count *count = &counts->items[selection->counters[i]];
        count->value = values[i];
        snprintf(count->metric, sizeof count->metric, "%s", selection->metrics[i]);
    }
    return true;
}

bool lab_cuda_profiler_count(struct cuda_profiler *p, const struct lab_counted_work *work,
                             struct lab_hardware_counts *counts, struct lab_error *error)
{
    struct cuda_session session;
    bool good = lab_cuda_session_open(&session, &p->chip, &p->selection, 1, error) &&
                lab_cuda_session_configure(&session, error) && run_passes(&session, work, error) &&
                lab_cuda_session_decode(&session, error);
    lab_cuda_session_close(&session);
    good = good && evaluate(&session, counts, error);
    lab_cuda_session_release(&session);
    return good;
}
