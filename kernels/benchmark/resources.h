/* Streams, events, memory, kernels and prepared operations on the devices of a run, which are released together.
 */
#ifndef LAB_RESOURCES_H
#define LAB_RESOURCES_H

#include "measure/run.h"
#include "runtime/module.h"

/* Initialise with {.run = run}. */
struct lab_resources {
    struct lab_run *run;
    size_t count, capacity;
    struct lab_resource *items; /* in the order of creation */
};

/* Create a resource. Return NULL with run->error set on failure. The resource is released by lab_resources_release. */
struct lab_stream *lab_resources_stream(struct lab_resources *resources, struct lab_device *device);
struct lab_event *lab_resources_event(struct lab_resources *resources, struct lab_device *device);
void *lab_resources_memory(struct lab_resources *resources, struct lab_device *device, enum lab_memory kind,
                           size_t bytes);
/* Takes over a plan that was just prepared; NULL: it could not be. */
struct lab_plan *lab_resources_plan(struct lab_resources *resources, struct lab_device *device, struct lab_plan *plan);
/* Loads an image, which must stay valid until the release. The error's code is "unsupported" if the runtime cannot load
 * kernels, or the image has none for it. */
struct lab_module *lab_resources_module(struct lab_resources *resources, struct lab_device *device,
                                        const struct lab_image *image);
/* The kernel of that name, which belongs to the module. Returns NULL with run->error set, code "unsupported", if there
 * is none. */
struct lab_kernel *lab_resources_kernel(struct lab_resources *resources, struct lab_device *device,
                                        struct lab_module *module, const char *name);
/* A launch of a kernel, as by `prepare` of module.h: values of more than 8 bytes must stay valid until the release. */
struct lab_plan *lab_resources_launch(struct lab_resources *resources, struct lab_device *device,
                                      struct lab_kernel *kernel, const struct lab_launch *launch,
                                      const struct lab_argument *arguments, size_t count);

/* Releases all resources but the first `keep`, the latest first. If there are any, waits for all streams before,
 * because one device may still access the memory of another. */
void lab_resources_release(struct lab_resources *resources, size_t keep);

#endif
