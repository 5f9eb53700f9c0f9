/* Collective operations through NCCL, with one communicator per device; one thread makes the calls for all devices of
 * the process. They are made between group_start and group_end, because a single call may block until those for the
 * other devices are made.
 */
#include "device.h"
#include "entries.h"
#include "nccl_library.h"

#include "core/libraries.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICES_MAX = 16 };

_Static_assert(sizeof(ncclUniqueId) == LAB_COLLECTIVE_ID_BYTES, "an id is passed on as it is");

struct lab_collective {
    size_t count; /* devices of this process */
    size_t ranks; /* devices of all processes */
    struct lab_device *devices[DEVICES_MAX];
    ncclComm_t communicators[DEVICES_MAX];
    char library[32]; /* "NCCL 2.28.9" */
    bool broken;      /* a call failed, so work that was queued on some devices may wait for the others forever */
};

/* The loaded library. NCCL is loaded once per process and reads its environment variables once. */
static struct {
    bool open;      /* the library has been loaded */
    bool multicast; /* the setting with which it was loaded */
    struct nccl nccl;
} process;

/* --- errors ------------------------------------------------------------------------------------------------------- */

/* Returns true if `result` is ncclSuccess. Otherwise sets the error of the first device, tests all devices and marks
 * the unusable ones as lost. */
static bool check(struct lab_device *const *devices, size_t count, ncclResult_t result, const char *doing)
{
    bool lost = false;
    if (result == ncclSuccess)
        return true;
    for (size_t i = 0; i < count; i++) {
        (void)lab_cuda_check(devices[i], cudaErrorUnknown, doing); /* marks the device as lost if it is unusable */
        lost = lost || devices[i]->lost;
    }
    return lab_error_set(&devices[0]->error, lost ? LAB_ERROR_DEVICE_LOST : LAB_ERROR_NCCL_ERROR, "",
                         "NCCL: %s, while %s", process.nccl.error_string(result), doing);
}

/* --- the library -------------------------------------------------------------------------------------------------- */

/* Sets the error for a multicast setting that differs from the one with which NCCL was loaded. Marks the devices as
 * lost, so that the worker process is replaced. */
static bool set_multicast_conflict(struct lab_device *const *devices, size_t count)
{
    for (size_t i = 0; i < count; i++)
        devices[i]->lost = true;
    return lab_error_set(
        &devices[0]->error, LAB_ERROR_PROCESS_SETTING_CONFLICT, "",
        "NCCL decides once per process whether it uses NVLink multicast, and in this process it is %s: "
        "the worker is being replaced; start the run again",
        process.multicast ? "on" : "off");
}

/* Loads NCCL. Multicast is switched off by an environment variable, which must be set before NCCL is loaded. */
static bool open_library(struct lab_device *const *devices, size_t count, bool multicast)
{
    char why[LAB_DETAIL_MAX / 2];
    if (process.open)
        return process.multicast == multicast || set_multicast_conflict(devices, count);
    if (!multicast && setenv("NCCL_NVLS_ENABLE", "0", 1) != 0)
        return lab_error_set(&devices[0]->error, LAB_ERROR_OUT_OF_MEMORY, "",
                             "out of memory for an environment variable");
    if (!lab_cuda_nccl_open(&process.nccl, why, sizeof why))
        return lab_error_set(&devices[0]->error, LAB_ERROR_UNSUPPORTED, "", "NCCL is not installed: %s", why);
    process.open = true;
    process.multicast = multicast;
    return true;
}

/* Writes "NCCL 2.28.9". */
static void write_version(char *text, size_t size)
{
    static const char name[] = "NCCL ";
    int version = 0;
    (void)process.nccl.get_version(&version);
    snprintf(text, size, "%s", name);
    lab_nccl_version_text(version, text + sizeof name - 1, size - (sizeof name - 1));
}

/* --- opening and closing ------------------------------------------------------------------------------------------ */

