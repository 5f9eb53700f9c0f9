/* Measurements as CSV (RFC 4180), piece by piece: a line of titles, then a row for each measurement or for each sample,
 * each with CRLF at its end. A row has metric, unit and side, the axes, and then the summary, or the index and the
 * value of a sample. The column for the number of samples is called `samples`, because `n` is an axis of matrix
 * multiplications. The column of an axis has its name, with `axis_` before it where another column has that name, so
 * that each title occurs once. The caller checks `out` for errors.
 *
 * `columns` is an object with the title of the column of each axis; NULL: all axes are in one column, as JSON.
 */
#ifndef LAB_CSV_H
#define LAB_CSV_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Adds the axes of a measurement that have no column yet, at the end. False when out of memory. */
bool lab_csv_add_axes(json_t *columns, const json_t *measurement);

void lab_csv_write_titles(FILE *out, json_t *columns, bool samples);
/* The first cells of a row: all before summary or sample. */
void lab_csv_write_point(FILE *out, const json_t *measurement, json_t *columns);
/* The rest of a row. A sample that is not finite gives an empty cell. */
void lab_csv_write_summary(FILE *out, const json_t *measurement);
void lab_csv_write_sample(FILE *out, size_t index, double value);

/* A cell; quoted where necessary. */
void lab_csv_write_text(FILE *out, const char *text);

#endif
