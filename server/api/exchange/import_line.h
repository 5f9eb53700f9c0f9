/* The lines of an import: their members are checked and become rows of the store. */
#ifndef LAB_IMPORT_LINE_H
#define LAB_IMPORT_LINE_H

#include "store.h"

#include "core/errors.h"

#include <jansson.h>
#include <stdbool.h>

/* Memory that the row of a line points to, beside the line itself. Starts as {0}; freed by lab_import_line_free. */
struct lab_import_memory {
    size_t count;
    void *blocks[16];
};
void lab_import_memory_free(struct lab_import_memory *memory);

enum lab_import_type {
    LAB_LINE_RUN,
    LAB_LINE_MEASUREMENT,
    LAB_LINE_SAMPLES,
    LAB_LINE_SPAN,
    LAB_LINE_END,
    LAB_LINE_UNKNOWN
};
enum lab_import_type lab_import_type(const json_t *line);

/* Read a line of type run, and one of a part of a run. `line` must outlive the row. False with an error that says which member is
 * wrong. `memory` is to be freed in both cases. */
bool lab_import_read_run(const json_t *line, struct lab_run_row *row, struct lab_import_memory *memory,
                         struct lab_error *error);
bool lab_import_read_part(const json_t *line, struct lab_import_part *part, struct lab_import_memory *memory,
                          struct lab_error *error);

#endif
