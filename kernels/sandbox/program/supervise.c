#include "supervise.h"

#include "confine.h"
#include "core/clock.h"
#include "processes.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Between two looks at the processes; until those that the kernel does not return from a call are given up. */
enum { PERIOD_MS = 20, GIVE_UP_S = 8 };

struct program {
    const struct lab_sandbox_settings *settings;
    struct lab_sandbox_report *report;
    struct lab_processes processes;
    pid_t id;
    bool ended;
    uint64_t begin_ns;
};

void lab_report_send(const struct lab_sandbox_settings *settings, const struct lab_sandbox_report *report)
{
    if (settings->reported)
        send(LAB_SANDBOX_CONTROL, report, sizeof *report, MSG_NOSIGNAL);
}

static bool refuse(struct lab_sandbox_report *report, const char *what)
{
    report->stage = LAB_SANDBOX_REFUSED;
    snprintf(report->detail, sizeof report->detail, "The program cannot be started: %s: %s.", what,
             strerrordesc_np(errno));
    return false;
}

/* Signals that are read, not delivered. In namespaces, only the program could send others than SIGCHLD. */
static sigset_t waited_for(bool namespaces)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    if (namespaces)
        return set;
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    return set;
}

/* Starts the program. False, with a report, if it could not be executed. */
static bool start(struct program *program)
{
    int failure[2];
    if (pipe2(failure, O_CLOEXEC) != 0)
        return refuse(program->report, "no pipe");
    program->id = fork();
    if (program->id == 0) {
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        lab_confine(program->settings, failure[1]);
    }
    close(failure[1]);
    if (program->id < 0)
        return refuse(program->report, "no process");
    ssize_t got;
    while ((got = read(failure[0], program->report->detail, sizeof program->report->detail)) < 0 && errno == EINTR) {
    }
    close(failure[0]);
    program->begin_ns = lab_clock_ns();
    if (got <= 0)
        return true;
    program->report->stage = LAB_SANDBOX_REFUSED;
    waitpid(program->id, NULL, 0);
    return false;
}

static uint64_t microseconds(struct timeval time)
{
    return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_usec;
}

/* The CPU time of all processes of the program, also of those that have ended. */
static uint64_t processor_us(const struct program *program)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return microseconds(usage.ru_utime) + microseconds(usage.ru_stime) + program->processes.processor_us;
}

/* Reaps the program when it has ended, and whatever else has. */
static void reap(struct program *program)
{
    int status;
    for (pid_t id; (id = waitpid(-1, &status, WNOHANG)) > 0;) {
        if (id != program->id)
            continue;
        program->ended = true;
        program->report->status = status;
        program->report->end = LAB_SANDBOX_ITSELF;
    }
}

/* Looks at the processes. True if they must be ended. */
static bool over_limit(struct program *program)
{
    const struct lab_sandbox_settings *settings = program->settings;
    struct lab_sandbox_report *report = program->report;
    struct lab_processes *processes = &program->processes;
    lab_processes_scan(processes);
    uint64_t memory = processes->memory_bytes;
    if (memory > settings->memory_bytes)
        memory = lab_processes_memory(processes);
    if (report->memory_bytes < memory)
        report->memory_bytes = memory;
    if (processes->tasks > settings->tasks)
        report->end = LAB_SANDBOX_TASK_LIMIT;
    else if (memory > settings->memory_bytes)
        report->end = LAB_SANDBOX_MEMORY_LIMIT;
    else if (processor_us(program) > settings->processor_s * 1000000)
        report->end = LAB_SANDBOX_PROCESSOR_LIMIT;
    else
        return false;
    return true;
}

/* Waits until the program ends, a limit is exceeded, or the caller wants its end. */
static void watch(struct program *program, int signals)
{
    struct pollfd polled[] = {{signals, POLLIN, 0},
                              {program->settings->reported ? LAB_SANDBOX_CONTROL : -1, POLLIN, 0}};
    do {
        struct signalfd_siginfo signal;
        poll(polled, sizeof polled / sizeof *polled, PERIOD_MS);
        reap(program);
        bool end = polled[1].revents != 0;
        while (read(signals, &signal, sizeof signal) == (ssize_t)sizeof signal)
            end = end || signal.ssi_signo != SIGCHLD;
        if (!program->ended && end) {
            program->report->end = LAB_SANDBOX_CANCELLED;
            return;
        }
    } while (!program->ended && !over_limit(program));
}

/* Ends what is left, and completes the report. */
static void end(struct program *program)
{
    struct lab_sandbox_report *report = program->report;
    report->stage = LAB_SANDBOX_ENDED;
    report->wall_ns = lab_clock_ns() - program->begin_ns;
    if (!program->ended) /* so that its status is known */
        kill(program->id, SIGKILL);
    unsigned killed = lab_processes_end(&program->processes, GIVE_UP_S, &report->not_killed,
                                        program->ended ? 0 : program->id, &report->status);
    report->left_behind = program->ended ? killed : 0;
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    if (report->memory_bytes < (uint64_t)usage.ru_maxrss << 10)
        report->memory_bytes = (uint64_t)usage.ru_maxrss << 10;
    lab_processes_scan(&program->processes);
    report->processor_us = processor_us(program);
}

void lab_supervise(const struct lab_sandbox_settings *settings, struct lab_sandbox_report *report)
{
    struct program program = {.settings = settings, .report = report};
    sigset_t set = waited_for(settings->namespaces);
    sigprocmask(SIG_BLOCK, &set, NULL);
    int signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    *report = (struct lab_sandbox_report){.stage = LAB_SANDBOX_STARTED};
    /* Orphans become children of this process, and no process of the same user can look into it. */
    if (signals < 0 || !lab_processes_scan(&program.processes) || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0 ||
        prctl(PR_SET_DUMPABLE, 0) != 0) {
        refuse(report, "no supervision");
        return;
    }
    if (!start(&program))
        return;
    lab_report_send(settings, report);
    /* From now on only the program holds its output, so that readers see when the program closes the output. */
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int descriptor = 0; settings->reported && descriptor < 3; descriptor++)
        dup2(nowhere, descriptor);
    watch(&program, signals);
    end(&program);
    close(signals);
    close(nowhere);
}
