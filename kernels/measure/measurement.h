/* What a run yields: measurements and spans, as structs on their way to a sink. METHOD.md says what each field means.
 */
#ifndef LAB_MEASUREMENT_H
#define LAB_MEASUREMENT_H

#include "facts/conditions.h"
#include "measure/statistics.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LAB_AXES_MAX = 12 };

/* One coordinate of a measurement: text, or a number when text is NULL, or true and false when boolean is set. */
struct lab_coordinate {
    const char *axis; /* name from the experiment's axes table */
    const char *text;
    int64_t number;
    bool boolean;
};

struct lab_axes {
    size_t count;
    struct lab_coordinate items[LAB_AXES_MAX];
};

void lab_axes_text(struct lab_axes *axes, const char *axis, const char *value);
void lab_axes_number(struct lab_axes *axes, const char *axis, int64_t value);
void lab_axes_flag(struct lab_axes *axes, const char *axis, bool value);

/* {"bytes":1024,"direction":"h2d",…}; a new reference. */
json_t *lab_axes_to_json(const struct lab_axes *axes);

struct lab_peak {
    double value;     /* in the metric's unit */
    const char *what; /* "PCIe gen5 x16, one direction" */
};

struct lab_measurement {
    struct lab_axes axes;
    const char *metric, *unit; /* from the experiment's metrics table */

    size_t sample_count;
    const double *samples; /* in `unit`, in the order in which they were taken; NULL for a derived figure */
    struct lab_summary summary;

    const char
        *stop_reason;    /* "converged", "noise-stable", "sample-limit", "timed-out", "cancelled"; NULL: not sampled */
    bool verified_known; /* whether the result was checked at all */
    bool verified;
    uint64_t wrong;                          /* elements that differed */
    const char *cache;                       /* "cold", "warm"; NULL where it means nothing */
    int64_t numa_node;                       /* of the host memory; LAB_UNKNOWN */
    const struct lab_peak *peak;             /* NULL for none */
    const struct lab_conditions *conditions; /* NULL for none */
    const char *skipped;                     /* the reason; then nothing above but axes, metric and unit counts */
};

/* A measurement as API.md shows it, with `samples` beside. A new reference. */
json_t *lab_measurement_to_json(const struct lab_measurement *measurement);

/* A piece of a timeline. Times in ns from the start of the traced work. */
struct lab_span {
    const char *lane; /* "stream 1", "copy-up" */
    const char *kind; /* "copy-up", "compute", "copy-down", … */
    const char *label;
    int64_t start_ns, end_ns;
    const struct lab_axes *axes; /* which measurement it belongs to */
};

json_t *lab_span_to_json(const struct lab_span *span);

#endif
