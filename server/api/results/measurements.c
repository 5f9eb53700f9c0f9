/* GET /api/v1/runs/{id}/measurements: {"measurements":[…]}; with `?samples=true`, each has its samples.
 * measurements.csv: the same as CSV, with one row for each measurement, or for each sample.
 *
 * Both are read and sent a page at a time, because a run may have millions of samples.
 */
#include "csv.h"
#include "openapi/schemas.h"
#include "pieces.h"
#include "resources.h"

#include "analysis/cautions.h"
#include "core/json_text.h"
#include "jobs/run_json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "descriptor/results.h"

/* Measurements and samples of a piece. */
enum { PAGE = 50, SAMPLES = 2000 };

/* How far a body is. */
struct results {
    struct lab_store *store;
    char run[LAB_RUN_ID_SIZE];
    bool csv, samples, begun, listed, failed; /* listed: a measurement was written */
    json_t *columns;                          /* csv: one for each axis */
    int64_t position;                         /* of the next measurement */
    int64_t end;                              /* the position before which the list ends */
    json_t *measurement;                      /* whose samples are being sent; NULL: none */
    size_t first;                             /* of that: the next sample */
    FILE *out;                                /* while a piece is made */
};

/* --- samples ------------------------------------------------------------------------------------------------------ */

static void write_csv_samples(const struct results *results, const double *values, size_t count)
{
    char *cells = NULL;
    size_t size = 0;
    FILE *point = open_memstream(&cells, &size);
    if (point != NULL)
        lab_csv_write_point(point, results->measurement, results->columns);
    if (point != NULL && fclose(point) == 0)
        for (size_t i = 0; i < count; i++) {
            fputs(cells, results->out);
            lab_csv_write_sample(results->out, results->first + i, values[i]);
        }
    free(cells);
}

static void write_json_samples(const struct results *results, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (results->first + i > 0)
            fputc(',', results->out);
        if (isfinite(values[i]))
            fprintf(results->out, "%.15g", values[i]);
        else
            fputs("null", results->out);
    }
}

static void end_samples(struct results *results)
{
    if (!results->csv)
        fputs("]}", results->out);
    json_decref(results->measurement);
    results->measurement = NULL;
    results->position++;
}

/* Writes the next samples of the measurement. */
static enum lab_piece continue_samples(struct results *results)
{
    double values[SAMPLES];
    size_t total = 0;
    if (lab_store_read_samples(results->store, results->run, results->position, results->first, SAMPLES, values,
                               &total) != LAB_STORE_OK)
        return LAB_PIECE_FAILED;
    size_t rest = total > results->first ? total - results->first : 0, count = rest < SAMPLES ? rest : SAMPLES;
    (results->csv ? write_csv_samples : write_json_samples)(results, values, count);
    results->first += count;
    if (count == rest)
        end_samples(results);
    return LAB_PIECE_MORE;
}

/* Begins the measurement as JSON, up to its samples. */
static void begin_samples(struct results *results, json_t *measurement)
{
    results->measurement = measurement;
    results->first = 0;
    char *text = results->csv ? NULL : json_dumps(measurement, JSON_COMPACT | JSON_REAL_PRECISION(15));
    if (text != NULL)
        fprintf(results->out, "%.*s,\"samples\":[", (int)strlen(text) - 1, text);
    results->failed = results->failed || (text == NULL && !results->csv);
    free(text);
}

/* --- measurements ------------------------------------------------------------------------------------------------- */

static void write_measurement(struct results *results, const json_t *measurement)
{
    if (results->csv) {
        lab_csv_write_point(results->out, measurement, results->columns);
        lab_csv_write_summary(results->out, measurement);
    } else {
        json_dumpf(measurement, results->out, JSON_COMPACT | JSON_REAL_PRECISION(15));
    }
    results->position++;
}

static void take_measurement(void *context, const struct lab_measurement_row *row)
{
    struct results *results = context;
    json_t *measurement = lab_measurement_row_json(row);
    if (!results->csv && results->listed)
        fputc(',', results->out);
    results->listed = true;
    if (results->samples) {
        begin_samples(results, measurement);
        return;
    }
    write_measurement(results, measurement);
    json_decref(measurement);
}

static void take_axes(void *context, const struct lab_measurement_row *row)
{
    struct results *results = context;
    json_t *measurement = json_pack("{s:o}", "axes", lab_json_stored_object(row->axes));
    results->failed = results->failed || measurement == NULL || !lab_csv_add_axes(results->columns, measurement);
    json_decref(measurement);
}

