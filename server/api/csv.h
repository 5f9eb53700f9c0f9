/* Measurements as CSV (RFC 4180): a header line, CRLF line ends, axes as columns. Pure.
 */
#ifndef LAB_CSV_H
#define LAB_CSV_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Writes `measurements`, an array as the API shows it. The columns: metric, unit, one for each axis that occurs, and
 * then the summary, a row a measurement; or with `samples`, the index and value of a sample, a row a sample (a
 * measurement without samples gives none). The count of samples is called `samples`, because `n` is an axis of matrix
 * products. False when out of memory; errors of `out` are the caller's to look for. */
bool lab_csv_write(FILE *out, const json_t *measurements, bool samples);

#endif
