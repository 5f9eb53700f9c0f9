/* The parts of a run that are shown in one line. */
#include "run_line.h"

#include "lab/api_json.h"

#include "core/clock.h"
#include "core/json_members.h"
#include "core/run_status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* In a UUIDv7, the first 12 hexadecimal digits, with a dash, are the milliseconds. The first 16, with two dashes, are
 * unique among the runs that one lab has created; imported ones may differ later. */
enum { MILLISECONDS_LENGTH = 13, UNIQUE_LENGTH = 18, WHOLE_LENGTH = LAB_RUN_ID_SIZE - 1 };

const char *lab_run_age(const json_t *run, char text[LAB_FORMAT_SIZE])
{
    int64_t now_s = lab_time_now() / 1000000;
    double seconds = (double)now_s - lab_time_of(run, "created_at");
    return isfinite(seconds) ? lab_format_duration(fmax(seconds, 0), text) : "-";
}

/* The name of one of a run's devices; its id where the name is not known. */
static const char *device_name(const json_t *device)
{
    const char *name = lab_text_of(device, "name");
    return name[0] != '\0' ? name : lab_text_of(device, "id");
}

char *lab_run_devices(const json_t *run)
{
    const json_t *devices = json_object_get(run, "devices");
    char *text = NULL;
    size_t size = 0, count = json_array_size(devices);
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    for (size_t i = 0, same; i < count; i += same) {
        const char *name = device_name(json_array_get(devices, i));
        for (same = 1; i + same < count && strcmp(name, device_name(json_array_get(devices, i + same))) == 0;)
            same++;
        fputs(i > 0 ? ", " : "", out);
        if (same > 1)
            fprintf(out, "%zu x ", same);
        fputs(name, out);
    }
    fclose(out);
    return text;
}

static void write_result(FILE *out, const json_t *run)
{
    const json_t *headline = json_array_get(json_object_get(run, "headline"), 0);
    const json_t *progress = json_object_get(run, "progress"), *error = json_object_get(run, "error");
    const json_t *position = json_object_get(run, "queue_position");
    char number[LAB_FORMAT_SIZE];
    if (json_is_object(error)) {
        fputs(lab_text_of(error, "title"), out);
    } else if (json_is_object(headline)) {
        fprintf(out, "%s %s",
                lab_format_quantity(lab_number_of(headline, "value"), lab_text_of(headline, "unit"), number),
                lab_text_of(headline, "title"));
    } else if (json_is_object(progress)) {
        fprintf(out, "%.0f of %.0f", lab_number_of(progress, "done"), lab_number_of(progress, "total"));
    } else if (json_is_integer(position)) {
        double wait_s = lab_number_of(run, "wait_s");
        fprintf(out, "%" JSON_INTEGER_FORMAT " before it", json_integer_value(position));
        if (isfinite(wait_s))
            fprintf(out, ", starts in about %s", lab_format_duration(wait_s, number));
    } else {
        fputc('-', out);
    }
}

char *lab_run_result(const json_t *run)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    write_result(out, run);
    fclose(out);
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

/* Whether the first `length` characters of the runs' ids differ. */
static bool ids_differ(const json_t *runs, size_t length)
{
    json_t *seen = json_object(), *run;
    size_t index;
    json_array_foreach(runs, index, run)
    {
        char start[WHOLE_LENGTH + 1];
        snprintf(start, sizeof start, "%.*s", (int)length, lab_text_of(run, "id"));
        json_object_set_new(seen, start, json_null());
    }
    bool differ = json_object_size(seen) == json_array_size(runs);
    json_decref(seen);
    return differ;
}

size_t lab_shown_id_length(const json_t *runs)
{
    size_t length = isatty(STDOUT_FILENO) == 1 ? MILLISECONDS_LENGTH : WHOLE_LENGTH;
    while (length < WHOLE_LENGTH && !ids_differ(runs, length))
        length = length < UNIQUE_LENGTH ? UNIQUE_LENGTH : length + 1;
    return length;
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
    char age[LAB_FORMAT_SIZE];
    const char *status = lab_text_of(run, "status");
    lab_table_cell(table, "%.*s", (int)shortened, lab_text_of(run, "id"));
    lab_table_cell(table, "%s", lab_run_age(run, age));
    lab_table_cell(table, "%s", lab_text_of(run, "experiment"));
    lab_table_take(table, lab_run_devices(run));
    lab_table_cell(table, "%s", status);
    lab_table_style(table, lab_status_style(status));
    lab_table_take(table, lab_run_result(run));
}
