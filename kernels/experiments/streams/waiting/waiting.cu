/* A kernel that says that it has run, in device memory and to the host. */
#include "benchmark/check.h"

// region kernel
/* Counts its launches, and writes to page-locked memory of the host. */
extern "C" __global__ void waiting(uint32_t *counter, volatile uint32_t *flag)
{
    atomicAdd(counter, 1);
    *flag = 1;
    __threadfence_system();
}
// end

LAB_HOST_DEVICE uint32_t waiting_expected(uint64_t, uint64_t, const uint64_t parameters[3])
{
    return (uint32_t)parameters[0];
}

// step thread "Another thread, without a device" shows ways.c:thread
/* A thread of the host posts a semaphore for which this one sleeps: what the operating system takes to wake a thread
 * up. No device is involved; every way to wait that sleeps needs at least as long. */

// step flag "Read a word that the kernel writes" shows ways.c:flag, kernel
/* The kernel writes to page-locked memory, and the host reads that word until it has changed. Nothing reaches the host
 * earlier, but it is not the end of the kernel: only that the kernel has come so far. */

// step stream-query "Ask for the stream" shows ways.c:stream-query, kernel
/* cudaStreamQuery tells whether all work of the stream has ended, and does not wait. Between two questions the host can
 * compute. */

// step event-query "Ask for an event" shows ways.c:event-query, kernel
/* cudaEventQuery does the same for the place in the stream where the event was recorded. */

// step stream-synchronize "Synchronise the stream" shows ways.c:stream, kernel
/* cudaStreamSynchronize: as the device is set by default, the thread asks in a loop of the driver, and its core is
 * busy. */

// step event-synchronize "Synchronise an event" shows ways.c:event, kernel
/* cudaEventSynchronize, for an event that was created without flags. */

// step device-synchronize "Synchronise the device" shows ways.c:device, kernel
/* cudaDeviceSynchronize waits for all streams of the device. */

// step blocking-event "Sleep until an event" shows ways.c:event, kernel
/* The event was created with cudaEventBlockingSync. The thread sleeps and the device wakes it up with an interrupt: the
 * core is free, and the news comes later. */

// step blocking-stream "Sleep until the stream is synchronised" shows ways.c:stream, kernel
/* cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync) makes all synchronising calls sleep. Since CUDA 12 it may be
 * called while the device is in use; here it is set for these waits and reset after them. */

// step callback "A function of the host in the stream" shows ways.c:callback, ways.c:thread, kernel
/* cudaLaunchHostFunc has a thread of the driver call a function when the work before it in the stream has ended. Here
 * it posts the semaphore for which this thread sleeps, so two threads are woken up. The function must not call CUDA. */

LAB_CHECK_KERNEL(waiting_check, waiting_expected)
