/* The host runtime: devices made of CPU cores, for machines without a GPU. All results are real measurements of this
 * CPU; it does not simulate a GPU.
 *
 * A device has a copy engine for each direction (one thread each) and a compute engine (one thread, and a pool with a
 * helper thread for each further core). Copies within the device run on the compute engine. Pageable and page-locked
 * memory are copied in the same way, and neither blocks the caller, because a CPU can copy pageable memory in the
 * background. Of the streams that are ready for an engine, it takes the one whose next task was queued first.
 *
 * lab_runtime_options.host_fault injects a fault: KIND[@N]; NULL and "" inject none. N counts from 1 over all devices;
 * the default is 1. The kinds:
 *   - allocation: the N-th allocation fails as out of memory.
 *   - copy, launch: the N-th copy, or the N-th enqueued operation, fails and the device is lost.
 *   - hang, crash: the N-th copy or operation never ends, or raises SIGSEGV on its engine's thread.
 *   - wrong-result: the N-th copy, or operation with a result, writes one wrong byte. Every later write to that byte is
 *     wrong too, until the memory is released, so that the fault is found independently of which repetition is checked.
 *   - slow-copy: the N-th copy and all later ones take ten times as long.
 */
#ifndef LAB_HOST_H
#define LAB_HOST_H

#include "runtime/runtime.h"

/* lab_host_runtime.name, and the `backend` of its devices' facts. */
#define LAB_HOST_RUNTIME_NAME "host"

extern const struct lab_runtime lab_host_runtime;

#endif
