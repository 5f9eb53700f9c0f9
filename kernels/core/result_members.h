/* The members of results, each declared once. From a row follow the member of the structs of the store (db/store.h) and
 * of the worker (measure/measurement.h), its column, its JSON, the check and schema of that (descriptor/results.h), and
 * its column of CSV.
 *
 *     ROW(x, FORM, name, PRESENCE, details)
 *
 * `x` is passed on. FORM is one of enum lab_form without its prefix. PRESENCE is GIVEN; NULLABLE where the value may be
 * null; OPTIONAL where exports of older versions lack the member; or LATER for both, as any that is added. The details
 * are further initialisers of struct lab_schema (core/schema.h).
 */
#ifndef LAB_RESULT_MEMBERS_H
#define LAB_RESULT_MEMBERS_H

#include "core/protocol.h"
#include "core/run_status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum lab_form {
    LAB_FORM_TEXT,
    LAB_FORM_CHOICE, /* a text that is one of `choices` */
    LAB_FORM_STATUS,
    LAB_FORM_PRIORITY, /* the same as an enum */
    LAB_FORM_TIME,     /* clock.h */
    LAB_FORM_INTEGER,
    LAB_FORM_COUNT, /* an integer that is 0 where it is null */
    LAB_FORM_NUMBER,
    LAB_FORM_BOOLEAN,
    LAB_FORM_OBJECT,
    LAB_FORM_LIST, /* of values of `type` */
};

