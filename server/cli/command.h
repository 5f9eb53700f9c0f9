/* What the commands of `gpulab` share: exit codes, output, error output, and signals. */
#ifndef LAB_COMMAND_H
#define LAB_COMMAND_H

#include "core/errors.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Exit codes; lab_exit_help explains them to users. */
enum lab_exit_code {
    LAB_EXIT_OK = 0,
    /* a run failed, a result was wrong, nothing was measured, a point is slower than its base, a device is not sound,
     * something keeps gpulab from working */
    LAB_EXIT_FAILED = 1,
    LAB_EXIT_USAGE = 2,     /* the command line, or the run that it describes, is not valid */
    LAB_EXIT_NO_DEVICE = 3, /* no device, no worker, or not the device that was asked for */
    LAB_EXIT_CANCELLED = 4, /* the run was cancelled or interrupted */
    LAB_EXIT_ERROR = 5      /* an error of the database or of the lab */
};

/* The exit code of a command that ends with this error. */
enum lab_exit_code lab_exit_code_of(enum lab_error_code code);

/* The section about exit codes that every help text ends with. */
extern const char lab_exit_help[];

struct lab_config;

/* Runs a private lab (private_channel.h) in this process, the child that `parent` has made by fork, until the command
 * at the other end of `channel` has ended and no other command is connected, or until a signal arrives. Sets *code to
 * the exit code of this process. False when a part of the lab hangs: the process must end with _exit. */
typedef bool lab_private_service(struct lab_config *config, int channel, pid_t parent, enum lab_exit_code *code);

/* Checks the copy of a database in a file that nobody uses, and writes what it has. False with *error where it is not
 * sound. */
typedef bool lab_copy_verifier(const char *path, char *found, size_t size, struct lab_error *error);

/* Examines this machine without a lab: the document of GET /api/v1/doctor, a new reference; NULL with *error. */
typedef json_t *lab_machine_examiner(const struct lab_config *config, struct lab_error *error);

/* How a command is called. */
struct lab_invocation {
    int argc;
    char **argv; /* argv[0] is the command's name */
    lab_private_service *private_service;
    lab_copy_verifier *verify_copy;
    lab_machine_examiner *examine_machine;
};

/* Whether the reader of stdout has closed its end, as `head` does after its last line. */
bool lab_output_is_closed(void);
/* Writes what is left of stdout, at the end of a command with this exit code. Returns the exit code of the process:
 * `code`, also where the reader of stdout has closed its end; LAB_EXIT_ERROR after a message where the output of a
 * successful command could not be written. */
int lab_output_finish(int code);

/* Print one or all errors to stderr, each as "gpulab: POINTER: DETAIL". A pointer to a parameter or to a query
 * parameter is printed as the command line names it. */
void lab_print_errors(const struct lab_errors *errors);
void lab_print_error(const struct lab_error *error);

/* Blocks SIGINT, SIGTERM and SIGHUP and returns a descriptor that becomes readable when one of them arrives; -1 on
 * failure. Must be called before any thread is started, because threads inherit the blocked signals. */
int lab_signals_open(void);
/* Returns the number of a signal that has arrived, or 0 if none has. Never blocks. */
int lab_signals_read(int descriptor);

#endif
