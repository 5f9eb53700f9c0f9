/* What one GPU did in a trace: its kernels, copies and memsets in the order of their starts. */
#ifndef LAB_TRACE_WORK_H
#define LAB_TRACE_WORK_H

#include "trace/read.h"

enum lab_trace_work_kind { LAB_TRACE_WORK_KERNEL, LAB_TRACE_WORK_COPY, LAB_TRACE_WORK_SET };

struct lab_trace_work {
    enum lab_trace_work_kind kind;
    const struct lab_trace_place *place; /* the record: a kernel, copy or set */
};

struct lab_trace_works {
    struct lab_trace_work *items;
    size_t count;
    bool is_of_all;             /* no other device, nor process, worked */
    int64_t first_ns, last_ns;  /* from the first start to the last end */
    struct lab_trace_work *all; /* of all devices; `items` is a part of it */
};

/* Selects the work of the device, in the process, that was given the most. Returns false when out of memory. */
bool lab_trace_works_init(struct lab_trace_works *works, const struct lab_trace *trace);
void lab_trace_works_release(struct lab_trace_works *works);

/* Which work is meant. */
typedef bool lab_trace_work_filter(const struct lab_trace_work *work);
lab_trace_work_filter lab_trace_is_work; /* any */
lab_trace_work_filter lab_trace_is_kernel;
lab_trace_work_filter lab_trace_is_upload;    /* copies H2D */
lab_trace_work_filter lab_trace_is_download;  /* copies D2H */
lab_trace_work_filter lab_trace_is_host_copy; /* both */

/* For how long at least one of them ran. */
int64_t lab_trace_busy_ns(const struct lab_trace_works *works, lab_trace_work_filter *is_meant);
/* For how long one of the first and one of the second ran at the same time. */
int64_t lab_trace_overlap_ns(const struct lab_trace_works *works, lab_trace_work_filter *first,
                             lab_trace_work_filter *second);
/* In how many streams they ran. */
size_t lab_trace_stream_count(const struct lab_trace_works *works, lab_trace_work_filter *is_meant);

#endif
