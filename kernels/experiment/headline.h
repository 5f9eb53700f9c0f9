/* The headlines of a run: the few results that stand for it in lists, at the top of its page, and in the history of a
 * device model. An experiment declares them; they are picked from the measurements of a run.
 */
#ifndef LAB_HEADLINE_H
#define LAB_HEADLINE_H

#include "experiment/experiment.h"

/* The experiment's headlines as the API shows them: [{title, metric, axis, value, best}], where `best` is "highest" or
 * "lowest", and axis and value may be null. A new reference. */
json_t *lab_headlines_to_json(const struct lab_experiment *experiment);

/* A headline of a run is {title, metric, unit, value, axes, lowest}: the best median among the measurements that the
 * headline stands for, and their point. Measurements that were skipped, are wrong, or belong to the base of a comparison
 * do not count, nor do bursts (METHOD.md 6) if there are others.
 *
 * lab_headlines_create returns a list without results; lab_headlines_consider takes one measurement into account, an
 * object as in GET /runs/{id}/measurements; lab_headlines_finish removes the headlines without a result, after which the
 * list is as in GET /runs/{id}. Releasing the list is the caller's. */
json_t *lab_headlines_create(const struct lab_experiment *experiment);
void lab_headlines_consider(json_t *headlines, const struct lab_experiment *experiment, const json_t *measurement);
void lab_headlines_finish(json_t *headlines);

#endif
