/* Lines of a text, and the cells of a line: separated by commas (RFC 4180) or by blanks. */
#ifndef LAB_FORMATS_CELLS_H
#define LAB_FORMATS_CELLS_H

#include "formats/reader.h"

enum { LAB_CELLS_MAX = 128 };

/* A text in valid UTF-8 without NUL. */
struct lab_result_text {
    const char *at, *end;
};

/* A place between lines; starts as {.rest = *text}. */
struct lab_result_lines {
    struct lab_result_text rest;
    size_t number; /* of the last line read, from 1 */
};

/* The next line that is not blank, without its end (LF or CRLF). False after the last one. */
bool lab_result_line(struct lab_result_lines *lines, struct lab_result_text *line);

/* Whether a line begins with these characters; *rest, which may be NULL, is then what follows. */
bool lab_result_line_begins(const struct lab_result_text *line, const char *beginning, struct lab_result_text *rest);

/* The cells of a line; released by lab_cells_release. */
struct lab_cells {
    size_t count, line;
    char *text; /* that of all cells */
    char *cells[LAB_CELLS_MAX];
};

/* Divide a line. False with an error added: too many cells, a quotation mark that is not closed, a control
 * character. */
bool lab_cells_of_csv(struct lab_reader *reader, const struct lab_result_lines *lines,
                      const struct lab_result_text *line, struct lab_cells *cells);
bool lab_cells_of_words(struct lab_reader *reader, const struct lab_result_lines *lines,
                        const struct lab_result_text *line, struct lab_cells *cells);
void lab_cells_release(struct lab_cells *cells);

/* Whether a row has as many cells as there are columns. */
bool lab_cells_fit(struct lab_reader *reader, const struct lab_cells *cells, size_t column_count);
/* The finite number that is in a cell of this column. */
bool lab_cell_number(struct lab_reader *reader, const struct lab_cells *cells, size_t i, const char *column,
                     double *number);

#endif