/* The names of an enum; ends with NULL. NULL for another form. */
static inline const char *const *lab_form_names(enum lab_form form)
{
    return form == LAB_FORM_STATUS ? lab_status_names : form == LAB_FORM_PRIORITY ? lab_priority_names : NULL;
}
/* The number of that name; 0 where there is none. */
static inline unsigned lab_form_number(enum lab_form form, const char *name)
{
    unsigned i = 0;
    for (const char *const *names = lab_form_names(form); name != NULL && names[i] != NULL; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return 0;
}

/* Whether structs have the value as a text, and as the text of JSON. */
static inline bool lab_form_is_text(enum lab_form form)
{
    return form == LAB_FORM_TEXT || form == LAB_FORM_CHOICE;
}
static inline bool lab_form_is_document(enum lab_form form)
{
    return form == LAB_FORM_OBJECT || form == LAB_FORM_LIST;
}

/* --- a measurement, in the order of its JSON ---------------------------------------------------------------------- */

/* What was measured: the point that a measurement is of. */
#define LAB_MEASUREMENT_POINT(ROW, x)                                                                                  \
    ROW(x, OBJECT, axes, GIVEN, .component = "Axes")                                                                   \
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
    ROW(x, INTEGER, numa_node, NULLABLE, .text = "The NUMA node of the host memory.")                                  \
    ROW(x, OBJECT, peak, NULLABLE, .members = lab_peak_members)                                                        \
    ROW(x, OBJECT, conditions, NULLABLE, .members = lab_conditions_members)                                            \
    ROW(x, OBJECT, kernel, NULLABLE, .members = lab_kernel_record_members)                                             \
    ROW(x, TEXT, skipped, NULLABLE, .text = "Why the point was not measured.")                                         \
    ROW(x, CHOICE, side, NULLABLE, .choices = LAB_TEXTS("base", "head"),                                               \
        .text = "The side, in a run that compares two requests.")                                                      \
    ROW(x, LIST, rounds, NULLABLE, .type = LAB_TYPE_ANY, .gaps = true,                                                 \
        .text =                                                                                                        \
            "The medians of the rounds in which the sides of a comparison were measured alternately: a list for each " \
            "block, for which memory was allocated anew. Of older versions, which had one block, a list of numbers.")  \
    ROW(x, OBJECT, shape, LATER, .members = lab_shape_members, .text = "What the samples look like; null: not known.") \
    ROW(x, LIST, counters, LATER, .type = LAB_TYPE_OBJECT, .members = lab_counter_members,                             \
        .text = "Hardware counters of one repetition, of the main metric of a point; null: not counted.")

#define LAB_MEASUREMENT_MEMBERS(ROW, x)                                                                                \
    LAB_MEASUREMENT_POINT(ROW, x) LAB_MEASUREMENT_SUMMARY(ROW, x) LAB_MEASUREMENT_FACTS(ROW, x)

/* --- a span and a field ------------------------------------------------------------------------------------------- */

/* An interval of a timeline; times are in ns since the start of the traced work. */
#define LAB_SPAN_MEMBERS(ROW, x)                                                                                       \
    ROW(x, TEXT, lane, GIVEN, .text = "The stream, device or multiprocessor.")                                         \
    ROW(x, TEXT, kind, GIVEN, .text = "copy-up, compute, copy-down, copy-peer, block or another kind.")                \
    ROW(x, TEXT, label, NULLABLE, .text = "What the span did; null: its kind says it.")                                \
    ROW(x, OBJECT, axes, NULLABLE, .component = "Axes")                                                                \
    ROW(x, INTEGER, start_ns, GIVEN)                                                                                   \
    ROW(x, INTEGER, end_ns, GIVEN)                                                                                     \
    ROW(x, OBJECT, details, LATER, .text = "What else is known of it, as kernels/trace/README.md lists.")

/* The store has a field as JSON. */
#define LAB_FIELD_MEMBERS(ROW, x)                                                                                      \
    ROW(x, TEXT, name, GIVEN, .text = "What the values are.")                                                          \
    ROW(x, INTEGER, rows, GIVEN, .minimum = 1, .maximum = LAB_SAVED_OUTPUT_MAX)                                        \
    ROW(x, INTEGER, columns, GIVEN, .minimum = 1, .maximum = LAB_SAVED_OUTPUT_MAX)                                     \
    ROW(x, TEXT, values, GIVEN,                                                                                        \
        .text = "Base64 of rows * columns little-endian elements, row by row, the row of y = 0 first.")                \
    ROW(x, TEXT, element_type, OPTIONAL,                                                                               \
        .text = "Of a saved output of an own kernel: the type of its elements; absent: float32.")                      \
    ROW(x, OBJECT, axes, GIVEN, .component = "Axes")

/* --- the objects in a measurement --------------------------------------------------------------------------------- */

/* The peak with which a metric is compared, in its unit. */
#define LAB_PEAK_MEMBERS(ROW, x)                                                                                       \
    ROW(x, NUMBER, value, GIVEN)                                                                                       \
    ROW(x, TEXT, what, GIVEN)

/* The state of the device while a point was measured; of several devices or moments the LOWEST or HIGHEST value. */
#define LAB_CONDITIONS_NUMBERS(ROW, x)                                                                                 \
    ROW(x, LOWEST, sm_clock_mhz, LATER)                                                                                \
    ROW(x, HIGHEST, temperature_c, LATER)                                                                              \
    ROW(x, HIGHEST, power_w, LATER)
#define LAB_CONDITIONS_MEMBERS(ROW, x)                                                                                 \
    LAB_CONDITIONS_NUMBERS(ROW, x)                                                                                     \
    ROW(x, LIST, throttle, OPTIONAL, .type = LAB_TYPE_STRING, .text = "Why the clock was lowered.")
#define LAB_FORM_LOWEST LAB_FORM_NUMBER
#define LAB_FORM_HIGHEST LAB_FORM_NUMBER

/* What a counter of the device's hardware has counted (core/hardware_counters.h). */
#define LAB_COUNTER_MEMBERS(ROW, x)                                                                                    \
    ROW(x, TEXT, name, GIVEN)                                                                                          \
    ROW(x, NUMBER, value, GIVEN)                                                                                       \
    ROW(x, TEXT, unit, GIVEN)                                                                                          \
    ROW(x, TEXT, metric, GIVEN, .text = "The vendor's name of the counter.")

/* How the kernel that was measured was compiled and launched, as the runtime reports it. */
#define LAB_KERNEL_MEMBERS(ROW, x)                                                                                     \
    ROW(x, TEXT, name, GIVEN)                                                                                          \
    ROW(x, INTEGER, registers, NULLABLE, .maximum = INFINITY, .text = "Registers of a thread.")                        \
    ROW(x, INTEGER, local_bytes, NULLABLE, .maximum = INFINITY,                                                        \
        .text = "Local memory of a thread: spilled registers and arrays.")                                             \
    ROW(x, INTEGER, shared_bytes, NULLABLE, .maximum = INFINITY,                                                       \
        .text = "Shared memory of a block, static and dynamic.")                                                       \
    ROW(x, INTEGER, blocks_per_multiprocessor, NULLABLE, .maximum = INFINITY,                                          \
        .text = "Blocks of this launch that fit on one multiprocessor.")                                               \
    ROW(x, NUMBER, occupancy, NULLABLE, .maximum = INFINITY,                                                           \
        .text = "Their threads / maximum resident threads of a multiprocessor.")                                       \
    ROW(x, INTEGER, block, NULLABLE, .maximum = INFINITY, .text = "Threads of a block.")

/* --- structs ------------------------------------------------------------------------------------------------------ */

/* The members of a struct of the store: a ROW. NULL, NAN, INT64_MIN and, of a boolean, -1 stand for null. Objects and
 * lists are JSON text. */
#define LAB_STORED_FIELD(x, form, name, ...) LAB_STORED_##form name;
#define LAB_STORED_TEXT const char *
#define LAB_STORED_CHOICE const char *
#define LAB_STORED_OBJECT const char *
#define LAB_STORED_LIST const char *
#define LAB_STORED_STATUS enum lab_status
#define LAB_STORED_PRIORITY enum lab_priority
#define LAB_STORED_TIME int64_t
#define LAB_STORED_INTEGER int64_t
#define LAB_STORED_COUNT int64_t
#define LAB_STORED_NUMBER double
#define LAB_STORED_LOWEST double
#define LAB_STORED_HIGHEST double
#define LAB_STORED_BOOLEAN int

/* Where a struct has a member. */
struct lab_row_member {
    const char *name;
    enum lab_form form;
    bool nullable;
    size_t offset; /* LAB_ELSEWHERE: the struct does not have it so */
};
#define LAB_ELSEWHERE SIZE_MAX

/* The member of a row; x is the type of the struct. */
#define LAB_ROW_MEMBER(x, form, name, presence, ...)                                                                   \
    {#name, LAB_FORM_##form, LAB_NULLABLE_##presence, offsetof(x, name)},

/* Whether a value may be null, and whether its member must be present. */
#define LAB_NULLABLE_GIVEN false
#define LAB_NULLABLE_NULLABLE true
#define LAB_NULLABLE_OPTIONAL false
#define LAB_NULLABLE_LATER true
#define LAB_REQUIRED_GIVEN true
#define LAB_REQUIRED_NULLABLE true
#define LAB_REQUIRED_OPTIONAL false
#define LAB_REQUIRED_LATER false

/* The number of rows. */
#define LAB_MEMBER_COUNT_OF(MEMBERS) (sizeof(struct {MEMBERS(LAB_BYTE_OF, )}))
#define LAB_BYTE_OF(x, form, name, ...) char name;

#endif
