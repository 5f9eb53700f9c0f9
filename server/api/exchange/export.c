/* GET /api/v1/export: runs that match the filters of the list, oldest first, as JSON lines or CSV, made while they are
 * sent. */
#include "export_line.h"
#include "resources.h"
#include "results/csv.h"
#include "results/pieces.h"
#include "runs/query.h"
#include "visibility.h"

#include "core/json_members.h"
#include "core/json_text.h"

#include <stdlib.h>
#include <string.h>

/* Runs, measurements, spans and fields that are read at once; samples of a line, of which a reader must expect
 * 10,000. */
enum { RUNS = 100, MEASUREMENTS = 50, SPANS = 500, FIELDS = 1, SAMPLES = 4096 };

/* What comes next. */
enum phase { NEXT_RUN, NEXT_MEASUREMENTS, NEXT_SAMPLES, NEXT_SPANS, NEXT_FIELDS, NEXT_COMMENTS };

struct output {
    struct lab_store *store;
    struct lab_identity viewer; /* who gets the export */
    char *texts[LAB_QUERY_COUNT];
    struct lab_run_query query;
    bool csv, samples;
    bool marks; /* those of the lab are written, because all runs of a time are */

    char ids[RUNS][LAB_RUN_ID_SIZE]; /* a page of runs */
    size_t id_count, id_next;
    bool last_page;

    enum phase phase;
    const char *run;               /* in `ids` */
    json_t *document;              /* of the run */
    int64_t position, span, field; /* of the next measurement, span and field */
    size_t rows;                   /* of the last page */
    size_t first;                  /* of the next samples */
    json_int_t exported;           /* runs */

    FILE *out; /* while a piece is made */
};

/* Writes a line; takes the reference. All digits are kept, so that an import gives the same numbers. */
static void write_line(const struct output *output, json_t *line)
{
    json_dumpf(line, output->out, JSON_COMPACT | JSON_REAL_PRECISION(17));
    fputc('\n', output->out);
    json_decref(line);
}

/* --- runs --------------------------------------------------------------------------------------------------------- */

/* Runs that have not ended, and runs that may not be seen, are left out. */
static void take_id(void *context, const struct lab_run_row *row)
{
    struct output *output = context;
    if (!lab_status_live(row->status) && lab_may_see(&output->viewer, row))
        snprintf(output->ids[output->id_count++], LAB_RUN_ID_SIZE, "%s", row->id);
    snprintf(output->query.before, LAB_RUN_ID_SIZE, "%s", row->id);
}

static bool read_page(struct output *output)
{
    struct lab_run_filter *filter = &output->query.filter;
    bool more = false;
    output->id_count = output->id_next = 0;
    if (lab_store_list_runs(output->store, filter, take_id, output, &more) != LAB_STORE_OK)
        return false;
    output->last_page = !more;
    filter->after = output->query.before;
    return true;
}

static void take_run(struct output *output, const struct lab_run_row *row)
{
    json_t *run = lab_export_run(row);
    json_decref(output->document);
    output->document = json_pack("{s:s}", "type", "run");
    json_object_update(output->document, run);
    json_decref(run);
}

static void take_mark(void *context, const struct lab_comment_row *row)
{
    write_line(context, json_pack("{s:s, s:o, s:s?, s:o, s:s?, s:s}", "type", "mark", "created_at",
                                  lab_json_time_or_null(row->created_at), "author", row->author, "at",
                                  lab_json_time_or_null(row->at), "node", row->node, "text", row->text));
}

/* What follows the last run. All marks at once: there are at most LAB_COMMENTS_MAX. */
static enum lab_piece write_end(struct output *output)
{
    const struct lab_run_filter *filter = &output->query.filter;
    if (output->csv)
        return LAB_PIECE_LAST;
    if (output->marks &&
        lab_store_list_comments(output->store, NULL, filter->since, filter->until, take_mark, output) != LAB_STORE_OK)
        return LAB_PIECE_FAILED;
    write_line(output, json_pack("{s:s, s:I}", "type", "end", "runs", output->exported));
    return LAB_PIECE_LAST;
}

static enum lab_piece begin_run(struct output *output)
{
    if (output->id_next == output->id_count) {
        if (!output->last_page)
            return read_page(output) ? LAB_PIECE_MORE : LAB_PIECE_FAILED;
        return write_end(output);
    }
    output->run = output->ids[output->id_next++];
    struct lab_run_row *run;
    enum lab_store_result result = lab_store_get_run(output->store, output->run, &run);
    if (result == LAB_STORE_OK)
        take_run(output, run);
    free(run);
    if (result != LAB_STORE_OK) /* a run that was deleted meanwhile is left out */
        return result == LAB_STORE_NOT_FOUND ? LAB_PIECE_MORE : LAB_PIECE_FAILED;
    if (!output->csv)
        write_line(output, json_incref(output->document));
    output->exported++;
    output->position = output->span = output->field = 0;
    output->phase = NEXT_MEASUREMENTS;
    return LAB_PIECE_MORE;
}

