/* Whether NAME.json fits its experiment. */
#ifndef LAB_CHECK_H
#define LAB_CHECK_H

#include "descriptor/experiment.h"

/* Adds an error, with its pointer into the document, for each preset whose parameters the experiment refuses, and for each figure of
 * a reference with a metric, a unit or an axis that the experiment does not have, without an axis that it has, or at a point that no
 * run can have. The document must have the members of NAME.json (lab_data_read). */
void lab_data_check(const json_t *document, const struct lab_experiment *experiment, struct lab_errors *errors);

#endif
