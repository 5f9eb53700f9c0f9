/* Google Benchmark. The repetitions of a benchmark are the samples of one measurement. Rows of aggregates are read only
 * where the file does not have the repetitions (--benchmark_report_aggregates_only). */
#include "formats/readers.h"

#include "formats/reader.h"

#include "core/json_members.h"
#include "core/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct lab_schema context_members[] = {
    {.name = "date", .type = LAB_TYPE_STRING},
    {.name = "host_name", .type = LAB_TYPE_STRING},
    {.name = "library_version", .type = LAB_TYPE_STRING},
    {0},
};

static const struct lab_schema row_members[] = {
    {LAB_GIVEN(STRING, "name")},
    {.name = "run_name", .type = LAB_TYPE_STRING},
    {.name = "run_type", .type = LAB_TYPE_STRING},
    {.name = "aggregate_name", .type = LAB_TYPE_STRING},
    {.name = "repetitions", .type = LAB_TYPE_INTEGER, .maximum = LAB_INTEGER_MAX}, /* 0 of version 1.5: not asked for */
    {.name = "time_unit", .type = LAB_TYPE_STRING},
    {.name = "real_time", .type = LAB_TYPE_NUMBER},
    {.name = "cpu_time", .type = LAB_TYPE_NUMBER},
    {.name = "label", .type = LAB_TYPE_STRING},
    {.name = "error_occurred", .type = LAB_TYPE_BOOLEAN},
    {.name = "error_message", .type = LAB_TYPE_STRING},
    {.name = "skipped", .type = LAB_TYPE_BOOLEAN},
    {.name = "skip_message", .type = LAB_TYPE_STRING},
    {0},
};

const struct lab_schema lab_google_benchmark_members[] = {
    {LAB_GIVEN(OBJECT, "context"), .members = context_members, .open = true},
    {LAB_GIVEN(OBJECT, "benchmarks"), .count = LAB_LIST, .members = row_members, .open = true},
    {0},
};

/* Numbers of a row. Those that are not in the table are counters, which people name; they have no unit. */
static const struct column {
    const char *member;
    const char *metric; /* NULL: not measured */
    const char *unit;   /* NULL: that of the row */
} columns[] = {
    {"real_time", "time", NULL},
    {"cpu_time", "cpu_time", NULL},
    {"bytes_per_second", "bandwidth", "B/s"},
    {"items_per_second", "item_rate", "items/s"},
    {"max_bytes_used", "max_bytes_used", "B"},
    {"total_allocated_bytes", "total_allocated_bytes", "B"},
    {"family_index", NULL, NULL},
    {"per_family_instance_index", NULL, NULL},
    {"repetitions", NULL, NULL},
    {"repetition_index", NULL, NULL},
    {"threads", NULL, NULL},
    {"iterations", NULL, NULL},
};

static struct column column_of(const char *member)
{
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (strcmp(columns[i].member, member) == 0)
            return columns[i];
    return (struct column){member, member, ""};
}

/* What a benchmark's rows have in common: the name without that of an aggregate. */
static const char *run_name(const json_t *row)
{
    const char *name = lab_optional_text_of(row, "run_name");
    return name != NULL ? name : lab_text_of(row, "name");
}

static bool is_aggregate(const json_t *row)
{
    return strcmp(lab_text_of(row, "run_type"), "aggregate") == 0;
}

/* --- axes --------------------------------------------------------------------------------------------------------- */

/* Whether a part of a name is an axis: "8", the argument at this place, or "bytes:64". It is set; *good is false after
 * an error. */
static bool set_argument(struct lab_reader *reader, const struct lab_place *at, json_t *axes, const char *part,
                         size_t place, bool *good)
{
    const char *colon = strchr(part, ':'), *value = colon != NULL ? colon + 1 : part;
    char axis[LAB_RESULT_NAME_MAX * 4 + 1];
    double number;
    if (!lab_finite_parse(value, &number) || (colon != NULL && (size_t)(colon - part) >= sizeof axis))
        return false;
    if (colon != NULL)
        snprintf(axis, sizeof axis, "%.*s", (int)(colon - part), part);
    else
        snprintf(axis, sizeof axis, "arg%zu", place);
    *good = lab_reader_axis_parsed(reader, at, axes, axis, value);
    return true;
}

/* The axes of a name, BENCHMARK/8/bytes:64/threads:2. What is no number stays in the name of the benchmark. A new
 * reference; NULL with an error. */
static json_t *read_axes(struct lab_reader *reader, const struct lab_place *at, const char *name)
{
    size_t place = 0;
    json_t *axes = json_object();
    char *copy = strdup(name), *benchmark = calloc(1, strlen(name) + 1), *rest = copy, *end = benchmark;
    bool good = copy != NULL && benchmark != NULL && lab_reader_axis_text(reader, at, axes, "benchmark", name);
    for (const char *part = strsep(&rest, "/"); good && part != NULL; part = strsep(&rest, "/"), place++)
        if (place == 0 || !set_argument(reader, at, axes, part, place, &good))
            end += sprintf(end, "%s%s", place > 0 ? "/" : "", part);
    good = good && json_object_set_new(axes, "benchmark", json_string(benchmark)) == 0;
    free(copy);
    free(benchmark);
    if (good)
        return axes;
    json_decref(axes);
    return NULL;
}

