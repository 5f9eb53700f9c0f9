/* The axes of atomics in the order of its table, and what depends on a point: values of axes and workload. */
#ifndef LAB_ATOMICS_WORKLOAD_H
#define LAB_ATOMICS_WORKLOAD_H

#include "benchmark/benchmark.h"
#include "descriptor/points.h"

enum { VARIANT, TYPE, ADDRESSES, DISTRIBUTION, ELEMENTS, LOAD };

/* The kernels, in the order of atomics_steps. */
enum { GLOBAL, KNOWN_ADDRESS, AGGREGATED, SHARED, SHARED_PER_WARP, PLAIN, CAS, LOCK };

struct atomics_step {
    const char *name;
    const char *kernel; /* its name, without experiment and type */
    uint32_t sharers;   /* threads of a block that have one copy of the counters together; 0: there are no copies */
    bool host;          /* whether host devices have it */
    bool integers;      /* it has no kernel for floats, whose additions would show the same */
    bool retries;       /* a thread tries again until no other thread was faster */
};

extern const struct atomics_step atomics_steps[];

/* List functions of the axes (struct lab_axis). */
void atomics_list_types(const struct lab_points_request *request, const struct lab_point *point,
                        struct lab_axis_values *values);
void atomics_list_addresses(const struct lab_points_request *request, const struct lab_point *point,
                            struct lab_axis_values *values);
void atomics_list_distributions(const struct lab_points_request *request, const struct lab_point *point,
                                struct lab_axis_values *values);
void atomics_list_elements(const struct lab_points_request *request, const struct lab_point *point,
                           struct lab_axis_values *values);

/* See struct lab_benchmark. Of the plain additions the counters are read. */
bool atomics_read(const struct lab_report *report, const struct lab_workload *workload, const void *records);
void atomics_describe(const struct lab_parameters *parameters, const struct lab_device_facts *device,
                      const struct lab_point *point, struct lab_workload *workload);

#endif
