/* The run whose lines are being read: it is kept in memory until it is complete, and then stored whole or not at
 * all. */
#ifndef LAB_IMPORT_RUN_H
#define LAB_IMPORT_RUN_H

#include "import_line.h"

/* Starts as {0}; lab_import_run_release makes it that again. */
struct lab_import_run {
    struct lab_imported_run row;             /* id NULL: there is no run */
    bool is_document;                        /* it has members that a line has not, and lacks some */
    bool has_spans, has_fields;              /* it says which there are; a document may not */
    const struct lab_experiment *experiment; /* NULL: not in this build */
    struct lab_import_memory memory;         /* of all its rows */
    struct lab_measurement_row *measurements;
    struct lab_span_row *spans;
    const char **fields;
    struct lab_comment_row *comments;
    size_t measurement_capacity, span_capacity, field_capacity, comment_capacity, sample_count;
    struct lab_headlines
        *headlines;         /* of its measurements; NULL: it has none, or the experiment is not in this build */
    json_t *points;         /* of its measurements: text of axes and metric -> position */
    json_t *measurement;    /* the last one */
    double *samples;        /* of it */
    size_t expected, count; /* of those: how many there must be, and are */
};

enum lab_import_outcome {
    LAB_IMPORT_ADDED,
    LAB_IMPORT_COMPLETED, /* the lab had it without samples, which were added */
    LAB_IMPORT_SKIPPED,   /* the lab has it */
    LAB_IMPORT_REFUSED    /* *error says why; nothing was stored */
};

/* Begin a run with its line, or with the document of a run, which is then complete. False with an error. */
bool lab_import_run_begin(struct lab_import_run *run, const json_t *line, struct lab_error *error);
bool lab_import_run_read_document(struct lab_import_run *run, const json_t *document, struct lab_error *error);
/* Adds a line of the run: a measurement, samples, a span, a field or a comment. */
bool lab_import_run_add(struct lab_import_run *run, enum lab_import_type type, json_t *line, struct lab_error *error);
/* Stores the run. `error` is also set where the result is not LAB_STORE_OK, which is a failure of the store. */
enum lab_store_result lab_import_run_store(struct lab_import_run *run, struct lab_store *store,
                                           enum lab_import_outcome *outcome, struct lab_error *error);
void lab_import_run_release(struct lab_import_run *run);

/* Compares the run with the one of its id that the lab has, and gives that one the samples that only the import has, if
 * nothing else differs (import_known.c). */
enum lab_store_result lab_import_run_complete(const struct lab_import_run *run, struct lab_store *store,
                                              enum lab_import_outcome *outcome, struct lab_error *error);

#endif
