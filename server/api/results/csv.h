/* Measurements as CSV (RFC 4180): a header line, CRLF line ends, and a column for each axis. */
#ifndef LAB_CSV_H
#define LAB_CSV_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Writes `measurements`, an array as in the API. Its columns are metric, unit and one for each axis that occurs, then:
 *   - without `samples`, the summary, with one row for each measurement;
 *   - with `samples`, the index and the value of a sample, with one row for each sample; a measurement without samples
 *     gives no row.
 * The column for the number of samples is called `samples`, because `n` is an axis of matrix multiplications. False when
 * out of memory; the caller checks `out` for errors. */
bool lab_csv_write(FILE *out, const json_t *measurements, bool samples);

#endif
