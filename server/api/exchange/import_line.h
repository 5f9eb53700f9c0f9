/* The lines of an import, and the parts of the document of a run, which lack a few members: they are checked and become
 * rows of the store. */
#ifndef LAB_IMPORT_LINE_H
#define LAB_IMPORT_LINE_H

#include "store.h"

#include "core/errors.h"
#include "descriptor/experiment.h"

#include <jansson.h>
#include <stdbool.h>

/* Memory that rows point to. Starts as {0}; lab_import_memory_release makes it that again. */
struct lab_import_memory {
    size_t count, capacity;
    void **blocks;
    bool failed; /* out of memory: rows that were read are not complete */
};
void lab_import_memory_release(struct lab_import_memory *memory);
/* Adds a block, which is freed with the others, and returns it; NULL for NULL, and when out of memory. */
void *lab_import_memory_keep(struct lab_import_memory *memory, void *block);

enum lab_import_type {
    LAB_LINE_RUN,
    LAB_LINE_MEASUREMENT,
    LAB_LINE_SAMPLES,
    LAB_LINE_SPAN,
    LAB_LINE_FIELD,
    LAB_LINE_COMMENT,
    LAB_LINE_MARK,
    LAB_LINE_END,
    LAB_LINE_UNKNOWN
};
enum lab_import_type lab_import_type(const json_t *line);

/* The samples of a line, of the measurement before it. */
struct lab_import_samples {
    int64_t position; /* of the measurement */
    size_t first;
    const json_t *values; /* of the line: a list */
};

/* The latest time that an import may have, a day from now: clocks differ. */
int64_t lab_import_latest(void);

/* Whether a text that has no type is the document of a run. */
bool lab_import_is_document(const json_t *value);

/* Read a line, or a part of a document; false with an error that says which member is wrong. The rows point into
 * `memory`, the samples into the line. A measurement's sample_count is the number of samples that follow it, or that
 * are in it. */
bool lab_import_read_run(const json_t *line, bool is_document, struct lab_run_row *row,
                         struct lab_import_memory *memory, struct lab_error *error);
bool lab_import_read_measurement(const json_t *line, bool is_document, const struct lab_experiment *experiment,
                                 struct lab_measurement_row *row, struct lab_import_memory *memory,
                                 struct lab_error *error);
bool lab_import_read_samples(const json_t *line, struct lab_import_samples *samples, struct lab_error *error);
bool lab_import_read_span(const json_t *line, bool is_document, struct lab_span_row *row,
                          struct lab_import_memory *memory, struct lab_error *error);
bool lab_import_read_field(const json_t *line, bool is_document, const char **content, struct lab_import_memory *memory,
                           struct lab_error *error);

/* The author becomes "NAME (imported)", which is the name of no person of this lab. */
bool lab_import_read_comment(const json_t *line, struct lab_comment_row *row, struct lab_import_memory *memory,
                             struct lab_error *error);
bool lab_import_read_mark(const json_t *line, struct lab_comment_row *row, struct lab_import_memory *memory,
                          struct lab_error *error);

#endif
