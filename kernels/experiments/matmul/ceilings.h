/* The measured ceilings of the roofline: memory bandwidth, by the kernels of the experiment stream, and arithmetic
 * throughput of each requested type.
 */
#ifndef LAB_MATMUL_CEILINGS_H
#define LAB_MATMUL_CEILINGS_H

#include "matmul.h"

#include "benchmark/loop.h"

struct matmul_ceilings {
    struct lab_run *run;
    struct lab_device *device;
    struct lab_stream *stream;
    struct lab_lane lane;
    struct lab_benchmark_state *memory; /* the kernels and arrays of stream; NULL: not in use */
    struct lab_plan *plan;              /* multiply-adds, of the prepared point; NULL if it is another ceiling */
    double count;                       /* of one repetition, in the metric's unit times seconds */
};

/* Creates the stream. Returns false with run->error set; call matmul_ceilings_close in either case. */
bool matmul_ceilings_open(struct matmul_ceilings *ceilings, struct lab_run *run);
void matmul_ceilings_close(struct matmul_ceilings *ceilings);

/* Prepares a point with a value on the axis `variant`, reports its result, releases what was prepared, and what is kept
 * for later points: functions of struct lab_loop. */
bool matmul_ceilings_begin(struct matmul_ceilings *ceilings, const struct lab_point *point, struct lab_case *c);
bool matmul_ceilings_report(const struct matmul_ceilings *ceilings, const struct lab_case *c,
                            const struct lab_report *report);
void matmul_ceilings_end(struct matmul_ceilings *ceilings);
void matmul_ceilings_renew(struct matmul_ceilings *ceilings);

#endif
