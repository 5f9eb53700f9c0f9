/* Stores the cells of a table and prints them in aligned columns. */
#include "table.h"

#include "core/text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct column {
    char *title;
    enum lab_column kind;
    size_t width; /* in characters */
};

struct cell {
    char *text; /* NULL: none */
    enum lab_style style;
};

struct lab_table {
    size_t column_count;
    struct column columns[LAB_TABLE_COLUMNS_MAX];
    size_t cell_count, cell_capacity;
    struct cell *cells; /* row by row; a first cell without text marks an empty line */
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
        free(table->cells[i].text);
    for (size_t i = 0; i < table->column_count; i++)
        free(table->columns[i].title);
    free(table->cells);
    free(table);
}

void lab_table_column(struct lab_table *table, const char *title, enum lab_column kind)
{
    if (table == NULL || table->column_count == LAB_TABLE_COLUMNS_MAX)
        return;
    char *copy = strdup(title);
    if (copy != NULL)
        table->columns[table->column_count++] = (struct column){copy, kind, lab_utf8_count(copy, strlen(copy))};
}

static bool reserve(struct lab_table *table, size_t count)
{
    if (table->cell_count + count <= table->cell_capacity)
        return true;
    size_t capacity = (table->cell_count + count) * 2;
    struct cell *larger = realloc(table->cells, capacity * sizeof *larger);
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
    table->cells[table->cell_count++] = (struct cell){text, LAB_STYLE_PLAIN};
}

void lab_table_style(struct lab_table *table, enum lab_style style)
{
    if (table != NULL && table->cell_count > 0)
        table->cells[table->cell_count - 1].style = style;
}

void lab_table_gap(struct lab_table *table)
{
    if (table == NULL || table->cell_count == 0 || !reserve(table, table->column_count))
        return;
    for (size_t i = 0; i < table->column_count; i++)
        table->cells[table->cell_count++] = (struct cell){0};
}

/* --- fitting the width -------------------------------------------------------------------------------------------- */

enum { GAP = 2, CUT_MIN = 8 }; /* characters between columns; the least width to which a column is cut */

static size_t width_of(const struct lab_table *table)
{
    size_t width = 0;
    for (size_t i = 0; i < table->column_count; i++)
        width += table->columns[i].width + (i > 0 ? GAP : 0);
    return width;
}

/* The widest column that may be cut; NULL if there is none. */
static struct column *widest(struct lab_table *table)
{
    struct column *found = NULL;
    for (size_t i = 0; i < table->column_count; i++) {
        struct column *column = &table->columns[i];
        if (column->kind == LAB_COLUMN_CUT && column->width > CUT_MIN &&
            (found == NULL || column->width > found->width))
            found = column;
    }
    return found;
}

/* Replaces the middle of a text by "..", so that `width` characters are left, twice as many before it as after it. */
static void cut_middle(char *text, size_t width)
{
    static const char dots[] = "..";
    size_t length = strlen(text), count = lab_utf8_count(text, length);
    if (count <= width)
        return;
    size_t kept = width - (sizeof dots - 1), tail = kept / 3;
    size_t head_bytes = lab_utf8_prefix(text, kept - tail), tail_at = lab_utf8_prefix(text, count - tail);
    memcpy(text + head_bytes, dots, sizeof dots - 1);
    memmove(text + head_bytes + sizeof dots - 1, text + tail_at, length - tail_at + 1);
}

void lab_table_fit(struct lab_table *table)
{
    struct column *column;
    if (table == NULL || table->column_count == 0)
        return;
    for (size_t limit = lab_terminal_width(stdout); width_of(table) > limit && (column = widest(table)) != NULL;)
        column->width--;
    for (size_t i = 0; i < table->cell_count; i++)
        if (table->cells[i].text != NULL && table->columns[i % table->column_count].kind == LAB_COLUMN_CUT)
            cut_middle(table->cells[i].text, table->columns[i % table->column_count].width);
}

/* --- printing ----------------------------------------------------------------------------------------------------- */

static void print_cell(const struct lab_table *table, size_t index, const char *text, enum lab_style style, FILE *out)
{
    const struct column *column = &table->columns[index];
    int padding = (int)(column->width - lab_utf8_count(text, strlen(text)));
    bool last = index + 1 == table->column_count;
    if (column->kind == LAB_COLUMN_RIGHT)
        fprintf(out, "%*s", padding, "");
    lab_print_styled(out, style, text);
    if (column->kind != LAB_COLUMN_RIGHT && !last)
        fprintf(out, "%*s", padding, "");
    fprintf(out, "%*s", last ? 0 : GAP, "");
    if (last)
        fputc('\n', out);
}

void lab_table_print(const struct lab_table *table, FILE *out)
{
    if (table == NULL || table->column_count == 0)
        return;
    for (size_t i = 0; i < table->column_count; i++)
        print_cell(table, i, table->columns[i].title, LAB_STYLE_PLAIN, out);
    for (size_t row = 0; row + table->column_count <= table->cell_count; row += table->column_count) {
        if (table->cells[row].text == NULL) {
            fputc('\n', out);
            continue;
        }
        for (size_t i = 0; i < table->column_count; i++) {
            const struct cell *cell = &table->cells[row + i];
            print_cell(table, i, cell->text != NULL ? cell->text : "", cell->style, out);
        }
    }
}
