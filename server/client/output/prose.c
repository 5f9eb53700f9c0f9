/* Reads the blocks of an explanation line by line and prints each. */
#include "prose.h"

#include "cli/options.h"
#include "formula.h"
#include "prose_line.h"
#include "table.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { CODE_INDENT = 4, NESTED_INDENT = 2 };

struct prose {
    FILE *out;
    size_t width;
    char **lines;
    size_t count, at; /* `at`: the line that is read next */
};

static const char *skip_space(const char *line)
{
    return line + strspn(line, " \t");
}

static bool is_blank(const char *line)
{
    return *skip_space(line) == '\0';
}

static bool is_fence(const char *line)
{
    return strncmp(skip_space(line), "```", 3) == 0;
}

/* The text of a heading; NULL for other lines. */
static const char *heading_of(const char *line)
{
    size_t marks = strspn(line, "#");
    return (marks == 2 || marks == 3) && line[marks] == ' ' ? skip_space(line + marks) : NULL;
}

/* Whether a line begins a block without an empty line before it. */
static bool interrupts(const char *line)
{
    return is_fence(line) || heading_of(line) != NULL || strncmp(skip_space(line), "$$", 2) == 0;
}

static void print_line(struct prose *prose, const char *text, size_t indent)
{
    char *shown = lab_prose_line(text);
    lab_print_wrapped(prose->out, shown != NULL ? shown : text, indent, prose->width);
    free(shown);
}

/* Appends the line to a text, with a space between; frees and returns NULL when out of memory. */
static char *append_line(char *text, const char *line)
{
    char *longer = NULL;
    if (asprintf(&longer, "%s%s%s", text != NULL ? text : "", text != NULL ? " " : "", skip_space(line)) < 0)
        longer = NULL;
    free(text);
    return longer;
}

/* --- the blocks --------------------------------------------------------------------------------------------------- */

/* Each of these prints the block that begins with the next line; false: the line begins no such block. */

static bool print_code(struct prose *prose)
{
    if (!is_fence(prose->lines[prose->at]))
        return false;
    for (prose->at++; prose->at < prose->count && !is_fence(prose->lines[prose->at]); prose->at++)
        fprintf(prose->out, "%*s%s\n", prose->lines[prose->at][0] != '\0' ? CODE_INDENT : 0, "",
                prose->lines[prose->at]);
    prose->at++;
    return true;
}

static bool print_formula(struct prose *prose)
{
    const char *first = skip_space(prose->lines[prose->at]);
    if (strncmp(first, "$$", 2) != 0)
        return false;
    size_t next = prose->at + 1;
    char *text = append_line(NULL, first + 2);
    while (text != NULL && strstr(text, "$$") == NULL && next < prose->count && !is_blank(prose->lines[next]))
        text = append_line(text, prose->lines[next++]);
    char *end = text != NULL ? strstr(text, "$$") : NULL;
    bool is_whole = end != NULL && end[2] == '\0' && !is_blank(text) && *skip_space(text) != '$';
    if (is_whole) {
        const char *formula = skip_space(text);
        while (end > formula && isspace((unsigned char)end[-1]))
            end--;
        fprintf(prose->out, "%*s", CODE_INDENT, "");
        if (!lab_print_formula(prose->out, formula, (size_t)(end - formula)))
            fprintf(prose->out, "$$%s", text);
        fputc('\n', prose->out);
        prose->at = next;
    }
    free(text);
    return is_whole;
}

static bool print_heading(struct prose *prose)
{
    const char *heading = heading_of(prose->lines[prose->at]);
    if (heading == NULL)
        return false;
    char *shown = lab_prose_line(heading);
    fprintf(prose->out, "%s\n", shown != NULL ? shown : heading);
    free(shown);
    prose->at++;
    return true;
}

static bool print_paragraph(struct prose *prose)
{
    char *text = append_line(NULL, prose->lines[prose->at++]);
    while (text != NULL && prose->at < prose->count && !is_blank(prose->lines[prose->at]) &&
           !interrupts(prose->lines[prose->at]))
        text = append_line(text, prose->lines[prose->at++]);
    print_line(prose, text != NULL ? text : "", 0);
    free(text);
    return true;
}

