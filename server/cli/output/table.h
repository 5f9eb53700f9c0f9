/* A table of text in aligned columns. */
#ifndef LAB_TABLE_H
#define LAB_TABLE_H

#include <stdbool.h>
#include <stdio.h>

enum { LAB_TABLE_COLUMNS_MAX = 24 };

struct lab_table;

/* Columns are added first, then cells row by row. Returns NULL when out of memory; the functions below accept NULL and
 * then do nothing. */
struct lab_table *lab_table_create(void);
void lab_table_free(struct lab_table *table);

/* Adds a column. The title is copied. `right`: the column is aligned to the right, as for numbers. */
void lab_table_column(struct lab_table *table, const char *title, bool right);
/* Adds the next cell of the row; after the last column a new row begins. */
void lab_table_cell(struct lab_table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds an empty line between two rows; does nothing before the first row. */
void lab_table_gap(struct lab_table *table);

void lab_table_print(const struct lab_table *table, FILE *out);

#endif
