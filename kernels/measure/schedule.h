/* What an ideal device would make of a list of operations: a simulated schedule on 0, 1 or 2 copy engines and one compute
 * engine. It is the bound that a measured pipeline is held against; fill, drain and head-of-line blocking come out of the
 * simulation rather than out of a formula.
 *
 * The model. Each engine does one operation at a time and begins it when the one before it in its stream is known to
 * have ended. Which operation an engine takes next is the device's order, below. With no copy engine everything shares
 * one engine; with one, copies of both directions share it. While an up and a down copy run together each goes at its
 * contended rate, else at its alone rate.
 *
 * Source: the engines of the article on overlapping transfers, and of Ruetsch & Fatica 3.1.3.
 */
#ifndef LAB_SCHEDULE_H
#define LAB_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>

enum lab_engine { LAB_ENGINE_UP, LAB_ENGINE_COMPUTE, LAB_ENGINE_DOWN };

/* One operation, in seconds; start and end come out, the rest is given. */
struct lab_scheduled {
    size_t stream; /* below `count` */
    enum lab_engine engine;
    double alone;      /* how long it takes by itself */
    double contended;  /* a copy: how long, while the other direction is copied too; not below alone */
    bool event_behind; /* a kernel: an event recorded behind it parts it from the next one */
    double start, end;
};

/* How an engine picks among the operations meant for it. */
enum lab_schedule_order {
    LAB_ORDER_ISSUED, /* as they were issued: one that is not ready keeps back all behind it (one hardware queue) */
    LAB_ORDER_READY,  /* the first issued of those that are ready */
    LAB_ORDER_STREAM, /* of those that are ready, that of the first stream: a queue is served until it is empty */
    LAB_ORDERS
};

struct lab_schedule_device {
    size_t copy_engines; /* 0, 1, 2; more count as 2 */
    enum lab_schedule_order order;
    /* A device that runs kernels concurrently may tell the end of kernels issued behind each other only when all of
     * them have ended (compute capability 2.x); an operation or an event between them parts them. */
    bool kernels_end_together;
};

/* Simulates `count` operations in the order given and returns when the last has ended; negative when out of memory. */
double lab_schedule_simulate(struct lab_scheduled *operations, size_t count, const struct lab_schedule_device *device);

#endif
