/* The headlines of a run: the few results that stand for it in lists, at the top of its page, and in the history of a
 * device model. An experiment declares them (struct lab_headline); they are picked from the measurements of a run.
 */
#ifndef LAB_HEADLINE_H
#define LAB_HEADLINE_H

#include "descriptor/experiment.h"

/* The experiment's headlines as the API shows them: [{title, metric, at, except, largest, smallest, share, best,
 * open}], where `at` and `except` are objects of values of axes, as texts, `best` is "highest" or "lowest", and `open`,
 * what is left open, is that of the "best" or the "worst" value. A new reference. */
json_t *lab_headlines_to_json(const struct lab_experiment *experiment);

/* Picks the headlines of a run while it is measured. */
struct lab_headlines;

/* NULL when memory is exhausted. The experiment must outlive it; the caller frees it. */
struct lab_headlines *lab_headlines_create(const struct lab_experiment *experiment);
void lab_headlines_free(struct lab_headlines *headlines);

/* Takes one measurement into account, an object as in GET /runs/{id}/measurements. Measurements that were skipped, are
 * wrong, or belong to the base of a comparison do not count, nor do bursts (METHOD.md 6) if there are others. */
void lab_headlines_consider(struct lab_headlines *headlines, json_t *measurement);

/* The headlines of the measurements so far, without those that have no result, as in GET /runs/{id}: [{title, metric,
 * unit, value, axes, lowest, share}]. `share` is {title, value} at the same point, or null. A new reference. */
json_t *lab_headlines_so_far(const struct lab_headlines *headlines);

#endif
