/* An engine is a thread with a list of ready streams. It takes a stream from the list, completes the event records at
 * the stream's head, and runs the next task if the task is for this engine.
 */
#ifndef LAB_HOST_ENGINE_H
#define LAB_HOST_ENGINE_H

#include "device.h"

/* Starts an engine's thread on the device's cores. Returns false with *error set. */
bool lab_host_engine_start(struct host_engine *engine, struct host_device *device, const char *name,
                           struct lab_error *error);

/* Ends the thread when it has no ready stream left, and waits for it. */
void lab_host_engine_stop(struct host_engine *engine);

#endif
