/* GET /api/v1/runs/{id}/measurements: {"measurements":[…]}; with `?samples=true`, each has its samples.
 * measurements.csv: the same as CSV, with one row for each measurement, or for each sample.
 */
#include "csv.h"
#include "resources.h"

#include <stdlib.h>

/* The measurements of the request's run; NULL on an error, and then the response is set. */
static json_t *read_measurements(const struct lab_request *request, struct lab_response *response)
{
    enum lab_store_result result;
    json_t *list = lab_read_measurements(lab_api_of(request), lab_request_part(request, "id"),
                                         lab_request_flag(request, "samples"), &result);
    if (list == NULL)
        lab_reply_store_error(request, response, result);
    return list;
}

void lab_api_get_measurements(const struct lab_request *request, struct lab_response *response)
{
    json_t *list = read_measurements(request, response);
    if (list != NULL)
        lab_respond_json(response, 200, json_pack("{s:o}", "measurements", list));
}

void lab_api_get_measurements_csv(const struct lab_request *request, struct lab_response *response)
{
    char *text = NULL;
    size_t size = 0;
    json_t *list = read_measurements(request, response);
    if (list == NULL)
        return;
    FILE *out = open_memstream(&text, &size);
    bool written = out != NULL && lab_csv_write(out, list, lab_request_flag(request, "samples"));
    if (out != NULL && fclose(out) == 0 && written)
        lab_respond_text(response, 200, "text/csv; charset=utf-8; header=present", text, size);
    else
        lab_respond_problem(response, 500, "out-of-memory", NULL, NULL);
    free(text);
    json_decref(list);
}
