/* Starting, signalling and reaping a child process.
 *
 * PR_SET_PDEATHSIG fires when the *thread* that forked ends, not the process. Therefore one thread, the spawner, does
 * all forking and lives as long as the process. It is the only global state of the server.
 */
#include "process.h"

#include "thread.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* A request to the spawner, and its result. */
struct spawn_request {
    const char *path;
    char *const *arguments;
    int input, output, errors; /* the child's ends */
    int report;                /* the child writes errno here when it cannot execute `path` */
    pid_t pid;                 /* -1 when fork failed */
    int code;                  /* errno of fork; 0: success */
    bool done;
};

static struct {
    pthread_once_t once;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct spawn_request *request; /* the current one; NULL: none */
    int start_error;               /* errno when the thread could not be created; 0: it runs */
} spawner = {PTHREAD_ONCE_INIT, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, 0};

/* Ignored signals and the signal mask are inherited over exec; the child must start with the defaults. */
static void restore_signals(void)
{
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void close_other_descriptors_on_exec(void)
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

/* Runs in the child between fork and exec: only async-signal-safe calls are allowed. */
__attribute__((noreturn)) static void exec_child(const struct spawn_request *request, pid_t parent)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* the parent ended before prctl took effect */
        _exit(127);
    restore_signals();
    if (dup2(request->input, 0) == 0 && dup2(request->output, 1) == 1 && dup2(request->errors, 2) == 2) {
        close_other_descriptors_on_exec();
        execvp(request->path, request->arguments); /* glibc's allocates nothing */
    }
    int code = errno;
    ssize_t ignored = write(request->report, &code, sizeof code);
    (void)ignored;
    _exit(127);
}

static void *spawner_main(void *unused)
{
    (void)unused;
    prctl(PR_SET_NAME, "spawner");
    pid_t parent = getpid();
    pthread_mutex_lock(&spawner.lock);
    for (;;) {
        while (spawner.request == NULL || spawner.request->done)
            pthread_cond_wait(&spawner.changed, &spawner.lock);
        struct spawn_request *request = spawner.request;
        request->pid = fork();
        if (request->pid == 0)
            exec_child(request, parent);
        request->code = request->pid < 0 ? errno : 0;
        request->done = true;
        pthread_cond_broadcast(&spawner.changed);
    }
    return NULL;
}

static void start_spawner(void)
{
    pthread_t thread;
    spawner.start_error = lab_thread_start(&thread, spawner_main, NULL);
    if (spawner.start_error == 0)
        pthread_detach(thread);
}

/* Passes a request to the spawner and waits for the result. Returns 0 or errno. */
static int spawn(struct spawn_request *request)
{
    pthread_once(&spawner.once, start_spawner);
    if (spawner.start_error != 0)
        return spawner.start_error;
    pthread_mutex_lock(&spawner.lock);
    while (spawner.request != NULL)
        pthread_cond_wait(&spawner.changed, &spawner.lock);
    spawner.request = request;
    pthread_cond_broadcast(&spawner.changed);
    while (!request->done)
        pthread_cond_wait(&spawner.changed, &spawner.lock);
    spawner.request = NULL;
    pthread_cond_broadcast(&spawner.changed);
    pthread_mutex_unlock(&spawner.lock);
    return request->code;
}

static void close_descriptor(int *descriptor)
{
    if (*descriptor >= 0)
        close(*descriptor);
    *descriptor = -1;
}

/* Replaces a descriptor that is 0, 1 or 2 (when this process's own were closed) by a higher one, so that the child's
 * dup2 does not overwrite it. */
static bool move_above_stdio(int *descriptor)
{
    if (*descriptor > 2)
        return true;
    int moved = fcntl(*descriptor, F_DUPFD_CLOEXEC, 3);
    close_descriptor(descriptor);
    *descriptor = moved;
    return moved >= 0;
}

/* ends[0] is for reading, ends[1] for writing. On failure, open ends are closed by the caller. */
static bool make_pipe(int ends[2])
{
    return pipe2(ends, O_CLOEXEC) == 0 && move_above_stdio(&ends[0]) && move_above_stdio(&ends[1]);
}

static bool make_socket(int ends[2])
{
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0 && move_above_stdio(&ends[0]) &&
           move_above_stdio(&ends[1]);
}

static void set_nonblocking(int descriptor)
{
    fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
}

int lab_process_start(struct lab_process *process, const char *path, char *const arguments[])
{
    *process = (struct lab_process){.pid = -1, .pidfd = -1, .input = -1, .output = -1, .errors = -1, .reaped = true};
    int input[2] = {-1, -1}, output[2] = {-1, -1}, errors[2] = {-1, -1}, report[2] = {-1, -1};
    int code = 0;
    struct spawn_request request = {.path = path, .arguments = arguments, .pid = -1};

    if (!make_socket(input) || !make_pipe(output) || !make_pipe(errors) || !make_pipe(report)) {
        code = errno;
        goto out;
    }
    request.input = input[1];
    request.output = output[1];
    request.errors = errors[1];
    request.report = report[1];
    code = spawn(&request);
    if (code != 0)
        goto out;
    close_descriptor(&report[1]); /* now only the child has it open, and exec closes it */
    ssize_t got;
    do
        got = read(report[0], &code, sizeof code);
    while (got < 0 && errno == EINTR);
    if (got > 0) {
        waitpid(request.pid, NULL, 0);
        goto out;
    }
    code = 0;
    process->pid = request.pid;
    process->reaped = false;
    process->pidfd = (int)syscall(SYS_pidfd_open, request.pid, 0);
    process->input = input[0];
    process->output = output[0];
    process->errors = errors[0];
    input[0] = output[0] = errors[0] = -1;
    set_nonblocking(process->input);
    set_nonblocking(process->output);
    set_nonblocking(process->errors);

out:
    for (int end = 0; end < 2; end++) {
        close_descriptor(&input[end]);
        close_descriptor(&output[end]);
        close_descriptor(&errors[end]);
        close_descriptor(&report[end]);
    }
    return code;
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
    kill(-process->pid, SIGKILL); /* before waitpid, after which the pid may be reused */
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

void lab_process_close_descriptors(struct lab_process *process)
{
    close_descriptor(&process->pidfd);
    close_descriptor(&process->input);
    close_descriptor(&process->output);
    close_descriptor(&process->errors);
}
