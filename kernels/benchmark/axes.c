/* The values of the axes that several experiments have. */
#include "benchmark/axes.h"

#include "experiment/parameters.h"
#include "experiment/points.h"

const char *const lab_cache_states[] = {"warm", "cold", NULL};
const char *const lab_loads[] = {"sustained", "burst", NULL};

void lab_axis_list_load(const struct lab_points_request *request, const struct lab_point *point,
                        struct lab_axis_values *values)
{
    (void)point;
    lab_axis_values_add(values, lab_parameter_number(request->parameters, "rest_s") > 0);
}
