/* The text of an import, line by line or as one document. */
#ifndef LAB_IMPORT_TEXT_H
#define LAB_IMPORT_TEXT_H

#include "core/errors.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* In bytes: of a line of an export, and of the document of a run. */
enum { LAB_IMPORT_LINE_MAX = 1 << 20, LAB_IMPORT_DOCUMENT_MAX = 32 << 20, LAB_IMPORT_HEAD = 256 };

/* What can be imported, for messages. */
#define LAB_IMPORT_EXPECTED                                                                                               \
    "'gpulab import' takes the JSON lines of 'gpulab export', also as gzip, or the document of one run, as 'gpulab show " \
    "--json' prints it."

struct lab_import_text {
    FILE *file;
    char head[LAB_IMPORT_HEAD]; /* the beginning of the file */
    size_t head_length, head_next;
    char *line; /* the current line, NUL-terminated, without its end */
    size_t length, capacity;
    int64_t number;   /* of the line, from 1 */
    bool is_unended;  /* the file ends with the line, which has no end */
    bool is_too_long; /* the rest of the line was left out */
    bool is_out_of_memory;
};

/* Reads the beginning, and skips a byte order mark. False with an error that names what the file is, where it is not
 * JSON in UTF-8. `text` must be released in any case. */
bool lab_import_text_init(struct lab_import_text *text, FILE *file, struct lab_error *error);
/* Reads the next line that is not blank, of at most `max` bytes. False at the end of the file, or when it cannot be
 * read (ferror). */
bool lab_import_text_next(struct lab_import_text *text, size_t max);
/* Appends the rest of the file to the line, which is then at most LAB_IMPORT_DOCUMENT_MAX long; the same errors. */
bool lab_import_text_rest(struct lab_import_text *text);
void lab_import_text_release(struct lab_import_text *text);

#endif
