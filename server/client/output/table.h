/* A table of text in aligned columns. */
#ifndef LAB_TABLE_H
#define LAB_TABLE_H

#include "terminal.h"

#include <jansson.h>
#include <stdio.h>

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
/* Adds the next cell with a text that is freed with the table; NULL gives an empty cell. */
void lab_table_take(struct lab_table *table, char *text);
/* Gives the last cell a colour, which is printed on terminals only. */
void lab_table_style(struct lab_table *table, enum lab_style style);
/* Adds an empty line between two rows; does nothing before the first row. */
void lab_table_gap(struct lab_table *table);

/* Makes the table at most `width` characters wide (lab_terminal_width) by replacing a part of the longest cells of
 * columns of the kind LAB_COLUMN_CUT by "..". Cells of these columns that differ still differ afterwards, and at least
 * 8 characters of a cell remain; for both the table may stay wider. Called before lab_table_print. */
void lab_table_fit(struct lab_table *table, size_t width);

void lab_table_print(const struct lab_table *table, FILE *out);
/* {"columns": [{"title", "right"}], "rows": [[text]]}: a new reference. Empty lines are left out. */
json_t *lab_table_to_json(const struct lab_table *table);

#endif
