/* The members of results, each declared once. From a row follow the member of the structs of the store (db/store.h) and of the worker
 * (measure/measurement.h), its column, its JSON and the check and schema of that (experiment/results.h), and its column of CSV.
 *
 *     ROW(x, FORM, name, null, details)
 *
 * `x` is passed on. FORM says what the value is, see below. `null` is 0; LAB_MEMBER_NULL where the value may be null in JSON; or
 * LAB_MEMBER_NULL | LAB_MEMBER_ABSENT where exports of older versions lack it, as of every member that is added. The details are
 * initialisers of struct lab_member_details (experiment/results.h).
 */
#ifndef LAB_RESULT_MEMBERS_H
#define LAB_RESULT_MEMBERS_H

#include <stddef.h>
#include <stdint.h>

/* What a member may be; more than one where they are added. As FORM of a row, without the prefix: one. */
enum {
    LAB_MEMBER_TEXT = 1,
    LAB_MEMBER_INTEGER = 2,
    LAB_MEMBER_NUMBER = 4, /* integers too */
    LAB_MEMBER_BOOLEAN = 8,
    LAB_MEMBER_OBJECT = 16,
    LAB_MEMBER_LIST = 32,
    LAB_MEMBER_NULL = 64,
    LAB_MEMBER_ABSENT = 128,
    LAB_MEMBER_COUNT = LAB_MEMBER_INTEGER + 256, /* an integer that is 0 where it is null */
    LAB_MEMBER_FORM = 63 + 256,                  /* of the types of a row: its form */
};

/* --- a measurement, in the order of its JSON ------------------------------------------------------------------------ */

/* What was measured: the point that a measurement is of. */
#define LAB_MEASUREMENT_POINT(ROW, x)                                                                                  \
    ROW(x, OBJECT, axes, 0, .reference = "Axes", .hidden = true)                                                       \
    ROW(x, TEXT, metric, 0, .hidden = true)                                                                            \
    ROW(x, TEXT, unit, 0, .hidden = true)

/* The members of struct lab_summary. */
#define LAB_MEASUREMENT_SUMMARY(ROW, x)                                                                                \
    ROW(x, COUNT, n, 0, .keywords = "{\"minimum\": 0}", .title = "samples", .text = "The number of samples.")          \
    ROW(x, NUMBER, median, LAB_MEMBER_NULL)                                                                            \
    ROW(x, NUMBER, q1, LAB_MEMBER_NULL)                                                                                \
    ROW(x, NUMBER, q3, LAB_MEMBER_NULL)                                                                                \
    ROW(x, NUMBER, min, LAB_MEMBER_NULL)                                                                               \
    ROW(x, NUMBER, max, LAB_MEMBER_NULL)                                                                               \
    ROW(x, NUMBER, mean, LAB_MEMBER_NULL)                                                                              \
    ROW(x, NUMBER, stdev, LAB_MEMBER_NULL)                                                                             \
    ROW(x, NUMBER, noise, LAB_MEMBER_NULL, .text = "stdev / mean.")

/* What else is known. `stop_reason` is null when nothing was sampled, `cache` where a cache does not matter. */
#define LAB_MEASUREMENT_FACTS(ROW, x)                                                                                  \
    ROW(x, TEXT, stop_reason, LAB_MEMBER_NULL,                                                                         \
        .choices = LAB_TEXTS("converged", "noise-stable", "drifting", "sample-limit", "budget", "cancelled"))          \
    ROW(x, BOOLEAN, verified, LAB_MEMBER_NULL, .text = "null: the results were not checked.")                          \
    ROW(x, COUNT, wrong, LAB_MEMBER_NULL, .text = "How many elements of the results differed.")                        \
    ROW(x, TEXT, cache, LAB_MEMBER_NULL, .choices = LAB_TEXTS("cold", "warm"))                                         \
    ROW(x, INTEGER, numa_node, LAB_MEMBER_NULL, .text = "Of the host memory.")                                         \
    ROW(x, OBJECT, peak, LAB_MEMBER_NULL, .members = &lab_peak)                                                        \
    ROW(x, OBJECT, conditions, LAB_MEMBER_NULL, .members = &lab_conditions)                                            \
    ROW(x, OBJECT, kernel, LAB_MEMBER_NULL, .members = &lab_kernel_record)                                             \
    ROW(x, TEXT, skipped, LAB_MEMBER_NULL, .text = "Why the point was not measured.")                                  \
    ROW(x, TEXT, side, LAB_MEMBER_NULL, .choices = LAB_TEXTS("base", "head"), .hidden = true,                          \
        .text = "Of a run that is compared with another request.")                                                     \
    ROW(x, LIST, rounds, LAB_MEMBER_NULL, .keywords = "{\"items\": {\"type\": \"number\"}}",                           \
        .text = "The medians of the rounds in which the sides of a comparison were measured alternately.")

