/* Keeps what a run has created on its devices, and releases it. */
#include "benchmark/resources.h"

#include "benchmark/streams.h"

#include <stdlib.h>

struct lab_resource {
    enum { STREAM, EVENT, MEMORY, MODULE, PLAN } kind;
    struct lab_device *device;
    enum lab_memory memory;
    void *handle; /* NULL: could not be created */
};

static void release(const struct lab_run *run, const struct lab_resource *resource)
{
    struct lab_device *device = resource->device;
    switch (resource->kind) {
    case STREAM:
        lab_run_stream_return(run, device, resource->handle);
        break;
    case EVENT:
        device->runtime->event_free(device, resource->handle);
        break;
    case MEMORY:
        device->runtime->free(device, resource->memory, resource->handle);
        break;
    case MODULE:
        device->runtime->module->unload(device, resource->handle);
        break;
    case PLAN:
        device->runtime->plan_free(device, resource->handle);
        break;
    }
}

static bool reserve(struct lab_resources *r)
{
    if (r->count < r->capacity)
        return true;
    size_t capacity = r->capacity > 0 ? 2 * r->capacity : 64;
    struct lab_resource *items = realloc(r->items, capacity * sizeof *items);
    if (items == NULL)
        return lab_error_set(&r->run->error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for the list of resources");
    r->items = items;
    r->capacity = capacity;
    return true;
}

/* Takes over a resource that was just created. Returns its handle. */
static void *keep(struct lab_resources *r, struct lab_resource resource)
{
    if (!lab_run_forward_error(r->run, resource.device, resource.handle != NULL))
        return NULL;
    if (!reserve(r)) {
        release(r->run, &resource);
        return NULL;
    }
    r->items[r->count++] = resource;
    return resource.handle;
}

struct lab_stream *lab_resources_stream(struct lab_resources *r, struct lab_device *device)
{
    return keep(r, (struct lab_resource){STREAM, device, .handle = lab_run_stream(r->run, device)});
}

struct lab_event *lab_resources_event(struct lab_resources *r, struct lab_device *device)
{
    return keep(r, (struct lab_resource){EVENT, device, .handle = device->runtime->event_create(device)});
}

void *lab_resources_memory(struct lab_resources *r, struct lab_device *device, enum lab_memory kind, size_t bytes)
{
    void *address = NULL;
    if (!device->runtime->allocate(device, kind, bytes, &address))
        address = NULL;
    return keep(r, (struct lab_resource){MEMORY, device, kind, address});
}

struct lab_plan *lab_resources_plan(struct lab_resources *r, struct lab_device *device, struct lab_plan *plan)
{
    return keep(r, (struct lab_resource){PLAN, device, .handle = plan});
}

struct lab_module *lab_resources_module(struct lab_resources *r, struct lab_device *device,
                                        const struct lab_image *image)
{
    const struct lab_runtime_module *modules = device->runtime->module;
    if (modules != NULL)
        return keep(r, (struct lab_resource){MODULE, device, .handle = modules->load(device, image)});
    lab_error_set(&r->run->error, LAB_ERROR_UNSUPPORTED, "", LAB_MODULES_MISSING);
    return NULL;
}

struct lab_kernel *lab_resources_kernel(struct lab_resources *r, struct lab_device *device, struct lab_module *module,
                                        const char *name)
{
    struct lab_kernel *kernel = device->runtime->module->kernel(device, module, name);
    lab_run_forward_error(r->run, device, kernel != NULL);
    return kernel;
}

struct lab_plan *lab_resources_launch(struct lab_resources *r, struct lab_device *device, struct lab_kernel *kernel,
                                      const struct lab_launch *launch, const struct lab_argument *arguments,
                                      size_t count)
{
    return lab_resources_plan(r, device, device->runtime->module->prepare(device, kernel, launch, arguments, count));
}

void lab_resources_release(struct lab_resources *r, size_t keep)
{
    for (size_t i = 0; r->count > keep && i < r->count; i++) {
        struct lab_device *device = r->items[i].device;
        if (r->items[i].kind == STREAM)
            (void)device->runtime->stream_synchronize(device, r->items[i].handle);
    }
    while (r->count > keep)
        release(r->run, &r->items[--r->count]);
    if (keep > 0)
        return;
    free(r->items);
    *r = (struct lab_resources){.run = r->run};
}
