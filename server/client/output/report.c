/* Prints a run: a table of its points, a table of the values derived from them, and the verdict. */
#include "report.h"

#include "axes.h"
#include "comparison.h"
#include "document.h"
#include "lab/api_json.h"
#include "messages.h"
#include "points.h"
#include "table.h"

#include "core/format.h"
#include "core/json_members.h"
#include "core/run_status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the tables --------------------------------------------------------------------------------------------------- */

static bool any_has_cautions(const struct lab_table_points *points)
{
    for (size_t i = 0; i < points->count; i++)
        if (json_array_size(json_object_get(lab_table_point_first(&points->items[i], points), "cautions")) > 0)
            return true;
    return false;
}

/* The unit in which a metric of the points was measured. */
static const char *unit_of(const struct lab_table_points *points, size_t metric)
{
    for (size_t i = 0; i < points->count; i++)
        if (points->items[i].found[metric] != NULL)
            return lab_text_of(points->items[i].found[metric], "unit");
    return "";
}

static void add_columns(struct lab_table *table, const struct lab_table_points *points, const json_t *experiment,
                        bool has_cautions)
{
    lab_axes_columns(table, points, experiment);
    for (size_t i = 0; i < points->metric_count; i++) {
        const char *unit = unit_of(points, i);
        bool plain = unit[0] == '\0' || strcmp(unit, "1") == 0 || strcmp(unit, "s") == 0 || strcmp(unit, "B") == 0;
        char *title = NULL;
        if (asprintf(&title, "%s %s", points->metrics[i], unit) < 0)
            title = NULL;
        lab_table_column(table, plain || title == NULL ? points->metrics[i] : title, LAB_COLUMN_RIGHT);
        free(title);
    }
    lab_table_column(table, "noise", LAB_COLUMN_RIGHT);
    lab_table_column(table, "n", LAB_COLUMN_RIGHT);
    lab_table_column(table, "verified", LAB_COLUMN_LEFT);
    if (has_cautions)
        lab_table_column(table, "cautions", LAB_COLUMN_LEFT);
}

static void add_quality_cells(struct lab_table *table, const json_t *measurement)
{
    char text[LAB_FORMAT_SIZE];
    const json_t *verified = json_object_get(measurement, "verified");
    if (json_is_string(json_object_get(measurement, "skipped"))) {
        lab_table_cell(table, "-");
        lab_table_cell(table, "-");
        lab_table_cell(table, "skipped: %s", lab_text_of(measurement, "skipped"));
        return;
    }
    lab_table_cell(table, "%s", lab_format_share(lab_number_of(measurement, "noise"), text));
    lab_table_cell(table, "%" JSON_INTEGER_FORMAT, json_integer_value(json_object_get(measurement, "n")));
    if (json_is_false(verified))
        lab_table_cell(table, "NO, %" JSON_INTEGER_FORMAT " wrong",
                       json_integer_value(json_object_get(measurement, "wrong")));
    else
        lab_table_cell(table, json_is_true(verified) ? "yes" : "-");
}

static void add_row(struct lab_table *table, const struct lab_table_points *points, const struct lab_table_point *point,
                    const json_t *experiment, bool has_cautions)
{
    char text[LAB_FORMAT_SIZE];
    lab_axes_cells(table, points, point, experiment);
    for (size_t i = 0; i < points->metric_count; i++)
        lab_table_cell(
            table, "%s",
            lab_format_value(lab_number_of(point->found[i], "median"), lab_text_of(point->found[i], "unit"), text));
    add_quality_cells(table, lab_table_point_first(point, points));
    if (!has_cautions)
        return;
    lab_table_take(table, lab_cautions_text(lab_table_point_first(point, points)));
    lab_table_style(table, LAB_STYLE_DOUBTFUL);
}

/* Takes a table of points, the coordinates that they have in common, and a context. */
typedef void take_table(void *context, const struct lab_table_points *points, const struct lab_table *table);

