/* The worker's side of the protocol (core/protocol.h): reads operations, writes events. */
#ifndef LAB_CHANNEL_H
#define LAB_CHANNEL_H

#include <jansson.h>
#include <stdatomic.h>
#include <stdbool.h>

/* Reserves fd 0 and the original fd 1 for the protocol, redirects fd 1 to stderr, says hello, and starts the threads
 * that read operations and send heartbeats. The first one sets *cancel when the current run must stop. When the input
 * closes, it sets *cancel, lets lab_channel_next return NULL, and ends the process 2 s later, so that a worker that
 * hangs does not outlive its server. After a line that is too long or no operation it names the reason on stderr and
 * ends the process (core/protocol.h). When nothing has been received for `silence_s` (0: no limit), the process ends at
 * once. Returns false when a descriptor or a thread cannot be created. */
bool lab_channel_open(atomic_bool *cancel, unsigned silence_s);

/* Waits for the next operation other than cancel and returns it, a new reference. NULL when the input closed and all
 * operations have been returned. */
json_t *lab_channel_next(void);

/* Sets the id of the current run, which a cancel operation must name to stop it; NULL when no run is active. Clears
 * *cancel when a run starts, unless that run was cancelled before it started. */
void lab_channel_set_run(const char *run);

/* Waits for the id of the current run's group, and copies it. Returns false when the run is cancelled or the input
 * closes. */
bool lab_channel_await_group(char *id, size_t size);

/* Writes one event and releases the caller's reference to it. Ends the process when the event cannot be written. Any
 * thread. */
void lab_channel_send(json_t *event);

#endif
