/* Declarations shared by the files of waiting: waiting.c (descriptor and workload), run.c (measuring a point), ways.c
 * (the ways to wait), waiting.cu and waiting_host.c (the kernel).
 */
#ifndef LAB_WAITING_H
#define LAB_WAITING_H

#include "runtime/runtime.h"

#include <semaphore.h>
#include <stdatomic.h>

struct lab_run;

/* What the host waits for, at one point. */
struct waiting {
    struct lab_device *device;
    const struct lab_runtime *runtime;
    struct lab_stream *stream;
    struct lab_event *event;         /* recorded behind the kernel by the ways that wait for one */
    const volatile uint32_t *flag;   /* page-locked; the kernel sets it to 1 */
    sem_t called;                    /* posted by the host function, or by the thread that opens the latch */
    void (*function)(void *context); /* the host function, to be called with this struct */
};

/* A way to wait. The functions return false with the device's error set. */
struct waiting_way {
    const char *name;
    bool sleeps;        /* the thread sleeps while it waits, as the interface promises */
    bool sleeps_on_cpu; /* of host devices the thread sleeps too, after it has spun for a moment */
    const char *(*lacks)(const struct waiting *w); /* why the runtime cannot wait so; NULL: it can. NULL: all can */
    bool (*enqueue)(struct waiting *w);            /* what must be behind the kernel; NULL: nothing */
    bool (*wait)(struct waiting *w);
    bool blocking_event;  /* the event is one for which threads sleep */
    bool blocking_device; /* the device is told to let threads sleep */
    bool no_device;       /* nothing is launched: another thread is waited for */
};

/* In the order of the parameter's choices; ends with name NULL. */
extern const struct waiting_way waiting_ways[];

enum { WAITING_THREAD, WAITING_FLAG }; /* of which the predictions are made */

enum { WAITING_AXIS_VARIANT };

/* Indices of the workload's buffers. */
enum { WAITING_COUNTER, WAITING_FLAG_BUFFER };

bool waiting_run(struct lab_run *run);

#endif
