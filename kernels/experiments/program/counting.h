/* The hardware counters of a program's kernels. The program is executed again for each pass of the counters, because
 * the hardware counts only some things at a time; gpulab-trace.so reads in each pass as many as fit into it. The
 * launches of the passes are matched by their order and names. */
#ifndef LAB_PROGRAM_COUNTING_H
#define LAB_PROGRAM_COUNTING_H

#include "measure/run.h"
#include "trace/read.h"

enum { PROGRAM_PASSES_MAX = 8, PROGRAM_COUNTERS_SIZE = 256, PROGRAM_COUNTED_KERNELS_MAX = 1024 };

/* A kernel: what its launches have counted together. */
struct program_counted_kernel {
    const char *name; /* of `launches` */
    size_t launches;
    size_t counted[LAB_HARDWARE_COUNTER_COUNT]; /* launches with a value of the counter */
    struct lab_hardware_counts counts;
};

struct program_counting {
    size_t passes;                           /* that were added */
    bool wanted[LAB_HARDWARE_COUNTER_COUNT]; /* still */
    char **launches;                         /* the names of all launches, in their order */
    size_t launch_count, kernel_count;
    struct program_counted_kernel *kernels;
};

void program_counting_init(struct program_counting *counting);
/* Writes the numbers of the counters that no pass has read yet, those first that say most, as
 * LAB_TRACE_VARIABLE_COUNTERS has them. Returns false when no further pass is to be made. */
bool program_counting_next(const struct program_counting *counting, char text[PROGRAM_COUNTERS_SIZE]);
/* Adds a pass: a finished trace of a program that ended by itself. Returns false with *error set, code "unsupported",
 * if it could not be counted, its launches are not those of the first pass, or it launches more than
 * PROGRAM_COUNTED_KERNELS_MAX different kernels. */
bool program_counting_add(struct program_counting *counting, const struct lab_trace *trace, struct lab_error *error);
/* After the last pass: sends for each kernel the number of its launches, with the counters: sums over the launches, and
 * means of what is a ratio. A note says which counters are left out. */
void program_counting_send(struct program_counting *counting, const struct lab_run *run);
void program_counting_release(struct program_counting *counting);

#endif
