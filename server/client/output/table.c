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
    struct column *columns;
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
    free(table->columns);
    free(table->cells);
    free(table);
}

void lab_table_column(struct lab_table *table, const char *title, enum lab_column kind)
{
    if (table == NULL)
        return;
    struct column *larger = realloc(table->columns, (table->column_count + 1) * sizeof *larger);
    char *copy = larger != NULL ? strdup(title) : NULL;
    if (larger != NULL)
        table->columns = larger;
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

void lab_table_take(struct lab_table *table, char *text)
{
    if (table == NULL || table->column_count == 0 || !reserve(table, 1)) {
        free(text);
        return;
    }
    if (text == NULL)
        text = strdup("");
    struct column *column = &table->columns[table->cell_count % table->column_count];
    size_t width = text != NULL ? lab_utf8_count(text, strlen(text)) : 0;
    if (width > column->width)
        column->width = width;
    table->cells[table->cell_count++] = (struct cell){text, LAB_STYLE_PLAIN};
}

void lab_table_cell(struct lab_table *table, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        text = NULL;
    va_end(arguments);
    lab_table_take(table, text);
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

enum { GAP = 2, CUT_MIN = 8 }; /* characters between columns; the least width to which a cell is cut */

static const char dots[] = "..";

/* How texts are cut: dots replace the characters between the first and the last ones. A text of at most `width` stays
 * whole. */
struct cut {
    size_t width, tail; /* in characters: of the result, and after the dots */
};

/* The width of the table when cells of columns that may be cut have at most `width` characters. */
static size_t width_with(const struct lab_table *table, size_t width)
{
    size_t sum = 0;
    for (size_t i = 0; i < table->column_count; i++) {
        const struct column *column = &table->columns[i];
        size_t title = lab_utf8_count(column->title, strlen(column->title));
        bool narrower = column->kind == LAB_COLUMN_CUT && column->width > width;
        sum += (i > 0 ? GAP : 0) + (!narrower ? column->width : title > width ? title : width);
    }
    return sum;
}

static char *shorten(const char *text, const struct cut *cut)
{
    size_t length = strlen(text), count = lab_utf8_count(text, length);
    if (count <= cut->width)
        return strdup(text);
    size_t head = lab_utf8_prefix(text, cut->width - (sizeof dots - 1) - cut->tail);
    char *shortened = NULL;
    return asprintf(&shortened, "%.*s%s%s", (int)head, text, dots, text + lab_utf8_prefix(text, count - cut->tail)) >= 0
               ? shortened
               : NULL;
}

/* The different texts of the cells that may be cut, sorted. */
struct texts {
    size_t count;
    const char **items;
};

static int compare_texts(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* The number of different texts among sorted ones, which are moved to the front. */
static size_t keep_different(const char **items, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (i == 0 || strcmp(items[kept - 1], items[i]) != 0)
            items[kept++] = items[i];
    return kept;
}

/* Gathers the texts; `items` is freed by the caller, and NULL when out of memory. */
static struct texts texts_that_may_be_cut(const struct lab_table *table)
{
    struct texts texts = {.items = calloc(table->cell_count + 1, sizeof *texts.items)};
    for (size_t i = 0; i < table->cell_count && texts.items != NULL; i++)
        if (table->cells[i].text != NULL && table->columns[i % table->column_count].kind == LAB_COLUMN_CUT)
            texts.items[texts.count++] = table->cells[i].text;
    if (texts.items != NULL) {
        qsort(texts.items, texts.count, sizeof *texts.items, compare_texts);
        texts.count = keep_different(texts.items, texts.count);
    }
    return texts;
}

/* Whether different texts are still different when they are cut. */
static bool stay_different(const struct texts *texts, const struct cut *cut)
{
    char **cells = calloc(texts->count + 1, sizeof *cells);
    const char **sorted = calloc(texts->count + 1, sizeof *sorted);
    bool good = cells != NULL && sorted != NULL;
    for (size_t i = 0; good && i < texts->count; i++) {
        sorted[i] = cells[i] = shorten(texts->items[i], cut);
        good = cells[i] != NULL;
    }
    if (good) {
        qsort(sorted, texts->count, sizeof *sorted, compare_texts);
        good = keep_different(sorted, texts->count) == texts->count;
    }
    for (size_t i = 0; cells != NULL && i < texts->count; i++)
        free(cells[i]);
    free(cells);
    free(sorted);
    return good;
}

/* Chooses a place for the dots at which the texts stay different, preferably with twice as many characters before it as
 * after it. */
static bool choose_tail(const struct texts *texts, struct cut *cut)
{
    size_t kept = cut->width - (sizeof dots - 1);
    const size_t tails[] = {kept / 3, kept / 2, kept * 2 / 3, kept, 0};
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
        cut->tail = tails[i];
        if (stay_different(texts, cut))
            return true;
    }
    return false;
}

/* Cuts the cells, and narrows their columns. */
static void cut_cells(struct lab_table *table, const struct cut *cut)
{
    for (size_t i = 0; i < table->column_count; i++) {
        struct column *column = &table->columns[i];
        if (column->kind == LAB_COLUMN_CUT)
            column->width = lab_utf8_count(column->title, strlen(column->title));
    }
    for (size_t i = 0; i < table->cell_count; i++) {
        struct column *column = &table->columns[i % table->column_count];
        struct cell *cell = &table->cells[i];
        if (column->kind != LAB_COLUMN_CUT || cell->text == NULL)
            continue;
        char *shortened = shorten(cell->text, cut);
        if (shortened != NULL) {
            free(cell->text);
            cell->text = shortened;
        }
        size_t width = lab_utf8_count(cell->text, strlen(cell->text));
        column->width = width > column->width ? width : column->width;
    }
}

void lab_table_fit(struct lab_table *table, size_t width)
{
    size_t longest = 0;
    for (size_t i = 0; table != NULL && i < table->column_count; i++)
        if (table->columns[i].kind == LAB_COLUMN_CUT && table->columns[i].width > longest)
            longest = table->columns[i].width;
    struct cut cut = {.width = longest};
    while (cut.width > CUT_MIN && width_with(table, cut.width) > width)
        cut.width--;
    if (cut.width == longest)
        return;
    struct texts texts = texts_that_may_be_cut(table);
    while (texts.items != NULL && cut.width < longest && !choose_tail(&texts, &cut))
        cut.width += cut.width / 4;
    if (texts.items != NULL && cut.width < longest)
        cut_cells(table, &cut);
    free(texts.items);
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

json_t *lab_table_to_json(const struct lab_table *table)
{
    json_t *columns = json_array(), *rows = json_array();
    for (size_t i = 0; i < table->column_count; i++)
        json_array_append_new(columns, json_pack("{s:s, s:b}", "title", table->columns[i].title, "right",
                                                 table->columns[i].kind == LAB_COLUMN_RIGHT));
    for (size_t row = 0; row + table->column_count <= table->cell_count; row += table->column_count) {
        json_t *cells = json_array();
        for (size_t i = 0; i < table->column_count; i++)
            json_array_append_new(cells,
                                  json_string(table->cells[row + i].text != NULL ? table->cells[row + i].text : ""));
        if (table->cells[row].text != NULL)
            json_array_append(rows, cells);
        json_decref(cells);
    }
    return json_pack("{s:o, s:o}", "columns", columns, "rows", rows);
}
