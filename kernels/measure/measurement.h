/* The results of a run, measurements, spans and fields, as structs that are passed to struct lab_sink (run.h), and
 * their JSON. METHOD.md explains the fields.
 */
#ifndef LAB_MEASUREMENT_H
#define LAB_MEASUREMENT_H

#include "core/result_members.h"
#include "descriptor/experiment.h"
#include "facts/conditions.h"
#include "measure/statistics.h"
#include "runtime/counters.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The value of a measurement on one axis: `text` if it is not NULL, otherwise `number`, which is written to JSON as a
 * boolean if `boolean` is set. */
struct lab_coordinate {
    const char *axis; /* a name from the experiment's axes table */
    const char *text;
    int64_t number;
    bool boolean;
};

/* The values of a measurement on all axes. Initialise with `{0}`. */
struct lab_axes {
    size_t count;
    struct lab_coordinate items[LAB_AXES_MAX];
};

/* Append a coordinate; at most LAB_AXES_MAX, else the process is aborted. The strings are not copied. */
void lab_axes_text(struct lab_axes *axes, const char *axis, const char *value);
void lab_axes_number(struct lab_axes *axes, const char *axis, int64_t value);
void lab_axes_flag(struct lab_axes *axes, const char *axis, bool value);

/* {"bytes":1024,"direction":"h2d",…}; a new reference. */
json_t *lab_axes_to_json(const struct lab_axes *axes);

/* The theoretical peak with which a metric is compared; `what` names it: "PCIe gen5 x16, one direction". */
struct lab_peak {
    LAB_PEAK_MEMBERS(LAB_STORED_FIELD, )
};

/* How the kernel that was measured was compiled and launched. */
struct lab_kernel_record {
    LAB_KERNEL_MEMBERS(LAB_STORED_FIELD, )
};

/* The members of a row of core/result_members.h that are the same here. */
#define LAB_MEASURED_FIELD(x, form, name, ...) LAB_MEASURED_##form(name)
#define LAB_MEASURED_TEXT(name) const char *name;
#define LAB_MEASURED_CHOICE(name) const char *name;
#define LAB_MEASURED_NUMBER(name) double name;
#define LAB_MEASURED_INTEGER(name) int64_t name;
#define LAB_MEASURED_BOOLEAN(name)
#define LAB_MEASURED_COUNT(name)
#define LAB_MEASURED_OBJECT(name)
#define LAB_MEASURED_LIST(name)

/* One metric of one point. The members that core/result_members.h declares and that are not below are texts (NULL:
 * null), numbers (NAN: null) and integers (LAB_UNKNOWN: null) of their names. If `skipped` is set, only axes, metric
 * and unit are valid. */
struct lab_measurement {
    struct lab_axes axes;
    LAB_MEASUREMENT_POINT(LAB_MEASURED_FIELD, )
    LAB_MEASUREMENT_FACTS(LAB_MEASURED_FIELD, )

    size_t sample_count;
    const double *samples; /* in `unit`, in the order in which they were taken; NULL for a derived figure */
    struct lab_summary summary;
    const double *rounds; /* medians of the rounds of a comparison; NULL if the samples were not taken alternately */
    size_t block_count;
    const size_t *block_ends; /* the rounds of block k: from block_ends[k - 1], or 0, up to block_ends[k], exclusive */

    bool verified_known;                     /* the result was checked; otherwise `verified` and `wrong` are not set */
    bool verified;                           /* no element was wrong */
    uint64_t wrong;                          /* elements that differ from the expected result */
    const struct lab_peak *peak;             /* NULL when the metric is not compared with a peak */
    const struct lab_conditions *conditions; /* while the point was measured; NULL when not known */
    const struct lab_kernel_record *kernel;  /* NULL: not one kernel, or nothing is known of it */
    const struct lab_hardware_counts *counters; /* NULL: not counted */
};

/* Returns a measurement as the API shows it, with its `samples` in addition. A new reference. */
json_t *lab_measurement_to_json(const struct lab_measurement *measurement);

/* One interval of a timeline: its lane ("stream 1"), kind ("copy-up", "compute", …), label, and times. */
struct lab_span {
    LAB_SPAN_MEMBERS(LAB_MEASURED_FIELD, )
    const struct lab_axes *axes; /* axes of the measurement to which the span belongs */
    json_t *details;             /* borrowed; NULL: none */
};

/* A span as core/result_members.h declares it; a new reference. */
json_t *lab_span_to_json(const struct lab_span *span);

/* Values on a rectangle, such as the solution of an equation, which are drawn as a heat map; or the saved output of an
 * own kernel. */
struct lab_field {
    const char *name;     /* what the values are: "temperature" */
    size_t rows, columns; /* 1 to LAB_FIELD_SIDE_MAX, or of a saved output of at most LAB_SAVED_OUTPUT_MAX bytes */
    const void *values;   /* row by row; the first row is drawn at the bottom, as y = 0 */
    const char *type;     /* of a saved output: its elements, "fp32" (core/numpy.h); NULL: `values` are floats */
    const struct lab_axes *axes; /* axes of the measurement to which the field belongs */
};

/* {name, rows, columns, values, axes}, and `element_type` where `type` is set; a new reference. `values` are the
 * elements as little-endian bytes in Base64, because their digits would be longer than a line of the protocol may
 * be. */
json_t *lab_field_to_json(const struct lab_field *field);

#endif
