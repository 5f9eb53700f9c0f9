/* NCCL tests, the table that they print. Its columns are those of its header line, which differ between versions; the
 * columns of times and bandwidths are there twice, out of place and in place. */
#include "formats/readers.h"

#include "formats/cells.h"
#include "formats/nccl_names.h"

#include "core/number.h"

#include <stdlib.h>
#include <string.h>

/* --- names -------------------------------------------------------------------------------------------------------- */

bool lab_nccl_operation(const char *program, char operation[LAB_NCCL_OPERATION_MAX + 1])
{
    static const char end[] = "_perf";
    const char *slash = strrchr(program, '/'), *name = slash != NULL ? slash + 1 : program, *mark = strstr(name, end);
    if (mark == NULL || mark == name || mark - name > LAB_NCCL_OPERATION_MAX)
        return false;
    memcpy(operation, name, (size_t)(mark - name));
    operation[mark - name] = '\0';
    return true;
}

bool lab_nccl_axis(struct lab_reader *reader, const struct lab_place *at, json_t *axes, const char *name,
                   const char *text)
{
    text += strspn(text, " ");
    return strcmp(text, "none") == 0 || strcmp(text, "-1") == 0 || lab_reader_axis_parsed(reader, at, axes, name, text);
}

void lab_nccl_host(struct lab_reader *reader, const char *name)
{
    const json_t *hosts = reader->file->hosts;
    const char *last = json_string_value(json_array_get(hosts, json_array_size(hosts) - 1));
    if (last == NULL || strcmp(last, name) != 0)
        lab_reader_list(reader->file->hosts, name, strlen(name));
}

/* --- columns ------------------------------------------------------------------------------------------------------ */

enum kind {
    OTHER, /* follows from the others, or is no result */
    AXIS,
    METRIC,
    WRONG,
};

struct column {
    const char *name; /* in the header line */
    enum kind kind;
    const char *as, *unit;
};

static const struct column columns[] = {
    {"size", AXIS, "bytes", NULL},      {"type", AXIS, "type", NULL},       {"redop", AXIS, "redop", NULL},
    {"root", AXIS, "root", NULL},       {"time", METRIC, "time", "us"},     {"cputime", METRIC, "cpu_time", "us"},
    {"algbw", METRIC, "algbw", "GB/s"}, {"busbw", METRIC, "busbw", "GB/s"}, {"error", METRIC, "max_error", ""},
    {"#wrong", WRONG, NULL, NULL},
};

/* What the lines so far have said. */
struct table {
    struct lab_reader *reader;
    char operation[LAB_NCCL_OPERATION_MAX + 1]; /* "": not known */
    struct lab_cells header;                    /* begins with "#"; without cells: not read yet */
    bool timestamps;                            /* the last column has two words */
};

static struct column column_of(const char *name)
{
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (strcmp(columns[i].name, name) == 0)
            return columns[i];
    return (struct column){name, OTHER, NULL, NULL};
}

/* Whether a column begins the results out of place or in place. */
static bool begins_place(const char *name)
{
    return strcmp(name, "time") == 0 || strcmp(name, "cputime") == 0;
}

/* Whether a line is the header: "# size count type … busbw …". */
static bool is_header(const struct lab_result_text *line)
{
    struct lab_result_text rest;
    return lab_result_line_begins(line, "#", &rest) &&
           memmem(line->at, (size_t)(line->end - line->at), " size ", 6) != NULL &&
           memmem(line->at, (size_t)(line->end - line->at), " busbw ", 7) != NULL;
}

bool lab_nccl_tests_recognises(const struct lab_result_text *text)
{
    struct lab_result_lines lines = {.rest = *text};
    struct lab_result_text line;
    while (lab_result_line(&lines, &line))
        if (is_header(&line))
            return true;
    return false;
}

/* --- rows --------------------------------------------------------------------------------------------------------- */

/* Reads the columns of one place from `first` on, with the axes that the row has. Returns the column after them. */
static size_t read_place(struct table *table, const struct lab_cells *row, json_t *axes, size_t first)
{
    struct lab_reader *reader = table->reader;
    const struct lab_place at = {"", row->line};
    struct lab_measured what = {.at = at, .axes = axes};
    double value;
    size_t i = first;
    for (; i < row->count; i++) {
        const struct column column = column_of(table->header.cells[i + 1]);
        if (i > first && begins_place(column.name))
            break;
        if (column.kind == OTHER || column.kind == AXIS || strcmp(row->cells[i], "N/A") == 0)
            continue;
        if (!lab_cell_number(reader, row, i, column.name, &value))
            continue;
        if (column.kind == METRIC) {
            what.metric = column.as;
            what.unit = column.unit;
            lab_reader_sample(reader, &what, value);
            continue;
        }
        for (size_t measured = first; measured < i; measured++) {
            what.metric = column_of(table->header.cells[measured + 1]).as;
            if (what.metric != NULL)
                lab_reader_wrong(reader, &what, value);
        }
    }
    return i;
}

