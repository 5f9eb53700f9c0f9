/* The axes of fft, the steps that a point can have, and the workload of a point (workload.c). */
#ifndef LAB_FFT_WORKLOAD_H
#define LAB_FFT_WORKLOAD_H

#include "benchmark/benchmark.h"
#include "descriptor/points.h"

enum { FFT_KIND, FFT_DIMENSIONS, FFT_N, FFT_BYTES, FFT_TYPE, FFT_IN_PLACE, FFT_STEP, FFT_LOAD };

/* The choices, in the order of the parameters'. */
enum { FFT_COMPLEX, FFT_REAL };
enum { FFT_FP32, FFT_FP64 };
enum {
    FFT_DIRECT,
    FFT_RADIX_2,
    FFT_RADIX_8,
    FFT_STOCKHAM,
    FFT_MIXED_RADIX,
    FFT_LIBRARY,
    FFT_STEPS,
    FFT_ALL = FFT_STEPS
};

/* List function (struct lab_axis) of the axis of steps: "all" stands for those that the device and the point can have. */
void fft_list_steps(const struct lab_points_request *request, const struct lab_point *point,
                    struct lab_axis_values *values);

/* Functions of struct lab_benchmark. */
void fft_describe(const struct lab_parameters *given, const struct lab_device_facts *device,
                  const struct lab_point *point, struct lab_workload *workload);
bool fft_baseline(const struct lab_point *point, struct lab_point *baseline);

#endif