/* Gives the points of a run to `take` as a table, if there are any. */
static void make_table(const json_t *run, const json_t *experiment, enum lab_table_metrics metrics, take_table *take,
                       void *context)
{
    struct lab_table_points points = {0};
    struct lab_table *table = lab_table_create();
    if (lab_table_points_gather(&points, run, experiment, metrics) && points.count > 0) {
        bool has_cautions = any_has_cautions(&points);
        add_columns(table, &points, experiment, has_cautions);
        for (size_t i = 0; i < points.count; i++) {
            if (points.has_x && i > 0 && points.items[i].series != points.items[i - 1].series)
                lab_table_gap(table);
            add_row(table, &points, &points.items[i], experiment, has_cautions);
        }
        take(context, &points, table);
    }
    lab_table_points_release(&points);
    lab_table_free(table);
}

static void make_tables(const json_t *run, const json_t *experiment, take_table *take, void *context)
{
    make_table(run, experiment, LAB_METRICS_CHARTED, take, context);
    make_table(run, experiment, LAB_METRICS_TABLED, take, context);
    make_table(run, experiment, LAB_METRICS_UNDECLARED, take, context);
}

struct place {
    FILE *out;
    struct lab_document *document;
    const json_t *experiment;
};

static void print_table(void *context, const struct lab_table_points *points, const struct lab_table *table)
{
    const struct place *place = context;
    fputc('\n', place->out);
    lab_axes_print_fixed(place->out, points, place->experiment);
    lab_table_print(table, place->out);
}

static void add_table(void *context, const struct lab_table_points *points, const struct lab_table *table)
{
    const struct place *place = context;
    char *fixed = lab_axes_as_text(points->fixed, place->experiment);
    lab_document_table(place->document, fixed != NULL && fixed[0] != '\0' ? fixed : NULL, table);
    free(fixed);
}

/* --- the verdict -------------------------------------------------------------------------------------------------- */

struct lab_report_counts lab_report_count(const json_t *run)
{
    struct lab_report_counts counts = {0};
    size_t index;
    json_t *each;
    json_array_foreach(json_object_get(run, "measurements"), index, each)
    {
        bool skipped = json_is_string(json_object_get(each, "skipped"));
        counts.measurements += !skipped;
        counts.skipped += skipped;
        counts.verified += json_is_true(json_object_get(each, "verified"));
        counts.wrong += json_is_false(json_object_get(each, "verified"));
    }
    return counts;
}

/* Whether the run failed for one of the reasons, the types of problem documents; NULL ends them. */
static bool failed_for(const json_t *run, const char *const *types)
{
    const char *type = lab_text_of(json_object_get(run, "error"), "type");
    for (size_t i = 0; types[i] != NULL; i++)
        if (strcmp(type, types[i]) == 0)
            return true;
    return false;
}

bool lab_report_lacks_result(const json_t *run)
{
    static const char *const types[] = {"/problems/no-result", NULL};
    bool succeeded = lab_status_is(lab_text_of(run, "status"), LAB_STATUS_SUCCEEDED);
    bool listed = json_is_array(json_object_get(run, "measurements"));
    return (succeeded && listed && lab_report_count(run).measurements == 0) || failed_for(run, types);
}

enum lab_exit_code lab_report_exit_code(const json_t *run)
{
    static const char *const no_device[] = {"/problems/device-unavailable", "/problems/worker-start",
                                            "/problems/node-unreachable", NULL};
    enum lab_status status = LAB_STATUS_FAILED;
    lab_status_parse(lab_text_of(run, "status"), &status);
    if (status == LAB_STATUS_CANCELLED || status == LAB_STATUS_INTERRUPTED)
        return LAB_EXIT_CANCELLED;
    if (failed_for(run, no_device))
        return LAB_EXIT_NO_DEVICE;
    bool wrong =
        lab_report_count(run).wrong > 0 || lab_number_of(run, "wrong_count") > 0; /* lists have only the number */
    bool good = status != LAB_STATUS_FAILED && !wrong && !lab_report_lacks_result(run);
    return good ? LAB_EXIT_OK : LAB_EXIT_FAILED;
}

enum lab_exit_code lab_report_join_exit_codes(enum lab_exit_code code, enum lab_exit_code next)
{
    return code == LAB_EXIT_OK || next == LAB_EXIT_FAILED ? next : code;
}

