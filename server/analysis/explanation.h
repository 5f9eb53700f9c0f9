/* Explains a point of a run: what it took, under which conditions, what was predicted, what limits it, and what is
 * different at the best of its neighbours. Everything that shows an explanation has it from here.
 */
#ifndef LAB_EXPLANATION_H
#define LAB_EXPLANATION_H

#include "analysis/point_facts.h"

/* What the lab and others have at the same point. Lists are borrowed. */
struct lab_explanation_peers {
    json_t *devices; /* [{"device", "name", "run", "value"}]: the newest values of the main metric on other devices */
    json_t *references; /* [{"system", "source", "remark", "value"}]: published ones */
};

/* Returns the document Explanation of API.md, a new reference; NULL when out of memory. */
json_t *lab_explanation(const struct lab_point_facts *point, const struct lab_explanation_peers *peers);

#endif
