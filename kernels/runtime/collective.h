/* Collective operations, in which several devices take part: an optional table of the runtime (runtime.h). */
#ifndef LAB_COLLECTIVE_H
#define LAB_COLLECTIVE_H

#include <stdbool.h>
#include <stddef.h>

struct lab_device;
struct lab_lane;
struct lab_collective; /* a group of devices that communicate; an NCCL communicator for each device of this process */

/* On n devices, with `count` elements of fp32. Reductions are sums.
 * ALL_REDUCE: every device sends count elements and receives count, the sums over all devices.
 * ALL_GATHER: every device sends count and receives n * count, those of device 0 first.
 * REDUCE_SCATTER: every device sends n * count; device i receives count, the sums over all devices' part i.
 * BROADCAST: device 0 sends count, every device receives them.
 * ALL_TO_ALL: every device sends n * count; part j of device i becomes part i of device j.
 * In place means: for ALL_REDUCE and BROADCAST `send` equals `receive`; for ALL_GATHER `send` is the device's own
 * part of `receive`; for REDUCE_SCATTER `receive` is the device's own part of `send`. ALL_TO_ALL is never in place. */
enum lab_collective_operation {
    LAB_ALL_REDUCE,
    LAB_ALL_GATHER,
    LAB_REDUCE_SCATTER,
    LAB_BROADCAST,
    LAB_ALL_TO_ALL,
    LAB_COLLECTIVE_OPERATIONS /* the number of operations */
};

/* The buffers of one device, in its memory. */
struct lab_collective_buffers {
    const float *send;
    float *receive;
};

/* By which the processes of a group find each other; the library gives the bytes their meaning. */
enum { LAB_COLLECTIVE_ID_BYTES = 128 };
struct lab_collective_id {
    unsigned char bytes[LAB_COLLECTIVE_ID_BYTES];
};

/* The place of a process in a group of several: its devices have the ranks from `first` on, of `ranks`. */
struct lab_collective_place {
    struct lab_collective_id id;
    size_t first, ranks;
};

/* Optional table of a runtime; NULL in a runtime without collective operations. */
struct lab_runtime_collective {
    /* Forms a group of the devices, all of them opened. Blocks, possibly for seconds. Returns NULL with the error of
     * devices[0] set; if its code is "unsupported", points are skipped and its detail is reported as the reason.
     * `multicast` allows the library to use links that copy and reduce data in the network (NVLink multicast), where
     * the hardware has them and the environment does not forbid it; false forbids it. A library may read this setting
     * only once per process. When the process has already used the other value, the devices are marked as lost, so that
     * the process is replaced. */
    struct lab_collective *(*open)(struct lab_device *const *devices, size_t count, bool multicast);
    /* As open, for a group of several processes, each of which calls join with devices of its own. Waits without a time
     * limit until all have, so each should have loaded the library before. `enqueue` then takes the lanes and buffers
     * of this process's devices; all processes must enqueue the same operations in the same order. */
    struct lab_collective *(*join)(struct lab_device *const *devices, size_t count,
                                   const struct lab_collective_place *place, bool multicast);
    /* Loads the library; fails as `open` does. */
    bool (*load)(struct lab_device *const *devices, size_t count, bool multicast);
    /* Makes the id of a new group of processes; the library has been loaded. The process that makes it must live until
     * all have joined. Returns false with the device's error set. */
    bool (*make_id)(struct lab_device *device, struct lab_collective_id *id);
    /* Releases the group; must be called before the devices are closed. Does not wait for work on a lost device.
     * `abandoned`: another process of the group may be gone, so queued work is ended and not waited for. */
    void (*close)(struct lab_collective *collective, bool abandoned);
    /* Enqueues one operation, with one lane and one pair of buffers per device, in the order of `open`. Returns false
     * with the error of devices[0] set. */
    bool (*enqueue)(struct lab_collective *collective, enum lab_collective_operation operation, size_t count,
                    const struct lab_lane *lanes, const struct lab_collective_buffers *buffers);
    /* Name and version of the library, for the record: "NCCL 2.28.3". Valid until close. */
    const char *(*library)(const struct lab_collective *collective);
};

#endif
