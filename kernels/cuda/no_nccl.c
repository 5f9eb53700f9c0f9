/* Replaces collective.c in a build without NCCL's header. */
#include "entries.h"

static bool cuda_no_nccl_load(struct lab_device *const *devices, size_t count, bool multicast)
{
    (void)count;
    (void)multicast;
    return lab_error_set(&devices[0]->error, LAB_ERROR_UNSUPPORTED, "",
                         "this program was built without NCCL, which collectives need");
}

static struct lab_collective *open_collective(struct lab_device *const *devices, size_t count, bool multicast)
{
    (void)cuda_no_nccl_load(devices, count, multicast);
    return NULL;
}

static struct lab_collective *cuda_no_nccl_join(struct lab_device *const *devices, size_t count,
                                                const struct lab_collective_place *place, bool multicast)
{
    (void)place;
    return open_collective(devices, count, multicast);
}

static bool make_id(struct lab_device *device, struct lab_collective_id *id)
{
    (void)id;
    return cuda_no_nccl_load(&device, 1, false);
}

static void close_collective(struct lab_collective *collective, bool abandoned)
{
    (void)collective;
    (void)abandoned;
}

static bool cuda_no_nccl_enqueue(struct lab_collective *collective, enum lab_collective_operation operation,
                                 size_t count, const struct lab_lane *lanes,
                                 const struct lab_collective_buffers *buffers)
{
    (void)collective;
    (void)operation;
    (void)count;
    (void)buffers;
    return lab_error_set(&lanes[0].device->error, LAB_ERROR_INVALID_ARGUMENT, "",
                         "no NCCL communicator has been created");
}

static const char *cuda_no_nccl_library(const struct lab_collective *collective)
{
    (void)collective;
    return "";
}

const struct lab_runtime_collective lab_cuda_collective = {
    .open = open_collective,
    .join = cuda_no_nccl_join,
    .load = cuda_no_nccl_load,
    .make_id = make_id,
    .close = close_collective,
    .enqueue = cuda_no_nccl_enqueue,
    .library = cuda_no_nccl_library,
};
