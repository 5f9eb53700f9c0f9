/* The axes of monte-carlo in the order of its table, and what depends on a point: values of axes, workload and
 * results. */
#ifndef LAB_MONTE_CARLO_WORKLOAD_H
#define LAB_MONTE_CARLO_WORKLOAD_H

#include "benchmark/benchmark.h"
#include "descriptor/points.h"

enum { PROBLEM, TYPE, N, STEP, LOAD };

/* The steps that code names; ALL stands for those that the device has. */
enum { STORED, IN_REGISTERS, LIBRARY = 3, ALL };

struct monte_carlo_estimate;
extern const struct monte_carlo_step {
    const char *name;
    void (*add)(struct lab_workload *workload, const struct monte_carlo_estimate *estimate); /* adds the launches */
    bool host;                                                                               /* host devices have it */
} monte_carlo_steps[];

/* Texts of problems and types, of which the names of kernels consist, too. */
extern const char *const monte_carlo_problems[], *const monte_carlo_types[];

/* Functions of the axes (struct lab_axis). */
bool monte_carlo_has_type(const struct lab_point *point);
void monte_carlo_list_steps(const struct lab_points_request *request, const struct lab_point *point,
                            struct lab_axis_values *values);

/* See struct lab_benchmark. */
void monte_carlo_describe(const struct lab_parameters *parameters, const struct lab_device_facts *device,
                          const struct lab_point *point, struct lab_workload *workload);
bool monte_carlo_baseline(const struct lab_point *point, struct lab_point *baseline);
bool monte_carlo_read(const struct lab_report *report, const struct lab_workload *workload, const void *records);

/* The exact value of what is estimated. `problem` is one of those of monte_carlo.h. */
double monte_carlo_exact(int64_t problem);

#endif
