/* A private lab: the lab that a command starts for itself when none serves the database. It is a child process without
 * a TCP address; commands reach it through the Unix socket beside the database, as they reach `gpulab serve`.
 *
 * It ends when the command that started it has ended, normally or by any signal, and no other command is connected. So
 * a second command on the same database can use the same private lab, and its runs continue if the first command ends
 * first.
 */
#ifndef LAB_PRIVATE_LAB_H
#define LAB_PRIVATE_LAB_H

#include "cli/command.h"
#include "cli/config.h"
#include "core/run_status.h"

struct lab_private_lab {
    int channel;     /* a socket to the child process; each process sees when the other one ends. -1: not started */
    char folder[64]; /* of a temporary database; "" when the configured database is used */
};

enum lab_private_kind {
    LAB_PRIVATE_RUNS,    /* it runs what is queued in the database */
    LAB_PRIVATE_HISTORY, /* it only shows the history: it starts no worker and no run, and only the command that started it
                            * uses it; config->history becomes true */
    LAB_PRIVATE_TEMPORARY, /* it runs experiments with a new database in a folder of mode 0700, which is removed when it ends;
                            * config->db_path becomes the path of that database */
};

struct lab_private_options {
    enum lab_private_kind kind;
    lab_private_service *service; /* the client has no part of a lab in it: its caller passes what serves */
};

/* Starts the lab and waits until it listens. Must be called while the process has one thread, because it forks. A
 * signal on `signals` (lab_signals_open, or -1) ends the wait. Returns LAB_EXIT_OK, or another exit code with *error
 * set: code "store-in-use" when another process has the database open; LAB_EXIT_CANCELLED after a signal. */
enum lab_exit_code lab_private_lab_start(struct lab_private_lab *lab, struct lab_config *config,
                                         const struct lab_private_options *options, int signals,
                                         struct lab_error *error);

/* Passes the id of the command's own run to the lab. If the command ends before this run and the lab continues for
 * other commands, the lab cancels the run, because no command waits for it. Does nothing when the lab was not
 * started. */
void lab_private_lab_set_run(const struct lab_private_lab *lab, const char id[LAB_RUN_ID_SIZE]);

/* Releases the lab, after the caller has closed its connections to it, and returns when the lab has ended or has
 * detached itself to continue for other commands. Does nothing when it was not started. */
void lab_private_lab_stop(struct lab_private_lab *lab);

#endif
