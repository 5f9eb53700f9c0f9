/* Follows a sweep to its end, with a progress line on the terminal; Ctrl-C cancels the sweep. */
#ifndef LAB_FOLLOW_SWEEP_H
#define LAB_FOLLOW_SWEEP_H

#include "client_command.h"

/* Waits until all runs of the sweep have ended and returns them as GET /runs lists them, newest first, a new reference.
 * The first signal cancels the sweep; the second one ends the wait. Returns NULL with *error set when the sweep could
 * not be followed (code "left" after a second signal). */
json_t *lab_follow_sweep(struct lab_context *context, const char *id, size_t total, struct lab_error *error);

#endif
