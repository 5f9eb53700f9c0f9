/* Writes records to the descriptor that the worker reads. A program is never held up for ever, and never gets a signal:
 * what cannot be written within a bounded time is dropped and counted. What was accepted is written before anything
 * that comes later, so a record never stands in the stream without the texts that it names.
 */
#ifndef LAB_TRACER_OUTPUT_H
#define LAB_TRACER_OUTPUT_H

#include "trace/trace.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The caller of the functions below holds the lock. */
struct tracer_output {
    pthread_mutex_t lock;
    int descriptor; /* -1: it can no longer be written */
    dev_t device;   /* of the file, whose number the program could close and use again */
    ino_t inode;
    uint32_t process;
    uint64_t limit, accepted; /* bytes */
    int64_t patience_ns;      /* how long writes may still wait for the reader, all of them together */
    size_t used;              /* bytes of `group` that are not yet written */
    unsigned char group[LAB_TRACE_GROUP_MAX];
    uint64_t lost[LAB_TRACE_LOSSES];     /* records that were dropped */
    uint64_t reported[LAB_TRACE_LOSSES]; /* of which the reader was told */
};

/* Opens a descriptor of its own for the file that `descriptor` names (LAB_TRACE_VARIABLE_FD). `limit` is a number of
 * bytes; NULL or no number: LAB_TRACE_LIMIT_DEFAULT. Returns false if there is no such file. */
bool tracer_output_open(struct tracer_output *output, const char *descriptor, const char *limit);

/* Adds a record after setting its head. Returns false when it is dropped; then it is counted for its reason. */
bool tracer_output_add(struct tracer_output *output, enum lab_trace_type type, void *record, size_t size);
/* Adds a NAME or NOTE; a long text is cut. Texts that are dropped are not counted. */
bool tracer_output_add_text(struct tracer_output *output, enum lab_trace_type type, const char *text);
/* Counts records that were dropped by others. */
void tracer_output_lose(struct tracer_output *output, enum lab_trace_loss reason, uint64_t records);
/* Tells the reader what was dropped: always if `last`, else when twice as much as it knows. Writes what is in the
 * group. */
void tracer_output_flush(struct tracer_output *output, bool last);
/* Adds the END of the process, beyond the limit too, and writes everything. */
void tracer_output_end(struct tracer_output *output, int64_t at_ns);

#endif
