/* Follows a run to its end, with a progress line on the terminal. */
#ifndef LAB_FOLLOW_RUN_H
#define LAB_FOLLOW_RUN_H

#include "lab/client.h"

/* Waits until the run has finished and returns it, a new reference. With `owned`, the first signal on `signals`
 * (lab_signals_open) cancels the run, and the function continues to wait; the second signal ends the wait. Without it, the
 * first signal ends the wait. Returns NULL with *error set when the run could not be followed (code "left" after a
 * signal). */
json_t *lab_follow_run(struct lab_client *client, const char *id, const char *experiment, int signals, bool owned,
                       struct lab_error *error);

#endif
