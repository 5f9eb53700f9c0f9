/* Collectives: operations in which several devices take part together. The part of the runtime seam (runtime.h) for them.
 */
#ifndef LAB_COLLECTIVE_H
#define LAB_COLLECTIVE_H

#include <stdbool.h>
#include <stddef.h>

struct lab_device;
struct lab_lane;
struct lab_collective; /* devices that have met */

/* On n devices, with `count` elements of fp32; sums where something is reduced.
 * ALL_REDUCE: every device sends count and receives count, the sums of all.
 * ALL_GATHER: every device sends count and receives n * count, those of device 0 first.
 * REDUCE_SCATTER: every device sends n * count; device i receives count, the sums of all devices' part i.
 * BROADCAST: device 0 sends count, every device receives them.
 * ALL_TO_ALL: every device sends n * count; part j of device i becomes part i of device j.
 * In place: `send` lies where the result (ALL_REDUCE, BROADCAST), the own part of it (ALL_GATHER), or the received part of
 * what is sent (REDUCE_SCATTER) lies; ALL_TO_ALL is never in place. */
enum lab_collective_operation {
    LAB_ALL_REDUCE,
    LAB_ALL_GATHER,
    LAB_REDUCE_SCATTER,
    LAB_BROADCAST,
    LAB_ALL_TO_ALL,
    LAB_COLLECTIVE_OPERATIONS
};

struct lab_collective_buffers {
    const float *send;
    float *receive;
};

/* Optional table of a runtime. */
struct lab_runtime_collective {
    /* Makes the devices, all opened, meet. NULL with the error of devices[0] set, code "unsupported" where the detail is
     * the sentence to skip with. Blocks, for seconds perhaps.
     * `multicast` lets the links between devices copy and add up what is sent through them, where they can and nothing
     * else on the machine forbids it; without it they are kept from it. A library may settle that once in a process:
     * where that has been settled otherwise already, the devices are marked as lost, so that the process is replaced. */
    struct lab_collective *(*open)(struct lab_device *const *devices, size_t count, bool multicast);
    /* Before the devices are closed. Waits for nothing that a lost device would have to do. */
    void (*close)(struct lab_collective *collective);
    /* Only queues, on one lane and with one pair of buffers for each device, in the order of `open`. False with the error
     * of devices[0] set. */
    bool (*enqueue)(struct lab_collective *collective, enum lab_collective_operation operation, size_t count,
                    const struct lab_lane *lanes, const struct lab_collective_buffers *buffers);
    /* What carries them, for the record: "NCCL 2.28.3". Valid until close. */
    const char *(*library)(const struct lab_collective *collective);
};

#endif
