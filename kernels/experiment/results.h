/* What results can be: the checks of measurements, spans and fields, whoever sends them: a worker or an import. What a check
 * refuses could not have been measured. A check returns false with the error's detail, a sentence that names the member and its
 * value.
 */
#ifndef LAB_RESULTS_H
#define LAB_RESULTS_H

#include "core/errors.h"
#include "experiment/experiment.h"

#include <jansson.h>

/* Bounds that are far above what a run with LAB_POINTS_MAX points has. */
enum {
    LAB_MEASUREMENTS_MAX = 32 * LAB_POINTS_MAX,
    LAB_SAMPLES_MAX = 1000000, /* of a measurement */
    LAB_SPANS_MAX = 1000000,
    LAB_SENTENCES_MAX = 1000 /* warnings, and notes */
};

/* What a member may be; more than one where they are added. */
enum {
    LAB_MEMBER_TEXT = 1,
    LAB_MEMBER_INTEGER = 2,
    LAB_MEMBER_NUMBER = 4, /* integers too */
    LAB_MEMBER_BOOLEAN = 8,
    LAB_MEMBER_OBJECT = 16,
    LAB_MEMBER_LIST = 32,
    LAB_MEMBER_NULL = 64,
    LAB_MEMBER_ABSENT = 128,
};

struct lab_member {
    const char *name;
    unsigned types;
};

/* Tables end with name NULL. */
extern const struct lab_member lab_measurement_members[], lab_span_members[], lab_field_members[];

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
