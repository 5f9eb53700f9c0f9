/* The host runtime: devices made of CPU cores, for machines without a GPU. Every figure it yields is a real measurement
 * of this CPU; it imitates nothing.
 *
 * A device has a copy engine for each direction (one thread each) and a compute engine (a leader and a helper for each
 * further core). Copies within the device run on the compute engine. Pageable and page-locked memory are copied alike,
 * and neither blocks the caller: a CPU needs no page lock to copy in the background. Among the streams that are ready
 * for an engine, the one whose work was queued first goes first.
 *
 * lab_runtime_options.host_fault is KIND[@N]; NULL or "" is none. N counts from 1, over all devices, and is 1 when left
 * out. The kinds:
 *   - allocation: the N-th allocation fails as out of memory.
 *   - copy, launch: the N-th copy, or the N-th enqueued operation, fails and the device is lost.
 *   - hang, crash: the N-th copy or operation never ends, or raises SIGSEGV on its engine's thread.
 *   - wrong-result: the N-th copy, or operation with a result, leaves one wrong byte, and that byte of memory stays bad
 *     until it is released: whoever writes it again writes it wrong. So the fault is found whichever repetition is
 *     checked.
 */
#ifndef LAB_HOST_H
#define LAB_HOST_H

#include "runtime/runtime.h"

extern const struct lab_runtime lab_host_runtime;

#endif
