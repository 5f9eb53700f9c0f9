/* Divides texts into lines and cells. */
#include "formats/cells.h"

#include "core/text.h"

#include <stdlib.h>
#include <string.h>

static bool is_blank(const struct lab_result_text *line)
{
    for (const char *c = line->at; c < line->end; c++)
        if (*c != ' ' && *c != '\t')
            return false;
    return true;
}

bool lab_result_line(struct lab_result_lines *lines, struct lab_result_text *line)
{
    while (lines->rest.at < lines->rest.end) {
        const char *start = lines->rest.at;
        const char *feed = memchr(start, '\n', (size_t)(lines->rest.end - start));
        const char *end = feed != NULL ? feed : lines->rest.end;
        lines->rest.at = feed != NULL ? feed + 1 : end;
        lines->number++;
        *line = (struct lab_result_text){start, end > start && end[-1] == '\r' ? end - 1 : end};
        if (!is_blank(line))
            return true;
    }
    return false;
}

bool lab_result_line_begins(const struct lab_result_text *line, const char *beginning, struct lab_result_text *rest)
{
    size_t length = strlen(beginning);
    if ((size_t)(line->end - line->at) < length || memcmp(line->at, beginning, length) != 0)
        return false;
    if (rest != NULL)
        *rest = (struct lab_result_text){line->at + length, line->end};
    return true;
}

/* --- cells -------------------------------------------------------------------------------------------------------- */

void lab_cells_release(struct lab_cells *cells)
{
    free(cells->text);
    *cells = (struct lab_cells){0};
}

/* Copies the line, whose cells then end with NUL within the copy. */
static bool open_cells(struct lab_reader *reader, const struct lab_result_lines *lines,
                       const struct lab_result_text *line, struct lab_cells *cells)
{
    const struct lab_place at = {"", lines->number};
    size_t length = (size_t)(line->end - line->at);
    *cells = (struct lab_cells){.line = lines->number, .text = strndup(line->at, length)};
    if (cells->text == NULL)
        return lab_reader_refuse(reader, &at, LAB_ERROR_OUT_OF_MEMORY, "out of memory for the line");
    for (char *c = cells->text; *c != '\0'; c++)
        if (*c == '\t')
            *c = ' ';
    if (cells->text[lab_utf8_control(cells->text)] != '\0')
        return lab_reader_refuse(reader, &at, LAB_ERROR_OUT_OF_BOUNDS, "The line must not have control characters.");
    return true;
}

static bool add_cell(struct lab_reader *reader, struct lab_cells *cells, char *text)
{
    if (cells->count == LAB_CELLS_MAX)
        return lab_reader_refuse(reader, &(struct lab_place){"", cells->line}, LAB_ERROR_TOO_MANY,
                                 "A line must have at most %d columns.", LAB_CELLS_MAX);
    cells->cells[cells->count++] = text;
    return true;
}

/* Removes blanks at the end. */
static void trim(char *cell)
{
    for (size_t length = strlen(cell); length > 0 && cell[length - 1] == ' '; length--)
        cell[length - 1] = '\0';
}

/* Removes the quotation marks of the cell at `from`, which begins with one: its text is then there. Returns what
 * follows the closing mark; NULL: there is none. */
static char *unquote(char *from)
{
    char *to = from;
    for (from++; *from != '\0'; from++) {
        if (*from == '"' && from[1] != '"') {
            *to = '\0';
            return from + 1;
        }
        from += *from == '"'; /* two marks are one of the text */
        *to++ = *from;
    }
    return NULL;
}

/* Takes the cell at `from` and sets *next to the one after it, or to NULL. Returns why it is none; NULL: it is one. */
static const char *take_cell(char *from, char **cell, char **next)
{
    char *end = from + strspn(from, " ");
    bool quoted = *end == '"';
    *cell = end;
    if (quoted) {
        end = unquote(end);
        if (end == NULL)
            return "A quotation mark must be closed on its line.";
        end += strspn(end, " ");
        if (*end != ',' && *end != '\0')
            return "After a quoted cell there must be a comma or the end of the line.";
    }
    *next = strchr(end, ',');
    if (*next != NULL)
        *(*next)++ = '\0';
    if (!quoted)
        trim(*cell);
    return NULL;
}

bool lab_cells_of_csv(struct lab_reader *reader, const struct lab_result_lines *lines,
                      const struct lab_result_text *line, struct lab_cells *cells)
{
    if (!open_cells(reader, lines, line, cells))
        return false;
    char *cell, *next = cells->text;
    do {
        const char *problem = take_cell(next, &cell, &next);
        if (problem != NULL)
            return lab_reader_refuse(reader, &(struct lab_place){"", lines->number}, LAB_ERROR_INCOMPLETE, "%s",
                                     problem);
        if (!add_cell(reader, cells, cell))
            return false;
    } while (next != NULL);
    return true;
}

bool lab_cells_of_words(struct lab_reader *reader, const struct lab_result_lines *lines,
                        const struct lab_result_text *line, struct lab_cells *cells)
{
    char *state = NULL;
    if (!open_cells(reader, lines, line, cells))
        return false;
    for (char *word = strtok_r(cells->text, " ", &state); word != NULL; word = strtok_r(NULL, " ", &state))
        if (!add_cell(reader, cells, word))
            return false;
    return true;
}

bool lab_cells_fit(struct lab_reader *reader, const struct lab_cells *cells, size_t column_count)
{
    return cells->count == column_count ||
           lab_reader_refuse(reader, &(struct lab_place){"", cells->line}, LAB_ERROR_INCOMPLETE,
                             "The line has %zu values; it must have one for each of the %zu columns.", cells->count,
                             column_count);
}

bool lab_cell_number(struct lab_reader *reader, const struct lab_cells *cells, size_t i, const char *column,
                     double *number)
{
    return lab_finite_parse(cells->cells[i], number) ||
           lab_reader_refuse(reader, &(struct lab_place){"", cells->line}, LAB_ERROR_WRONG_TYPE,
                             "'%.64s' must be a finite number, not \"%.64s\".", column, cells->cells[i]);
}