double lab_report_seconds(const json_t *run)
{
    double seconds = lab_time_of(run, "finished_at") - lab_time_of(run, "started_at");
    return isfinite(seconds) ? seconds : 0;
}

/* Prints each sentence of an array after a word and a colon. */
static void print_sentences(FILE *out, const char *word, const json_t *sentences)
{
    size_t index;
    json_t *each;
    json_array_foreach(sentences, index, each)
    {
        fprintf(out, "%s: %s\n", word, json_string_value(each) != NULL ? json_string_value(each) : "");
    }
}

/* Prints what the timeline of a program shows, and which experiment explains it. */
static void print_findings(FILE *out, const json_t *findings)
{
    size_t index;
    json_t *finding;
    json_array_foreach(findings, index, finding)
    {
        const char *lesson = lab_optional_text_of(finding, "lesson");
        fprintf(out, "finding: %s%s%s%s\n", lab_text_of(finding, "text"), lesson != NULL ? " (gpulab experiments " : "",
                lesson != NULL ? lesson : "", lesson != NULL ? ")" : "");
    }
}

/* "ID succeeded in 12 s: 4 measurements, 4 verified, 0 wrong, 0 skipped" */
static void print_outcome(FILE *out, const json_t *run)
{
    struct lab_report_counts counts = lab_report_count(run);
    char text[LAB_FORMAT_SIZE];
    fprintf(out, "%s %s%s", lab_text_of(run, "id"), lab_text_of(run, "status"),
            lab_report_lacks_result(run) ? " without a result" : "");
    if (json_is_string(json_object_get(run, "finished_at")))
        fprintf(out, " in %s", lab_format_seconds(lab_report_seconds(run), text));
    fprintf(out, ": %zu measurements, %zu verified, %zu wrong, %zu skipped", counts.measurements, counts.verified,
            counts.wrong, counts.skipped);
}

static void print_verdict(FILE *out, const json_t *run)
{
    const json_t *error = json_object_get(run, "error");
    print_sentences(out, "note", json_object_get(run, "notes"));
    print_sentences(out, "warning", json_object_get(run, "warnings"));
    if (json_is_true(json_object_get(run, "contended")))
        fprintf(out, "warning: other processes used the device during the measurements.\n");
    print_outcome(out, run);
    fputc('\n', out);
    if (json_is_object(error)) { /* warnings of a program that was built are among its output */
        fprintf(out, "%s: %s\n", lab_text_of(error, "title"), lab_text_of(error, "detail"));
        lab_messages_print(out, json_object_get(error, "messages"), NULL);
        lab_messages_print(out, json_object_get(run, "messages"), NULL);
    }
    print_findings(out, json_object_get(run, "findings"));
}

/* The experiment and its devices, for example "transfer on NVIDIA H200 (GPU-…)". */
static void print_heading(FILE *out, const json_t *run)
{
    size_t index;
    json_t *device;
    fprintf(out, "%s", lab_text_of(run, "experiment"));
    json_array_foreach(json_object_get(run, "devices"), index, device)
    {
        fprintf(out, "%s %s (%s)", index == 0 ? " on" : ",", lab_text_of(device, "name"), lab_text_of(device, "id"));
    }
}

void lab_report_fallback(FILE *out, const json_t *run)
{
    const json_t *build = json_object_get(json_object_get(run, "environment"), "build");
    const char *reason = lab_text_of(build, "fallback");
    if (reason[0] != '\0')
        fprintf(out, "measured on the CPU: %s\n", reason);
}

void lab_report_run(FILE *out, const json_t *run, const json_t *experiment, const json_t *comparison)
{
    lab_report_fallback(out, run);
    print_heading(out, run);
    fputc('\n', out);
    if (comparison != NULL) {
        lab_comparison_print_sides(out, run, comparison, experiment);
    } else if (!json_is_object(json_object_get(run, "compare_with"))) {
        struct place place = {.out = out, .experiment = experiment};
        make_tables(run, experiment, print_table, &place);
    }
    fputc('\n', out);
    print_verdict(out, run);
    if (lab_text_of(run, "output")[0] != '\0')
        fprintf(out, "Printed:\n%s\n", lab_text_of(run, "output"));
}

