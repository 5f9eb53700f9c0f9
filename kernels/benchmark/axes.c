/* The values of the axes that several experiments have. */
#include "benchmark/axes.h"

#include "descriptor/parameters.h"

#include <inttypes.h>
#include <stdio.h>

const char *const lab_cache_states[] = {"warm", "cold", NULL};

size_t lab_device_count(int64_t asked, size_t run_devices)
{
    return asked != 0 ? (size_t)asked : run_devices;
}

void lab_axis_list_device_counts(const struct lab_points_request *request, const struct lab_point *point,
                                 struct lab_axis_values *values)
{
    const struct lab_values *counts = lab_parameter_values(request->parameters, "device_count");
    (void)point;
    for (size_t i = 0; i < counts->count; i++)
        lab_axis_values_add(values, (int64_t)lab_device_count(counts->items[i].integer, request->device_count));
}

bool lab_device_count_check(int64_t asked, size_t run_devices, const char *pointer, struct lab_errors *errors)
{
    return asked == 0 || (asked >= 2 && asked <= (int64_t)run_devices) ||
           lab_errors_add(errors, LAB_ERROR_OUT_OF_BOUNDS, pointer,
                          "device_count (%" PRId64
                          ") must be 0 (all) or from 2 to the number of devices of the run (%zu)",
                          asked, run_devices);
}

bool lab_device_counts_check(const struct lab_parameters *given, size_t run_devices, struct lab_errors *errors)
{
    const struct lab_values *counts = lab_parameter_values(given, "device_count");
    bool good = true;
    for (size_t i = 0; i < counts->count; i++) {
        char pointer[48];
        if (counts->items[i].integer <= (int64_t)run_devices)
            continue;
        snprintf(pointer, sizeof pointer, "/parameters/device_count/%zu", i);
        good = lab_errors_add(errors, LAB_ERROR_OUT_OF_BOUNDS, pointer,
                              "device_count (%" PRId64 ") must not exceed the number of devices of the run (%zu)",
                              counts->items[i].integer, run_devices);
    }
    return good;
}
