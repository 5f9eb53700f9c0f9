/* Engines: threads that take streams from their list, complete the records at the head and run one task of theirs.
 */
#ifndef LAB_HOST_ENGINE_H
#define LAB_HOST_ENGINE_H

#include "device.h"

/* Starts an engine's thread on the device's cores. False with *error. */
bool lab_host_engine_start(struct host_engine *engine, struct host_device *device, const char *name,
                           struct lab_error *error);

/* Ends the thread after the work that is queued for it. */
void lab_host_engine_stop(struct host_engine *engine);

#endif
