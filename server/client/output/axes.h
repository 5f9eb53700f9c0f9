/* Prints the coordinates of points: a column for each axis in which they differ, a line for the others. */
#ifndef LAB_AXES_H
#define LAB_AXES_H

#include "points.h"
#include "table.h"

#include "core/format.h"

/* `experiment` is the JSON object of the experiment in the API, which has the units of its axes; it may be NULL. */
void lab_axes_columns(struct lab_table *table, const struct lab_table_points *points, const json_t *experiment);
void lab_axes_cells(struct lab_table *table, const struct lab_table_points *points, const struct lab_table_point *point,
                    const json_t *experiment);
/* Coordinates, an object, as text: "engine copy, pattern contiguous"; "" if there are none. The caller frees it; NULL
 * when out of memory. */
char *lab_axes_as_text(const json_t *axes, const json_t *experiment);
/* Prints the coordinates that all points have in common, and an empty line; nothing if there are none. */
void lab_axes_print_fixed(FILE *out, const struct lab_table_points *points, const json_t *experiment);

/* A coordinate as text, in all digits, because they tell points apart. Numbers are written to `text`; strings and
 * booleans are returned without using it. `unit` is that of the axis. */
const char *lab_coordinate_text(const json_t *value, const char *unit, char text[LAB_FORMAT_SIZE]);

/* The unit of an entry of the experiment's "axes" or "metrics"; "" where there is none. */
const char *lab_unit_of(const json_t *experiment, const char *list, const char *name);

#endif
