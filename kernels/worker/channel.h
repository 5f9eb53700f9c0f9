/* The worker's end of the protocol (protocol.h): events out, operations in.
 */
#ifndef LAB_CHANNEL_H
#define LAB_CHANNEL_H

#include <jansson.h>
#include <stdatomic.h>
#include <stdbool.h>

/* Takes fd 0 and what was fd 1 for itself, sends fd 1 to stderr, and starts the thread that reads operations. That
 * thread sets *cancel when the run under way is to stop, and ends the process when the input closes: politely at first,
 * then at once, so that a worker that hangs does not outlive its server. False when descriptors or threads cannot be
 * had. */
bool lab_channel_open(atomic_bool *cancel);

/* The next operation other than cancel; blocks. A new reference; NULL when the input closed. */
json_t *lab_channel_next(void);

/* Tells the reader which run a cancel may be about; NULL when none is under way. Clears *cancel when a run starts,
 * unless it was cancelled before it started. */
void lab_channel_set_run(const char *run);

/* Writes one event and takes the reference. A peer that no longer listens ends the process. */
void lab_channel_send(json_t *event);

#endif