/* A collective without communicators; NULL with the error of the first device set. */
static struct lab_collective *create(struct lab_device *const *devices, size_t count, size_t ranks)
{
    if (count == 0 || count > DEVICES_MAX) {
        lab_error_set(&devices[0]->error, LAB_ERROR_UNSUPPORTED, "", "a collective needs 1 to %d devices, not %zu",
                      DEVICES_MAX, count);
        return NULL;
    }
    struct lab_collective *collective = calloc(1, sizeof *collective);
    if (collective == NULL) {
        lab_error_set(&devices[0]->error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for a collective");
        return NULL;
    }
    collective->count = count;
    collective->ranks = ranks;
    memcpy(collective->devices, devices, count * sizeof *devices);
    return collective;
}

/* Returns the collective if its communicators were created; frees it otherwise. */
static struct lab_collective *complete(struct lab_collective *collective, ncclResult_t result)
{
    if (check(collective->devices, collective->count, result, "creating the NCCL communicators")) {
        write_version(collective->library, sizeof collective->library);
        return collective;
    }
    free(collective);
    return NULL;
}

static struct lab_collective *open_collective(struct lab_device *const *devices, size_t count, bool multicast)
{
    int ordinals[DEVICES_MAX];
    struct lab_collective *collective = open_library(devices, count, multicast) ? create(devices, count, count) : NULL;
    if (collective == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++)
        ordinals[i] = cuda_device_of(devices[i])->ordinal;
    return complete(collective, process.nccl.init_all(collective->communicators, (int)count, ordinals));
}

/* Creates the communicators of this process's devices. A group that was started must be ended even after an error. */
static ncclResult_t init_ranks(struct lab_collective *collective, const struct lab_collective_place *place)
{
    ncclUniqueId id;
    memcpy(&id, &place->id, sizeof id);
    ncclResult_t result = process.nccl.group_start();
    if (result != ncclSuccess)
        return result;
    for (size_t i = 0; i < collective->count && result == ncclSuccess; i++)
        result =
            cudaSetDevice(cuda_device_of(collective->devices[i])->ordinal) == cudaSuccess
                ? process.nccl.init_rank(&collective->communicators[i], (int)place->ranks, id, (int)(place->first + i))
                : ncclUnhandledCudaError;
    ncclResult_t end_result = process.nccl.group_end();
    return result != ncclSuccess ? result : end_result;
}

static struct lab_collective *cuda_collective_join(struct lab_device *const *devices, size_t count,
                                                   const struct lab_collective_place *place, bool multicast)
{
    struct lab_collective *collective =
        open_library(devices, count, multicast) ? create(devices, count, place->ranks) : NULL;
    return collective != NULL ? complete(collective, init_ranks(collective, place)) : NULL;
}

static bool make_id(struct lab_device *device, struct lab_collective_id *id)
{
    ncclUniqueId made;
    if (!check(&device, 1, process.nccl.get_unique_id(&made), "making the id of a group"))
        return false;
    memcpy(id, &made, sizeof made);
    return true;
}

/* Destroys the communicators. If a device is lost, a call failed or another process is gone, queued work may never end;
 * then the communicators are aborted, because destroying them would wait for the work. */
static void close_collective(struct lab_collective *collective, bool abandoned)
{
    if (collective == NULL)
        return;
    bool will_end = !collective->broken && !abandoned;
    for (size_t i = 0; i < collective->count; i++)
        will_end = will_end && !collective->devices[i]->lost;
    for (size_t i = 0; i < collective->count; i++)
        (void)(!will_end ? process.nccl.abort : process.nccl.destroy)(collective->communicators[i]);
    (void)cudaGetLastError();
    free(collective);
}

/* --- the operations ----------------------------------------------------------------------------------------------- */

/* One device's part of an operation. */
struct part {
    size_t count; /* elements, as in lab_runtime_collective.enqueue */
    size_t ranks; /* number of devices in the group */
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

static ncclResult_t cuda_collective_broadcast(const struct part *p)
{
    return process.nccl.broadcast(p->send, p->receive, p->count, ncclFloat, 0, p->communicator, p->stream);
}

/* Uses send and receive, because NCCL has a function for all-to-all only from 2.28 on. */
static ncclResult_t all_to_all(const struct part *p)
{
    ncclResult_t result = ncclSuccess;
    for (size_t peer = 0; peer < p->ranks && result == ncclSuccess; peer++) {
        result =
            process.nccl.send(p->send + peer * p->count, p->count, ncclFloat, (int)peer, p->communicator, p->stream);
        if (result == ncclSuccess)
            result = process.nccl.receive(p->receive + peer * p->count, p->count, ncclFloat, (int)peer, p->communicator,
                                          p->stream);
    }
    return result;
}

static ncclResult_t (*const operations[LAB_COLLECTIVE_OPERATIONS])(const struct part *) = {
    [LAB_ALL_REDUCE] = all_reduce,         [LAB_ALL_GATHER] = all_gather,
    [LAB_REDUCE_SCATTER] = reduce_scatter, [LAB_BROADCAST] = cuda_collective_broadcast,
    [LAB_ALL_TO_ALL] = all_to_all,
};

/* Enqueues one operation on all devices. A group that was started must be ended even after an error; the first error is
 * reported. */
static bool cuda_collective_enqueue(struct lab_collective *collective, enum lab_collective_operation operation,
                                    size_t count, const struct lab_lane *lanes,
                                    const struct lab_collective_buffers *buffers)
{
    ncclResult_t result = process.nccl.group_start();
    if (result != ncclSuccess)
        return check(collective->devices, collective->count, result, "starting a group of collective calls");
    for (size_t i = 0; i < collective->count && result == ncclSuccess; i++)
        result = operations[operation](&(struct part){.count = count,
                                                      .ranks = collective->ranks,
                                                      .send = buffers[i].send,
                                                      .receive = buffers[i].receive,
                                                      .communicator = collective->communicators[i],
                                                      .stream = cuda_stream_of(lanes[i].stream)});
    ncclResult_t end_result = process.nccl.group_end();
    result = result != ncclSuccess ? result : end_result;
    collective->broken = collective->broken || result != ncclSuccess;
    return check(collective->devices, collective->count, result, "queueing a collective");
}

static const char *library(const struct lab_collective *collective)
{
    return collective->library;
}

const struct lab_runtime_collective lab_cuda_collective = {
    .open = open_collective,
    .join = cuda_collective_join,
    .load = open_library,
    .make_id = make_id,
    .close = close_collective,
    .enqueue = cuda_collective_enqueue,
    .library = library,
};
