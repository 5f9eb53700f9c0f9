/* Passes a request to a program and reads its answer. */
#include "exchange.h"

#include "core/clock.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* How often the loop looks at *cancel and, where the kernel has no pidfd, at whether the process has ended. */
enum { POLL_INTERVAL_MS = 100, FIRST_BYTES = 64 << 10 };

static void close_end(int *end)
{
    close(*end);
    *end = -1;
}

/* Whether a read that returned `got` means that there will be nothing more. */
static bool is_last(ssize_t got)
{
    return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
}

/* Sends what the program takes of the request from byte *sent on. Closes its input at the end of the request, or when
 * the program has closed it. */
static void send_request(struct lab_exchange *exchange, const struct lab_exchange_call *call, size_t *sent)
{
    ssize_t taken = send(exchange->process.input, call->request + *sent, call->request_size - *sent, MSG_NOSIGNAL);
    if (taken > 0)
        *sent += (size_t)taken;
    if (call->sent != NULL)
        atomic_store(call->sent, *sent);
    if (*sent == call->request_size || (taken < 0 && errno != EAGAIN && errno != EINTR))
        lab_process_close_input(&exchange->process);
}

/* Makes room for one more byte and a NUL. False when the answer is too long, or out of memory. */
static bool grow(struct lab_exchange *exchange, size_t answer_max)
{
    if (exchange->answer_length + 1 < exchange->answer_capacity)
        return true;
    size_t capacity = exchange->answer_capacity > 0 ? 2 * exchange->answer_capacity : FIRST_BYTES;
    char *bytes = capacity <= answer_max ? realloc(exchange->answer, capacity) : NULL;
    if (bytes == NULL)
        return false;
    exchange->answer = bytes;
    exchange->answer_capacity = capacity;
    return true;
}

static void read_answer(struct lab_exchange *exchange, size_t answer_max)
{
    if (!grow(exchange, answer_max)) {
        exchange->end = LAB_EXCHANGE_TOO_LONG;
        return;
    }
    ssize_t got = read(exchange->process.output, exchange->answer + exchange->answer_length,
                       exchange->answer_capacity - exchange->answer_length - 1);
    if (got > 0)
        exchange->answer_length += (size_t)got;
    else if (is_last(got))
        close_end(&exchange->process.output);
    exchange->answer[exchange->answer_length] = '\0';
}

/* Keeps the beginning and drops the rest, so that the program never waits. */
static void read_errors(struct lab_exchange *exchange)
{
    char bytes[4096];
    ssize_t got = read(exchange->process.errors, bytes, sizeof bytes);
    size_t used = strlen(exchange->errors), room = sizeof exchange->errors - 1 - used;
    if (got > 0)
        strncat(exchange->errors, bytes, (size_t)got < room ? (size_t)got : room);
    else if (is_last(got))
        close_end(&exchange->process.errors);
}

/* Waits until the process has ended, or can send or receive; then it sends and receives. The process has ended when it
 * has been reaped and nothing more can be read: a process that it left behind may keep its pipes open. */
static void transfer(struct lab_exchange *exchange, const struct lab_exchange_call *call, size_t *sent)
{
    struct lab_process *process = &exchange->process;
    bool ended = lab_process_ended(process);
    struct pollfd ends[] = {{.fd = process->output, .events = POLLIN},
                            {.fd = process->errors, .events = POLLIN},
                            {.fd = ended ? -1 : process->input, .events = POLLOUT},
                            {.fd = ended ? -1 : process->pidfd, .events = POLLIN}};
    poll(ends, sizeof ends / sizeof *ends, ended ? 0 : POLL_INTERVAL_MS);
    if (ends[0].revents != 0)
        read_answer(exchange, call->answer_max);
    if (ends[1].revents != 0)
        read_errors(exchange);
    if (ends[2].revents != 0)
        send_request(exchange, call, sent);
    if (ended && ends[0].revents == 0 && ends[1].revents == 0)
        exchange->end = LAB_EXCHANGE_ENDED;
}

/* Ends the process if it runs, by SIGTERM and, a second later, by SIGKILL; reaps it. */
static void finish(struct lab_process *process)
{
    double kill_at = lab_clock_now() + 1;
    lab_process_signal(process, SIGTERM);
    while (!lab_process_ended(process)) {
        struct pollfd end = {.fd = process->pidfd, .events = POLLIN};
        poll(&end, 1, POLL_INTERVAL_MS);
        if (lab_clock_now() >= kill_at)
            lab_process_signal(process, SIGKILL);
    }
    lab_process_close_descriptors(process);
}

int lab_exchange_run(struct lab_exchange *exchange, const struct lab_exchange_call *call)
{
    *exchange = (struct lab_exchange){.end = LAB_EXCHANGE_RUNNING};
    int failed = lab_process_start(&exchange->process, call->path, call->arguments);
    if (failed != 0)
        return failed;
    double deadline = lab_clock_now() + call->time_limit_s;
    size_t sent = 0;
    while (exchange->end == LAB_EXCHANGE_RUNNING) {
        transfer(exchange, call, &sent);
        if (exchange->end == LAB_EXCHANGE_RUNNING && call->cancel != NULL && atomic_load(call->cancel))
            exchange->end = LAB_EXCHANGE_CANCELLED;
        else if (exchange->end == LAB_EXCHANGE_RUNNING && lab_clock_now() >= deadline)
            exchange->end = LAB_EXCHANGE_TIMED_OUT;
    }
    finish(&exchange->process);
    return 0;
}
