/* Memory and streams on every device. */
#include "bench.h"

#include "experiment/parameters.h"
#include "measure/verify.h"

static bool failed(struct peer_bench *b, const struct lab_device *device)
{
    b->run->error = device->error;
    return false;
}

uint64_t peer_device_seed(const struct peer_bench *b, size_t device)
{
    uint64_t seed = (uint64_t)lab_parameter_integer(b->run->parameters, "seed");
    return seed * (2 * LAB_RUN_DEVICES_MAX) + device;
}

uint64_t peer_host_seed(const struct peer_bench *b, size_t device)
{
    return peer_device_seed(b, device) + LAB_RUN_DEVICES_MAX;
}

void *peer_arrival(const struct peer_bench *b, size_t target, size_t source)
{
    return b->arrivals[target][b->slots == 1 ? 0 : source < target ? source : source - 1];
}

static bool make_streams(struct peer_bench *b, size_t device)
{
    struct lab_device *on = b->run->devices[device];
    for (size_t i = 0; i < b->count; i++)
        if ((b->streams[device][i] = b->runtime->stream_create(on)) == NULL)
            return false;
    return (b->forks[device] = b->runtime->event_create(on)) != NULL &&
           (b->joins[device] = b->runtime->event_create(on)) != NULL;
}

static bool make_buffers(struct peer_bench *b, size_t device)
{
    struct lab_device *on = b->run->devices[device];
    if (!b->runtime->allocate(on, LAB_MEMORY_DEVICE, b->extent, &b->sources[device]))
        return false;
    for (size_t i = 0; i < b->slots; i++)
        if (!b->runtime->allocate(on, LAB_MEMORY_DEVICE, b->extent, &b->arrivals[device][i]))
            return false;
    return lab_verify_fill(on, peer_service(b, device), LAB_MEMORY_DEVICE, lab_region_of(b->sources[device], b->extent),
                           (struct lab_expectation){.seed = peer_device_seed(b, device)});
}

bool peer_bench_open(struct peer_bench *b, struct lab_run *run)
{
    *b = (struct peer_bench){
        .run = run,
        .runtime = run->devices[0]->runtime,
        .count = run->device_count,
        .extent = peer_extent(run->parameters),
        .slots = peer_slots(run->parameters, run->device_count),
        .links = {.devices = run->devices, .count = run->device_count},
    };
    for (size_t i = 0; i < b->count; i++)
        if (!make_streams(b, i) || !make_buffers(b, i))
            return failed(b, run->devices[i]);
    return true;
}

bool peer_bench_use_hosts(struct peer_bench *b)
{
    for (size_t i = 0; i < b->count; i++)
        if (b->hosts[i] == NULL &&
            !b->runtime->allocate(b->run->devices[i], LAB_MEMORY_PINNED, b->extent, &b->hosts[i]))
            return failed(b, b->run->devices[i]);
    return true;
}

void peer_bench_settle(struct peer_bench *b)
{
    for (size_t d = 0; d < b->count; d++)
        for (size_t i = 0; i < b->count; i++)
            if (b->streams[d][i] != NULL)
                (void)b->runtime->stream_synchronize(b->run->devices[d], b->streams[d][i]);
}

static void release_device(struct peer_bench *b, size_t device)
{
    struct lab_device *on = b->run->devices[device];
    for (size_t i = 0; i < b->count; i++)
        b->runtime->stream_release(on, b->streams[device][i]);
    b->runtime->event_release(on, b->forks[device]);
    b->runtime->event_release(on, b->joins[device]);
    b->runtime->release(on, LAB_MEMORY_DEVICE, b->sources[device]);
    for (size_t i = 0; i < b->slots; i++)
        b->runtime->release(on, LAB_MEMORY_DEVICE, b->arrivals[device][i]);
    b->runtime->release(on, LAB_MEMORY_PINNED, b->hosts[device]);
}

bool peer_bench_close(struct peer_bench *b)
{
    struct lab_error error;
    peer_bench_settle(b);
    bool denied = peer_links_deny(&b->links, &error);
    if (!denied)
        b->run->error = error;
    for (size_t i = 0; i < b->count; i++)
        release_device(b, i);
    *b = (struct peer_bench){0};
    return denied;
}
