/* A run in the worker: the argument of an experiment's run(), and the interfaces through which it reports its
 * results. */
#ifndef LAB_RUN_H
#define LAB_RUN_H

#include "descriptor/experiment.h"
#include "descriptor/pairing.h"
#include "facts/readings.h"
#include "measure/measurement.h"
#include "runtime/runtime.h"

#include <stdatomic.h>

enum { LAB_RUN_DEVICES_MAX = 16, LAB_RUN_SAID_MAX = 32 };

struct lab_run;
struct lab_own_kernels; /* benchmark/own_kernels.h */
struct lab_side;        /* benchmark/loop.c */
struct lab_streams;     /* benchmark/streams.h */

/* Receives the results of a run, in order, on the run's thread. The arguments are valid only during the call. */
struct lab_sink {
    void *context;
    void (*measurement)(void *context, const struct lab_measurement *measurement);
    void (*span)(void *context, const struct lab_span *span);
    void (*progress)(void *context, size_t done, size_t total, const char *label); /* `done` of `total` points */
    void (*warning)(void *context, const char *text); /* a sentence that casts doubt on the result; shown with it */
    void (*note)(void *context, const char *text);    /* a fact that is stored and shown with the result */
    void (*field)(void *context, const struct lab_field *field);
    /* What compilers say of a program: lab_message_to_json of each, errors first. */
    void (*messages)(void *context, const json_t *messages);
    /* What the timeline of a program shows: [{name, text, lesson}]. */
    void (*findings)(void *context, const json_t *findings);
    /* How many elements of the outputs of an own kernel are wrong at a point, and which is the first of them: a
     * sentence; NULL: none is (METHOD.md 23). */
    void (*verdict)(void *context, const struct lab_axes *axes, uint64_t wrong, const char *text);
    /* What a program has printed: valid UTF-8. `stream` is "stdout", "stderr" or "compiler". */
    void (*output)(void *context, const char *stream, const char *text);
};

/* Reads the current conditions and readings of a device, from the management library or the runtime's own clock. */
struct lab_monitor {
    void *context;
    /* Sets *conditions; values that cannot be read are unknown. The function is NULL when there is no monitor. */
    void (*conditions)(void *context, struct lab_device *device, struct lab_conditions *conditions);
    /* Sets all readings; those that the device does not report are unknown. NULL like `conditions`. */
    void (*readings)(void *context, struct lab_device *device, int64_t readings[LAB_READINGS]);
    /* Sets *joules to the energy that the device has used, from any moment on. Returns false when it does not report
     * it. May take 16 ms. NULL like `conditions`. */
    bool (*energy)(void *context, struct lab_device *device, double *joules);
};

/* The processes that execute a run together, each with devices of its own; the devices of all have ranks from 0 on, in
 * the order of the processes. Process 0 measures and reports; the others do what it tells them. */
struct lab_group {
    size_t size, index;       /* processes; which of them this one is */
    size_t ranks, first_rank; /* devices of all processes; the rank of this one's first device */
    void *context;
    /* Waits until all processes have called it, and then replaces the bytes by those of process 0. Returns false with
     * run->error set, whose code is "cancelled" when the run is cancelled meanwhile. */
    bool (*exchange)(void *context, struct lab_run *run, void *bytes, size_t size);
};

struct lab_run {
    const char *side;            /* of a comparison: "base", "head"; NULL: none */
    struct lab_run *base;        /* what this run, the head, is compared with; NULL: no comparison */
    struct lab_streams *streams; /* of both sides of a comparison (benchmark/streams.h); NULL: no comparison */
    struct lab_side *head;       /* of a base: the other side; set by lab_loop_run of the head */
    const struct lab_experiment *experiment;
    const struct lab_parameters *parameters;
    const struct lab_own_kernels *own_kernels; /* NULL: all kernels are those of the experiment */
    /* The file of the outputs of an own kernel that another process judges (METHOD.md 23): it is written, or with
     * `judges` read, and then no point is measured. NULL: no other process judges. */
    const char *outputs;
    bool judges;
    const json_t *program;         /* the whole program (descriptor/program.h); NULL: none */
    const char *owner;             /* an id of the program's owner; "" or NULL: the lab's user */
    const char *programs;          /* the file of the commands of this machine */
    const char *program_user;      /* as whom programs are executed; NULL: as whom this one is */
    json_t *sandbox;               /* what protects the machine from the program; NULL: there is none */
    const struct lab_group *group; /* NULL: this process has all devices of the run */
    size_t device_count;           /* of this process */
    struct lab_device *devices[LAB_RUN_DEVICES_MAX];           /* opened; NULL where a program uses them */
    const struct lab_device_facts *facts[LAB_RUN_DEVICES_MAX]; /* of the devices */
    struct lab_sink sink;
    struct lab_monitor monitor;
    int64_t numa_node;               /* node that this thread and its memory are bound to; LAB_UNKNOWN when not bound */
    const atomic_bool *cancel;       /* set by another thread; read between two samples */
    bool tracing;                    /* report spans only and measure nothing (METHOD.md 17) */
    json_t *calibrated;              /* {name: integer}: lab_run_find_calibrated; NULL: nothing is kept */
    bool any_wrong;                  /* a point failed its verification, so the run will end with status "failed" */
    size_t said_count;               /* entries of `said` */
    uint64_t said[LAB_RUN_SAID_MAX]; /* hashes of sentences that are sent once (benchmark/loop.h) */
    struct lab_error error;          /* why run() returned false; code "cancelled" after a cancel */
};

/* Values that run() finds by calibration are found once: the pass that traces gets those of the pass that measured
 * (METHOD.md 20). The name says what was calibrated, and for which points: "weight 67108864 pinned".
 *
 * Sets *value and returns true if the value has been found, in this pass or in the one before. */
bool lab_run_find_calibrated(const struct lab_run *run, const char *name, int64_t *value);
void lab_run_keep_calibrated(struct lab_run *run, const char *name, int64_t value);

/* Returns `good`, the result of a call on `device`. If it is false, copies the error to run->error. */
static inline bool lab_run_forward_error(struct lab_run *run, const struct lab_device *device, bool good)
{
    if (!good)
        run->error = device->error;
    return good;
}

/* The number of devices of the run, in all processes. */
static inline size_t lab_run_ranks(const struct lab_run *run)
{
    return run->group != NULL ? run->group->ranks : run->device_count;
}

static inline bool lab_run_cancelled(const struct lab_run *run)
{
    return atomic_load_explicit(run->cancel, memory_order_relaxed);
}

#endif
