/* Simulates how an ideal device would execute a list of operations, on 0, 1 or 2 copy engines and one compute engine.
 * The result is the bound with which a measured pipeline is compared. It includes the filling and draining of the
 * pipeline and head-of-line blocking.
 *
 * The model: each engine executes one operation at a time, and starts it when the operation before it in its stream
 * is known to have ended. `order` decides which operation an engine takes next. With no copy engine all operations
 * share one engine; with one, copies of both directions share it. While copies of both directions run at the same
 * time each takes its contended time, otherwise the time it takes alone.
 *
 * Source: the engines as Ruetsch & Fatica, "CUDA Fortran for Scientists and Engineers", 3.1.3, and the literature on
 * overlapping transfers describe them.
 */
#ifndef LAB_SCHEDULE_H
#define LAB_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>

/* The engine that executes an operation: copies host to device, kernels, copies device to host. */
enum lab_engine { LAB_ENGINE_H2D, LAB_ENGINE_COMPUTE, LAB_ENGINE_D2H };

/* One operation. Times are in seconds. */
struct lab_scheduled_operation {
    size_t stream; /* number of the stream, less than the number of operations */
    enum lab_engine engine;
    double alone;      /* duration when no copy of the other direction runs */
    double contended;  /* copy: duration while a copy of the other direction runs; at least `alone` */
    bool event_after;  /* kernel: an event is recorded between it and the next operation */
    double start, end; /* output */
};

/* Which of its operations an engine executes next. */
enum lab_schedule_order {
    LAB_ORDER_ISSUED, /* in the order of issue: an operation that is not ready blocks all later ones (one hardware queue) */
    LAB_ORDER_READY,  /* of the operations that are ready, the one issued first */
    LAB_ORDER_STREAM, /* of the operations that are ready, the one in the stream with the lowest number */
    LAB_ORDERS        /* the number of orders */
};

/* The simulated device. */
struct lab_schedule_device {
    size_t copy_engines; /* 0, 1 or 2; larger numbers count as 2 */
    enum lab_schedule_order order;
    /* Compute capability 2.x: a device that runs kernels concurrently may signal the end of kernels that were issued
     * one after another only when all of them have ended. An operation or an event between two kernels separates
     * them. */
    bool kernels_end_together;
};

/* Simulates `count` operations, given in the order of issue, and sets their start and end. Returns the time at which
 * the last one ends, in seconds; a negative value when out of memory. */
double lab_schedule_simulate(struct lab_scheduled_operation *operations, size_t count,
                             const struct lab_schedule_device *device);

#endif
