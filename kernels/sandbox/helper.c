#include "helper.h"

#include "command.h"
#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static void close_descriptor(int *descriptor)
{
    if (*descriptor >= 0)
        close(*descriptor);
    *descriptor = -1;
}

/* The helper's ends of all descriptors, numbered as there; -1: not passed. They are copied above these numbers, so that
 * none is overwritten by another. */
enum { ENDS = LAB_SANDBOX_PASSED + LAB_SANDBOX_KEPT_MAX };

static bool move_ends(int ends[ENDS])
{
    bool good = true;
    for (int i = 0; i < ENDS; i++) {
        int moved = ends[i] >= 0 ? fcntl(ends[i], F_DUPFD_CLOEXEC, ENDS) : -1;
        good = good && (ends[i] < 0 || moved >= 0);
        ends[i] = moved;
    }
    return good;
}

/* Returns 0 or errno. The helper has no variables: those of the program are among its arguments, so that they affect
 * the program alone. */
static int spawn(pid_t *id, char **command, const int ends[ENDS])
{
    char *const environment[] = {NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    for (int i = 0; i < ENDS; i++)
        if (ends[i] >= 0)
            posix_spawn_file_actions_adddup2(&actions, ends[i], i);
    int first = ENDS; /* after the last that is passed */
    while (ends[first - 1] < 0)
        first--;
    posix_spawn_file_actions_addclosefrom_np(&actions, first);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
    int code = posix_spawn(id, command[0], &actions, &attributes, command, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

int lab_sandbox_helper_start(struct lab_sandbox_helper *helper, const struct lab_sandbox *sandbox,
                             const struct lab_sandbox_call *call, const char *folder, const char *cgroup)
{
    *helper = (struct lab_sandbox_helper){-1, -1, -1, -1};
    int output[2] = {-1, -1}, errors[2] = {-1, -1}, control[2] = {-1, -1}, empty = -1, code = 0;
    char **command = lab_sandbox_command_create(sandbox, call, folder, cgroup);
    if (command == NULL)
        code = ENOMEM;
    else if (pipe2(output, O_CLOEXEC) != 0 || pipe2(errors, O_CLOEXEC) != 0 ||
             socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) != 0 ||
             (call->input < 0 && (empty = open("/dev/null", O_RDONLY | O_CLOEXEC)) < 0))
        code = errno;
    int ends[ENDS] = {call->input < 0 ? empty : call->input, output[1], errors[1], control[1]};
    for (size_t i = 0; i < LAB_SANDBOX_KEPT_MAX; i++)
        ends[LAB_SANDBOX_PASSED + i] = i < call->kept_count ? call->kept[i] : -1;
    if (code == 0) {
        code = move_ends(ends) ? spawn(&helper->id, command, ends) : errno;
        for (int i = 0; i < ENDS; i++)
            close_descriptor(&ends[i]);
    }
    close_descriptor(&output[1]);
    close_descriptor(&errors[1]);
    close_descriptor(&control[1]);
    close_descriptor(&empty);
    helper->output = output[0];
    helper->errors = errors[0];
    helper->control = control[0];
    lab_sandbox_command_free(command);
    if (code != 0) {
        helper->id = -1;
        lab_sandbox_helper_stop(helper);
        return code;
    }
    fcntl(helper->output, F_SETFL, O_NONBLOCK);
    fcntl(helper->errors, F_SETFL, O_NONBLOCK);
    return 0;
}

void lab_sandbox_helper_stop(struct lab_sandbox_helper *helper)
{
    close_descriptor(&helper->control);
    while (helper->id > 0 && waitpid(helper->id, NULL, 0) < 0 && errno == EINTR) {
    }
    helper->id = -1;
    close_descriptor(&helper->output);
    close_descriptor(&helper->errors);
}
