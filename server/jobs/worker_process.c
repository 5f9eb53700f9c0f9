/* Starting, signalling and reaping a child process.
 *
 * PR_SET_PDEATHSIG fires when the *thread* that forked ends, not the process. So one thread does all the forking and
 * never ends before the process does; it is the only global state of this room.
 */
#include "worker_process.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the spawner is asked to start, and what came of it. */
struct order {
    const char *path;
    char *const *arguments;
    int input, output, errors; /* the child's ends */
    int report;                /* where the child writes errno when it cannot execute `path` */
    pid_t pid;                 /* -1 with `code` when fork failed */
    int code;
    bool done;
};

static struct {
    pthread_once_t once;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct order *order; /* one at a time */
    int start_error;     /* why there is no spawner; 0 when there is */
} spawner = {PTHREAD_ONCE_INIT, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, 0};

/* Signals that the parent ignores stay ignored over exec, and its mask is inherited: the worker starts with neither. */
static void restore_signals(void)
{
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void forbid_inheritance(void)
{
#ifndef CLOSE_RANGE_CLOEXEC
    enum { CLOSE_RANGE_CLOEXEC = 1 << 2 };
#endif
    if (syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC) == 0)
        return;
    long limit = sysconf(_SC_OPEN_MAX);
    for (int descriptor = 3; descriptor < (limit > 0 ? (int)limit : 1024); descriptor++)
        fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

/* Runs in the child, between fork and exec: only what is async-signal-safe. */
__attribute__((noreturn)) static void become_worker(const struct order *order, pid_t parent)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* the parent ended before prctl took effect */
        _exit(127);
    restore_signals();
    if (dup2(order->input, 0) == 0 && dup2(order->output, 1) == 1 && dup2(order->errors, 2) == 2) {
        forbid_inheritance();
        execv(order->path, order->arguments);
    }
    int code = errno;
    ssize_t ignored = write(order->report, &code, sizeof code);
    (void)ignored;
    _exit(127);
}

static void *serve_orders(void *unused)
{
    (void)unused;
    prctl(PR_SET_NAME, "spawner");
    pid_t parent = getpid();
    pthread_mutex_lock(&spawner.lock);
    for (;;) {
        while (spawner.order == NULL || spawner.order->done)
            pthread_cond_wait(&spawner.changed, &spawner.lock);
        struct order *order = spawner.order;
        order->pid = fork();
        if (order->pid == 0)
            become_worker(order, parent);
        order->code = order->pid < 0 ? errno : 0;
        order->done = true;
        pthread_cond_broadcast(&spawner.changed);
    }
    return NULL;
}

static void start_spawner(void)
{
    sigset_t all, before;
    sigfillset(&all); /* the process's signals are for its other threads */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    spawner.start_error = pthread_create(&thread, NULL, serve_orders, NULL);
    if (spawner.start_error == 0)
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Has the spawner fork; returns errno, 0 for success. */
static int place_order(struct order *order)
{
    pthread_once(&spawner.once, start_spawner);
    if (spawner.start_error != 0)
        return spawner.start_error;
    pthread_mutex_lock(&spawner.lock);
    while (spawner.order != NULL)
        pthread_cond_wait(&spawner.changed, &spawner.lock);
    spawner.order = order;
    pthread_cond_broadcast(&spawner.changed);
    while (!order->done)
        pthread_cond_wait(&spawner.changed, &spawner.lock);
    spawner.order = NULL;
    pthread_cond_broadcast(&spawner.changed);
    pthread_mutex_unlock(&spawner.lock);
    return order->code;
}

static void close_descriptor(int *descriptor)
{
    if (*descriptor >= 0)
        close(*descriptor);
    *descriptor = -1;
}

/* Moves a descriptor out of 0, 1, 2 (free where our own were closed), so that the child's dup2 cannot run over it. */
static bool lift(int *descriptor)
{
    if (*descriptor > 2)
        return true;
    int lifted = fcntl(*descriptor, F_DUPFD_CLOEXEC, 3);
    close_descriptor(descriptor);
    *descriptor = lifted;
    return lifted >= 0;
}

/* ends[0] reads, ends[1] writes. */
static bool make_pipe(int ends[2])
{
    if (pipe2(ends, O_CLOEXEC) != 0) {
        ends[0] = ends[1] = -1;
        return false;
    }
    bool lifted = lift(&ends[0]);
    return lift(&ends[1]) && lifted;
}

static bool make_socket(int ends[2])
{
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        ends[0] = ends[1] = -1;
        return false;
    }
    bool lifted = lift(&ends[0]);
    return lift(&ends[1]) && lifted;
}

