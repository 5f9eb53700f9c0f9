/* The best of the points of a run that differ from one in a single axis, and what is different there. */
#ifndef LAB_BESIDE_H
#define LAB_BESIDE_H

#include "analysis/point_facts.h"

/* Returns a new reference: {"axis", "value", "position", "ratio", "differences": [{"name", "title", "unit", "value",
 * "other"}], "text"}. `value` is that of the axis there, `ratio` how many times as good its main metric is;
 * `differences` are the figures that were computed and the counters that are more than a tenth apart, figures first.
 * Axes that say what is to be done, or how much, such as sizes and types, do not count. JSON null where no point is
 * better by 5 %. */
json_t *lab_point_beside(const struct lab_point_facts *point);

#endif
