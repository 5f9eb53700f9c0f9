/* Injected faults, with which failures are tested on machines without a GPU. host.h describes the kinds. The operation
 * that fails is selected when it is queued, in the order of the calls, so that the same operation fails each time; the
 * fault happens later, on the engine's thread.
 */
#ifndef LAB_HOST_FAULT_H
#define LAB_HOST_FAULT_H

#include "core/errors.h"
#include "runtime/runtime.h"

#include <stdatomic.h>

enum host_fault_kind {
    HOST_FAULT_NONE,
    HOST_FAULT_ALLOCATION,
    HOST_FAULT_COPY,
    HOST_FAULT_LAUNCH,
    HOST_FAULT_HANG,
    HOST_FAULT_CRASH,
    HOST_FAULT_WRONG_RESULT,
    HOST_FAULT_SLOW_COPY
};

/* The fault to inject. An event is an allocation, a copy or an operation to which faults of this kind apply. */
struct host_fault {
    enum host_fault_kind kind;
    uint64_t nth;                      /* the number of the event that fails, from 1 */
    atomic_uint_least64_t count;       /* number of events so far */
    _Atomic(unsigned char *) bad_byte; /* after an injected wrong result: the byte of memory that stays wrong */
};

/* Parses KIND[@N]; NULL and "" mean no fault. Returns false with *error set, code "invalid-value", when `text` is
 * malformed. */
bool lab_host_fault_parse(struct host_fault *fault, const char *text, struct lab_error *error);

/* Counts an event to which faults of `kind` apply. Returns whether it must fail. */
bool lab_host_fault_due(struct host_fault *fault, enum host_fault_kind kind);

/* Returns the fault that must happen when a copy or operation that is being queued runs, or HOST_FAULT_NONE. `writes`:
 * whether the copy or operation writes a result to memory. */
enum host_fault_kind lab_host_fault_for_work(struct host_fault *fault, bool writes);

/* As lab_host_fault_for_work, for a copy, which may also be slow. */
enum host_fault_kind lab_host_fault_for_copy(struct host_fault *fault, bool writes);

/* Called on the engine's thread after a copy that took `elapsed_ns`. Sleeps if the copy must be slow, so that it takes
 * ten times as long. */
void lab_host_fault_delay(enum host_fault_kind kind, uint64_t elapsed_ns);

/* Called on the engine's thread. Hangs or crashes, and does not return, for these two kinds; does nothing for
 * others. */
void lab_host_fault_trigger(enum host_fault_kind kind);

/* Must be called when memory is released: a bad byte in it no longer exists. */
void lab_host_fault_forget(struct host_fault *fault, const unsigned char *memory, size_t bytes);

/* Must be called after `region` has been written. If `due`, makes its middle byte the bad byte. Then, if the bad byte
 * is in the region, flips one bit of it. */
void lab_host_fault_corrupt(struct host_fault *fault, bool due, const struct lab_region *region);

#endif
