/* Follows a run to its end, with a progress line on the terminal; Ctrl-C cancels the run. */
#ifndef LAB_FOLLOW_RUN_H
#define LAB_FOLLOW_RUN_H

#include "lab/client.h"

/* Waits until the run has finished and returns it, a new reference. The first signal on `signals` (lab_signals_open)
 * cancels the run; the function continues to wait. The second signal ends the wait. Returns NULL with *error set when
 * the run could not be followed (code "left" after a second signal). */
json_t *lab_follow_run(struct lab_client *client, const char *id, const char *experiment, int signals,
                       struct lab_error *error);

#endif
