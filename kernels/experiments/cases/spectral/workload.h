/* The axes of spectral, the methods that a problem can have, and the workload of a point (workload.c). */
#ifndef LAB_SPECTRAL_WORKLOAD_H
#define LAB_SPECTRAL_WORKLOAD_H

#include "benchmark/benchmark.h"
#include "descriptor/points.h"

enum { SPECTRAL_PROBLEM, SPECTRAL_N, SPECTRAL_TAPS, SPECTRAL_BYTES, SPECTRAL_VARIANT, SPECTRAL_LOAD };

/* The choices of the axis "variant", in the order of the parameter's. */
enum { SPECTRAL_TRANSFORM, SPECTRAL_DIFFERENCE_2, SPECTRAL_DIFFERENCE_8, SPECTRAL_DIRECT };

/* Functions of struct lab_axis. */
void spectral_list_sizes(const struct lab_points_request *request, const struct lab_point *point,
                         struct lab_axis_values *values);
bool spectral_has_taps(const struct lab_point *point);
void spectral_list_variants(const struct lab_points_request *request, const struct lab_point *point,
                            struct lab_axis_values *values);

/* Functions of struct lab_benchmark. */
void spectral_describe(const struct lab_parameters *given, const struct lab_device_facts *device,
                       const struct lab_point *point, struct lab_workload *workload);
bool spectral_read(const struct lab_report *report, const struct lab_workload *workload, const void *records);
bool spectral_check_parameters(const struct lab_parameters *parameters, struct lab_errors *errors);

#endif
