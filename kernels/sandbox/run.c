/* The caller's side of a program in a sandbox: passes output on, and ends the program where the caller or a limit wants
 * it. What only the processes of the sandbox can see is the helper's (program/supervise.c). */
#include "cgroup.h"
#include "core/clock.h"
#include "folder.h"
#include "helper.h"
#include "report.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PERIOD_MS = 50, FOLDER_PERIOD_MS = 200, GIVE_UP_S = 15 };

struct running {
    const struct lab_sandbox_call *call;
    const char *folder;
    struct lab_sandbox_helper helper;
    struct lab_sandbox_report report;
    bool started, ended, lost;
    enum lab_sandbox_end wanted; /* why this side ends the program; LAB_SANDBOX_ITSELF: the program ends by itself */
    double begin, give_up, next_folder;
    char first_error[LAB_SANDBOX_DETAIL_MAX]; /* what was written before the program started, by bubblewrap */
};

/* LAB_SANDBOX_ITSELF: it goes on. */
static void end_program(struct running *running, enum lab_sandbox_end why)
{
    if (running->wanted != LAB_SANDBOX_ITSELF || why == LAB_SANDBOX_ITSELF)
        return;
    running->wanted = why;
    running->give_up = lab_clock_now() + GIVE_UP_S;
    shutdown(running->helper.control, SHUT_WR);
}

/* Keeps what bubblewrap says of its failure, of which the last words matter least. */
static void keep_error(struct running *running, const char *bytes, size_t size)
{
    size_t length = strlen(running->first_error), room = sizeof running->first_error - 1 - length;
    memcpy(running->first_error + length, bytes, size < room ? size : room);
    running->first_error[strcspn(running->first_error, "\n")] = '\0';
}

/* Reads what is there, up to a bound, so that the rest of the loop has its turn. */
static void read_stream(struct running *running, enum lab_sandbox_stream stream, int *descriptor)
{
    char bytes[1 << 16];
    ssize_t got = 1;
    for (int turn = 0; turn < 16 && got > 0; turn++) {
        got = read(*descriptor, bytes, sizeof bytes);
        if (got > 0 && !running->started)
            keep_error(running, bytes, (size_t)got);
        else if (got > 0 && running->wanted == LAB_SANDBOX_ITSELF &&
                 !running->call->sink(running->call->context, stream, bytes, (size_t)got))
            end_program(running, LAB_SANDBOX_OUTPUT_LIMIT);
    }
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
        close(*descriptor);
        *descriptor = -1;
    }
}

static void read_report(struct running *running)
{
    struct lab_sandbox_report report;
    ssize_t got = recv(running->helper.control, &report, sizeof report, MSG_DONTWAIT);
    if (got == (ssize_t)sizeof report) {
        running->report = report;
        running->started = running->started || report.stage != LAB_SANDBOX_REFUSED;
        running->ended = report.stage != LAB_SANDBOX_STARTED;
        if (report.stage == LAB_SANDBOX_STARTED)
            running->begin = lab_clock_now();
    } else if (got >= 0 || (errno != EAGAIN && errno != EINTR)) {
        running->ended = running->lost = true;
    }
}

static void check_limits(struct running *running)
{
    const struct lab_sandbox_call *call = running->call;
    double now = lab_clock_now();
    if (call->cancel != NULL && atomic_load(call->cancel))
        end_program(running, LAB_SANDBOX_CANCELLED);
    else if (now - running->begin > call->limits.wall_s)
        end_program(running, LAB_SANDBOX_WALL_LIMIT);
    else if (now >= running->next_folder) {
        end_program(running, lab_sandbox_folder_check(running->folder, &call->limits));
        /* A large folder takes long: at most a tenth of the time goes there. */
        double took = lab_clock_now() - now;
        running->next_folder = now + took + (9 * took > FOLDER_PERIOD_MS * 1e-3 ? 9 * took : FOLDER_PERIOD_MS * 1e-3);
    }
    if (running->wanted != LAB_SANDBOX_ITSELF && now > running->give_up)
        running->ended = running->lost = true;
}

static void watch(struct running *running)
{
    struct lab_sandbox_helper *helper = &running->helper;
    while (!running->ended) {
        /* What is written before the program starts is not the program's: it stays in the pipes. */
        struct pollfd polled[] = {{helper->control, POLLIN, 0},
                                  {running->started ? helper->output : -1, POLLIN, 0},
                                  {running->started ? helper->errors : -1, POLLIN, 0}};
        poll(polled, sizeof polled / sizeof *polled, PERIOD_MS);
        if (polled[0].revents != 0)
            read_report(running);
        if (polled[1].revents != 0)
            read_stream(running, LAB_SANDBOX_OUTPUT, &helper->output);
        if (polled[2].revents != 0)
            read_stream(running, LAB_SANDBOX_ERRORS, &helper->errors);
        check_limits(running);
    }
}

