/* Reads the output of BabelStream: lines about the device, which are passed over, and a table in CSV. Its columns
 * depend on the version. */
#include "formats/readers.h"

#include "formats/cells.h"

#include <string.h>

enum role {
    FUNCTION,
    ELEMENTS,
    ELEMENT_BYTES,
    REPETITIONS, /* the first one is not among the times */
    BANDWIDTH,   /* the highest */
    TIME,        /* of the only run */
    SHORTEST,
    LONGEST,
    AVERAGE,
    ROLES,
};

static const struct {
    const char *name;
    enum role role;
    const char *unit; /* of bandwidths */
} columns[] = {
    {"function", FUNCTION, NULL},
    {"phase", FUNCTION, NULL},
    {"num_times", REPETITIONS, NULL},
    {"n_elements", ELEMENTS, NULL},
    {"sizeof", ELEMENT_BYTES, NULL},
    {"max_mbytes_per_sec", BANDWIDTH, "MB/s"},
    {"max_mibytes_per_sec", BANDWIDTH, "MiB/s"},
    {"gbytes_per_sec", BANDWIDTH, "GB/s"},
    {"gibytes_per_sec", BANDWIDTH, "GiB/s"},
    {"max_MB_per_sec", BANDWIDTH, "MB/s"},
    {"max_MiB_per_sec", BANDWIDTH, "MiB/s"},
    {"max_GB_per_sec", BANDWIDTH, "GB/s"},
    {"max_GiB_per_sec", BANDWIDTH, "GiB/s"},
    {"max_TB_per_sec", BANDWIDTH, "TB/s"},
    {"max_TiB_per_sec", BANDWIDTH, "TiB/s"},
    {"runtime", TIME, NULL},
    {"min_runtime", SHORTEST, NULL},
    {"max_runtime", LONGEST, NULL},
    {"avg_runtime", AVERAGE, NULL},
};

/* Where the columns are; 0: there is none, else its place from 1. */
struct header {
    size_t count, places[ROLES];
    const char *names[ROLES];
    const char *bandwidth_unit;
};

static bool is_header(const struct lab_result_text *line)
{
    return lab_result_line_begins(line, "function,", NULL) || lab_result_line_begins(line, "phase,", NULL);
}

bool lab_babelstream_recognises(const struct lab_result_text *text)
{
    struct lab_result_lines lines = {.rest = *text};
    struct lab_result_text line;
    while (lab_result_line(&lines, &line))
        if (is_header(&line))
            return memmem(line.at, (size_t)(line.end - line.at), ",n_elements,sizeof,", 19) != NULL;
    return false;
}

static bool read_header(struct lab_reader *reader, const struct lab_cells *cells, struct header *header)
{
    *header = (struct header){.count = cells->count};
    for (size_t i = 0; i < cells->count; i++) {
        size_t column = 0;
        while (column < sizeof columns / sizeof *columns && strcmp(columns[column].name, cells->cells[i]) != 0)
            column++;
        if (column == sizeof columns / sizeof *columns)
            return lab_reader_refuse(reader, &(struct lab_place){"", cells->line}, LAB_ERROR_UNKNOWN_VALUE,
                                     "BabelStream has no column '%.64s'.", cells->cells[i]);
        if (header->places[columns[column].role] != 0)
            return lab_reader_refuse(reader, &(struct lab_place){"", cells->line}, LAB_ERROR_DUPLICATE,
                                     "The columns '%s' and '%.64s' must not both be there.",
                                     header->names[columns[column].role], cells->cells[i]);
        header->places[columns[column].role] = i + 1;
        header->names[columns[column].role] = columns[column].name;
        if (columns[column].role == BANDWIDTH)
            header->bandwidth_unit = columns[column].unit;
    }
    return true;
}

/* Sets *number to the number in the column of a role. Returns false if the table has no such column, or with an error
 * added if the cell is not a number. */
static bool read_number(struct lab_reader *reader, const struct header *header, const struct lab_cells *row,
                        enum role role, double *number)
{
    size_t place = header->places[role];
    return place > 0 && lab_cell_number(reader, row, place - 1, header->names[role], number);
}

static void read_figures(struct lab_reader *reader, const struct header *header, const struct lab_cells *row,
                         json_t *axes)
{
    const struct lab_place at = {"", row->line};
    const struct lab_measured time = {at, axes, "time", "s"};
    struct lab_result_figures figures = lab_no_figures;
    double value;
    if (read_number(reader, header, row, REPETITIONS, &value) && value >= 2 && value <= 1e9)
        figures.n = (size_t)value - 1;
    if (read_number(reader, header, row, BANDWIDTH, &value))
        lab_reader_sample(reader, &(struct lab_measured){at, axes, "bandwidth", header->bandwidth_unit}, value);
    if (read_number(reader, header, row, TIME, &value))
        lab_reader_sample(reader, &time, value);
    read_number(reader, header, row, SHORTEST, &figures.min);
    read_number(reader, header, row, LONGEST, &figures.max);
    read_number(reader, header, row, AVERAGE, &figures.mean);
    lab_reader_figures(reader, &time, &figures);
}

static void read_row(struct lab_reader *reader, const struct header *header, const struct lab_cells *row)
{
    const struct lab_place at = {"", row->line};
    double value;
    if (!lab_cells_fit(reader, row, header->count))
        return;
    json_t *axes = json_object();
    bool good = lab_reader_axis_text(reader, &at, axes, "function", row->cells[header->places[FUNCTION] - 1]);
    if (good && header->places[ELEMENTS] > 0)
        good = read_number(reader, header, row, ELEMENTS, &value) &&
               lab_reader_axis_number(reader, &at, axes, "elements", value);
    if (good && header->places[ELEMENT_BYTES] > 0)
        good = read_number(reader, header, row, ELEMENT_BYTES, &value) &&
               lab_reader_axis_number(reader, &at, axes, "element_bytes", value);
    if (good)
        read_figures(reader, header, row, axes);
    json_decref(axes);
}

/* Takes the name of "Using CUDA device NAME", or of "CUDA Device 0: \"NAME\" …". */
static void read_device(struct lab_reader *reader, const struct lab_result_text *line)
{
    static const char device[] = " device ", quoted[] = " Device ";
    size_t length = (size_t)(line->end - line->at);
    const char *name =
        lab_result_line_begins(line, "Using ", NULL) ? memmem(line->at, length, device, strlen(device)) : NULL;
    const char *mark = memmem(line->at, length, quoted, strlen(quoted)) != NULL ? memchr(line->at, '"', length) : NULL;
    const char *end = mark != NULL ? memchr(mark + 1, '"', (size_t)(line->end - mark - 1)) : NULL;
    if (name != NULL)
        lab_reader_list(reader->file->devices, name + strlen(device), (size_t)(line->end - name) - strlen(device));
    else if (end != NULL)
        lab_reader_list(reader->file->devices, mark + 1, (size_t)(end - mark - 1));
}

void lab_babelstream_read_text(struct lab_reader *reader, const struct lab_result_text *text)
{
    struct header header = {0};
    struct lab_result_lines lines = {.rest = *text};
    struct lab_result_text line;
    bool good = true;
    while (good && lab_reader_goes_on(reader) && lab_result_line(&lines, &line)) {
        struct lab_cells cells = {0};
        if (is_header(&line))
            good = lab_cells_of_csv(reader, &lines, &line, &cells) && read_header(reader, &cells, &header);
        else if (header.count == 0)
            read_device(reader, &line);
        else if (lab_cells_of_csv(reader, &lines, &line, &cells))
            read_row(reader, &header, &cells);
        lab_cells_release(&cells);
    }
}
