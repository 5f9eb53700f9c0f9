/* The points of a request: all combinations of the values of the experiment's axes (struct lab_axis), and how they are
 * written. Has no side effects; plans and runs use it.
 */
#ifndef LAB_POINTS_H
#define LAB_POINTS_H

#include "descriptor/experiment.h"

/* The points in the order of measuring. Created by lab_points_init, freed by lab_points_release. */
struct lab_points {
    size_t count;
    struct lab_point *items;
};

/* The request, as functions of struct lab_axis see it. */
struct lab_points_request {
    const struct lab_parameters *parameters;
    const struct lab_device_facts *const *devices; /* of the run */
    size_t device_count;
};

/* Fields of the parameter `factor` of an axis with source LAB_AXIS_SIZES. */
#define LAB_FACTOR_PARAMETER(what, least, most, fallback_)                                                             \
    .minimum = (least), .maximum = (most),                                                                             \
    LAB_NUMBER("factor", "Factor", "Ratio of each " what " to the previous one.", fallback_)

/* The axis "bytes" with that source, and its three parameters for a table of parameters. */
#define LAB_SIZES_AXIS .name = "bytes", .title = "Size", .unit = "B", .source = LAB_AXIS_SIZES
#define LAB_SIZES_PARAMETERS(what, smallest, largest, ratio)                                                           \
    {LAB_INTEGER("min_bytes", "Smallest size",                                                                         \
                 "Smallest size: bytes of " what ". Set it equal to max_bytes to measure one size only.", smallest),   \
     LAB_SIZES_BOUNDS},                                                                                                \
        {LAB_INTEGER("max_bytes", "Largest size", "Largest size; it is always measured.", largest), LAB_SIZES_BOUNDS}, \
    {                                                                                                                  \
        LAB_FACTOR_PARAMETER("size", 1.01, 1048576, ratio)                                                             \
    }
#define LAB_SIZES_BOUNDS .unit = "B", .minimum = 1, .maximum = 1099511627776.0

/* Adds a value to the list of an axis. */
void lab_axis_values_add(struct lab_axis_values *values, int64_t value);
/* Adds all values of a parameter of the request. */
void lab_axis_values_add_parameter(struct lab_axis_values *values, const struct lab_points_request *request,
                                   const char *name);

/* Adds the sizes from parameter min_NAME to max_NAME, each `factor` times the previous one. */
void lab_axis_values_add_sizes(struct lab_axis_values *values, const struct lab_points_request *request,
                               const char *name);

/* Lists the points of a request on `devices`. Returns false with an error added when there are more than
 * LAB_POINTS_MAX, or when out of memory; nothing has to be freed then. */
bool lab_points_init(struct lab_points *points, const struct lab_parameters *parameters,
                     const struct lab_device_facts *const *devices, size_t device_count, struct lab_errors *errors);
/* Frees the points; allowed for `{0}`. */
void lab_points_release(struct lab_points *points);

/* Checks the parameters of an axis with source LAB_AXIS_SIZES: min_NAME must not exceed max_NAME. Returns false with an
 * error added. */
bool lab_points_check_sizes(const struct lab_parameters *parameters, const char *name, struct lab_errors *errors);

/* The title of an axis, and its unit; NULL for none. */
const char *lab_axis_title(const struct lab_experiment *experiment, const struct lab_axis *axis);
const char *lab_axis_unit(const struct lab_experiment *experiment, const struct lab_axis *axis);

/* The kind of an axis's values: a boolean, a choice with the texts of *choices, else a number or a device. */
enum lab_axis_kind { LAB_AXIS_NUMBER, LAB_AXIS_FLAG, LAB_AXIS_CHOICE, LAB_AXIS_DEVICE };
enum lab_axis_kind lab_axis_kind(const struct lab_experiment *experiment, const struct lab_axis *axis,
                                 struct lab_choices *choices);

/* The point's value on the axis of lab_loads (enum lab_load); LAB_NO_VALUE if the experiment has no such axis. */
int64_t lab_point_load(const struct lab_experiment *experiment, const struct lab_point *point);

/* Writes the values of a point as text for progress, without axes that do not apply: "h2d, pinned, 4 MiB". */
void lab_point_label(const struct lab_experiment *experiment, const struct lab_point *point, char *label, size_t size);

/* Whether two points are equal on all axes but those whose bits are set in `except` (bit i for axis i). */
bool lab_points_equal(const struct lab_experiment *experiment, const struct lab_point *a, const struct lab_point *b,
                      uint32_t except);

#endif
