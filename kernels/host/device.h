/* An opened device: its cores, engines and thread pool; functions that lock it, wait for it and set the errors of a
 * lost device.
 */
#ifndef LAB_HOST_DEVICE_H
#define LAB_HOST_DEVICE_H

#include "condition.h"
#include "machine.h"
#include "runtime/runtime.h"
#include "task.h"
#include "thread_pool.h"

/* Indices of a device's engines: copies host to device, copies device to host, operations and copies within the
 * device. */
enum { HOST_ENGINE_H2D, HOST_ENGINE_D2H, HOST_ENGINE_COMPUTE, HOST_ENGINES };

struct host_device {
    struct lab_device base;
    struct host_machine *machine;
    const cpu_set_t *cores;
    struct host_engine engines[HOST_ENGINES];
    struct host_thread_pool pool;  /* the cores that run the work of the compute engine */
    struct host_condition changed; /* signalled when a stream becomes idle or an event completes */
    size_t busy_streams;           /* streams that are not idle */
    size_t allocated_bytes;        /* bytes of device memory that are allocated */
    uint32_t peer_access;          /* bits by ordinal: peers whose memory this device's operations may address */
    struct host_task *spare_tasks; /* list of unused tasks (scheduler.c) */
    struct host_task_slab *slabs;  /* list of the memory blocks that hold all tasks (scheduler.c) */
    struct host_trace *trace;      /* the trace being recorded (trace.c); NULL if none */
};

static inline struct host_device *lab_host_device(struct lab_device *device)
{
    return (struct host_device *)(void *)device;
}

static inline void lab_host_lock(struct host_device *device)
{
    pthread_mutex_lock(&device->machine->lock);
}

static inline void lab_host_unlock(struct host_device *device)
{
    pthread_mutex_unlock(&device->machine->lock);
}

/* Waits until one of the device's streams or events may have changed. The caller holds the lock, which is released
 * while waiting. */
static inline void lab_host_wait(struct host_device *device)
{
    lab_host_condition_wait(&device->changed, &device->machine->lock, device->machine->busy_spin_ns);
}

/* Returns false and sets the device's error, with code "device-lost", if the device is lost. Every function of the
 * runtime's table that can fail calls this first. */
bool lab_host_alive(struct lab_device *device);

/* Marks the device lost and sets its error, "`what`; the device is lost". Always returns false. */
bool lab_host_mark_lost(struct lab_device *device, const char *what);

/* Waits until all streams of the device are idle. Must be called before anything is released that queued work may
 * use. */
void lab_host_drain(struct host_device *device);

#endif
