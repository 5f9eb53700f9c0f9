/* The child process of a private lab. It leaves the terminal's session, so that Ctrl-C reaches only the command, which
 * cancels its run through the API.
 */
#include "private_service.h"

#include "service.h"

#include "cli/private_channel.h"
#include "core/run_status.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The worker that describes the devices when the lab starts is kept, so that the runs of the command use it too. */
static const struct lab_serving serving = {.worker_idle_s = 60};
/* How often a lab whose command has ended checks whether other commands are still connected. */
static const int check_ms = 100;

/* Moves this process out of the command's session and closes its files, except stderr and `channel`. While the service
 * starts, this process does not read the channel and would not see that its parent has ended; until then
 * PR_SET_PDEATHSIG ends this process together with its parent. */
static void isolate(int channel, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* the parent ended before prctl took effect */
        _exit(LAB_EXIT_ERROR);
    setsid();
    int nothing = open("/dev/null", O_RDWR);
    dup2(nothing, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
    syscall(SYS_close_range, STDERR_FILENO + 1U, (unsigned)channel - 1U, 0U);
    syscall(SYS_close_range, (unsigned)channel + 1U, ~0U, 0U);
}

/* Waits until the lab can run experiments. */
static enum lab_exit_code await_queue(struct lab_service *service, struct lab_error *error)
{
    struct lab_queue_state queue;
    while (!lab_jobs_await_worker(service->jobs, 3600))
        ;
    lab_jobs_queue(service->jobs, &queue);
    if (queue.held[0] != '\0') {
        lab_error_set(error, LAB_ERROR_NO_DEVICE, "", "%s", queue.held);
        return LAB_EXIT_NO_DEVICE;
    }
    if (queue.paused) {
        lab_error_set(error, LAB_ERROR_QUEUE_PAUSED, "",
                      "The queue in this database is paused, and no server is running to resume it. Start "
                      "'gpulab serve' and resume the queue, or use --no-save.");
        return LAB_EXIT_ERROR;
    }
    return LAB_EXIT_OK;
}

/* Other commands can connect only when the lab can run what they ask for; before, the database is in use for them. */
static enum lab_exit_code start_service(struct lab_service *service, struct lab_config *config, struct lab_error *error)
{
    enum lab_exit_code code = lab_service_start(service, config, &serving, error);
    if (code == LAB_EXIT_OK && !config->history)
        code = await_queue(service, error);
    if (code != LAB_EXIT_OK)
        return code;
    if (!lab_service_listen(service, config, &serving, error))
        return LAB_EXIT_ERROR;
    if (config->socket_path[0] == '\0') {
        lab_error_set(
            error, LAB_ERROR_PATH_TOO_LONG, "--db",
            "The path of the database is too long: a Unix socket in the same folder must be possible. Use a shorter path.");
        return LAB_EXIT_ERROR;
    }
    return LAB_EXIT_OK;
}

/* Lets the command end before this process: closes the channel on which the command waits, and the command's stderr, so
 * that a reader of that stderr sees the end of file. */
static void detach(int channel)
{
    int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nothing, STDERR_FILENO);
    close(nothing);
    shutdown(channel, SHUT_RDWR);
}

/* Reads a run's id from the command; false when the command has ended. */
static bool read_id(int channel, char id[LAB_RUN_ID_SIZE])
{
    return recv(channel, id, LAB_RUN_ID_SIZE, MSG_WAITALL) == LAB_RUN_ID_SIZE;
}

/* Serves the commands that are connected, if there are any, until no command is connected or a signal arrived. The run
 * of the command that has ended is cancelled first, because theirs would wait for it; that does nothing when the run
 * has ended. */
static void serve_others(struct lab_service *service, int channel, const char *id, struct pollfd *signals)
{
    if (lab_http_clients(service->http) == 0)
        return;
    lab_jobs_cancel(service->jobs, id, NULL);
    detach(channel);
    while (lab_http_clients(service->http) > 0 && lab_signals_read(signals->fd) == 0)
        poll(signals, 1, check_ms);
}

/* Returns when the command has ended and no other command is connected, or when a signal arrived. A command that
 * connects just before the listener closes is still served; a later one waits until the database is free. */
static void serve_commands(struct lab_service *service, int channel, int signals)
{
    struct pollfd waited[] = {{.fd = signals, .events = POLLIN}, {.fd = channel, .events = POLLIN}};
    char id[LAB_RUN_ID_SIZE] = ""; /* the command's own run */
    do
        poll(waited, 2, -1);
    while (waited[0].revents == 0 && (waited[1].revents == 0 || read_id(channel, id)));
    serve_others(service, channel, id, waited);
    lab_http_close_listener(service->http);
    serve_others(service, channel, id, waited);
}

bool lab_private_service_run(struct lab_config *config, int channel, pid_t parent, enum lab_exit_code *code)
{
    struct lab_service service = {0};
    struct lab_start_report report = {0};
    isolate(channel, parent);
    int signals = lab_signals_open();
    config->socket_folder = -1;
    report.code = start_service(&service, config, &report.error);
    prctl(PR_SET_PDEATHSIG, 0); /* from now on serve_commands decides when this process ends */
    if (send(channel, &report, sizeof report, MSG_NOSIGNAL) == sizeof report && report.code == LAB_EXIT_OK)
        serve_commands(&service, channel, signals);
    *code = report.code;
    return lab_service_stop(&service);
}