/* --- rows --------------------------------------------------------------------------------------------------------- */

/* The metric of a member, NULL: none. */
static struct lab_measured measured(const json_t *row, json_t *axes, const char *member, const char *pointer)
{
    struct column column = column_of(member);
    const char *unit = column.unit != NULL ? column.unit : lab_optional_text_of(row, "time_unit");
    return (struct lab_measured){
        .at = {pointer, 0}, .axes = axes, .metric = column.metric, .unit = unit != NULL ? unit : "ns"};
}

static void read_repetition(struct lab_reader *reader, const json_t *row, const struct lab_place *at)
{
    const char *label = lab_text_of(row, "label"), *member;
    json_t *value, *axes = read_axes(reader, at, run_name(row));
    if (label[0] != '\0')
        lab_reader_note(reader, "%s: %s", run_name(row), label);
    json_object_foreach(axes != NULL ? (json_t *)(uintptr_t)row : NULL, member, value)
    {
        const struct lab_measured what = measured(row, axes, member, at->pointer);
        if (json_is_number(value) && what.metric != NULL)
            lab_reader_sample(reader, &what, json_number_value(value));
    }
    json_decref(axes);
}

/* The figure that an aggregate is; NULL: another. */
static double *figure_of(struct lab_result_figures *figures, const char *aggregate)
{
    const struct {
        const char *name;
        double *figure;
    } names[] = {{"mean", &figures->mean},
                 {"median", &figures->median},
                 {"stddev", &figures->stdev},
                 {"min", &figures->min},
                 {"max", &figures->max}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].name, aggregate) == 0)
            return names[i].figure;
    return NULL;
}

/* Reads `count` rows of a benchmark, its aggregates. */
static void read_aggregates(struct lab_reader *reader, const json_t *rows, size_t first, size_t count,
                            const struct lab_place *at)
{
    const json_t *row = json_array_get(rows, first);
    const char *member;
    json_t *value, *axes = read_axes(reader, at, run_name(row));
    json_object_foreach(axes != NULL ? (json_t *)(uintptr_t)row : NULL, member, value)
    {
        const struct lab_measured what = measured(row, axes, member, at->pointer);
        struct lab_result_figures figures = lab_no_figures;
        figures.n = (size_t)lab_integer_of(row, "repetitions", 1);
        for (size_t i = first; json_is_number(value) && what.metric != NULL && i < first + count; i++) {
            const json_t *aggregate = json_array_get(rows, i);
            double *figure = figure_of(&figures, lab_text_of(aggregate, "aggregate_name"));
            if (figure != NULL)
                *figure = lab_number_of(aggregate, member);
        }
        if (json_is_number(value) && what.metric != NULL)
            lab_reader_figures(reader, &what, &figures);
    }
    json_decref(axes);
}

/* Whether nothing was measured, which is noted. */
static bool note_failure(struct lab_reader *reader, const json_t *row)
{
    bool failed = json_is_true(json_object_get(row, "error_occurred")),
         skipped = json_is_true(json_object_get(row, "skipped"));
    const char *message = lab_text_of(row, failed ? "error_message" : "skip_message");
    if (failed || skipped)
        lab_reader_note(reader, "%s: %s%s%s", run_name(row), failed ? "failed" : "skipped",
                        message[0] != '\0' ? ": " : "", message);
    return failed || skipped;
}

/* The number of rows from `first` on that are aggregates of one benchmark. */
static size_t count_aggregates(const json_t *rows, size_t first)
{
    const char *name = run_name(json_array_get(rows, first));
    size_t count = 1;
    while (first + count < json_array_size(rows) && is_aggregate(json_array_get(rows, first + count)) &&
           strcmp(run_name(json_array_get(rows, first + count)), name) == 0)
        count++;
    return count;
}

void lab_google_benchmark_read_document(struct lab_reader *reader, const json_t *document)
{
    const json_t *context = json_object_get(document, "context"), *rows = json_object_get(document, "benchmarks");
    const char *host = lab_text_of(context, "host_name");
    json_t *repeated = json_object(), *row; /* the benchmarks whose repetitions the file has */
    char pointer[LAB_POINTER_MAX];
    const struct lab_place at = {pointer, 0};
    size_t i;
    lab_reader_set(&reader->file->version, lab_text_of(context, "library_version"));
    lab_reader_set(&reader->file->date, lab_text_of(context, "date"));
    lab_reader_list(reader->file->hosts, host, strlen(host));
    json_array_foreach(rows, i, row)
    {
        snprintf(pointer, sizeof pointer, "/benchmarks/%zu", i);
        if (is_aggregate(row))
            continue;
        json_object_set_new(repeated, run_name(row), json_true());
        if (!note_failure(reader, row))
            read_repetition(reader, row, &at);
    }
    for (i = 0; i < json_array_size(rows); i++) {
        row = json_array_get(rows, i);
        snprintf(pointer, sizeof pointer, "/benchmarks/%zu", i);
        if (!is_aggregate(row) || json_object_get(repeated, run_name(row)) != NULL)
            continue;
        size_t count = count_aggregates(rows, i);
        if (!note_failure(reader, row))
            read_aggregates(reader, rows, i, count, &at);
        i += count - 1;
    }
    json_decref(repeated);
}