/* --- CSV ---------------------------------------------------------------------------------------------------------- */

static const char *const run_columns[] = {"id", "created_at", "status", "experiment", "host", "note"};
enum { RUN_COLUMNS = sizeof run_columns / sizeof *run_columns };

/* Writes a cell with the member `name` of each device, or the words of a list, separated by semicolons. */
static void write_list(const struct output *output, const json_t *list, const char *name)
{
    char *text = NULL;
    size_t size = 0, index;
    json_t *item;
    FILE *cell = open_memstream(&text, &size);
    if (cell == NULL)
        return;
    json_array_foreach(list, index, item)
    {
        const char *word = json_string_value(name != NULL ? json_object_get(item, name) : item);
        fprintf(cell, "%s%s", index > 0 ? ";" : "", word != NULL ? word : "");
    }
    if (fclose(cell) == 0)
        lab_csv_write_text(output->out, text);
    free(text);
}

static void write_titles(const struct output *output)
{
    for (size_t i = 0; i < RUN_COLUMNS; i++)
        fprintf(output->out, "%s%s,", i == 0 ? "run_" : "", run_columns[i]);
    fputs("devices,tags,", output->out);
    lab_csv_write_titles(output->out, NULL, false);
}

static void write_csv_row(const struct output *output, const json_t *measurement)
{
    for (size_t i = 0; i < RUN_COLUMNS; i++) {
        const char *text = json_string_value(json_object_get(output->document, run_columns[i]));
        lab_csv_write_text(output->out, text != NULL ? text : "");
        fputc(',', output->out);
    }
    write_list(output, json_object_get(output->document, "devices"), "name");
    fputc(',', output->out);
    write_list(output, json_object_get(output->document, "tags"), NULL);
    fputc(',', output->out);
    lab_csv_write_point(output->out, measurement, NULL);
    lab_csv_write_summary(output->out, measurement);
}

/* --- what a run measured ------------------------------------------------------------------------------------------ */

/* A line of a part of the run, with the members of `part`; takes the reference. */
static json_t *part_line(const struct output *output, const char *type, json_t *part)
{
    json_t *line = json_pack("{s:s, s:s}", "type", type, "run", output->run);
    json_object_update(line, part);
    json_decref(part);
    return line;
}

static void take_measurement(void *context, const struct lab_measurement_row *row)
{
    struct output *output = context;
    json_t *measurement = lab_export_measurement(row);
    output->rows++;
    output->position = row->position + 1;
    if (output->csv) {
        write_csv_row(output, measurement);
        json_decref(measurement);
        return;
    }
    if (output->samples) {
        json_object_set_new(measurement, "samples", json_integer((json_int_t)row->sample_count));
        output->phase = row->sample_count > 0 ? NEXT_SAMPLES : NEXT_MEASUREMENTS;
        output->first = 0;
    }
    write_line(output, part_line(output, "measurement", measurement));
}

static enum lab_piece write_measurements(struct output *output)
{
    output->rows = 0;
    enum lab_store_result result = lab_store_list_measurements(
        output->store, output->run, output->position, output->samples ? 1 : MEASUREMENTS, take_measurement, output);
    if (result != LAB_STORE_OK && result != LAB_STORE_NOT_FOUND)
        return LAB_PIECE_FAILED;
    if (output->rows == 0)
        output->phase = output->csv ? NEXT_RUN : NEXT_SPANS;
    return LAB_PIECE_MORE;
}

/* A line with the next samples of the last measurement. */
static enum lab_piece write_samples(struct output *output)
{
    double values[SAMPLES];
    size_t total = 0;
    enum lab_store_result result = lab_store_read_samples(output->store, output->run, output->position - 1,
                                                          output->first, SAMPLES, values, &total);
    if (result != LAB_STORE_OK && result != LAB_STORE_NOT_FOUND)
        return LAB_PIECE_FAILED;
    size_t rest = total > output->first ? total - output->first : 0, count = rest < SAMPLES ? rest : SAMPLES;
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, lab_json_real_or_null(values[i]));
    if (count > 0)
        write_line(output, part_line(output, "samples",
                                     json_pack("{s:I, s:I, s:O}", "position", (json_int_t)output->position - 1, "first",
                                               (json_int_t)output->first, "values", list)));
    json_decref(list);
    output->first += count;
    if (count == rest)
        output->phase = NEXT_MEASUREMENTS;
    return LAB_PIECE_MORE;
}

static void take_span(void *context, const struct lab_span_row *row)
{
    struct output *output = context;
    output->rows++;
    output->span++;
    write_line(output, part_line(output, "span", lab_export_span(row)));
}

