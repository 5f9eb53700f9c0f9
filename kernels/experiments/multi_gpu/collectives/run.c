/* Measures the points of collectives. Of a run on several machines, process 0 does, and the others follow it step by
 * step (group.h). */
#include "benchmark/axes.h"
#include "benchmark/loop.h"
#include "descriptor/parameters.h"
#include "group.h"
#include "process.h"

#include <stdio.h>
#include <string.h>

/* In place, each repetition multiplies the sums by the number of devices, at most 16. The last of 31 repetitions, after
 * a leading one, adds up sums below 16^31 = 2^124, which fp32 can represent. */
enum { REPETITIONS_MAX = 31 };

static const double sample_s = 5e-3; /* METHOD.md 18 */

struct collectives {
    struct lab_run *run;
    struct collectives_process process;
    struct collectives_group group;
    uint64_t wrong; /* elements that the last COLLECTIVES_CHECK found in all processes */
};

/* --- a step in this process, which sets run->error when it fails -------------------------------------------------- */

/* Tells all processes whether this one has done its part of a step, and how many elements are wrong; s->wrong becomes
 * their sum. Returns whether all have done it. */
static bool agree(struct collectives *s, bool good, uint64_t wrong)
{
    struct lab_run *run = s->run;
    struct collectives_answer answer = {.wrong = wrong};
    s->wrong = wrong;
    if (run->group == NULL)
        return good;
    if (!good) {
        answer.status = run->error.code == LAB_ERROR_UNSUPPORTED ? COLLECTIVES_UNSUPPORTED : COLLECTIVES_FAILED;
        memcpy(answer.reason, run->error.detail, sizeof answer.reason);
    }
    uint32_t own = answer.status;
    if (!collectives_group_answer(&s->group, &answer))
        return false;
    s->wrong = answer.wrong;
    if (answer.status > own)
        lab_error_set(&run->error,
                      answer.status == COLLECTIVES_UNSUPPORTED ? LAB_ERROR_UNSUPPORTED : LAB_ERROR_GROUP_FAILED, "",
                      "another machine of the run: %.250s", answer.reason);
    return answer.status == COLLECTIVES_GOOD;
}

/* If a process cannot prepare the point, all close their communicators, so that the next point finds all in the same
 * state. */
static bool prepare(struct collectives *s, const struct collectives_command *command)
{
    const struct lab_point *point = &command->point;
    if (!collectives_process_join(&s->process, (size_t)point->values[COLLECTIVES_DEVICES], &command->id))
        return false;
    bool good = agree(s, collectives_process_prepare(&s->process, point), 0);
    if (!good && s->run->group != NULL)
        collectives_process_close(&s->process, false);
    return good;
}

static bool check(struct collectives *s)
{
    struct lab_run *run = s->run;
    uint64_t wrong = 0;
    bool good = lab_run_forward_error(run, run->devices[0], collectives_process_check(&s->process, &wrong));
    return agree(s, good, wrong);
}

static bool enqueue_times(struct collectives_process *process, size_t times)
{
    for (size_t i = 0; i < times; i++)
        if (!collectives_process_enqueue(process))
            return false;
    return collectives_process_synchronize(process);
}

static bool perform(struct collectives *s, const struct collectives_command *command)
{
    struct collectives_process *process = &s->process;
    bool good = false;
    switch ((enum collectives_step)command->step) {
    case COLLECTIVES_PREPARE:
        return prepare(s, command);
    case COLLECTIVES_CHECK:
        return check(s);
    case COLLECTIVES_RESET:
        good = collectives_process_reset(process);
        break;
    case COLLECTIVES_RESTORE:
        good = collectives_process_restore(process);
        break;
    case COLLECTIVES_ENQUEUE:
        good = enqueue_times(process, command->times);
        break;
    case COLLECTIVES_END:
        return true;
    }
    return lab_run_forward_error(s->run, s->run->devices[0], good);
}

/* --- process 0: the work of a point ------------------------------------------------------------------------------- */

/* Has all processes do a step. Returns false with run->error and the error of the first device set. */
static bool perform_in_all(struct collectives *s, enum collectives_step step)
{
    struct collectives_command command = {.step = step};
    if (collectives_group_command(&s->group, &command) && perform(s, &command))
        return true;
    s->run->devices[0]->error = s->run->error;
    return false;
}

static bool collectives_announce(void *context, size_t times)
{
    struct collectives *s = context;
    struct collectives_command command = {.step = COLLECTIVES_ENQUEUE, .times = (uint32_t)times};
    return collectives_group_command(&s->group, &command); /* its error is that of the first device */
}

static bool collectives_enqueue(void *context)
{
    struct collectives *s = context;
    return collectives_process_enqueue(&s->process);
}

static bool collectives_restore(void *context)
{
    return perform_in_all(context, COLLECTIVES_RESTORE);
}

static bool collectives_reset(void *context)
{
    return perform_in_all(context, COLLECTIVES_RESET);
}

/* In place, each repetition adds up the sums of the previous one, so the results after several repetitions are not
 * checked. lab_measure verifies one more repetition on reset buffers, which is checked completely. */
static bool collectives_verify(void *context, uint64_t *wrong)
{
    struct collectives *s = context;
    const struct collectives_process *process = &s->process;
    *wrong = 0;
    if (collectives_process_in_place(process) && collectives_reduces(collectives_operation(&process->point)) &&
        process->repetitions > 1)
        return true;
    bool good = perform_in_all(s, COLLECTIVES_CHECK);
    *wrong = s->wrong;
    return good;
}