/* --- lists -------------------------------------------------------------------------------------------------------- */

/* What begins an item: "- " or "1. " behind an indentation. */
struct marker {
    size_t indent;
    bool ordered;
    unsigned long number;
    const char *text;
};

static bool read_marker(const char *line, struct marker *marker)
{
    const char *at = skip_space(line);
    size_t digits = strspn(at, "0123456789");
    *marker = (struct marker){.indent = (size_t)(at - line), .ordered = digits > 0 && digits < 10};
    if (marker->ordered)
        marker->number = strtoul(at, NULL, 10);
    at += marker->ordered ? digits : 0;
    if (*at != (marker->ordered ? '.' : '-') || (at[1] != ' ' && at[1] != '\t'))
        return false;
    marker->text = skip_space(at + 1);
    return true;
}

/* A list that is printed, and a list within its last item. */
struct list {
    struct marker first, nested;
    unsigned long number, nested_number; /* of the next item; nested_number: 0 while there is no list within */
};

/* Prints the mark of the next item, and returns the column behind it. */
static size_t print_mark(struct prose *prose, size_t indent, bool ordered, unsigned long number)
{
    char mark[32];
    int length = snprintf(mark, sizeof mark, ordered ? "%lu. " : "- ", number);
    fprintf(prose->out, "%*s%s", (int)indent, "", mark);
    return indent + (size_t)length;
}

/* Prints the item whose first line, with this marker, is the next line. */
static void print_item(struct prose *prose, struct list *list, const struct marker *marker, bool is_nested)
{
    struct marker unused;
    size_t column;
    if (is_nested) {
        if (list->nested_number == 0) {
            list->nested = *marker;
            list->nested_number = marker->ordered ? marker->number : 1;
        }
        column = print_mark(prose, list->first.ordered ? 3 : 2, list->nested.ordered, list->nested_number++);
    } else {
        column = print_mark(prose, 0, list->first.ordered, list->number++);
        list->nested_number = 0;
    }
    char *text = append_line(NULL, marker->text);
    for (prose->at++; text != NULL && prose->at < prose->count; prose->at++) {
        const char *line = prose->lines[prose->at];
        if (is_blank(line) || interrupts(line) || read_marker(line, &unused))
            break;
        text = append_line(text, line);
    }
    print_line(prose, text != NULL ? text : "", column);
    free(text);
}

static bool print_list(struct prose *prose)
{
    struct list list = {0};
    struct marker marker;
    if (!read_marker(prose->lines[prose->at], &list.first))
        return false;
    list.number = list.first.number;
    for (size_t next = prose->at; next < prose->count; next = prose->at) {
        while (next < prose->count && is_blank(prose->lines[next])) /* an item may follow empty lines */
            next++;
        if (next == prose->count || !read_marker(prose->lines[next], &marker))
            break;
        bool is_nested = marker.indent >= list.first.indent + NESTED_INDENT;
        if (!is_nested && marker.ordered != list.first.ordered)
            break;
        prose->at = next;
        print_item(prose, &list, &marker, is_nested);
    }
    return true;
}

/* --- tables ------------------------------------------------------------------------------------------------------- */

/* The end of the cell that begins at `at`: a bar that no backslash precedes, or the end of the line. */
static const char *cell_end(const char *at)
{
    const char *end = at;
    while (*end != '\0' && (*end != '|' || (end > at && end[-1] == '\\')))
        end++;
    return end;
}

/* Reads the next cell of a line at *at, without the space around it and with "|" for "\|"; the caller frees it. NULL:
 * no more, or out of memory. */
static char *next_cell(const char **at)
{
    if (is_blank(*at))
        return NULL;
    const char *begin = skip_space(*at), *end = cell_end(*at);
    *at = *end == '|' ? end + 1 : end;
    while (end > begin && isspace((unsigned char)end[-1]))
        end--;
    char *cell = end > begin ? strndup(begin, (size_t)(end - begin)) : strdup(""), *to = cell;
    for (const char *from = cell; cell != NULL && *from != '\0'; from++)
        if (from[0] != '\\' || from[1] != '|')
            *to++ = *from;
    if (cell != NULL)
        *to = '\0';
    return cell;
}

