/* Which hardware counters differ between two measurements of a point. */
#ifndef LAB_COUNTER_CHANGES_H
#define LAB_COUNTER_CHANGES_H

#include <jansson.h>
#include <stdbool.h>

/* Whether two figures are more than a tenth of the larger one apart. False where one is not finite. */
bool lab_figures_differ(double value, double other);

/* Returns a new reference: [{"name", "title", "unit", "base", "head"}], the counters of both sides whose values differ,
 * in the order of `base`. `base` and `head` are `counters` of measurements. JSON null where a side was not counted. */
json_t *lab_counter_changes(const json_t *base, const json_t *head);

#endif
