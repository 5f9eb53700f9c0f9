/* Which hardware counters differ between two measurements of a point. */
#ifndef LAB_COUNTER_CHANGES_H
#define LAB_COUNTER_CHANGES_H

#include <jansson.h>
#include <stdbool.h>

/* Counts of the same work vary from pass to pass by up to 0.025 of the whole that a counter is a part of: of the
 * cycles between two instructions of a warp, of all bytes of device memory; of 1 for a share. */
#define LAB_COUNTER_NOISE 0.03

/* Whether two figures are more than a tenth of the larger one apart. False where one is not finite. */
bool lab_figures_differ(double value, double other);

/* Whether a counter that `base` and `head` have differs between them: by more than a tenth, and more than
 * LAB_COUNTER_NOISE of the whole of which it is a part. Time and cycles of the counting pass are results, and do not
 * differ. `base` and `head` are `counters` of measurements. */
bool lab_counter_differs(const json_t *base, const json_t *head, const char *name);

/* Returns a new reference: [{"name", "title", "unit", "base", "head"}], the counters of both sides that differ, in the
 * order of `base`. JSON null where a side was not counted. */
json_t *lab_counter_changes(const json_t *base, const json_t *head);

#endif
