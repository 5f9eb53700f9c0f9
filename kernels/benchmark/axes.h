/* Axes that several experiments have, as fields of an entry of their tables: {LAB_LOAD_AXIS}.
 */
#ifndef LAB_AXES_H
#define LAB_AXES_H

#include "descriptor/parameters.h"
#include "descriptor/points.h"
#include "measure/run.h"

/* The state of the last-level cache before each sample (METHOD.md 7): an axis, and its parameter. The loop (loop.h)
 * measures points with the value "cold" with a cold cache. */
#define LAB_CACHE_AXIS .name = "cache"
#define LAB_CACHE_PARAMETER                                                                                            \
    LAB_CHOICES(                                                                                                       \
        "cache", "Cache",                                                                                              \
        "The last-level cache before each sample. warm: as the previous repetition left it; cold: overwritten "        \
        "with other data, outside the timed part.",                                                                    \
        lab_cache_states, "warm")

/* Whether a device that its power limits runs steadily or in short bursts (METHOD.md 6): an axis with which an
 * experiment has the parameter `load`. The innermost loop, so that both are measured next to each other. */
#define LAB_LOAD_AXIS .name = "load", .title = "Load", .choices = lab_loads

extern const char *const lab_cache_states[];

/* How many of the run's devices take part, counted from the first: a parameter, one value or a list, and its axis. */
#define LAB_DEVICE_COUNT_PARAMETER(what)                                                                               \
    .name = "device_count", .title = "Number of devices",                                                              \
    .text = "Number of the run's devices that " what ", counted from the first. 0: all.", .type = LAB_TYPE_SIZE,       \
    .minimum = 0, .maximum = LAB_RUN_DEVICES_MAX
#define LAB_DEVICE_COUNT_AXIS .name = "device_count", .list = lab_axis_list_device_counts

void lab_axis_list_device_counts(const struct lab_points_request *request, const struct lab_point *point,
                                 struct lab_axis_values *values);

/* The number of devices for a value of the parameter, in a run on `run_devices` devices. */
size_t lab_device_count(int64_t asked, size_t run_devices);

/* Adds an error at `pointer` for a value that is neither 0 nor from 2 to `run_devices`, and returns false. */
bool lab_device_count_check(int64_t asked, size_t run_devices, const char *pointer, struct lab_errors *errors);

/* Adds an error for each value of the parameter device_count that exceeds `run_devices`; returns whether there is
 * none. */
bool lab_device_counts_check(const struct lab_parameters *given, size_t run_devices, struct lab_errors *errors);

#endif
