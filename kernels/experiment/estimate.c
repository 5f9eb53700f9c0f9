/* Checks of the number of points and of device memory, for the plans of all experiments. */
#include "experiment/estimate.h"

#include <inttypes.h>

bool lab_estimate_add_too_many_points(struct lab_errors *errors)
{
    return lab_errors_add(errors, "too-many-points", "/parameters",
                          "the sweep has too many points; at most %d are allowed", LAB_POINTS_MAX);
}

bool lab_estimate_check_memory(const struct lab_estimate *estimate, const struct lab_device_facts *const *devices,
                               size_t device_count, const char *what, const char *pointer, struct lab_errors *errors)
{
    bool good = true;
    for (size_t i = 0; i < device_count; i++) {
        int64_t total = devices[i]->total_memory_bytes;
        if (total != LAB_UNKNOWN && estimate->device_bytes > (uint64_t)total)
            good = lab_errors_add(errors, "exceeds-memory", pointer,
                                  "%s: %" PRIu64 " bytes of device memory, but %s has only %" PRId64 " in total", what,
                                  estimate->device_bytes, devices[i]->name, total);
    }
    return good;
}
