/* Allocates buffers, streams and events on every device. */
#include "setup.h"

#include "experiment/parameters.h"
#include "measure/verify.h"

static bool set_run_error(struct peer_setup *setup, const struct lab_device *device)
{
    setup->run->error = device->error;
    return false;
}

uint64_t peer_device_seed(const struct peer_setup *setup, size_t device)
{
    uint64_t seed = (uint64_t)lab_parameter_integer(setup->run->parameters, "seed");
    return seed * (2 * LAB_RUN_DEVICES_MAX) + device;
}

uint64_t peer_host_seed(const struct peer_setup *setup, size_t device)
{
    return peer_device_seed(setup, device) + LAB_RUN_DEVICES_MAX;
}

void *peer_destination(const struct peer_setup *setup, size_t target, size_t source)
{
    return setup->destinations[target][setup->destination_count == 1 ? 0 : source < target ? source : source - 1];
}

static bool make_streams(struct peer_setup *setup, size_t device)
{
    struct lab_device *on = setup->run->devices[device];
    for (size_t i = 0; i < setup->count; i++)
        if ((setup->streams[device][i] = setup->runtime->stream_create(on)) == NULL)
            return false;
    return (setup->marks[device] = setup->runtime->event_create(on)) != NULL;
}

static bool make_buffers(struct peer_setup *setup, size_t device)
{
    struct lab_device *on = setup->run->devices[device];
    if (!setup->runtime->allocate(on, LAB_MEMORY_DEVICE, setup->buffer_bytes, &setup->sources[device]))
        return false;
    for (size_t i = 0; i < setup->destination_count; i++)
        if (!setup->runtime->allocate(on, LAB_MEMORY_DEVICE, setup->buffer_bytes, &setup->destinations[device][i]))
            return false;
    return lab_verify_fill(on, peer_utility_lane(setup, device).stream, LAB_MEMORY_DEVICE,
                           lab_region_of(setup->sources[device], setup->buffer_bytes),
                           (struct lab_expectation){.seed = peer_device_seed(setup, device)});
}

bool peer_setup_open(struct peer_setup *setup, struct lab_run *run)
{
    *setup = (struct peer_setup){
        .run = run,
        .runtime = run->devices[0]->runtime,
        .count = run->device_count,
        .buffer_bytes = peer_buffer_bytes(run->parameters),
        .destination_count = peer_destination_count(run->parameters, run->device_count),
        .access = {.devices = run->devices, .count = run->device_count},
    };
    for (size_t i = 0; i < setup->count; i++)
        if (!make_streams(setup, i) || !make_buffers(setup, i))
            return set_run_error(setup, run->devices[i]);
    return true;
}

bool peer_setup_allocate_host_buffers(struct peer_setup *setup)
{
    for (size_t i = 0; i < setup->count; i++)
        if (setup->host_buffers[i] == NULL && !setup->runtime->allocate(setup->run->devices[i], LAB_MEMORY_PINNED,
                                                                        setup->buffer_bytes, &setup->host_buffers[i]))
            return set_run_error(setup, setup->run->devices[i]);
    return true;
}

/* A device may still access the memory of another device, and releasing that memory does not wait for it. */
static void synchronize(struct peer_setup *setup)
{
    for (size_t d = 0; d < setup->count; d++)
        for (size_t i = 0; i < setup->count; i++)
            if (setup->streams[d][i] != NULL)
                (void)setup->runtime->stream_synchronize(setup->run->devices[d], setup->streams[d][i]);
}

static void release_device(struct peer_setup *setup, size_t device)
{
    struct lab_device *on = setup->run->devices[device];
    for (size_t i = 0; i < setup->count; i++)
        setup->runtime->stream_release(on, setup->streams[device][i]);
    setup->runtime->event_release(on, setup->marks[device]);
    setup->runtime->release(on, LAB_MEMORY_DEVICE, setup->sources[device]);
    for (size_t i = 0; i < setup->destination_count; i++)
        setup->runtime->release(on, LAB_MEMORY_DEVICE, setup->destinations[device][i]);
    setup->runtime->release(on, LAB_MEMORY_PINNED, setup->host_buffers[device]);
}

bool peer_setup_close(struct peer_setup *setup)
{
    struct lab_error error;
    synchronize(setup);
    bool denied = peer_access_deny(&setup->access, &error);
    if (!denied)
        setup->run->error = error;
    for (size_t i = 0; i < setup->count; i++)
        release_device(setup, i);
    *setup = (struct peer_setup){0};
    return denied;
}
