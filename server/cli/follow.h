/* Following a run to its end, with progress on the terminal and Ctrl-C as a cancel.
 */
#ifndef LAB_FOLLOW_H
#define LAB_FOLLOW_H

#include "session.h"

/* Returns when the run is final: the run as it then is, a new reference. The first signal on `signals`
 * (lab_signals_open) cancels the run and goes on following it, the second leaves it alone. NULL with *error when the
 * run could not be followed (code "left" after a second signal). */
json_t *lab_follow(struct lab_session *session, const char *id, const char *experiment, int signals,
                   struct lab_error *error);

#endif
