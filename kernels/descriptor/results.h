/* What results can be: the checks of measurements, spans and fields, whoever sends them: a worker or an import. What a
 * check refuses could not have been measured. A check returns false with the error's detail, a sentence that names the
 * member and its value.
 */
#ifndef LAB_RESULTS_H
#define LAB_RESULTS_H

#include "core/errors.h"
#include "core/protocol.h"
#include "core/result_members.h"
#include "core/schema.h"
#include "descriptor/experiment.h"

#include <jansson.h>
#include <math.h>

/* Bounds that are far above what a run with LAB_POINTS_MAX points has. */
enum {
    LAB_MEASUREMENTS_MAX = 32 * LAB_POINTS_MAX,
    LAB_SAMPLES_MAX = 1000000, /* of a measurement */
    LAB_SPANS_MAX = 1000000,
    LAB_SENTENCES_MAX = 1000 /* warnings, and notes */
};

/* The tables of core/result_members.h as schemas, and those of the objects in a measurement; they end with name
 * NULL. */
extern const struct lab_schema lab_measurement_members[], lab_peak_members[], lab_conditions_members[],
    lab_kernel_record_members[], lab_shape_members[], lab_counter_members[], lab_span_members[], lab_field_members[],
    lab_message_members[], lab_finding_members[];

/* A row of them, for tables that have further rows. */
#define LAB_RESULT_SCHEMA(x, form, member, presence, ...)                                                              \
    {.name = #member,                                                                                                  \
     .nullable = LAB_NULLABLE_##presence,                                                                              \
     .required = LAB_REQUIRED_##presence,                                                                              \
     LAB_SCHEMA_##form,                                                                                                \
     __VA_ARGS__},
#define LAB_SCHEMA_TEXT .type = LAB_TYPE_STRING
#define LAB_SCHEMA_CHOICE .type = LAB_TYPE_CHOICE
#define LAB_SCHEMA_STATUS .type = LAB_TYPE_CHOICE, .choices = lab_status_names, .component = "RunStatus"
#define LAB_SCHEMA_PRIORITY .type = LAB_TYPE_CHOICE, .choices = lab_priority_names
#define LAB_SCHEMA_TIME .type = LAB_TYPE_TIME, .component = "Time"
#define LAB_SCHEMA_INTEGER .type = LAB_TYPE_INTEGER
#define LAB_SCHEMA_COUNT .type = LAB_TYPE_INTEGER
#define LAB_SCHEMA_NUMBER .type = LAB_TYPE_NUMBER
#define LAB_SCHEMA_LOWEST .type = LAB_TYPE_NUMBER
#define LAB_SCHEMA_HIGHEST .type = LAB_TYPE_NUMBER
#define LAB_SCHEMA_BOOLEAN .type = LAB_TYPE_BOOLEAN
#define LAB_SCHEMA_OBJECT .type = LAB_TYPE_OBJECT
#define LAB_SCHEMA_LIST .count = LAB_LIST
#define LAB_TEXTS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* The first of the errors of a check by rows, with where in a member it is. Returns false. */
bool lab_first_error(const struct lab_errors *errors, struct lab_error *error);

/* A measurement without its samples, which are `sample_count`. `experiment` is that of the run; NULL: not in this
 * build, then the unit may be any. Members that are missing count as null. */
bool lab_measurement_check(const struct lab_experiment *experiment, const json_t *measurement, size_t sample_count,
                           struct lab_error *error);
/* Samples of the measurement, a list of numbers and null. */
bool lab_samples_check(const json_t *measurement, const json_t *samples, struct lab_error *error);
bool lab_span_check(const json_t *span, struct lab_error *error);
bool lab_field_check(const json_t *field, struct lab_error *error);
/* What compilers say of a program (core/compiler_log.h), a list of at most LAB_MESSAGES_MAX. */
bool lab_messages_check(const json_t *messages, struct lab_error *error);
/* The findings of a run, a list of at most LAB_SENTENCES_MAX. */
bool lab_findings_check(const json_t *findings, struct lab_error *error);

#endif
