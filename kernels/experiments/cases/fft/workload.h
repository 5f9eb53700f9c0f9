/* The axes of fft, the steps that a point can have, and the workload of a point (workload.c). */
#ifndef LAB_FFT_WORKLOAD_H
#define LAB_FFT_WORKLOAD_H

#include "benchmark/benchmark.h"
#include "descriptor/points.h"

enum { FFT_KIND, FFT_DIMENSIONS, FFT_N, FFT_BYTES, FFT_TYPE, FFT_IN_PLACE, FFT_STEP, FFT_LOAD };

/* The choices, in the order of the parameters'. */
enum { FFT_COMPLEX, FFT_REAL };
enum { FFT_FP32, FFT_FP64 };
extern const char *const fft_types[];

/* The steps that code names; FFT_ALL stands for those that the device and the point can have. */
enum { FFT_LIBRARY = 5, FFT_ALL };

struct fft_batch;
extern const struct fft_step {
    const char *name;
    void (*add)(struct lab_workload *workload, const struct fft_batch *batch); /* adds the launches */
    bool cuda, host;                                                           /* which devices have it */
    bool any;            /* transforms of any kind, dimensions and length, also in place; else: */
    bool in_place;       /* may replace the input */
    uint64_t radix;      /* the length must be a power of two, if not 0; of steps with passes: the largest of a pass */
    int64_t least, most; /* length */
    const char *range;   /* which says that */
} fft_steps[];

/* keeps() of the axis of steps (struct lab_axis). */
bool fft_keeps_step(const struct lab_points_request *request, const struct lab_point *point, int64_t step);

/* Functions of struct lab_benchmark. */
void fft_describe(const struct lab_parameters *given, const struct lab_device_facts *device,
                  const struct lab_point *point, struct lab_workload *workload);
bool fft_baseline(const struct lab_point *point, struct lab_point *baseline);

#endif
