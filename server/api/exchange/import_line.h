/* The lines of an import: their members are checked and become rows of the store. */
#ifndef LAB_IMPORT_LINE_H
#define LAB_IMPORT_LINE_H

#include "store.h"

#include "core/errors.h"

#include <jansson.h>
#include <stdbool.h>

/* Memory that rows point to. Starts as {0}; lab_import_memory_free makes it that again. */
struct lab_import_memory {
    size_t count, capacity;
    void **blocks;
    bool failed; /* out of memory: rows that were read are not complete */
};
void lab_import_memory_free(struct lab_import_memory *memory);
/* Adds a block, which is freed with the others, and returns it; NULL for NULL, and when out of memory. */
void *lab_import_memory_keep(struct lab_import_memory *memory, void *block);

enum { LAB_IMPORT_SAMPLES_MAX = 1000000 }; /* of a measurement */

enum lab_import_type {
    LAB_LINE_RUN,
    LAB_LINE_MEASUREMENT,
    LAB_LINE_SAMPLES,
    LAB_LINE_SPAN,
    LAB_LINE_FIELD,
    LAB_LINE_END,
    LAB_LINE_UNKNOWN
};
enum lab_import_type lab_import_type(const json_t *line);

/* The samples of a line, of the measurement before it. */
struct lab_import_samples {
    size_t first, count;
    const json_t *values; /* of the line: numbers and null */
};

/* Read a line; false with an error that says which member is wrong. The rows point into `memory`, the samples into the line.
 * A measurement's sample_count is the number of samples that follow it. */
bool lab_import_read_run(const json_t *line, struct lab_run_row *row, struct lab_import_memory *memory,
                         struct lab_error *error);
bool lab_import_read_measurement(const json_t *line, struct lab_measurement_row *row, struct lab_import_memory *memory,
                                 struct lab_error *error);
bool lab_import_read_samples(const json_t *line, struct lab_import_samples *samples, struct lab_error *error);
bool lab_import_read_span(const json_t *line, struct lab_span_row *row, struct lab_import_memory *memory,
                          struct lab_error *error);
bool lab_import_read_field(const json_t *line, const char **content, struct lab_import_memory *memory,
                           struct lab_error *error);

#endif
