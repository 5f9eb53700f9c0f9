/* Reference results with which a run can be compared: published results, each with its document and section, and results
 * measured with gpulab, each with device, driver and date.
 *
 * The axes of a published result are those of its program: its time can be compared with a run that has the same size. With
 * other runs only its speedup can be compared, over the baseline of the same system; speedups are derived here from the
 * published times. The lecture's job of several GPUs has no size on the axes of an experiment.
 */
#ifndef LAB_REFERENCES_H
#define LAB_REFERENCES_H

#include <jansson.h>

/* One reference result. All texts are valid only during the call of `visit`. */
struct lab_reference {
    const char *experiment;
    const char *system; /* device and host */
    const char *axes;   /* JSON object; names and values of the experiment's axes */
    const char *metric;
    double value;
    const char *unit;   /* SI: "s", "GB/s"; "1" for none */
    const char *source; /* document and section; or gpulab with device, driver and date */
    const char *remark; /* NULL if there is none */
};

/* Calls `visit` for each reference result of the experiment of that name, or of all experiments if `experiment` is NULL.
 * A derived speedup follows the time from which it is derived. */
void lab_references_each(const char *experiment, void (*visit)(void *context, const struct lab_reference *reference),
                         void *context);

/* Returns the references that lab_references_each passes, as a JSON array of {experiment, system, axes, metric, value,
 * unit, source, remark}: a new reference, or NULL when out of memory. */
json_t *lab_references_to_json(const char *experiment);

#endif
