/* The members of results, each declared once. From a row follow the member of the structs of the store (db/store.h) and of the worker
 * (measure/measurement.h), its column, its JSON, the check and schema of that (experiment/results.h), and its column of CSV.
 *
 *     ROW(x, FORM, name, PRESENCE, details)
 *
 * `x` is passed on. FORM is one of enum lab_form without its prefix. PRESENCE is GIVEN; NULLABLE where the value may be null; or LATER
 * where exports of older versions also lack the member, as any that is added. The details are further initialisers of struct
 * lab_schema (core/schema.h).
 */
#ifndef LAB_RESULT_MEMBERS_H
#define LAB_RESULT_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum lab_form {
    LAB_FORM_TEXT,
    LAB_FORM_CHOICE, /* a text that is one of `choices` */
    LAB_FORM_INTEGER,
    LAB_FORM_COUNT, /* an integer that is 0 where it is null */
    LAB_FORM_NUMBER,
    LAB_FORM_BOOLEAN,
    LAB_FORM_OBJECT,
    LAB_FORM_LIST, /* of values of `type` */
};

/* --- a measurement, in the order of its JSON ------------------------------------------------------------------------ */

/* What was measured: the point that a measurement is of. */
#define LAB_MEASUREMENT_POINT(ROW, x)                                                                                  \
    ROW(x, OBJECT, axes, GIVEN)                                                                                        \
    ROW(x, TEXT, metric, GIVEN)                                                                                        \
    ROW(x, TEXT, unit, GIVEN)

/* The members of struct lab_summary. */
#define LAB_MEASUREMENT_SUMMARY(ROW, x)                                                                                \
    ROW(x, COUNT, n, GIVEN, .maximum = INFINITY, .text = "The number of samples.")                                     \
    ROW(x, NUMBER, median, NULLABLE)                                                                                   \
    ROW(x, NUMBER, q1, NULLABLE)                                                                                       \
    ROW(x, NUMBER, q3, NULLABLE)                                                                                       \
    ROW(x, NUMBER, min, NULLABLE)                                                                                      \
    ROW(x, NUMBER, max, NULLABLE)                                                                                      \
    ROW(x, NUMBER, mean, NULLABLE)                                                                                     \
    ROW(x, NUMBER, stdev, NULLABLE)                                                                                    \
    ROW(x, NUMBER, noise, NULLABLE, .text = "The distance of the quartiles / median.")

/* What else is known. `stop_reason` is null when nothing was sampled, `cache` where a cache does not matter. */
#define LAB_MEASUREMENT_FACTS(ROW, x)                                                                                  \
    ROW(x, CHOICE, stop_reason, NULLABLE,                                                                              \
        .choices = LAB_TEXTS("converged", "noise-stable", "drifting", "sample-limit", "budget", "cancelled"))          \
    ROW(x, BOOLEAN, verified, NULLABLE, .text = "null: the results were not checked.")                                 \
    ROW(x, COUNT, wrong, NULLABLE, .text = "How many elements of the results differed.")                               \
    ROW(x, CHOICE, cache, NULLABLE, .choices = LAB_TEXTS("cold", "warm"))                                              \
    ROW(x, INTEGER, numa_node, NULLABLE, .text = "Of the host memory.")                                                \
    ROW(x, OBJECT, peak, NULLABLE, .members = lab_peak_members)                                                        \
    ROW(x, OBJECT, conditions, NULLABLE, .members = lab_conditions_members)                                            \
    ROW(x, OBJECT, kernel, NULLABLE, .members = lab_kernel_record_members)                                             \
    ROW(x, TEXT, skipped, NULLABLE, .text = "Why the point was not measured.")                                         \
    ROW(x, CHOICE, side, NULLABLE, .choices = LAB_TEXTS("base", "head"),                                               \
        .text = "Of a run that is compared with another request.")                                                     \
    ROW(x, LIST, rounds, NULLABLE, .type = LAB_TYPE_ANY,                                                               \
        .text = "The medians of the rounds in which the sides of a comparison were measured alternately.")             \
    ROW(x, OBJECT, shape, LATER, .members = lab_shape_members, .text = "What the samples look like; null: not known.")

#define LAB_MEASUREMENT_MEMBERS(ROW, x)                                                                                \
    LAB_MEASUREMENT_POINT(ROW, x) LAB_MEASUREMENT_SUMMARY(ROW, x) LAB_MEASUREMENT_FACTS(ROW, x)

/* --- a span and a field --------------------------------------------------------------------------------------------- */

/* An interval of a timeline; times are in ns since the start of the traced work. */
#define LAB_SPAN_MEMBERS(ROW, x)                                                                                       \
    ROW(x, TEXT, lane, GIVEN, .text = "The stream, device or multiprocessor.")                                         \
    ROW(x, TEXT, kind, GIVEN)                                                                                          \
    ROW(x, TEXT, label, NULLABLE, .text = "What the span did; null: its kind says it.")                                \
    ROW(x, OBJECT, axes, NULLABLE)                                                                                     \
    ROW(x, INTEGER, start_ns, GIVEN)                                                                                   \
    ROW(x, INTEGER, end_ns, GIVEN)

/* The store has a field as JSON. */
#define LAB_FIELD_MEMBERS(ROW, x)                                                                                      \
    ROW(x, TEXT, name, GIVEN, .text = "What the values are.")                                                          \
    ROW(x, INTEGER, rows, GIVEN, .minimum = 1, .maximum = LAB_FIELD_SIDE_MAX)                                          \
    ROW(x, INTEGER, columns, GIVEN, .minimum = 1, .maximum = LAB_FIELD_SIDE_MAX)                                       \
    ROW(x, TEXT, values, GIVEN, .text = "rows * columns little-endian float32, row by row, the row of y = 0 first.")   \
    ROW(x, OBJECT, axes, GIVEN)

/* --- structs -------------------------------------------------------------------------------------------------------- */

/* The members of a struct of the store: a ROW. NULL, NAN, INT64_MIN and, of a boolean, -1 stand for null. Objects and lists are JSON
 * text. */
#define LAB_STORED_FIELD(x, form, name, ...) LAB_STORED_##form name;
#define LAB_STORED_TEXT const char *
#define LAB_STORED_CHOICE const char *
#define LAB_STORED_OBJECT const char *
#define LAB_STORED_LIST const char *
#define LAB_STORED_INTEGER int64_t
#define LAB_STORED_COUNT int64_t
#define LAB_STORED_NUMBER double
#define LAB_STORED_BOOLEAN int

/* Where a struct has a member. */
struct lab_row_member {
    const char *name;
    enum lab_form form;
    bool nullable;
    size_t offset; /* LAB_ELSEWHERE: the struct does not have it so */
};
#define LAB_ELSEWHERE SIZE_MAX

/* Whether a value may be null, and whether its member must be present. */
#define LAB_NULLABLE_GIVEN false
#define LAB_NULLABLE_NULLABLE true
#define LAB_NULLABLE_LATER true
#define LAB_REQUIRED_GIVEN true
#define LAB_REQUIRED_NULLABLE true
#define LAB_REQUIRED_LATER false

/* The number of rows. */
#define LAB_MEMBER_COUNT_OF(MEMBERS) (sizeof(struct {MEMBERS(LAB_BYTE_OF, )}))
#define LAB_BYTE_OF(x, form, name, ...) char name;

#endif
