/* The parts of a run that are shown in one line. */
#include "run_line.h"

#include "lab/api_json.h"

#include "store.h"

#include <math.h>
#include <string.h>
#include <time.h>

/* In a UUIDv7, the first 12 hexadecimal digits, with a dash, are the milliseconds. The first 16, with two dashes, are unique in a lab. */
enum { UNIQUE_LENGTH = 18 };

const char *lab_run_age(const json_t *run, char text[LAB_FORMAT_SIZE])
{
    double seconds = (double)time(NULL) - lab_time_of(run, "created_at");
    return isfinite(seconds) ? lab_format_duration(fmax(seconds, 0), text) : "-";
}

/* The name of one of a run's devices; its id where the name is not known. */
static const char *device_name(const json_t *device)
{
    const char *name = lab_text_of(device, "name");
    return name[0] != '\0' ? name : lab_text_of(device, "id");
}

const char *lab_run_devices(const json_t *run, char text[LAB_LINE_TEXT])
{
    const json_t *devices = json_object_get(run, "devices");
    size_t count = json_array_size(devices), used = 0;
    text[0] = '\0';
    for (size_t i = 0, same; i < count && used < LAB_LINE_TEXT; i += same) {
        const char *name = device_name(json_array_get(devices, i));
        for (same = 1; i + same < count && strcmp(name, device_name(json_array_get(devices, i + same))) == 0;)
            same++;
        const char *separator = i > 0 ? ", " : "";
        if (same > 1)
            used += (size_t)snprintf(text + used, LAB_LINE_TEXT - used, "%s%zu x %s", separator, same, name);
        else
            used += (size_t)snprintf(text + used, LAB_LINE_TEXT - used, "%s%s", separator, name);
    }
    return text;
}

const char *lab_run_result(const json_t *run, char text[LAB_LINE_TEXT])
{
    const json_t *headline = json_array_get(json_object_get(run, "headline"), 0);
    const json_t *progress = json_object_get(run, "progress"), *error = json_object_get(run, "error");
    const json_t *position = json_object_get(run, "queue_position");
    char number[LAB_FORMAT_SIZE];
    snprintf(text, LAB_LINE_TEXT, "-");
    if (json_is_object(error)) {
        snprintf(text, LAB_LINE_TEXT, "%s", lab_text_of(error, "title"));
    } else if (json_is_object(headline)) {
        snprintf(text, LAB_LINE_TEXT, "%s %s",
                 lab_format_quantity(lab_number_of(headline, "value"), lab_text_of(headline, "unit"), number),
                 lab_text_of(headline, "title"));
    } else if (json_is_object(progress)) {
        snprintf(text, LAB_LINE_TEXT, "%.0f of %.0f", lab_number_of(progress, "done"),
                 lab_number_of(progress, "total"));
    } else if (json_is_integer(position)) {
        double wait_s = lab_number_of(run, "wait_s");
        snprintf(text, LAB_LINE_TEXT, "%" JSON_INTEGER_FORMAT " before it%s%s", json_integer_value(position),
                 isfinite(wait_s) ? ", starts in about " : "",
                 isfinite(wait_s) ? lab_format_duration(wait_s, number) : "");
    }
    return text;
}

enum lab_style lab_status_style(const char *name)
{
    static const enum lab_style styles[LAB_STATUS_COUNT] = {
        [LAB_STATUS_SUCCEEDED] = LAB_STYLE_GOOD,
        [LAB_STATUS_FAILED] = LAB_STYLE_BAD,
        [LAB_STATUS_CANCELLED] = LAB_STYLE_DOUBTFUL,
        [LAB_STATUS_INTERRUPTED] = LAB_STYLE_DOUBTFUL,
    };
    enum lab_status status;
    return lab_status_parse(name, &status) ? styles[status] : LAB_STYLE_PLAIN;
}

size_t lab_short_id_length(const json_t *runs)
{
    const char *before = "";
    size_t index;
    json_t *run;
    json_array_foreach(runs, index, run) /* ordered by id */
    {
        const char *id = lab_text_of(run, "id");
        if (strncmp(before, id, LAB_SHORT_ID_LENGTH) == 0)
            return UNIQUE_LENGTH;
        before = id;
    }
    return LAB_SHORT_ID_LENGTH;
}

void lab_run_columns(struct lab_table *table)
{
    lab_table_column(table, "id", LAB_COLUMN_LEFT);
    lab_table_column(table, "age", LAB_COLUMN_RIGHT);
    lab_table_column(table, "experiment", LAB_COLUMN_LEFT);
    lab_table_column(table, "device", LAB_COLUMN_CUT);
    lab_table_column(table, "status", LAB_COLUMN_LEFT);
    lab_table_column(table, "result", LAB_COLUMN_CUT);
}

void lab_run_row(struct lab_table *table, const json_t *run, size_t shortened)
{
    char text[LAB_LINE_TEXT], age[LAB_FORMAT_SIZE];
    const char *status = lab_text_of(run, "status");
    lab_table_cell(table, "%.*s", (int)shortened, lab_text_of(run, "id"));
    lab_table_cell(table, "%s", lab_run_age(run, age));
    lab_table_cell(table, "%s", lab_text_of(run, "experiment"));
    lab_table_cell(table, "%s", lab_run_devices(run, text));
    lab_table_cell(table, "%s", status);
    lab_table_style(table, lab_status_style(status));
    lab_table_cell(table, "%s", lab_run_result(run, text));
}