static const char *first_cell(const char *line)
{
    line = skip_space(line);
    return *line == '|' ? line + 1 : line;
}

static size_t count_cells(const char *line)
{
    size_t count = 0;
    char *cell;
    for (const char *at = first_cell(line); (cell = next_cell(&at)) != NULL; count++)
        free(cell);
    return count;
}

/* Whether the line is the one below the titles of a table: "|---|--:|". */
static bool is_rule(const char *line)
{
    bool valid = strchr(line, '|') != NULL;
    char *cell;
    for (const char *at = first_cell(line); (cell = next_cell(&at)) != NULL; free(cell)) {
        size_t colon = cell[0] == ':', dashes = strspn(cell + colon, "-");
        valid = valid && dashes > 0 && (cell[colon + dashes] == '\0' || strcmp(cell + colon + dashes, ":") == 0);
    }
    return valid;
}

/* Adds the columns that the first two lines declare, and columns without a title up to `count`. */
static void add_columns(struct lab_table *table, const char *titles, const char *rule, size_t count)
{
    const char *title_at = first_cell(titles), *rule_at = first_cell(rule);
    for (size_t i = 0; i < count; i++) {
        char *title = next_cell(&title_at), *line = next_cell(&rule_at);
        char *shown = title != NULL ? lab_prose_line(title) : NULL;
        bool is_right = line != NULL && line[0] == '-' && line[strlen(line) - 1] == ':';
        lab_table_column(table, shown != NULL ? shown : "", is_right ? LAB_COLUMN_RIGHT : LAB_COLUMN_LEFT);
        free(title);
        free(line);
        free(shown);
    }
}

static bool is_row(const struct prose *prose, size_t at)
{
    return at < prose->count && strchr(prose->lines[at], '|') != NULL && !interrupts(prose->lines[at]);
}

static bool print_table(struct prose *prose)
{
    const size_t first = prose->at;
    if (!is_row(prose, first) || !is_row(prose, first + 1) || !is_rule(prose->lines[first + 1]) ||
        count_cells(prose->lines[first]) != count_cells(prose->lines[first + 1]))
        return false;
    size_t columns = count_cells(prose->lines[first]), end = first + 2;
    for (; is_row(prose, end); end++) {
        size_t cells = count_cells(prose->lines[end]);
        columns = cells > columns ? cells : columns;
    }
    struct lab_table *table = lab_table_create();
    add_columns(table, prose->lines[first], prose->lines[first + 1], columns);
    for (size_t row = first + 2; row < end; row++) {
        const char *at = first_cell(prose->lines[row]);
        for (size_t i = 0; i < columns; i++) {
            char *cell = next_cell(&at);
            lab_table_take(table, cell != NULL ? lab_prose_line(cell) : NULL);
            free(cell);
        }
    }
    lab_table_print(table, prose->out);
    lab_table_free(table);
    prose->at = end;
    return true;
}

/* --- the explanation ---------------------------------------------------------------------------------------------- */

void lab_print_prose(FILE *out, const char *text, size_t width)
{
    size_t count = 1;
    for (const char *c = text; *c != '\0'; c++)
        count += *c == '\n';
    char *copy = strdup(text), **lines = calloc(count, sizeof *lines), *rest = copy;
    struct prose prose = {.out = out, .width = width, .lines = lines};
    while (lines != NULL && rest != NULL) {
        char *line = strsep(&rest, "\n");
        line[strcspn(line, "\r")] = '\0';
        lines[prose.count++] = line;
    }
    while (prose.at < prose.count)
        if (is_blank(prose.lines[prose.at]))
            prose.at++;
        else if (print_code(&prose) || print_formula(&prose) || print_heading(&prose) || print_list(&prose) ||
                 print_table(&prose) || print_paragraph(&prose))
            fputc('\n', out);
    free(lines);
    free(copy);
}
