/* A child process and the pipes to its standard streams. It is started so that it cannot outlive this process,
 * signalled as a process group, and reaped once. These functions do not depend on the protocol that is used over the
 * pipes.
 */
#ifndef LAB_PROCESS_H
#define LAB_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Filled by lab_process_start. All descriptors are close-on-exec and non-blocking; -1: closed. */
struct lab_process {
    pid_t pid;  /* also its process group */
    int pidfd;  /* readable when it has ended; -1 where the kernel does not support it */
    int input;  /* its fd 0; a socket, so that MSG_NOSIGNAL avoids SIGPIPE */
    int output; /* its fd 1 */
    int errors; /* its fd 2 */
    bool reaped;
    int status; /* from waitpid; valid once reaped */
};

/* Starts `path` (looked up in PATH if it has no slash) with `arguments` (path first, ends with NULL) and this process's
 * environment, in a process group of its own. It inherits no descriptor but the three above. The kernel kills it when
 * this process ends for any reason. Returns 0, or the errno value that says why it cannot be started. Must not be
 * called in a process that was forked without exec, because the thread that starts processes is missing there. */
int lab_process_start(struct lab_process *process, const char *path, char *const arguments[]);

/* Sends a signal to the process and its group. Does nothing once it is reaped. */
void lab_process_signal(const struct lab_process *process, int signal);

/* Whether it has ended. If so, kills what is left of its group and reaps it. Never blocks. */
bool lab_process_ended(struct lab_process *process);

/* How a reaped process ended: "was ended by SIGSEGV (Segmentation fault)", "exited with code 4". */
void lab_process_end_text(const struct lab_process *process, char *text, size_t size);

void lab_process_close_input(struct lab_process *process);
/* Closes the descriptors that are open. Does not end the process. */
void lab_process_close_descriptors(struct lab_process *process);

#endif
