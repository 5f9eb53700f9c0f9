/* Tables of people and other tools. The first line names the columns. "time [ms]" and "time (ms)" are metrics with
 * their unit; or the columns "metric", "value" and "unit" say for each row what it is. All other columns are axes. Rows
 * with the same axes are samples. */
#include "formats/readers.h"

#include "formats/cells.h"

#include <stdio.h>
#include <string.h>

/* The columns "metric", "value" and "unit". */
enum role { METRIC, VALUE, UNIT, ROLES };
static const char *const role_names[ROLES] = {"metric", "value", "unit"};

/* What the columns are. */
struct header {
    struct lab_cells cells;
    size_t roles[ROLES];              /* their places; SIZE_MAX: there is none */
    const char *units[LAB_CELLS_MAX]; /* of metrics; NULL: another column */
};

/* The unit in the name of a metric, "time [ms]", from which it is removed. NULL: the name has none. */
static const char *take_unit(char *name)
{
    static const char *const brackets[] = {"[]", "()"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof brackets / sizeof *brackets; i++) {
        char *open = strrchr(name, brackets[i][0]), *end = open;
        if (open == NULL || name[length - 1] != brackets[i][1])
            continue;
        while (end > name && end[-1] == ' ')
            end--;
        if (end == name)
            continue;
        name[length - 1] = *end = '\0';
        return open + 1;
    }
    return NULL;
}

/* Finds out what the columns are; returns whether one of them is measured. */
static bool read_columns(struct header *header)
{
    bool measured = false;
    for (size_t role = 0; role < ROLES; role++)
        header->roles[role] = SIZE_MAX;
    for (size_t i = 0; i < header->cells.count; i++) {
        header->units[i] = take_unit(header->cells.cells[i]);
        measured = measured || header->units[i] != NULL;
        for (size_t role = 0; role < ROLES; role++)
            if (strcmp(header->cells.cells[i], role_names[role]) == 0)
                header->roles[role] = i;
    }
    if (header->roles[METRIC] != SIZE_MAX && header->roles[VALUE] != SIZE_MAX)
        return true;
    for (size_t role = 0; role < ROLES; role++)
        header->roles[role] = SIZE_MAX; /* axes */
    return measured;
}

static bool check_columns(struct lab_reader *reader, struct header *header)
{
    const struct lab_place at = {"", header->cells.line};
    if (!read_columns(header))
        return lab_reader_refuse(
            reader, &at, LAB_ERROR_MISSING,
            "No column is measured; the name of one must be 'NAME [UNIT]', or there must be 'metric' and 'value'.");
    for (size_t i = 0; i < header->cells.count; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(header->cells.cells[i], header->cells.cells[k]) == 0)
                return lab_reader_refuse(reader, &at, LAB_ERROR_DUPLICATE, "The column '%.64s' must be there once.",
                                         header->cells.cells[i]);
    return true;
}

bool lab_csv_recognises(const struct lab_result_text *text)
{
    struct lab_errors errors = {0};
    struct lab_result_file file = {0};
    struct lab_reader reader = {.file = &file, .errors = &errors};
    struct lab_result_lines lines = {.rest = *text};
    struct lab_result_text line;
    struct header header = {0};
    bool recognised = lab_result_line(&lines, &line) && lab_cells_of_csv(&reader, &lines, &line, &header.cells) &&
                      header.cells.count > 1 && read_columns(&header);
    lab_cells_release(&header.cells);
    return recognised;
}

/* Whether a column is an axis. */
static bool is_axis(const struct header *header, size_t i)
{
    for (size_t role = 0; role < ROLES; role++)
        if (header->roles[role] == i)
            return false;
    return header->units[i] == NULL;
}

/* A cell that is empty has no value. */
static void read_value(struct lab_reader *reader, const struct header *header, const struct lab_cells *row, size_t i,
                       const struct lab_measured *what)
{
    double value;
    if (row->cells[i][0] != '\0' && lab_cell_number(reader, row, i, header->cells.cells[i], &value))
        lab_reader_sample(reader, what, value);
}

static void read_row(struct lab_reader *reader, const struct header *header, const struct lab_cells *row)
{
    const struct lab_place at = {"", row->line};
    if (!lab_cells_fit(reader, row, header->cells.count))
        return;
    json_t *axes = json_object();
    bool good = axes != NULL;
    for (size_t i = 0; i < row->count; i++)
        if (good && is_axis(header, i))
            good = lab_reader_axis_parsed(reader, &at, axes, header->cells.cells[i], row->cells[i]);
    for (size_t i = 0; good && i < row->count; i++)
        if (header->units[i] != NULL)
            read_value(reader, header, row, i,
                       &(struct lab_measured){at, axes, header->cells.cells[i], header->units[i]});
    if (good && header->roles[METRIC] != SIZE_MAX) {
        const char *unit = header->roles[UNIT] != SIZE_MAX ? row->cells[header->roles[UNIT]] : "";
        read_value(reader, header, row, header->roles[VALUE],
                   &(struct lab_measured){at, axes, row->cells[header->roles[METRIC]], unit});
    }
    json_decref(axes);
}

void lab_csv_read_text(struct lab_reader *reader, const struct lab_result_text *text)
{
    struct lab_result_lines lines = {.rest = *text};
    struct lab_result_text line;
    struct header header = {0};
    bool good = lab_result_line(&lines, &line) && lab_cells_of_csv(reader, &lines, &line, &header.cells) &&
                check_columns(reader, &header);
    while (good && lab_reader_goes_on(reader) && lab_result_line(&lines, &line)) {
        struct lab_cells row = {0};
        if (lab_cells_of_csv(reader, &lines, &line, &row))
            read_row(reader, &header, &row);
        lab_cells_release(&row);
    }
    lab_cells_release(&header.cells);
}
