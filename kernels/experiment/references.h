/* Published results that a run of one's own can be held beside, each with the document and section that it is from.
 *
 * Times of others are of other sizes and devices, so what compares is the speedup over the same system's own base,
 * which is derived here from the times as they were published.
 */
#ifndef LAB_REFERENCES_H
#define LAB_REFERENCES_H

#include <jansson.h>

/* All texts are static or live as long as the call that hands the reference out. */
struct lab_reference {
    const char *experiment;
    const char *system; /* device and host, as published */
    const char *axes;   /* JSON object; names as an experiment's axes table has them */
    const char *metric;
    double value;
    const char *unit; /* SI: "s", "GB/s"; "1" for none */
    const char *source;
    const char *remark; /* NULL for none */
};

/* Hands out the references of an experiment, NULL for those of all, each derived one behind the figure it comes from.
 * */
void lab_references_each(const char *experiment, void (*take)(void *context, const struct lab_reference *reference),
                         void *context);

/* The same as an array of {experiment, system, axes, metric, value, unit, source, remark}. A new reference; NULL when
 * out of memory. */
json_t *lab_references_to_json(const char *experiment);

#endif