/* The axes of a row; NULL with an error. A new reference. */
static json_t *read_axes(struct table *table, const struct lab_cells *row)
{
    const struct lab_place at = {"", row->line};
    json_t *axes = json_object();
    bool good = true;
    if (table->operation[0] != '\0')
        good = lab_reader_axis_text(table->reader, &at, axes, "operation", table->operation);
    for (size_t i = 0; good && i < row->count; i++) {
        const struct column column = column_of(table->header.cells[i + 1]);
        if (column.kind == AXIS)
            good = lab_nccl_axis(table->reader, &at, axes, column.as, row->cells[i]);
    }
    if (good)
        return axes;
    json_decref(axes);
    return NULL;
}

static void read_row(struct table *table, struct lab_cells *row)
{
    size_t columns_count = table->header.count - 1, at = 0;
    if (table->timestamps && row->count > 0)
        row->count--; /* the date and the time are two words in one column */
    if (!lab_cells_fit(table->reader, row, columns_count))
        return;
    json_t *axes = read_axes(table, row);
    while (at < row->count && !begins_place(table->header.cells[at + 1]))
        at++;
    for (int in_place = 0; axes != NULL && at < row->count; in_place = 1) {
        json_t *placed = json_copy(axes);
        if (lab_reader_axis_boolean(table->reader, &(struct lab_place){"", row->line}, placed, "in_place",
                                    in_place != 0))
            at = read_place(table, row, placed, at);
        else
            at = row->count;
        json_decref(placed);
    }
    json_decref(axes);
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

/* Takes host and name of "# Rank 0 Group 0 Pid 12 on HOST device 0 [0000:19:00] NAME"; of older versions [0x19]. */
static void read_device(struct table *table, const struct lab_result_text *line)
{
    char *text = strndup(line->at, (size_t)(line->end - line->at));
    char *host = text != NULL ? strstr(text, " on ") : NULL, *device = host != NULL ? strstr(host, " device ") : NULL;
    char *name = device != NULL ? strstr(device, "] ") : NULL;
    if (name != NULL) {
        *device = '\0';
        host += strlen(" on ");
        lab_nccl_host(table->reader, host + strspn(host, " "));
        lab_reader_list(table->reader->file->devices, name + 2, strlen(name + 2));
    }
    free(text);
}

/* Reads a line that begins with '#': what it says of the machine, and the columns. */
static void read_comment(struct table *table, const struct lab_result_lines *lines, const struct lab_result_text *line)
{
    struct lab_reader *reader = table->reader;
    struct lab_result_text rest;
    struct lab_cells words = {0};
    if (is_header(line)) {
        lab_cells_release(&table->header);
        if (!lab_cells_of_words(reader, lines, line, &table->header))
            table->header.count = 0;
        table->timestamps =
            table->header.count > 0 && strcmp(table->header.cells[table->header.count - 1], "timestamp") == 0;
    } else if (lab_result_line_begins(line, "#  Rank ", NULL) || lab_result_line_begins(line, "#   Rank ", NULL)) {
        read_device(table, line);
    } else if (lab_result_line_begins(line, "# nccl-tests version ", &rest) &&
               lab_cells_of_words(reader, lines, &rest, &words)) {
        lab_reader_set(&reader->file->version, words.count > 0 ? words.cells[0] : NULL);
    } else if (lab_result_line_begins(line, "# Collective test starting: ", &rest) &&
               lab_cells_of_words(reader, lines, &rest, &words)) {
        if (words.count == 0 || !lab_nccl_operation(words.cells[0], table->operation))
            table->operation[0] = '\0';
    } else if (lab_result_line_begins(line, "# error: ", &rest)) {
        lab_reader_note(reader, "NCCL: %.*s", (int)(rest.end - rest.at), rest.at);
    }
    lab_cells_release(&words);
}

/* Whether a line is a row: its first word is a size. Other lines are of NCCL and MPI. */
static bool is_row(const struct lab_result_text *line)
{
    const char *at = line->at;
    while (*at == ' ')
        at++;
    const char *digits = at;
    while (at < line->end && *at >= '0' && *at <= '9')
        at++;
    return at > digits && (at == line->end || *at == ' ');
}

void lab_nccl_tests_read_text(struct lab_reader *reader, const struct lab_result_text *text)
{
    struct table table = {.reader = reader};
    struct lab_result_lines lines = {.rest = *text};
    struct lab_result_text line;
    while (lab_reader_goes_on(reader) && lab_result_line(&lines, &line)) {
        struct lab_cells row = {0};
        if (*line.at == '#')
            read_comment(&table, &lines, &line);
        else if (table.header.count > 0 && is_row(&line) && lab_cells_of_words(reader, &lines, &line, &row))
            read_row(&table, &row);
        lab_cells_release(&row);
    }
    lab_cells_release(&table.header);
}
