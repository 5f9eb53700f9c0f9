/* The commands of `gpulab`, their exit codes, and how they say what is wrong.
 */
#ifndef LAB_COMMAND_H
#define LAB_COMMAND_H

#include "core/errors.h"

#include <stdbool.h>

/* Exit codes, for scripts. */
enum lab_exit_code {
    LAB_EXIT_OK = 0,
    LAB_EXIT_FAILED = 1,    /* a run failed, or a point did not verify */
    LAB_EXIT_USAGE = 2,     /* the command line, or what it asks for, cannot be accepted */
    LAB_EXIT_NO_DEVICE = 3, /* no worker, or no device, to run on */
    LAB_EXIT_CANCELLED = 4, /* the run was cancelled or interrupted */
    LAB_EXIT_ERROR = 5      /* the store or the server did not do its part */
};

/* The paragraph about exit codes that every help ends with. */
extern const char lab_exit_help[];

struct lab_command {
    const char *name, *summary;
    int (*main)(int argc, char **argv); /* argv[0] is the command's name; returns an exit code */
};

int lab_command_serve(int argc, char **argv);
int lab_command_run(int argc, char **argv);
int lab_command_devices(int argc, char **argv);
int lab_command_experiments(int argc, char **argv);

/* Prints each error as a line "gpulab: WHERE: what" to stderr. */
void lab_print_errors(const struct lab_errors *errors);
void lab_print_error(const struct lab_error *error);

/* A descriptor that becomes readable when SIGINT, SIGTERM or SIGHUP comes; from then on these signals do nothing else
 * in this process. To be called before any thread is started. -1 when it cannot be had. */
int lab_signals_open(void);
/* The signal that came; 0 for none. Never blocks. */
int lab_signals_read(int descriptor);

#endif
