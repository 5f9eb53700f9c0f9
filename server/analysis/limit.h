/* What limits a point: one sentence, computed from its hardware counters and the peaks of the device; where it has no
 * counters, from its peaks, its predictions and its neighbours in size.
 */
#ifndef LAB_LIMIT_H
#define LAB_LIMIT_H

#include "analysis/point_facts.h"

extern const char *const lab_limit_bases[]; /* ends with NULL; API.md explains them */

/* Returns a new reference: {"basis", "what", "share", "text"}. `basis` is one of lab_limit_bases, `what` names the
 * unit, null where no unit is meant; `share` of what it can do, null where it is not known. */
json_t *lab_point_limit(const struct lab_point_facts *point);

#endif