static void stop_blocking(int descriptor)
{
    fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
}

bool lab_process_start(struct lab_process *process, const char *path, char *const arguments[], struct lab_error *error)
{
    *process = (struct lab_process){.pid = -1, .pidfd = -1, .input = -1, .output = -1, .errors = -1, .reaped = true};
    int input[2] = {-1, -1}, output[2] = {-1, -1}, errors[2] = {-1, -1}, report[2] = {-1, -1};
    int code = 0;
    struct order order = {.path = path, .arguments = arguments, .pid = -1};

    if (!make_socket(input) || !make_pipe(output) || !make_pipe(errors) || !make_pipe(report)) {
        code = errno;
        goto out;
    }
    order.input = input[1];
    order.output = output[1];
    order.errors = errors[1];
    order.report = report[1];
    code = place_order(&order);
    if (code != 0)
        goto out;
    close_descriptor(&report[1]); /* now only the child holds it, until it executes */
    ssize_t got;
    do
        got = read(report[0], &code, sizeof code);
    while (got < 0 && errno == EINTR);
    if (got > 0) {
        waitpid(order.pid, NULL, 0);
        goto out;
    }
    code = 0;
    process->pid = order.pid;
    process->reaped = false;
    process->pidfd = (int)syscall(SYS_pidfd_open, order.pid, 0);
    process->input = input[0];
    process->output = output[0];
    process->errors = errors[0];
    input[0] = output[0] = errors[0] = -1;
    stop_blocking(process->input);
    stop_blocking(process->output);
    stop_blocking(process->errors);

out:
    for (int end = 0; end < 2; end++) {
        close_descriptor(&input[end]);
        close_descriptor(&output[end]);
        close_descriptor(&errors[end]);
        close_descriptor(&report[end]);
    }
    if (code != 0)
        return lab_error_set(error, "worker-start", "", "%s cannot be started: %s.", path, strerrordesc_np(code));
    return true;
}

void lab_process_signal(const struct lab_process *process, int signal)
{
    if (!process->reaped && kill(-process->pid, signal) != 0)
        kill(process->pid, signal);
}

bool lab_process_ended(struct lab_process *process)
{
    if (process->reaped)
        return true;
    siginfo_t info = {0};
    if (waitid(P_PID, (id_t)process->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0)
        return false;
    kill(-process->pid, SIGKILL); /* while the number is still its own */
    pid_t got;
    do
        got = waitpid(process->pid, &process->status, 0);
    while (got < 0 && errno == EINTR);
    process->reaped = true;
    return true;
}

void lab_process_end_text(const struct lab_process *process, char *text, size_t size)
{
    if (WIFSIGNALED(process->status)) {
        int number = WTERMSIG(process->status);
        const char *name = sigabbrev_np(number), *meaning = sigdescr_np(number);
        snprintf(text, size, "was ended by %s%s (%s)", name != NULL ? "SIG" : "signal",
                 name != NULL ? name : " unknown", meaning != NULL ? meaning : "no description");
        return;
    }
    snprintf(text, size, "exited with code %d", WEXITSTATUS(process->status));
}

void lab_process_close_input(struct lab_process *process)
{
    close_descriptor(&process->input);
}

void lab_process_close(struct lab_process *process)
{
    close_descriptor(&process->pidfd);
    close_descriptor(&process->input);
    close_descriptor(&process->output);
    close_descriptor(&process->errors);
}
