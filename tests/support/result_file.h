/* Files of results for the tests of kernels/formats: read from a text or from the corpus of the fuzz target, and looked
 * at. Each function fails the test when the file is not as it must be.
 */
#ifndef LAB_TEST_RESULT_FILE_H
#define LAB_TEST_RESULT_FILE_H

#include "formats/formats.h"

/* Where the fuzz target has its files. */
#define RESULT_CORPUS LAB_TEST_SOURCE "/fuzz/corpus/formats/"

/* Reads a file of a format without an error, a text or one of the corpus, which must be recognised as this format. The
 * results are to be released with lab_result_file_release. */
struct lab_result_file result_file_of(const char *format, const char *text);
struct lab_result_file result_file_of_corpus(const char *format, const char *name);

/* The measurement of a metric at axes that are written as JSON in the order of the file. */
const struct lab_result_measurement *result_find(const struct lab_result_file *file, const char *metric,
                                                 const char *axes);

/* Whether the measurement has this unit and exactly these samples: check_samples(&file, "time", "{\"n\": 1}", "s", 0.5,
 * 0.25). */
#define check_samples(FILE, METRIC, AXES, UNIT, ...)                                                                   \
    result_check_samples(FILE, METRIC, AXES, UNIT, (const double[]){__VA_ARGS__},                                      \
                         sizeof(const double[]){__VA_ARGS__} / sizeof(double))
void result_check_samples(const struct lab_result_file *file, const char *metric, const char *axes, const char *unit,
                          const double *samples, size_t count);

/* Whether one of the notes is this one. */
void result_check_note(const struct lab_result_file *file, const char *note);

/* Reads a text as a format, which must refuse it, first with an error that begins so: what Jansson says of malformed
 * JSON differs between its versions. `pointer` is "" in formats that are no JSON document. */
void result_check_refused(const char *format, const char *text, const char *code, const char *pointer,
                          const char *detail);

/* The same of a file of the corpus in which `from`, which must be there, is replaced by `to`, once. */
void result_check_damaged(const char *format, const char *name, const char *from, const char *to, const char *code,
                          const char *pointer, const char *detail);

#endif
