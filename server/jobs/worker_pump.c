/* Moving what travels between us and a worker, and stopping one in steps. */
#include "worker_pump.h"

#include "clock.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- stopping in steps -------------------------------------------------------------------------------------------- */

/* What each step sends, and which share of a hurry may have passed when it ends. */
static const struct {
    int signal;
    double hurry_share;
} steps[] = {
    [LAB_STEP_NONE] = {0, 1.0},         [LAB_STEP_ASKED] = {0, 0.5},    [LAB_STEP_TERMINATED] = {SIGTERM, 0.8},
    [LAB_STEP_KILLED] = {SIGKILL, 1.0}, [LAB_STEP_GIVEN_UP] = {0, 1.0},
};

void lab_enter_step(struct lab_worker *worker, struct lab_escalation *escalation, enum lab_step step)
{
    escalation->step = step;
    escalation->since = lab_clock_now();
    if (steps[step].signal != 0)
        lab_process_signal(&worker->process, steps[step].signal);
}

double lab_step_deadline(const struct lab_worker *worker, const struct lab_escalation *escalation)
{
    if (escalation->step == LAB_STEP_NONE)
        return INFINITY;
    double deadline = escalation->since + worker->grace_s;
    double by = atomic_load(&worker->hurry_by);
    if (isfinite(by)) {
        double at = atomic_load(&worker->hurry_at);
        deadline = fmin(deadline, at + steps[escalation->step].hurry_share * (by - at));
    }
    return deadline;
}

void lab_escalate(struct lab_worker *worker, struct lab_escalation *escalation)
{
    if (escalation->step != LAB_STEP_GIVEN_UP && lab_clock_now() >= lab_step_deadline(worker, escalation))
        lab_enter_step(worker, escalation, escalation->step + 1);
    if (escalation->step == LAB_STEP_GIVEN_UP)
        worker->stuck = true;
}

/* --- moving bytes ------------------------------------------------------------------------------------------------- */

static void drain_wake(const struct lab_worker *worker)
{
    uint64_t count;
    ssize_t ignored = read(worker->wake, &count, sizeof count);
    (void)ignored;
}

void lab_rouse(const struct lab_worker *worker)
{
    const uint64_t one = 1;
    int before = errno; /* this may run in a signal handler */
    ssize_t ignored = write(worker->wake, &one, sizeof one);
    (void)ignored;
    errno = before;
}

void lab_move(struct lab_worker *worker)
{
    struct lab_process *process = &worker->process;
    if (process->errors >= 0)
        lab_log_tail_fill(&worker->log, process->errors);
    if (process->output >= 0)
        lab_line_reader_fill(&worker->reader, process->output);
    if (process->input >= 0 && !lab_line_writer_flush(&worker->writer, process->input))
        lab_process_close_input(process); /* nobody reads it any more; its death will show by itself */
}

void lab_pump(struct lab_worker *worker, double deadline)
{
    const struct lab_process *process = &worker->process;
    bool reading = !worker->reader.ended && !worker->reader.too_long;
    bool writing = lab_line_writer_pending(&worker->writer);
    struct pollfd ends[] = {
        {.fd = reading ? process->output : -1, .events = POLLIN},
        {.fd = worker->log.ended ? -1 : process->errors, .events = POLLIN},
        {.fd = writing ? process->input : -1, .events = POLLOUT},
        {.fd = worker->wake, .events = POLLIN},
        {.fd = worker->ticking ? -1 : process->pidfd, .events = POLLIN},
    };
    double wait_s = fmin(fmax(deadline - lab_clock_now(), 0), worker->ticking ? LAB_TICK_S : 3600);
    if (poll(ends, sizeof ends / sizeof ends[0], (int)ceil(wait_s * 1000)) > 0) {
        if (ends[3].revents != 0)
            drain_wake(worker);
        /* Ended, yet not ours to reap (a debugger holds it): the pidfd would be ready for ever. */
        if (ends[4].revents != 0 && !lab_process_ended(&worker->process))
            worker->ticking = true;
    }
    lab_move(worker);
}

bool lab_send_operation(struct lab_worker *worker, json_t *operation)
{
    char *text = operation != NULL ? json_dumps(operation, JSON_COMPACT) : NULL;
    bool queued = text != NULL && lab_line_writer_add(&worker->writer, text, strlen(text));
    free(text);
    if (queued)
        lab_move(worker);
    return queued;
}

json_t *lab_next_event(struct lab_worker *worker, const char **name)
{
    if (worker->broken != NULL)
        return NULL;
    size_t length = 0;
    char *line = lab_line_reader_next(&worker->reader, &length);
    if (line == NULL) {
        if (worker->reader.too_long)
            worker->broken = "sent a line longer than the protocol allows";
        return NULL;
    }
    json_t *event = json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL);
    *name = json_string_value(json_object_get(event, "event"));
    if (*name == NULL) {
        json_decref(event);
        worker->broken = "sent a line that is not an event";
        return NULL;
    }
    const json_t *text = json_object_get(event, "text");
    if (strcmp(*name, "log") == 0 && json_is_string(text)) {
        lab_log_tail_add(&worker->log, json_string_value(text), json_string_length(text));
        lab_log_tail_add(&worker->log, "\n", 1);
    }
    return event;
}

/* --- last words --------------------------------------------------------------------------------------------------- */

/* The last line that the worker printed, for a sentence that has room for one. */
static void last_line(const struct lab_worker *worker, char *text, size_t size)
{
    lab_log_tail_text(&worker->log, text, size);
    const char *line = strrchr(text, '\n');
    if (line != NULL)
        memmove(text, line + 1, strlen(line + 1) + 1);
}

void lab_explain_end(struct lab_worker *worker, struct lab_error *error)
{
    lab_move(worker);
    char end[96], line[160];
    last_line(worker, line, sizeof line);
    const char *between = line[0] != '\0' ? " Its last words: " : "";
    if (worker->broken != NULL) {
        lab_error_set(error, "worker-protocol", "", "The worker %s and was ended.%s%s", worker->broken, between, line);
        return;
    }
    lab_process_end_text(&worker->process, end, sizeof end);
    const char *guess =
        strstr(end, "SIGKILL") != NULL ? ", not by the lab; the kernel does this when memory runs out" : "";
    lab_error_set(error, "worker-died", "", "The worker %s%s.%s%s", end, guess, between, line);
}
