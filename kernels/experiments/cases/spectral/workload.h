/* The axes of spectral, the methods that a problem can have, and the workload of a point (workload.c). */
#ifndef LAB_SPECTRAL_WORKLOAD_H
#define LAB_SPECTRAL_WORKLOAD_H

#include "benchmark/benchmark.h"
#include "descriptor/points.h"
#include "spectral.h"

enum { SPECTRAL_PROBLEM, SPECTRAL_N, SPECTRAL_TAPS, SPECTRAL_BYTES, SPECTRAL_VARIANT, SPECTRAL_LOAD };

struct spectral_batch;
extern const struct spectral_variant {
    const char *name;
    /* add the launches for each problem; NULL: the problem cannot be solved so */
    void (*add[SPECTRAL_PROBLEMS])(struct lab_workload *workload, const struct spectral_batch *batch);
    /* the weights with which the neighbours of a point, at distances 1 to 4, make its derivative (spectral.h); 0:
     * transforms, and sums over taps */
    double stencil[4];
} spectral_variants[];

/* Functions of struct lab_axis. */
void spectral_list_sizes(const struct lab_points_request *request, const struct lab_point *point,
                         struct lab_axis_values *values);
bool spectral_has_taps(const struct lab_point *point);
bool spectral_keeps_variant(const struct lab_points_request *request, const struct lab_point *point, int64_t value);

/* Functions of struct lab_benchmark. */
void spectral_describe(const struct lab_parameters *given, const struct lab_device_facts *device,
                       const struct lab_point *point, struct lab_workload *workload);
bool spectral_read(const struct lab_report *report, const struct lab_workload *workload, const void *records);
bool spectral_check_parameters(const struct lab_parameters *parameters, struct lab_errors *errors);

#endif
