/* The only runtime of gpulab-group-worker: host devices that have collectives between processes, and say that they are
 * CUDA devices, because only those work together with devices of other machines.
 *
 * GPULAB_STAND_IN=MACHINE[,wrong][,unsupported=BYTES] in the environment: the name of the machine, which becomes part
 * of the ids of the devices; results are wrong; buffers of more than BYTES bytes are not supported.
 */
#include "worker/runtimes.h"
#include "stand_in.h"

#include "host/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICES_MAX = 8 };

static struct {
    struct lab_runtime runtime;
    struct lab_device_facts facts[DEVICES_MAX];
} stand_in;

/* What follows `name` in GPULAB_STAND_IN; NULL if it does not contain it. */
static const char *setting(const char *name)
{
    const char *text = getenv("GPULAB_STAND_IN"), *found = text != NULL ? strstr(text, name) : NULL;
    return found != NULL ? found + strlen(name) : NULL;
}

bool lab_stand_in_is_wrong(void)
{
    return setting(",wrong") != NULL;
}

static const struct lab_device_facts *facts(size_t ordinal)
{
    const char *machine = setting("");
    struct lab_device_facts *copy = &stand_in.facts[ordinal];
    *copy = *lab_host_runtime.facts(ordinal);
    snprintf(copy->backend, sizeof copy->backend, "cuda");
    snprintf(copy->id, sizeof copy->id, "%.*s-%zu", machine != NULL ? (int)strcspn(machine, ",") : 0,
             machine != NULL ? machine : "", ordinal);
    return copy;
}

static struct lab_device *open_device(size_t ordinal, struct lab_error *error)
{
    struct lab_device *device = lab_host_runtime.open(ordinal, error);
    if (device != NULL) {
        device->runtime = &stand_in.runtime;
        device->facts = stand_in.facts[ordinal];
    }
    return device;
}

static bool allocate(struct lab_device *device, enum lab_memory kind, size_t bytes, void **address)
{
    const char *limit = setting(",unsupported=");
    if (limit != NULL && bytes > strtoul(limit, NULL, 10) && kind == LAB_MEMORY_DEVICE)
        return lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "", "no buffers of %zu bytes", bytes);
    return lab_host_runtime.allocate(device, kind, bytes, address);
}

const struct lab_runtime *lab_runtime_start(const char *name, const struct lab_runtime_options *options,
                                            void (*log)(const char *line), struct lab_error *error)
{
    (void)name;
    (void)log;
    stand_in.runtime = lab_host_runtime;
    stand_in.runtime.collective = &lab_between_processes;
    stand_in.runtime.facts = facts;
    stand_in.runtime.open = open_device;
    stand_in.runtime.allocate = allocate;
    return options->host_devices <= DEVICES_MAX && lab_host_runtime.start(options, error) ? &stand_in.runtime : NULL;
}
