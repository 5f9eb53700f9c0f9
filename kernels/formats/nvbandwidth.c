/* nvbandwidth. A test is a matrix; what its rows and columns are is in its description: "… GPU(row) -> GPU(column)
 * bandwidth (GB/s)". */
#include "formats/readers.h"

#include "formats/reader.h"

#include "core/json_members.h"
#include "core/number.h"

#include <stdio.h>
#include <string.h>

static const struct lab_schema test_members[] = {
    {LAB_GIVEN(STRING, "name")},
    {LAB_GIVEN(STRING, "status")},
    {.name = "error", .type = LAB_TYPE_STRING},
    {.name = "bandwidth_description", .type = LAB_TYPE_STRING},
    {.name = "bandwidth_matrix", .type = LAB_TYPE_ANY, .count = LAB_LIST, .nullable = true},
    {0},
};

static const struct lab_schema root_members[] = {
    {.name = "version", .type = LAB_TYPE_STRING},
    {.name = "CUDA Runtime Version", .type = LAB_TYPE_INTEGER},
    {.name = "Driver Version", .type = LAB_TYPE_STRING},
    {.name = "GPU Device list", .type = LAB_TYPE_STRING, .count = LAB_LIST, .nullable = true},
    {.name = "error", .type = LAB_TYPE_STRING},
    {.name = "warning", .type = LAB_TYPE_STRING},
    {.name = "testcases",
     .type = LAB_TYPE_OBJECT,
     .count = LAB_LIST,
     .nullable = true,
     .members = test_members,
     .open = true},
    {0},
};

const struct lab_schema lab_nvbandwidth_members[] = {
    {LAB_GIVEN(OBJECT, "nvbandwidth"), .members = root_members, .open = true},
    {0},
};

/* What is measured, by the end of the description. */
static const struct {
    const char *end, *metric, *unit;
} quantities[] = {
    {"(GB/s)", "bandwidth", "GB/s"},
    {"(ns)", "latency", "ns"},
    {"(us)", "latency", "us"},
};

struct matrix {
    const char *test, *metric, *unit;
    const json_t *rows;
    /* Tests between GPUs have three matrices, one below the other: of each direction, and of their sum. */
    size_t height;
    const char *row_axis, *column_axis; /* row_axis NULL: there is only one row */
};

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), of_end = strlen(end);
    return length >= of_end && strcmp(text + length - of_end, end) == 0;
}

static struct matrix matrix_of(const json_t *test)
{
    const char *description = lab_text_of(test, "bandwidth_description");
    struct matrix matrix = {.test = lab_text_of(test, "name"),
                            .rows = json_object_get(test, "bandwidth_matrix"),
                            .metric = "value",
                            .unit = "",
                            .row_axis = "row",
                            .column_axis = "column"};
    size_t count = json_array_size(matrix.rows), columns = json_array_size(json_array_get(matrix.rows, 0));
    bool between = strstr(description, "GPU(row)") != NULL && strstr(description, "GPU(column)") != NULL;
    bool stacked = strstr(description, " Total bandwidth ") != NULL && columns > 0 && count == 3 * columns;
    for (size_t i = 0; i < sizeof quantities / sizeof *quantities; i++)
        if (ends_with(description, quantities[i].end)) {
            matrix.metric = quantities[i].metric;
            matrix.unit = quantities[i].unit;
        }
    matrix.height = stacked ? columns : count;
    if (between || stacked) {
        matrix.row_axis = "gpu";
        matrix.column_axis = "peer";
    } else if (count == 1) {
        matrix.row_axis = NULL;
        matrix.column_axis = "gpu";
    }
    return matrix;
}

