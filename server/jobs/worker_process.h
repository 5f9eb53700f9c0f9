/* A child process with three ends to hold: started so that it cannot outlive us, signalled as a group, reaped once.
 * Nothing here knows what is said over the ends.
 */
#ifndef LAB_WORKER_PROCESS_H
#define LAB_WORKER_PROCESS_H

#include "core/errors.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* All descriptors are close-on-exec and do not block; -1 once closed. lab_process_start fills everything. */
struct lab_process {
    pid_t pid;  /* also its process group */
    int pidfd;  /* readable when it has ended; -1 where the kernel has none */
    int input;  /* a socket (writing to it raises no SIGPIPE with MSG_NOSIGNAL) that is its fd 0 */
    int output; /* what it writes on fd 1 */
    int errors; /* what it writes on fd 2 */
    bool reaped;
    int status; /* of waitpid, once reaped */
};

/* Starts `path` with `arguments` (ends with NULL, path first) and our environment, in a process group of its own, with
 * no other descriptor of ours. The kernel kills it when our process ends, however it ends. False with *error when it
 * cannot be started. A process that was itself forked without exec has no spawner and must not call this. */
bool lab_process_start(struct lab_process *process, const char *path, char *const arguments[], struct lab_error *error);

/* Sends a signal to the process and whatever it started; nothing once it is reaped. */
void lab_process_signal(const struct lab_process *process, int signal);

/* True when it has ended; it is then reaped, and what it left of its group is killed. Never blocks. */
bool lab_process_ended(struct lab_process *process);

/* "was ended by SIGSEGV (Segmentation fault)", "exited with code 4"; of a reaped process. */
void lab_process_end_text(const struct lab_process *process, char *text, size_t size);

void lab_process_close_input(struct lab_process *process);
/* Closes what is open. A process that has not ended is left to itself. */
void lab_process_close(struct lab_process *process);

#endif
