/* Injected faults: how every failure path is tested where there is no GPU. host.h describes the kinds. Which operation
 * fails is decided when it is queued, in the order of the calls, so that a fault hits the same operation each time; the
 * fault itself happens on the engine's thread.
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
    HOST_FAULT_WRONG_RESULT
};

struct host_fault {
    enum host_fault_kind kind;
    uint64_t nth;                      /* which event of that kind fails, from 1 */
    atomic_uint_least64_t count;       /* events of that kind so far */
    _Atomic(unsigned char *) bad_byte; /* after a wrong result: the byte of memory that stays bad */
};

/* Reads KIND[@N]; NULL and "" mean no fault. False with *error, code "invalid-value", when it is malformed. */
bool lab_host_fault_parse(struct host_fault *fault, const char *text, struct lab_error *error);

/* Counts one more event of `kind`; true when it is the one that must fail. */
bool lab_host_fault_due(struct host_fault *fault, enum host_fault_kind kind);

/* For a copy or operation that is being queued: the fault that must happen when it runs, or HOST_FAULT_NONE. `writes`:
 * whether it leaves a result in memory. */
enum host_fault_kind lab_host_fault_for_work(struct host_fault *fault, bool writes);

/* On the engine's thread: hangs or crashes, and does not return. For any other kind it returns and does nothing. */
void lab_host_fault_trigger(enum host_fault_kind kind);

/* Forgets a bad byte within memory that is being released. */
void lab_host_fault_forget(struct host_fault *fault, const unsigned char *memory, size_t bytes);

/* After `region` has been written: makes its middle byte the bad one when `due`. Then, if the bad byte is within the
 * region, flips a bit of it. */
void lab_host_fault_corrupt(struct host_fault *fault, bool due, const struct lab_region *region);

#endif
