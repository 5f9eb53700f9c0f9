/* What results can be: the checks of measurements, spans and fields, whoever sends them: a worker or an import. What a check
 * refuses could not have been measured. A check returns false with the error's detail, a sentence that names the member and its
 * value.
 */
#ifndef LAB_RESULTS_H
#define LAB_RESULTS_H

#include "core/errors.h"
#include "core/result_members.h"
#include "experiment/experiment.h"

#include <jansson.h>

/* Bounds that are far above what a run with LAB_POINTS_MAX points has. */
enum {
    LAB_MEASUREMENTS_MAX = 32 * LAB_POINTS_MAX,
    LAB_SAMPLES_MAX = 1000000, /* of a measurement */
    LAB_SPANS_MAX = 1000000,
    LAB_SENTENCES_MAX = 1000 /* warnings, and notes */
};

struct lab_member {
    const char *name;
    unsigned types; /* sums of LAB_MEMBER_… (core/result_members.h) */
};

/* What documents say of a member beside its type. */
struct lab_member_details {
    const char *title;                 /* of its column in CSV; NULL: the name */
    bool hidden;                       /* CSV has no column of it */
    const char *text;                  /* its description; NULL: none */
    const char *const *choices;        /* of a text; ends with NULL. NULL: any text */
    const struct lab_members *members; /* of an object */
    const char *reference;             /* name of the schema of an object without `members` */
    const char *keywords;              /* further ones of its schema, as a JSON object; NULL: none */
};
#define LAB_TEXTS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* A table that ends with name NULL, and the details of each row. */
struct lab_members {
    const struct lab_member *rows;
    const struct lab_member_details *details;
};
extern const struct lab_members lab_measurement_members, lab_peak, lab_conditions, lab_kernel_record, lab_span_members,
    lab_field_members;

/* Whether the members of the table have their types; `complete`: and none is missing. */
bool lab_members_check(const json_t *object, const struct lab_member *members, bool complete, struct lab_error *error);

/* A measurement without its samples, which are `sample_count`. `experiment` is that of the run; NULL: not in this build, then the unit
 * may be any. Members that are missing count as null. */
bool lab_measurement_check(const struct lab_experiment *experiment, const json_t *measurement, size_t sample_count,
                           struct lab_error *error);
/* Samples of the measurement, a list of numbers and null. */
bool lab_samples_check(const json_t *measurement, const json_t *samples, struct lab_error *error);
bool lab_span_check(const json_t *span, struct lab_error *error);
bool lab_field_check(const json_t *field, struct lab_error *error);

#endif