#define LAB_MEASUREMENT_MEMBERS(ROW, x)                                                                                \
    LAB_MEASUREMENT_POINT(ROW, x) LAB_MEASUREMENT_SUMMARY(ROW, x) LAB_MEASUREMENT_FACTS(ROW, x)

/* The peak with which a metric is compared, in its unit. */
#define LAB_PEAK_MEMBERS(ROW, x)                                                                                       \
    ROW(x, NUMBER, value, 0, .title = "peak_value")                                                                    \
    ROW(x, TEXT, what, 0, .title = "peak_what")

/* The state of the device while a point was measured. */
#define LAB_CONDITIONS_MEMBERS(ROW, x)                                                                                 \
    ROW(x, NUMBER, sm_clock_mhz, LAB_MEMBER_NULL)                                                                      \
    ROW(x, NUMBER, temperature_c, LAB_MEMBER_NULL)                                                                     \
    ROW(x, NUMBER, power_w, LAB_MEMBER_NULL)                                                                           \
    ROW(x, LIST, throttle, 0, .keywords = "{\"items\": {\"type\": \"string\"}}")

/* How a kernel was compiled and launched. */
#define LAB_KERNEL_RECORD_MEMBERS(ROW, x)                                                                              \
    ROW(x, TEXT, name, 0, .hidden = true)                                                                              \
    ROW(x, INTEGER, registers, LAB_MEMBER_NULL)                                                                        \
    ROW(x, INTEGER, local_bytes, LAB_MEMBER_NULL)                                                                      \
    ROW(x, INTEGER, shared_bytes, LAB_MEMBER_NULL)                                                                     \
    ROW(x, INTEGER, blocks_per_multiprocessor, LAB_MEMBER_NULL, .hidden = true)                                        \
    ROW(x, NUMBER, occupancy, LAB_MEMBER_NULL)                                                                         \
    ROW(x, INTEGER, block, LAB_MEMBER_NULL, .hidden = true)

/* --- a span and a field --------------------------------------------------------------------------------------------- */

/* An interval of a timeline; times are in ns since the start of the traced work. */
#define LAB_SPAN_MEMBERS(ROW, x)                                                                                       \
    ROW(x, TEXT, lane, 0, .text = "The stream, device or multiprocessor.")                                             \
    ROW(x, TEXT, kind, 0, .choices = LAB_TEXTS("copy-up", "compute", "copy-down", "copy-peer", "block"))               \
    ROW(x, TEXT, label, LAB_MEMBER_NULL, .text = "What the span did; null: its kind says it.")                         \
    ROW(x, OBJECT, axes, LAB_MEMBER_NULL, .reference = "Axes")                                                         \
    ROW(x, INTEGER, start_ns, 0)                                                                                       \
    ROW(x, INTEGER, end_ns, 0)

#define LAB_FIELD_MEMBERS(ROW, x)                                                                                      \
    ROW(x, TEXT, name, 0, .text = "What the values are.")                                                              \
    ROW(x, INTEGER, rows, 0, .keywords = "{\"minimum\": 1, \"maximum\": 256}")                                         \
    ROW(x, INTEGER, columns, 0, .keywords = "{\"minimum\": 1, \"maximum\": 256}")                                      \
    ROW(x, TEXT, values, 0, .keywords = "{\"contentEncoding\": \"base64\"}",                                           \
        .text = "rows * columns little-endian float32, row by row, the row of y = 0 first.")                           \
    ROW(x, OBJECT, axes, 0, .reference = "Axes")

/* --- structs -------------------------------------------------------------------------------------------------------- */

/* The members of a struct of the store: a ROW. NULL, NAN, INT64_MIN and, of a boolean, -1 stand for null. Objects and lists are JSON
 * text. */
#define LAB_STORED_FIELD(x, form, name, ...) LAB_STORED_##form name;
#define LAB_STORED_TEXT const char *
#define LAB_STORED_OBJECT const char *
#define LAB_STORED_LIST const char *
#define LAB_STORED_INTEGER int64_t
#define LAB_STORED_COUNT int64_t
#define LAB_STORED_NUMBER double
#define LAB_STORED_BOOLEAN int

/* Where a struct has a member. */
struct lab_row_member {
    const char *name;
    unsigned types; /* one form, and `null` */
    size_t offset;  /* LAB_ELSEWHERE: the struct does not have it so */
};
#define LAB_ELSEWHERE SIZE_MAX

/* The number of rows. */
#define LAB_MEMBER_COUNT_OF(MEMBERS) (sizeof(struct {MEMBERS(LAB_BYTE_OF, )}))
#define LAB_BYTE_OF(x, form, name, ...) char name;

#endif
