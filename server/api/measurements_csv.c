/* GET /api/v1/runs/{id}/measurements.csv: one row for each measurement; with `?samples=true`, one for each sample. */
#include "csv.h"
#include "resources.h"
#include "run_read.h"

#include <stdlib.h>

static void respond_csv(struct lab_response *response, const json_t *measurements, bool samples)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    bool written = out != NULL && lab_csv_write(out, measurements, samples);
    if (out != NULL && fclose(out) != 0)
        written = false;
    if (written)
        lab_respond_text(response, 200, "text/csv; charset=utf-8; header=present", text, size);
    else
        lab_respond_problem(response, 500, "out-of-memory", NULL, NULL);
    free(text);
}

void lab_api_get_measurements_csv(const struct lab_request *request, struct lab_response *response)
{
    enum lab_store_result result;
    bool samples;
    if (!lab_read_samples(request, response, &samples))
        return;
    json_t *list = lab_read_measurements(lab_api_of(request)->store, lab_request_part(request, "id"), samples, &result);
    if (list == NULL) {
        lab_reply_store_error(request, response, result);
        return;
    }
    respond_csv(response, list, samples);
    json_decref(list);
}