/* Reads what the program wrote last. No process of it lives, so that all is in the pipes, at most 1 MiB each. */
static void read_rest(struct running *running)
{
    if (running->helper.output >= 0)
        read_stream(running, LAB_SANDBOX_OUTPUT, &running->helper.output);
    if (running->helper.errors >= 0)
        read_stream(running, LAB_SANDBOX_ERRORS, &running->helper.errors);
}

static void set_end(struct lab_sandbox_result *result, enum lab_sandbox_end end)
{
    result->end = end;
    snprintf(result->detail, sizeof result->detail, "%s", lab_sandbox_end_text(end));
}

static void describe(const struct running *running, struct lab_sandbox_result *result)
{
    const struct lab_sandbox_report *report = &running->report;
    bool asked = report->end == LAB_SANDBOX_CANCELLED && running->wanted != LAB_SANDBOX_ITSELF;
    set_end(result, asked ? running->wanted : report->end);
    result->status = report->status;
    result->wall_s = (double)report->wall_ns * 1e-9;
    result->processor_s = (double)report->processor_us * 1e-6;
    result->memory_bytes = report->memory_bytes;
    result->left_behind = report->left_behind;
    if (report->stage == LAB_SANDBOX_ENDED && report->not_killed > 0) {
        result->end = LAB_SANDBOX_LOST;
        snprintf(result->detail, sizeof result->detail,
                 "%u processes of the program cannot be killed: the kernel does not return to them.",
                 report->not_killed);
    }
}

static bool refuse(struct lab_sandbox_result *result, const char *what, const char *why)
{
    *result = (struct lab_sandbox_result){.end = LAB_SANDBOX_NOT_STARTED};
    snprintf(result->detail, sizeof result->detail, "The program cannot be started: %.300s%s%.150s.", what,
             what[0] != '\0' ? ": " : "", why);
    return false;
}

/* What the reports said; a program that was lost has none at its end. */
static bool conclude(const struct running *running, struct lab_sandbox_result *result)
{
    if (running->report.stage == LAB_SANDBOX_REFUSED) {
        *result = (struct lab_sandbox_result){.end = LAB_SANDBOX_NOT_STARTED};
        snprintf(result->detail, sizeof result->detail, "%s", running->report.detail);
        return false;
    }
    if (!running->started)
        return refuse(result, "", running->first_error[0] != '\0' ? running->first_error : "its supervisor ended");
    describe(running, result);
    if (running->lost)
        set_end(result, LAB_SANDBOX_LOST);
    return true;
}

bool lab_sandbox_run(const struct lab_sandbox *sandbox, const struct lab_sandbox_call *call,
                     struct lab_sandbox_result *result)
{
    char folder[PATH_MAX], cgroup[PATH_MAX];
    struct running running = {.call = call, .folder = folder, .wanted = LAB_SANDBOX_ITSELF};
    if (sandbox->way == LAB_SANDBOX_NONE)
        return refuse(result, "", "this machine has no sandbox");
    if (realpath(call->folder, folder) == NULL ||
        !lab_sandbox_folder_prepare(folder, sandbox->has_user ? &sandbox->user : NULL))
        return refuse(result, call->folder, strerrordesc_np(errno));
    lab_cgroup_make(sandbox, &call->limits, cgroup);
    int code = lab_sandbox_helper_start(&running.helper, sandbox, call, folder, cgroup);
    if (code != 0) {
        lab_cgroup_remove(cgroup);
        return refuse(result, call->arguments[0], strerrordesc_np(code));
    }
    running.begin = lab_clock_now();
    watch(&running);
    kill(running.helper.id,
         SIGKILL); /* it has nothing left to do, but would wait for a process that cannot be killed */
    read_rest(&running);
    lab_sandbox_helper_stop(&running.helper);
    bool out_of_memory = lab_cgroup_remove(cgroup), started = conclude(&running, result);
    if (started && out_of_memory)
        set_end(result, LAB_SANDBOX_MEMORY_LIMIT);
    if (started && result->end == LAB_SANDBOX_ITSELF)
        set_end(result, lab_sandbox_folder_check(folder, &call->limits)); /* what was written last */
    return started;
}
