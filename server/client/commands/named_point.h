/* A point as the command line names it, by values of axes: "direction=h2d,bytes=16MiB". `metric` and `side` name these
 * members. */
#ifndef LAB_NAMED_POINT_H
#define LAB_NAMED_POINT_H

#include "core/errors.h"

#include <jansson.h>
#include <stdbool.h>

/* Reads AXIS=VALUE,... as {AXIS: VALUE}, a new reference. NULL with an error at `option`, which may be "". */
json_t *lab_named_point_read(const char *point, const char *option, struct lab_errors *errors);

/* Whether the measurement has all of these values. */
bool lab_point_is_named(const json_t *measurement, json_t *wanted);

/* The points that were named, to say that there are several. */
struct lab_named_points {
    json_t *texts;   /* of the points, as members of an object */
    json_t *varying; /* {AXIS: its value at the first of them}; null where others have another one */
};
void lab_named_points_init(struct lab_named_points *points);
void lab_named_points_add(struct lab_named_points *points, const json_t *measurement);
/* Adds the error that several were named, with the axes in which they differ. */
void lab_named_points_refuse(const struct lab_named_points *points, const char *option, struct lab_errors *errors);
void lab_named_points_release(struct lab_named_points *points);

#endif
