/* Input and output of a worker: waiting for it, sending operations, reading events. */
#include "worker_state.h"

#include "core/clock.h"
#include "core/json_text.h"
#include "core/protocol.h"
#include "core/text.h"
#include "nodes/transport.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* At most 1 MiB is read per call: enough for high throughput, and little enough that the caller still checks deadlines
 * when a worker writes without pause. */
enum { READS_MAX = 16 };

static void drain_wake(const struct lab_worker *worker)
{
    uint64_t count;
    ssize_t ignored = read(worker->wake, &count, sizeof count);
    (void)ignored;
}

void lab_worker_wake(const struct lab_worker *worker)
{
    const uint64_t one = 1;
    int saved = errno; /* this may run in a signal handler */
    ssize_t ignored = write(worker->wake, &one, sizeof one);
    (void)ignored;
    errno = saved;
}

/* Queues a heartbeat when one is due. */
static void send_heartbeat(struct lab_worker *worker)
{
    static const char line[] = "{\"op\":\"heartbeat\"}";
    double now = lab_clock_now();
    if (now < worker->beat_at)
        return;
    lab_line_writer_add(&worker->writer, line, sizeof line - 1);
    worker->beat_at = now + LAB_HEARTBEAT_S;
}

void lab_worker_transfer(struct lab_worker *worker)
{
    struct lab_process *process = &worker->process;
    if (process->input >= 0)
        send_heartbeat(worker);
    if (process->errors >= 0)
        lab_log_tail_fill(&worker->log, process->errors);
    if (process->output >= 0)
        for (int reads = 0; reads < READS_MAX && lab_line_reader_read(&worker->reader, process->output); reads++)
            worker->heard_at = lab_clock_now();
    if (process->input >= 0 && !lab_line_writer_flush(&worker->writer, process->input))
        lab_process_close_input(process); /* the worker closed its end; if it ended, lab_process_ended will show it */
}

bool lab_worker_silent(struct lab_worker *worker)
{
    if (lab_clock_now() < worker->heard_at + worker->silence_s)
        return false;
    lab_worker_transfer(worker);
    return lab_clock_now() >= worker->heard_at + worker->silence_s;
}

void lab_worker_wait(struct lab_worker *worker, double deadline)
{
    const struct lab_process *process = &worker->process;
    bool reading = !worker->reader.ended && !worker->reader.too_long;
    bool writing = lab_line_writer_pending(&worker->writer);
    struct pollfd ends[] = {
        {.fd = reading ? process->output : -1, .events = POLLIN},
        {.fd = worker->log.ended ? -1 : process->errors, .events = POLLIN},
        {.fd = writing ? process->input : -1, .events = POLLOUT},
        {.fd = worker->wake, .events = POLLIN},
        {.fd = worker->polling ? -1 : process->pidfd, .events = POLLIN},
    };
    double wait_s =
        fmin(fmax(fmin(deadline, worker->beat_at) - lab_clock_now(), 0), worker->polling ? LAB_POLL_INTERVAL_S : 3600);
    if (poll(ends, sizeof ends / sizeof ends[0], (int)ceil(wait_s * 1000)) > 0) {
        if (ends[3].revents != 0)
            drain_wake(worker);
        /* The worker ended but cannot be reaped yet, because a debugger traces it. Its pidfd stays ready, so poll would
         * return at once, every time. */
        if (ends[4].revents != 0 && !lab_process_ended(&worker->process))
            worker->polling = true;
    }
    lab_worker_transfer(worker);
}

bool lab_worker_send(struct lab_worker *worker, json_t *operation)
{
    char *text = operation != NULL ? json_dumps(operation, JSON_COMPACT) : NULL;
    bool queued = text != NULL && lab_line_writer_add(&worker->writer, text, strlen(text));
    free(text);
    if (queued)
        lab_worker_transfer(worker);
    return queued;
}

json_t *lab_worker_next_event(struct lab_worker *worker, const char **name)
{
    if (worker->violation != NULL)
        return NULL;
    size_t length = 0;
    char *line = lab_line_reader_next(&worker->reader, &length);
    if (line == NULL) {
        _Static_assert(LAB_LINE_MAX == 4 << 20, "the text below names the limit");
        if (worker->reader.too_long)
            worker->violation = "sent a line longer than 4 MiB";
        return NULL;
    }
    struct lab_json_fault fault;
    json_t *event = lab_json_parse(line, length, &fault);
    *name = json_string_value(json_object_get(event, "event"));
    if (*name == NULL) {
        _Static_assert(LAB_JSON_DEPTH_MAX == 32, "the text below names the limit");
        bool too_deep = event == NULL && fault.code == LAB_ERROR_TOO_DEEP;
        lab_log_tail_add(&worker->log, line, length);
        json_decref(event);
        worker->violation = too_deep ? "sent a line with JSON that is nested more than 32 levels deep"
                                     : "sent a line that is not an event";
        return NULL;
    }
    const json_t *text = json_object_get(event, "text");
    if (strcmp(*name, "log") == 0 && json_is_string(text)) {
        lab_log_tail_add(&worker->log, json_string_value(text), json_string_length(text));
        lab_log_tail_add(&worker->log, "\n", 1);
    }
    return event;
}

/* --- explaining an end -------------------------------------------------------------------------------------------- */

/* Copies the last line that the worker printed, of a long one the beginning; "" when it printed nothing. */
static void last_line(const struct lab_worker *worker, char *text, size_t size)
{
    char lines[4096];
    lab_log_tail_text(&worker->log, lines, sizeof lines);
    const char *newline = strrchr(lines, '\n');
    lab_utf8_copy(text, size, newline != NULL ? newline + 1 : lines);
}

void lab_worker_explain_end(struct lab_worker *worker, struct lab_error *error)
{
    lab_worker_transfer(worker);
    char end[96], line[160];
    last_line(worker, line, sizeof line);
    const char *label = line[0] != '\0' ? " Its last line of output: " : "";
    if (worker->violation != NULL) {
        lab_error_set(error, LAB_ERROR_WORKER_PROTOCOL, "", "The worker process %s and was killed.%s%s",
                      worker->violation, label, line);
        return;
    }
    lab_process_end_text(&worker->process, end, sizeof end);
    if (worker->transport != NULL) { /* what became of the worker itself is not known */
        bool ssh = lab_transport_kind(worker->transport) == LAB_TRANSPORT_SSH;
        lab_error_set(error, LAB_ERROR_WORKER_DIED, "", "The worker on %s is gone: %s %s.%s%s",
                      lab_transport_name(worker->transport), ssh ? "ssh" : "srun", end, label, line);
        return;
    }
    const char *hint =
        strstr(end, "SIGKILL") != NULL
            ? " gpulab did not send this signal; the kernel may have, because the system was out of memory."
            : "";
    lab_error_set(error, LAB_ERROR_WORKER_DIED, "", "The worker process %s.%s%s%s", end, hint, label, line);
}
