/* What was predicted for a point, counted by the hardware and timed, beside each other. */
#ifndef LAB_PREDICTIONS_H
#define LAB_PREDICTIONS_H

#include "analysis/point_facts.h"

/* Returns a new list of {"metric", "of", "title", "unit", "formula", "predicted", "counted", "measured", "text"}: a row
 * for each figure of the point that is predicted and counted (`counted_NAME`) or measured (`predicted_NAME`); null
 * where one is not known. `of` is the metric that is predicted, null where it is counted only. The views of the
 * experiment pair those with other names. `text` is a sentence where they differ by more than a tenth; else null. */
json_t *lab_point_predictions(const struct lab_point_facts *point);

#endif
