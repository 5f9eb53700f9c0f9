/* The commands of `gpulab`: exit codes, error output, and signals.
 */
#ifndef LAB_COMMAND_H
#define LAB_COMMAND_H

#include "core/errors.h"

#include <stdbool.h>

/* Exit codes; lab_exit_help explains them to users. */
enum lab_exit_code {
    LAB_EXIT_OK = 0,
    LAB_EXIT_FAILED = 1,    /* a run failed, or a result was wrong */
    LAB_EXIT_USAGE = 2,     /* the command line, or the run that it describes, is not valid */
    LAB_EXIT_NO_DEVICE = 3, /* no device, or no worker, to run on */
    LAB_EXIT_CANCELLED = 4, /* the run was cancelled or interrupted */
    LAB_EXIT_ERROR = 5      /* an error of the database or of the lab */
};

/* The section about exit codes that every help text ends with. */
extern const char lab_exit_help[];

struct lab_command {
    const char *name, *summary;
    int (*main)(int argc, char **argv); /* argv[0] is the command's name; returns an exit code */
};

int lab_command_serve(int argc, char **argv);
int lab_command_run(int argc, char **argv);
int lab_command_devices(int argc, char **argv);
int lab_command_experiments(int argc, char **argv);

/* Prints each error to stderr, as "gpulab: POINTER: DETAIL". */
void lab_print_errors(const struct lab_errors *errors);
void lab_print_error(const struct lab_error *error);

/* Blocks SIGINT, SIGTERM and SIGHUP and returns a descriptor that becomes readable when one of them arrives; -1 on
 * failure. To be called before any thread is started. */
int lab_signals_open(void);
/* The number of a signal that arrived; 0 for none. Never blocks. */
int lab_signals_read(int descriptor);

#endif