/* --- as a document ------------------------------------------------------------------------------------------------ */

/* A case for each measurement, and one for the run. */
static void add_cases(struct lab_document *document, const json_t *run, const json_t *experiment, const char *outcome)
{
    size_t index;
    json_t *each;
    bool is_good = lab_report_exit_code(run) == LAB_EXIT_OK;
    lab_document_case(document, "run", is_good ? LAB_CASE_PASSED : LAB_CASE_FAILED, outcome);
    json_array_foreach(json_object_get(run, "measurements"), index, each)
    {
        const char *skipped = lab_optional_text_of(each, "skipped"), *side = lab_text_of(each, "side");
        bool is_wrong = json_is_false(json_object_get(each, "verified"));
        char *axes = lab_axes_as_text(json_object_get(each, "axes"), experiment), *name = NULL, *text = NULL;
        if (asprintf(&name, "%s%s%s%s%s", lab_text_of(each, "metric"), axes != NULL && axes[0] != '\0' ? " " : "",
                     axes != NULL ? axes : "", side[0] != '\0' ? ", side " : "", side) < 0)
            name = NULL;
        if (asprintf(&text, "%.0f wrong elements", lab_number_of(each, "wrong")) < 0)
            text = NULL;
        if (name != NULL && text != NULL)
            lab_document_case(document, name,
                              skipped != NULL ? LAB_CASE_SKIPPED
                              : is_wrong      ? LAB_CASE_FAILED
                                              : LAB_CASE_PASSED,
                              skipped != NULL ? skipped : text);
        free(axes);
        free(name);
        free(text);
    }
}

static void add_fact(struct lab_table *table, const char *name, const json_t *value)
{
    char *text = json_is_string(value) || value == NULL ? NULL : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    const char *shown = text != NULL ? text : json_string_value(value);
    if (shown != NULL && shown[0] != '\0' && !json_is_null(value)) {
        lab_table_cell(table, "%s", name);
        lab_table_cell(table, "%s", shown);
    }
    free(text);
}

/* Adds when, where and with which parameters the run was measured, and what people have written about it. */
static void add_facts(struct lab_document *document, const json_t *run)
{
    static const char *const members[] = {"id", "created_at", "host", "requested_by", "tags", "note"};
    struct lab_table *table = lab_table_create();
    const char *name;
    json_t *value;
    lab_table_column(table, "of the run", LAB_COLUMN_LEFT);
    lab_table_column(table, "value", LAB_COLUMN_LEFT);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        add_fact(table, members[i], json_object_get(run, members[i]));
    json_object_foreach(json_object_get(run, "parameters"), name, value)
    {
        add_fact(table, name, value);
    }
    lab_document_table(document, NULL, table);
    lab_table_free(table);
}

/* What `print` writes about a run; NULL when out of memory. The caller frees it. */
static char *printed(void (*print)(FILE *out, const json_t *run), const json_t *run)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    print(out, run);
    fclose(out);
    return text;
}

struct lab_document *lab_report_document(const json_t *run, const json_t *experiment, const json_t *comparison)
{
    char *heading = printed(print_heading, run), *fallback = printed(lab_report_fallback, run);
    char *verdict = printed(print_verdict, run), *outcome = printed(print_outcome, run);
    struct lab_document *document = lab_document_create(lab_text_of(run, "experiment"), heading != NULL ? heading : "");
    struct place place = {.document = document, .experiment = experiment};
    lab_document_sentences(document, fallback);
    lab_document_sentences(document, verdict);
    if (comparison != NULL)
        lab_comparison_add(document, comparison, experiment, NULL, &(const struct lab_failing){.wrong = true});
    if (comparison == NULL)
        make_tables(run, experiment, add_table, &place);
    add_facts(document, run);
    if (lab_text_of(run, "output")[0] != '\0')
        lab_document_lines(document, "Output", lab_text_of(run, "output"));
    add_cases(document, run, experiment, outcome != NULL ? outcome : "");
    free(heading);
    free(fallback);
    free(verdict);
    free(outcome);
    return document;
}
