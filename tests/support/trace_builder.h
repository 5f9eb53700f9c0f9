/* Makes up the record stream of a program (trace/trace.h). Times of records are ns since the start of the program. */
#ifndef LAB_TEST_TRACE_BUILDER_H
#define LAB_TEST_TRACE_BUILDER_H

#include "trace/read.h"

#include <stddef.h>
#include <stdint.h>

#define TRACE_ORIGIN_NS INT64_C(1700000000000000000) /* when the program was started, since 1970 */
enum { TRACE_PROCESS = 100 };

struct trace_builder {
    unsigned char *bytes;
    size_t size;
    uint32_t process; /* of the records that are added */
    uint32_t names;   /* of the process, so far */
    uint32_t correlation;
};

/* Begins a process that was started at the origin and initialised CUDA at `begun_ns`. A zeroed builder begins a
 * stream. */
void trace_begin(struct trace_builder *builder, uint32_t process, int64_t begun_ns);
/* Adds a text; returns its number. */
uint32_t trace_name(struct trace_builder *builder, const char *text);
void trace_note(struct trace_builder *builder, const char *text);
/* Adds bytes that may be no record. */
void trace_bytes(struct trace_builder *builder, const void *bytes, size_t size);
/* Adds a record after setting its head and making its times absolute: the members start_ns and end_ns, or at_ns. */
void trace_add(struct trace_builder *builder, enum lab_trace_type type, void *record, size_t size);
#define TRACE_ADD(BUILDER, TYPE, TAG, ...)                                                                             \
    trace_add(BUILDER, LAB_TRACE_TYPE_##TYPE, &(struct TAG){__VA_ARGS__}, sizeof(struct TAG))

/* Adds a call of thread 1 that lasts `call_ns` from `at_ns` on, and returns its correlation. */
uint32_t trace_call(struct trace_builder *builder, const char *name, int64_t at_ns, int64_t call_ns);
/* Ends the process by exit(). */
void trace_end(struct trace_builder *builder, int64_t at_ns);

/* Reads the stream into a trace and finishes it, in parts of `part` bytes. Returns whether all of it could be read. */
bool trace_read_parts(const struct trace_builder *builder, struct lab_trace *trace, size_t records_max, size_t part);
/* The same at once, with the usual maximum; frees the builder's bytes. */
bool trace_read(struct trace_builder *builder, struct lab_trace *trace);

#endif
