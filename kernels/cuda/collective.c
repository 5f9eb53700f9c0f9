/* Collectives through NCCL: one communicator for each device, all driven by one thread. The calls for all devices go
 * between group_start and group_end, as each by itself could wait for the others.
 */
#include "device.h"

#include "nccl_library.h"

#include <stdio.h>
#include <stdlib.h>

enum { DEVICES_MAX = 16 };

struct lab_collective {
    size_t count;
    struct lab_device *devices[DEVICES_MAX];
    ncclComm_t communicators[DEVICES_MAX];
    char library[32];
    bool broken; /* a call failed: what it started on some devices may wait for the others for ever */
};

/* NCCL is one in a process, and reads its environment once in the life of it. */
static struct {
    bool open, multicast;
    struct nccl nccl;
} process;

/* --- errors ------------------------------------------------------------------------------------------------------- */

/* True for success. Else the first device has the error, and it is known which devices are lost. */
static bool good(struct lab_device *const *devices, size_t count, ncclResult_t result, const char *doing)
{
    bool lost = false;
    if (result == ncclSuccess)
        return true;
    for (size_t i = 0; i < count; i++) {
        (void)lab_cuda_good(devices[i], cudaErrorUnknown, doing); /* which looks at the device */
        lost = lost || devices[i]->lost;
    }
    return lab_error_set(&devices[0]->error, lost ? "device-lost" : "nccl-error", "", "NCCL: %s, while %s",
                         process.nccl.error_string(result), doing);
}

/* --- the library -------------------------------------------------------------------------------------------------- */

static bool settled_otherwise(struct lab_device *const *devices, size_t count)
{
    for (size_t i = 0; i < count; i++)
        devices[i]->lost = true;
    return lab_error_set(&devices[0]->error, "process-setting-conflict", "",
                         "NCCL decides about NVLink multicast once in a process, and decided %s it in this one: the "
                         "process is being replaced, run this again",
                         process.multicast ? "for" : "against");
}

/* Where multicast is not wanted, it is switched off before NCCL is there to look. */
static bool open_library(struct lab_device *const *devices, size_t count, bool multicast)
{
    char why[LAB_DETAIL_MAX / 2];
    if (process.open)
        return process.multicast == multicast || settled_otherwise(devices, count);
    if (!multicast && setenv("NCCL_NVLS_ENABLE", "0", 1) != 0)
        return lab_error_set(&devices[0]->error, "out-of-memory", "", "no memory for an environment variable");
    if (!lab_cuda_nccl_open(&process.nccl, why, sizeof why))
        return lab_error_set(&devices[0]->error, "unsupported", "", "NCCL is not on this machine: %s", why);
    process.open = true;
    process.multicast = multicast;
    return true;
}

/* "NCCL 2.28.9"; from 2.9 on the number counts in ten thousands. */
static void write_version(char *text, size_t size)
{
    int version = 0;
    (void)process.nccl.get_version(&version);
    int major = version >= 10000 ? version / 10000 : version / 1000;
    int minor = version >= 10000 ? version % 10000 / 100 : version % 1000 / 100;
    snprintf(text, size, "NCCL %d.%d.%d", major, minor, version % 100);
}

/* --- life --------------------------------------------------------------------------------------------------------- */

static struct lab_collective *open_collective(struct lab_device *const *devices, size_t count, bool multicast)
{
    int ordinals[DEVICES_MAX];
    if (count == 0 || count > DEVICES_MAX) {
        lab_error_set(&devices[0]->error, "unsupported", "", "collectives are of 1 to %d devices", DEVICES_MAX);
        return NULL;
    }
    struct lab_collective *collective = calloc(1, sizeof *collective);
    if (collective == NULL) {
        lab_error_set(&devices[0]->error, "out-of-memory", "", "no memory for a collective");
        return NULL;
    }
    collective->count = count;
    for (size_t i = 0; i < count; i++) {
        collective->devices[i] = devices[i];
        ordinals[i] = cuda_device_of(devices[i])->ordinal;
    }
    if (open_library(devices, count, multicast) &&
        good(devices, count, process.nccl.init_all(collective->communicators, (int)count, ordinals),
             "making the devices meet")) {
        write_version(collective->library, sizeof collective->library);
        return collective;
    }
    free(collective);
    return NULL;
}

