/* Stores the cells of a table and prints them in aligned columns. */
#include "table.h"

#include "core/text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct column {
    char *title;
    bool right;   /* aligned to the right */
    size_t width; /* in characters */
};

struct lab_table {
    size_t column_count;
    struct column columns[LAB_TABLE_COLUMNS_MAX];
    size_t cell_count, cell_capacity;
    char **cells; /* row by row; a NULL first cell marks an empty line */
};

struct lab_table *lab_table_create(void)
{
    return calloc(1, sizeof(struct lab_table));
}

void lab_table_free(struct lab_table *table)
{
    if (table == NULL)
        return;
    for (size_t i = 0; i < table->cell_count; i++)
        free(table->cells[i]);
    for (size_t i = 0; i < table->column_count; i++)
        free(table->columns[i].title);
    free(table->cells);
    free(table);
}

void lab_table_column(struct lab_table *table, const char *title, bool right)
{
    if (table == NULL || table->column_count == LAB_TABLE_COLUMNS_MAX)
        return;
    char *copy = strdup(title);
    if (copy != NULL)
        table->columns[table->column_count++] = (struct column){copy, right, lab_utf8_count(copy, strlen(copy))};
}

static bool reserve(struct lab_table *table, size_t count)
{
    if (table->cell_count + count <= table->cell_capacity)
        return true;
    size_t capacity = (table->cell_count + count) * 2;
    char **larger = realloc(table->cells, capacity * sizeof *larger);
    if (larger == NULL)
        return false;
    table->cells = larger;
    table->cell_capacity = capacity;
    return true;
}

void lab_table_cell(struct lab_table *table, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    if (table == NULL || table->column_count == 0 || !reserve(table, 1))
        return;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        text = strdup("");
    va_end(arguments);
    struct column *column = &table->columns[table->cell_count % table->column_count];
    size_t width = text != NULL ? lab_utf8_count(text, strlen(text)) : 0;
    if (width > column->width)
        column->width = width;
    table->cells[table->cell_count++] = text;
}

void lab_table_gap(struct lab_table *table)
{
    if (table == NULL || table->cell_count == 0 || !reserve(table, table->column_count))
        return;
    for (size_t i = 0; i < table->column_count; i++)
        table->cells[table->cell_count++] = NULL;
}

static void print_cell(const struct lab_table *table, size_t index, const char *text, FILE *out)
{
    const struct column *column = &table->columns[index];
    int padding = (int)(column->width - lab_utf8_count(text, strlen(text)));
    bool last = index + 1 == table->column_count;
    if (column->right)
        fprintf(out, "%*s%s", padding, "", text);
    else
        fprintf(out, "%s%*s", text, last ? 0 : padding, "");
    fputs(last ? "\n" : "  ", out);
}

void lab_table_print(const struct lab_table *table, FILE *out)
{
    if (table == NULL || table->column_count == 0)
        return;
    for (size_t i = 0; i < table->column_count; i++)
        print_cell(table, i, table->columns[i].title, out);
    for (size_t row = 0; row + table->column_count <= table->cell_count; row += table->column_count) {
        if (table->cells[row] == NULL) {
            fputc('\n', out);
            continue;
        }
        for (size_t i = 0; i < table->column_count; i++)
            print_cell(table, i, table->cells[row + i] != NULL ? table->cells[row + i] : "", out);
    }
}
