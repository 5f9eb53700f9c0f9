/* Reference results with which a run can be compared: published results, each with its document and section, and
 * results measured with gpulab, each with device, driver and date. They are in the file NAME.json of each experiment
 * (kernels/pages).
 *
 * The axes of a published result are those of its program: its time can be compared with a run that has the same size.
 * With other runs only its speedup can be compared, over the baseline of the same system; speedups are derived here
 * from the published times.
 */
#ifndef LAB_REFERENCES_H
#define LAB_REFERENCES_H

#include "descriptor/experiment.h"

/* Calls `visit` for each reference of the experiment of that name, or of all experiments if `experiment` is NULL. A
 * derived speedup follows the time from which it is derived; its texts are valid only during the call. */
void lab_references_each(const char *experiment,
                         void (*visit)(void *context, const struct lab_experiment *experiment,
                                       const struct lab_reference *reference),
                         void *context);

/* Returns the references that lab_references_each passes, as a JSON array of {experiment, system, axes, parameters,
 * metric, value, unit, source, remark}: a new reference, or NULL when out of memory. */
json_t *lab_references_to_json(const char *experiment);

/* Whether a point has every axis of a reference with its value. Both are JSON objects of axes. */
bool lab_reference_is_of_point(json_t *axes, const json_t *point);

/* Whether a reference's system is as many devices of the model: "2 x NVIDIA H200 SXM, NVLink" for two "NVIDIA H200". */
bool lab_reference_is_of_system(const char *system, const char *model, size_t count);

/* Whether a run has the parameters of a reference, NULL: any. `run` is the JSON object of its parameters, with
 * defaults. */
bool lab_reference_is_of_run(json_t *parameters, const json_t *run);

#endif
