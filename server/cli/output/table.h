/* A table of text in aligned columns. */
#ifndef LAB_TABLE_H
#define LAB_TABLE_H

#include "terminal.h"

#include <stdio.h>

enum { LAB_TABLE_COLUMNS_MAX = 24 };

struct lab_table;

/* Columns are added first, then cells row by row. Returns NULL when out of memory; the functions below accept NULL and
 * then do nothing. */
struct lab_table *lab_table_create(void);
void lab_table_free(struct lab_table *table);

enum lab_column {
    LAB_COLUMN_LEFT,  /* aligned to the left */
    LAB_COLUMN_RIGHT, /* aligned to the right, as for numbers */
    LAB_COLUMN_CUT    /* aligned to the left; lab_table_fit may cut its cells */
};

/* Adds a column. The title is copied. */
void lab_table_column(struct lab_table *table, const char *title, enum lab_column kind);
/* Adds the next cell of the row; after the last column a new row begins. */
void lab_table_cell(struct lab_table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Gives the last cell a colour, which is printed on terminals only. */
void lab_table_style(struct lab_table *table, enum lab_style style);
/* Adds an empty line between two rows; does nothing before the first row. */
void lab_table_gap(struct lab_table *table);

/* Makes the table at most as wide as the terminal, or 80 columns where stdout is none: in columns of the kind LAB_COLUMN_CUT,
 * the middle of the longest cells is cut, but not below 8 characters. Called before lab_table_print. */
void lab_table_fit(struct lab_table *table);

void lab_table_print(const struct lab_table *table, FILE *out);

#endif