static void read_cell(struct lab_reader *reader, const struct matrix *matrix, const struct lab_place *at, size_t row,
                      size_t column)
{
    static const char *const parts[] = {"first", "second", "total"};
    const json_t *cell = json_array_get(json_array_get(matrix->rows, row), column);
    const char *text = json_string_value(cell);
    double value = json_number_value(cell);
    if (text != NULL && strcmp(text, "N/A") == 0)
        return;
    if (!json_is_number(cell) && (text == NULL || !lab_finite_parse(text, &value))) {
        lab_reader_refuse(reader, at, LAB_ERROR_WRONG_TYPE,
                          "A value of the matrix must be a finite number, as text too, or \"N/A\".");
        return;
    }
    json_t *axes = json_object();
    bool good = lab_reader_axis_text(reader, at, axes, "test", matrix->test);
    if (good && matrix->row_axis != NULL)
        good = lab_reader_axis_number(reader, at, axes, matrix->row_axis, (double)(row % matrix->height));
    good = good && lab_reader_axis_number(reader, at, axes, matrix->column_axis, (double)column);
    if (good && matrix->height < json_array_size(matrix->rows))
        good = lab_reader_axis_text(reader, at, axes, "direction", parts[row / matrix->height]);
    if (good)
        lab_reader_sample(reader, &(struct lab_measured){*at, axes, matrix->metric, matrix->unit}, value);
    json_decref(axes);
}

static void read_matrix(struct lab_reader *reader, const json_t *test, size_t index)
{
    const struct matrix matrix = matrix_of(test);
    char pointer[LAB_POINTER_MAX];
    const struct lab_place at = {pointer, 0};
    size_t columns = json_array_size(json_array_get(matrix.rows, 0));
    for (size_t row = 0; row < json_array_size(matrix.rows); row++) {
        const json_t *cells = json_array_get(matrix.rows, row);
        snprintf(pointer, sizeof pointer, "/nvbandwidth/testcases/%zu/bandwidth_matrix/%zu", index, row);
        if (!json_is_array(cells) || json_array_size(cells) != columns) {
            lab_reader_refuse(reader, &at, LAB_ERROR_WRONG_TYPE,
                              "A row of the matrix must be a list of %zu values, as the first.", columns);
            return;
        }
        for (size_t column = 0; column < columns; column++)
            read_cell(reader, &matrix, &at, row, column);
    }
}

/* Takes the name and the host of "0: NVIDIA H100 (00000000:19:00): (host)". */
static void read_device(struct lab_reader *reader, const char *text)
{
    const char *name = strstr(text, ": "), *end = NULL, *host = strstr(text, "): (");
    name = name != NULL ? name + 2 : text;
    for (const char *at = strstr(name, " ("); at != NULL && (host == NULL || at < host); at = strstr(at + 1, " ("))
        end = at;
    lab_reader_list(reader->file->devices, name, end != NULL ? (size_t)(end - name) : strlen(name));
    if (host != NULL && ends_with(host, ")") && json_array_size(reader->file->hosts) == 0)
        lab_reader_list(reader->file->hosts, host + strlen("): ("), strlen(host) - strlen("): (") - 1);
}

/* The version that a number of CUDA stands for: 12040 is 12.4. */
static void read_cuda_version(struct lab_reader *reader, const json_t *root)
{
    int64_t number = lab_integer_of(root, "CUDA Runtime Version", 0);
    char version[32];
    snprintf(version, sizeof version, "%lld.%lld", (long long)number / 1000, (long long)number % 1000 / 10);
    lab_reader_version(reader, "cuda", number > 0 ? version : NULL);
}

void lab_nvbandwidth_read_document(struct lab_reader *reader, const json_t *document)
{
    static const char *const remarks[] = {"error", "warning"};
    const json_t *root = json_object_get(document, "nvbandwidth");
    json_t *item;
    size_t i;
    lab_reader_set(&reader->file->version, lab_text_of(root, "version"));
    lab_reader_version(reader, "driver", lab_optional_text_of(root, "Driver Version"));
    read_cuda_version(reader, root);
    for (i = 0; i < sizeof remarks / sizeof *remarks; i++)
        if (lab_optional_text_of(root, remarks[i]) != NULL)
            lab_reader_note(reader, "nvbandwidth: %s: %s", remarks[i], lab_text_of(root, remarks[i]));
    json_array_foreach(json_object_get(root, "GPU Device list"), i, item)
    {
        read_device(reader, json_string_value(item));
    }
    json_array_foreach(json_object_get(root, "testcases"), i, item)
    {
        const char *status = lab_text_of(item, "status"), *error = lab_text_of(item, "error");
        if (strcmp(status, "Passed") != 0 || error[0] != '\0')
            lab_reader_note(reader, "%s: %s%s%s", lab_text_of(item, "name"), status, error[0] != '\0' ? ": " : "",
                            error);
        read_matrix(reader, item, i);
    }
}
