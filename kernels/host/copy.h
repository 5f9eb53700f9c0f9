/* Copies of buffers and regions, by an engine's thread or by all cores.
 */
#ifndef LAB_HOST_COPY_H
#define LAB_HOST_COPY_H

#include "device.h"

/* Copies a region with all cores of the device. Called on the compute engine's thread. */
void lab_host_copy_by_cores(struct host_device *device, const struct lab_region *destination,
                            const struct lab_region *source);

/* Queues a copy from the memory of `source` to the memory of `target` on the lane, whose device is one of the two. The
 * lane's device executes it on its host-to-device engine if it is the target, else on its device-to-host engine. */
bool lab_host_copy_between(const struct lab_lane *lane, struct lab_device *target, struct lab_region destination,
                           struct lab_device *source, struct lab_region from);

/* Functions of the runtime's table (runtime.h). */
bool lab_host_copy(struct lab_device *device, struct lab_stream *stream, void *destination, const void *source,
                   size_t bytes, enum lab_direction direction);
extern const struct lab_runtime_copy2d lab_host_copy2d;

#endif
