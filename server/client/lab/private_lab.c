/* Starts a private lab in a child process, and stops it.
 *
 * The child process is made by fork alone, without exec, so that it inherits the command's configuration.
 */
#include "private_lab.h"

#include "cli/private_channel.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static enum lab_exit_code create_folder(struct lab_private_lab *lab, struct lab_config *config, struct lab_error *error)
{
    const char *parent = getenv("TMPDIR");
    bool usable = parent != NULL && parent[0] == '/' && strlen(parent) + sizeof "/gpulab-XXXXXX" <= sizeof lab->folder;
    snprintf(lab->folder, sizeof lab->folder, "%s/gpulab-XXXXXX", usable ? parent : "/tmp");
    if (mkdtemp(lab->folder) == NULL) {
        lab_error_set(error, LAB_ERROR_STORE, "",
                      "The folder %s for a temporary database cannot be created: %m. TMPDIR selects another place.",
                      lab->folder);
        lab->folder[0] = '\0';
        return LAB_EXIT_ERROR;
    }
    snprintf(config->db_path, sizeof config->db_path, "%s/gpulab.db", lab->folder);
    return LAB_EXIT_OK;
}

/* Removes the folder of a temporary database, which has only files of its lab. */
static void remove_folder(const char *folder)
{
    DIR *files = folder[0] != '\0' ? opendir(folder) : NULL;
    if (files == NULL)
        return;
    for (struct dirent *file; (file = readdir(files)) != NULL;)
        unlinkat(dirfd(files), file->d_name, 0);
    closedir(files);
    rmdir(folder);
}

__attribute__((noreturn)) static void run_child(const struct lab_private_lab *lab, lab_private_service *serve,
                                                struct lab_config *config, int channel, pid_t parent)
{
    enum lab_exit_code code = LAB_EXIT_ERROR;
    bool stopped = serve(config, channel, parent, &code);
    remove_folder(lab->folder);
    if (!stopped)
        _exit(code);
    exit(code);
}

static enum lab_exit_code wait_for_report(int channel, pid_t child, int signals, struct lab_error *error)
{
    struct pollfd waited[] = {{.fd = channel, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
    struct lab_start_report report;
    while (waited[0].revents == 0) {
        poll(waited, 2, -1);
        if (signals >= 0 && lab_signals_read(signals) != 0) {
            kill(child, SIGKILL);
            lab_error_set(error, LAB_ERROR_LEFT, "", "Interrupted before the lab had started.");
            return LAB_EXIT_CANCELLED;
        }
    }
    if (recv(channel, &report, sizeof report, MSG_WAITALL) == sizeof report) {
        *error = report.error;
        return report.code;
    }
    lab_error_set(error, LAB_ERROR_NO_SERVER, "", "The server that this command started exited during its start.");
    return LAB_EXIT_ERROR;
}

enum lab_exit_code lab_private_lab_start(struct lab_private_lab *lab, struct lab_config *config,
                                         const struct lab_private_options *options, int signals,
                                         struct lab_error *error)
{
    int ends[2];
    pid_t parent = getpid();
    *lab = (struct lab_private_lab){.channel = -1};
    config->history = options->kind == LAB_PRIVATE_HISTORY;
    if (options->kind == LAB_PRIVATE_TEMPORARY && create_folder(lab, config, error) != LAB_EXIT_OK)
        return LAB_EXIT_ERROR;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        lab_error_set(error, LAB_ERROR_NO_SERVER, "", "A lab cannot be started: %m.");
        remove_folder(lab->folder);
        return LAB_EXIT_ERROR;
    }
    fflush(NULL); /* or the child's exit would write the buffered output a second time */
    pid_t child = fork();
    if (child == 0)
        run_child(lab, options->service, config, ends[1], parent);
    lab->channel = ends[0];
    close(ends[1]);
    enum lab_exit_code code = LAB_EXIT_ERROR;
    if (child < 0)
        lab_error_set(error, LAB_ERROR_NO_SERVER, "", "A lab cannot be started: %m.");
    else
        code = wait_for_report(lab->channel, child, signals, error);
    if (code != LAB_EXIT_OK) {
        lab_private_lab_stop(lab);
        if (child > 0)
            waitpid(child, NULL, 0);
    }
    return code;
}

void lab_private_lab_set_run(const struct lab_private_lab *lab, const char id[LAB_RUN_ID_SIZE])
{
    /* A failure is ignored: if the lab has ended, the next request fails. */
    (void)!send(lab->channel, id, LAB_RUN_ID_SIZE, MSG_NOSIGNAL);
}

void lab_private_lab_stop(struct lab_private_lab *lab)
{
    char byte;
    ssize_t got;
    if (lab->channel < 0)
        return;
    shutdown(lab->channel, SHUT_WR);
    do
        got = read(lab->channel, &byte, sizeof byte);
    while (got > 0 || (got < 0 && errno == EINTR));
    close(lab->channel);
    remove_folder(lab->folder); /* in case the lab was killed */
    *lab = (struct lab_private_lab){.channel = -1};
}