static enum lab_piece write_spans(struct output *output)
{
    output->rows = 0;
    enum lab_store_result result =
        lab_store_list_spans(output->store, output->run, output->span, SPANS, take_span, output);
    if (result != LAB_STORE_OK && result != LAB_STORE_NOT_FOUND)
        return LAB_PIECE_FAILED;
    if (output->rows == 0)
        output->phase = NEXT_FIELDS;
    return LAB_PIECE_MORE;
}

static void take_field(void *context, const char *content)
{
    struct output *output = context;
    output->rows++;
    output->field++;
    json_t *field = lab_json_stored(content);
    if (field != NULL) /* an older version may have stored one that cannot be read */
        write_line(output, part_line(output, "field", field));
}

static enum lab_piece write_fields(struct output *output)
{
    output->rows = 0;
    enum lab_store_result result =
        lab_store_list_fields(output->store, output->run, output->field, FIELDS, take_field, output);
    if (result != LAB_STORE_OK && result != LAB_STORE_NOT_FOUND)
        return LAB_PIECE_FAILED;
    if (output->rows == 0)
        output->phase = NEXT_COMMENTS;
    return LAB_PIECE_MORE;
}

static void take_comment(void *context, const struct lab_comment_row *row)
{
    struct output *output = context;
    write_line(output, part_line(output, "comment",
                                 json_pack("{s:o, s:s?, s:s}", "created_at", lab_json_time_or_null(row->created_at),
                                           "author", row->author, "text", row->text)));
}

/* All comments on a run at once: there are at most LAB_COMMENTS_MAX. */
static enum lab_piece write_comments(struct output *output)
{
    enum lab_store_result result =
        lab_store_list_comments(output->store, output->run, LAB_NO_TIME, LAB_NO_TIME, take_comment, output);
    output->phase = NEXT_RUN;
    return result == LAB_STORE_OK || result == LAB_STORE_NOT_FOUND ? LAB_PIECE_MORE : LAB_PIECE_FAILED;
}

/* --- the body ----------------------------------------------------------------------------------------------------- */

static enum lab_piece next(void *context, FILE *out)
{
    static enum lab_piece (*const steps[])(struct output * output) = {
        [NEXT_RUN] = begin_run,         [NEXT_MEASUREMENTS] = write_measurements,
        [NEXT_SAMPLES] = write_samples, [NEXT_SPANS] = write_spans,
        [NEXT_FIELDS] = write_fields,   [NEXT_COMMENTS] = write_comments,
    };
    struct output *output = context;
    output->out = out;
    if (output->csv && output->query.filter.after == NULL && output->id_count == 0 && !output->last_page)
        write_titles(output);
    return steps[output->phase](output);
}

static void release(void *context)
{
    struct output *output = context;
    for (size_t i = 0; i < LAB_QUERY_COUNT; i++)
        free(output->texts[i]);
    json_decref(output->document);
    free(output);
}

/* --- the request -------------------------------------------------------------------------------------------------- */

/* Copies the filters, which the body needs longer than the request lasts. False with errors. */
static bool read_query(const struct lab_request *request, struct output *output, struct lab_errors *errors)
{
    output->marks = lab_sees_only(&output->viewer) == NULL;
    for (size_t i = 0; i < LAB_QUERY_LIMIT; i++) {
        const char *text = lab_request_query(request, lab_run_query_fields[i].name);
        output->texts[i] = text != NULL ? strdup(text) : NULL;
        output->marks = output->marks && (text == NULL || i == LAB_QUERY_SINCE || i == LAB_QUERY_UNTIL);
    }
    output->csv = strcmp(lab_request_query(request, "format"), "csv") == 0;
    output->samples = lab_request_flag(request, "samples");
    if (output->csv && output->samples)
        return lab_errors_add(errors, LAB_ERROR_OUT_OF_BOUNDS, "/query/samples",
                              "Must be false with the format csv, which has a row for each measurement.");
    if (!lab_run_query_read((const char *const *)output->texts, &output->query, errors))
        return false;
    output->query.filter.oldest_first = true;
    output->query.filter.requested_by = lab_sees_only(&output->viewer);
    output->query.filter.viewer = lab_sees_secrets_of(&output->viewer);
    output->query.filter.limit = RUNS;
    return true;
}

void lab_api_export(const struct lab_request *request, struct lab_response *response)
{
    struct lab_errors errors = {0};
    struct output *output = calloc(1, sizeof *output);
    if (output == NULL) {
        lab_respond_problem(response, LAB_ERROR_OUT_OF_MEMORY, NULL, NULL);
        return;
    }
    output->store = lab_api_of(request)->store;
    output->viewer = *lab_request_identity(request);
    if (!read_query(request, output, &errors)) {
        release(output);
        lab_reply_invalid(response, &errors);
        return;
    }
    const struct lab_pieces pieces = {next, release, output};
    lab_respond_pieces(response, output->csv ? "text/csv; charset=utf-8; header=present" : "application/x-ndjson",
                       &pieces);
}