/* Writes what comes before the measurements. The columns of a CSV are the axes of all of them. */
static enum lab_piece begin(struct results *results)
{
    results->begun = true;
    if (!results->csv) {
        fputs("{\"measurements\":[", results->out);
        return LAB_PIECE_MORE;
    }
    results->columns = json_object();
    if (lab_store_list_measurements(results->store, results->run, 0, SIZE_MAX, take_axes, results) != LAB_STORE_OK ||
        results->failed)
        return LAB_PIECE_FAILED;
    lab_csv_write_titles(results->out, results->columns, results->samples);
    return LAB_PIECE_MORE;
}

static enum lab_piece measurements_next(void *context, FILE *out)
{
    struct results *results = context;
    results->out = out;
    if (!results->begun)
        return begin(results);
    if (results->measurement != NULL)
        return continue_samples(results);
    int64_t before = results->position, rest = results->end - before;
    size_t limit = results->samples ? 1 : PAGE;
    if (lab_store_list_measurements(results->store, results->run, before, rest < (int64_t)limit ? (size_t)rest : limit,
                                    take_measurement, results) != LAB_STORE_OK ||
        results->failed)
        return LAB_PIECE_FAILED;
    if (results->position != before || results->measurement != NULL)
        return LAB_PIECE_MORE;
    if (!results->csv)
        fputs("]}", out);
    return LAB_PIECE_LAST;
}

static void measurements_release(void *context)
{
    struct results *results = context;
    json_decref(results->columns);
    json_decref(results->measurement);
    free(results);
}

/* --- the request -------------------------------------------------------------------------------------------------- */

static void respond(const struct lab_request *request, struct lab_response *response, bool csv, const char *type)
{
    struct lab_store *store = lab_api_of(request)->store;
    const char *id = lab_request_part(request, "id");
    enum lab_store_result result = lab_store_get_run(store, id, NULL);
    struct results *results = result == LAB_STORE_OK ? calloc(1, sizeof *results) : NULL;
    if (results == NULL) {
        lab_reply_store_error(request, response, result == LAB_STORE_OK ? lab_store_no_memory() : result);
        return;
    }
    bool is_one = !csv && lab_request_query(request, "position") != NULL;
    int64_t first = is_one ? strtoll(lab_request_query(request, "position"), NULL, 10) : 0;
    *results = (struct results){.store = store,
                                .csv = csv,
                                .samples = lab_request_flag(request, "samples"),
                                .position = first,
                                .end = is_one ? first + 1 : INT64_MAX};
    snprintf(results->run, sizeof results->run, "%s", id);
    lab_respond_pieces(response, type, &(const struct lab_pieces){measurements_next, measurements_release, results});
}

void lab_api_get_measurements(const struct lab_request *request, struct lab_response *response)
{
    respond(request, response, false, "application/json");
}

void lab_api_get_measurements_csv(const struct lab_request *request, struct lab_response *response)
{
    respond(request, response, true, "text/csv; charset=utf-8; header=present");
}

/* --- what is answered --------------------------------------------------------------------------------------------- */

static const struct lab_schema measurements_members[] = {
    {LAB_GIVEN(OBJECT, "measurements"), .count = LAB_LIST, .component = "Measurement"},
    {0},
};

/* The members that are stored, those that are computed from them, and those that a query parameter asks for. */
static const struct lab_schema measurement_members[] = {
    LAB_MEASUREMENT_MEMBERS(LAB_RESULT_SCHEMA, ){.name = "cautions", .type = LAB_TYPE_OBJECT, .component = "Cautions"},
    {.name = "samples", .type = LAB_TYPE_NUMBER, .count = LAB_LIST, .gaps = true, .text = "With ?samples=true."},
    {0},
};

static const struct lab_schema caution_members[] = {
    {LAB_GIVEN(CHOICE, "name"), .choices = lab_caution_names},
    {LAB_GIVEN(STRING, "text"), .text = "A sentence."},
    {0},
};

const struct lab_schema lab_measurements_documents[] = {
    {.name = "Measurement", .type = LAB_TYPE_OBJECT, .members = measurement_members},
    {.name = "Cautions",
     .type = LAB_TYPE_OBJECT,
     .count = LAB_LIST,
     .members = caution_members,
     .text = "What casts doubt on the value, most severe first."},
    {.name = "Measurements", .type = LAB_TYPE_OBJECT, .members = measurements_members},
    {0},
};