static struct lab_work work_of(struct collectives *s)
{
    const struct collectives_process *process = &s->process;
    bool grows = collectives_process_in_place(process) && collectives_operation(&process->point) == LAB_ALL_REDUCE;
    return (struct lab_work){
        .timing = LAB_TIME_EVENTS,
        .lane_count = process->devices,
        .lanes = process->lanes,
        .sample_s = sample_s,
        .context = s,
        .announce = s->run->group != NULL ? collectives_announce : NULL,
        .enqueue = collectives_enqueue,
        .poison = collectives_reset,
        .verify = collectives_verify,
        .before_sample = grows ? collectives_restore : NULL,
        .repetitions_max = grows ? REPETITIONS_MAX : 0,
        .collective = true,
    };
}

/* --- process 0: the points ---------------------------------------------------------------------------------------- */

/* Prepares the point in all processes. */
static bool prepare_in_all(struct collectives *s, const struct lab_point *point)
{
    struct lab_run *run = s->run;
    struct collectives_command command = {.step = COLLECTIVES_PREPARE, .point = *point};
    const struct lab_runtime_collective *table = s->process.runtime->collective;
    bool joins = run->group != NULL && s->process.ranks != (size_t)point->values[COLLECTIVES_DEVICES];
    if (joins && !lab_run_forward_error(run, run->devices[0], table->make_id(run->devices[0], &command.id)))
        return false;
    return collectives_group_command(&s->group, &command) && perform(s, &command);
}

static bool collectives_begin(void *context, struct lab_point *point, struct lab_case *c)
{
    struct collectives *s = context;
    size_t devices = (size_t)point->values[COLLECTIVES_DEVICES], bytes = collectives_bytes(point);
    const char *impossible = collectives_skip_reason(point);
    if (s->process.runtime->collective == NULL)
        impossible = "the runtime of these devices has no collectives";
    if (impossible != NULL) {
        snprintf(c->skipped, sizeof c->skipped, "%s", impossible);
        return true;
    }
    if (!prepare_in_all(s, point))
        return false;
    c->work = work_of(s);
    c->counts[LAB_COUNT_BYTES] = (double)bytes;
    c->counts[LAB_COUNT_AGGREGATE_BYTES] =
        (double)bytes * collectives_bus_factor(collectives_operation(point), devices);
    /* A device holds a send and a receive buffer, in place only one. */
    lab_loop_note_cache(s->run, s->run->devices[0], (collectives_process_in_place(&s->process) ? 1 : 2) * bytes);
    return true;
}

/* Makes the next point allocate its buffers. Other processes of the run keep theirs. */
static bool collectives_renew(void *context)
{
    ((struct collectives *)context)->process.capacity = 0;
    return true;
}

/* Opens the first communicator before the loop begins and the time budget starts, because this can take longer than a
 * quick run. Several processes join it with the first point. */
static bool open_first(struct collectives *s)
{
    struct lab_run *run = s->run;
    int64_t asked = lab_parameter_values(run->parameters, "device_count")->items[0].integer;
    if (s->process.runtime->collective == NULL || run->group != NULL ||
        collectives_process_join(&s->process, lab_device_count(asked, run->device_count), NULL))
        return true;
    if (run->error.code != LAB_ERROR_UNSUPPORTED)
        return false;
    run->error = (struct lab_error){0}; /* the points are skipped */
    return true;
}

/* *ended: all processes know that the run is over. After a failure they are not told, because they may be in the middle
 * of a step. A cancel takes effect between two steps. */
static bool lead(struct collectives *s, bool *ended)
{
    static const struct lab_loop loop = {.begin = collectives_begin, .renew = collectives_renew};
    struct collectives_command end = {.step = COLLECTIVES_END};
    bool good = open_first(s) && lab_loop_run(s->run, &loop, s);
    const struct lab_error error = s->run->error;
    *ended = (good || s->run->error.code == LAB_ERROR_CANCELLED) && collectives_group_command(&s->group, &end);
    if (!good)
        s->run->error = error;
    return good && *ended;
}

/* --- the other processes ------------------------------------------------------------------------------------------ */

static bool follow(struct collectives *s, bool *ended)
{
    struct collectives_command command = {.step = COLLECTIVES_END};
    while (collectives_group_command(&s->group, &command)) {
        *ended = command.step == COLLECTIVES_END;
        if (*ended)
            return true;
        bool good = perform(s, &command);
        if (!good && (command.step != COLLECTIVES_PREPARE || s->run->error.code != LAB_ERROR_UNSUPPORTED))
            return false;
        s->run->error = (struct lab_error){0}; /* process 0 skips a point that is not supported */
    }
    return false;
}

bool collectives_run(struct lab_run *run)
{
    struct collectives s = {.run = run, .group = {.run = run}};
    bool ended = false;
    collectives_process_init(&s.process, run);
    bool good = collectives_group_open(&s.group, lab_parameter_integer(run->parameters, "multicast") != 0) &&
                (run->group == NULL || run->group->index == 0 ? lead(&s, &ended) : follow(&s, &ended));
    bool abandoned = run->group != NULL && !ended;
    collectives_process_close(&s.process, abandoned);
    collectives_group_close(&s.group, abandoned);
    return good;
}