/* What runs on a lost device never ends, nor what waits for calls that failed: then nothing is waited for. */
static void close_collective(struct lab_collective *collective)
{
    if (collective == NULL)
        return;
    bool ends = !collective->broken;
    for (size_t i = 0; i < collective->count; i++)
        ends = ends && !collective->devices[i]->lost;
    for (size_t i = 0; i < collective->count; i++)
        (void)(!ends ? process.nccl.abort : process.nccl.destroy)(collective->communicators[i]);
    (void)cudaGetLastError();
    free(collective);
}

/* --- the operations ----------------------------------------------------------------------------------------------- */

/* One device's part of an operation. */
struct part {
    size_t count, devices;
    const float *send;
    float *receive;
    ncclComm_t communicator;
    cudaStream_t stream;
};

static ncclResult_t all_reduce(const struct part *p)
{
    return process.nccl.all_reduce(p->send, p->receive, p->count, ncclFloat, ncclSum, p->communicator, p->stream);
}

static ncclResult_t all_gather(const struct part *p)
{
    return process.nccl.all_gather(p->send, p->receive, p->count, ncclFloat, p->communicator, p->stream);
}

static ncclResult_t reduce_scatter(const struct part *p)
{
    return process.nccl.reduce_scatter(p->send, p->receive, p->count, ncclFloat, ncclSum, p->communicator, p->stream);
}

static ncclResult_t broadcast(const struct part *p)
{
    return process.nccl.broadcast(p->send, p->receive, p->count, ncclFloat, 0, p->communicator, p->stream);
}

/* NCCL has a call of its own for it from 2.28 on; this is how it is done with any. */
static ncclResult_t all_to_all(const struct part *p)
{
    ncclResult_t result = ncclSuccess;
    for (size_t peer = 0; peer < p->devices && result == ncclSuccess; peer++) {
        result =
            process.nccl.send(p->send + peer * p->count, p->count, ncclFloat, (int)peer, p->communicator, p->stream);
        if (result == ncclSuccess)
            result = process.nccl.receive(p->receive + peer * p->count, p->count, ncclFloat, (int)peer, p->communicator,
                                          p->stream);
    }
    return result;
}

static ncclResult_t (*const operations[LAB_COLLECTIVE_OPERATIONS])(const struct part *) = {
    [LAB_ALL_REDUCE] = all_reduce, [LAB_ALL_GATHER] = all_gather, [LAB_REDUCE_SCATTER] = reduce_scatter,
    [LAB_BROADCAST] = broadcast,   [LAB_ALL_TO_ALL] = all_to_all,
};

/* A group that was begun is ended, whatever happened in it; the first error is told. */
static bool enqueue(struct lab_collective *collective, enum lab_collective_operation operation, size_t count,
                    const struct lab_lane *lanes, const struct lab_collective_buffers *buffers)
{
    ncclResult_t result = process.nccl.group_start();
    if (result != ncclSuccess)
        return good(collective->devices, collective->count, result, "beginning a collective");
    for (size_t i = 0; i < collective->count && result == ncclSuccess; i++)
        result = operations[operation](&(struct part){.count = count,
                                                      .devices = collective->count,
                                                      .send = buffers[i].send,
                                                      .receive = buffers[i].receive,
                                                      .communicator = collective->communicators[i],
                                                      .stream = cuda_stream_of(lanes[i].stream)});
    ncclResult_t ended = process.nccl.group_end();
    result = result != ncclSuccess ? result : ended;
    collective->broken = collective->broken || result != ncclSuccess;
    return good(collective->devices, collective->count, result, "queueing a collective");
}

static const char *library(const struct lab_collective *collective)
{
    return collective->library;
}

const struct lab_runtime_collective lab_cuda_collective = {
    .open = open_collective, .close = close_collective, .enqueue = enqueue, .library = library};
