/* GET /api/v1/runs/{id}/measurements: {"measurements":[…]}; with `?samples=true`, each has its samples.
 * measurements.csv: the same as CSV, with one row for each measurement, or for each sample.
 */
#include "csv.h"
#include "resources.h"

#include <stdlib.h>
#include <string.h>

/* Reads `?samples=true|false`, the only parameter that is allowed. False on an error; the response is then set. */
static bool read_samples(const struct lab_request *request, struct lab_response *response, bool *samples)
{
    static const char *const allowed[] = {"samples", NULL};
    struct lab_errors errors = {0};
    lab_request_check_query(request, allowed, &errors);
    const char *text = lab_request_query(request, "samples");
    *samples = text != NULL && strcmp(text, "true") == 0;
    if (text != NULL && !*samples && strcmp(text, "false") != 0)
        lab_errors_add(&errors, "wrong-type", "/query/samples", "'samples' must be true or false.");
    if (errors.count > 0)
        lab_reply_invalid(response, &errors);
    return errors.count == 0;
}

/* The measurements of the request's run; NULL on an error, and then the response is set. */
static json_t *read_measurements(const struct lab_request *request, struct lab_response *response, bool *samples)
{
    enum lab_store_result result;
    if (!read_samples(request, response, samples))
        return NULL;
    json_t *list = lab_read_measurements(lab_api_of(request), lab_request_part(request, "id"), *samples, &result);
    if (list == NULL)
        lab_reply_store_error(request, response, result);
    return list;
}

void lab_api_get_measurements(const struct lab_request *request, struct lab_response *response)
{
    bool samples;
    json_t *list = read_measurements(request, response, &samples);
    if (list != NULL)
        lab_respond_json(response, 200, json_pack("{s:o}", "measurements", list));
}

void lab_api_get_measurements_csv(const struct lab_request *request, struct lab_response *response)
{
    char *text = NULL;
    size_t size = 0;
    bool samples;
    json_t *list = read_measurements(request, response, &samples);
    if (list == NULL)
        return;
    FILE *out = open_memstream(&text, &size);
    bool written = out != NULL && lab_csv_write(out, list, samples);
    if (out != NULL && fclose(out) == 0 && written)
        lab_respond_text(response, 200, "text/csv; charset=utf-8; header=present", text, size);
    else
        lab_respond_problem(response, 500, "out-of-memory", NULL, NULL);
    free(text);
    json_decref(list);
}
