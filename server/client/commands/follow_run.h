/* Follows a run to its end, with a progress line on the terminal. */
#ifndef LAB_FOLLOW_RUN_H
#define LAB_FOLLOW_RUN_H

#include "client_command.h"

/* Waits until the run has finished and returns it, a new reference. Unless the command prints JSON, what a program
 * prints is written as it comes, and the run is returned without its output. With `owned`, the first signal cancels the
 * run, and the function continues to wait; the second signal ends the wait. Without it, the first signal ends the wait.
 * Returns NULL with *error set when the run could not be followed (code "left" after a signal). */
json_t *lab_follow_run(const struct lab_context *context, const char *id, const char *experiment, bool owned,
                       struct lab_error *error);

#endif
