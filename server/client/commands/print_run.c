/* Prints a run, with the verdicts of GET /compare where it compares. */
#include "print_run.h"

#include "lab/api_calls.h"
#include "lab/api_json.h"
#include "output/report.h"

#include "core/json_members.h"

#include <stdio.h>
#include <stdlib.h>

/* The comparison of a run's sides, a new reference. NULL: it compares nothing, or an error was printed. */
static json_t *get_comparison(struct lab_client *client, const json_t *run)
{
    struct lab_error error;
    char path[96];
    if (!json_is_object(json_object_get(run, "compare_with")))
        return NULL;
    snprintf(path, sizeof path, "/api/v1/compare?run=%s", lab_text_of(run, "id"));
    json_t *comparison = lab_get(client, path, &error);
    if (comparison == NULL)
        lab_print_error(&error);
    return comparison;
}

/* Adds the chart of the run, if it has one. */
static void add_picture(struct lab_client *client, struct lab_document *document, const json_t *run)
{
    struct lab_errors errors = {0};
    char path[96], *svg = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&svg, &size);
    if (out == NULL)
        return;
    snprintf(path, sizeof path, "/api/v1/runs/%s/chart.svg", lab_text_of(run, "id"));
    const struct lab_call call = {.method = "GET", .path = path, .download = out};
    enum lab_exit_code code = lab_api_call(client, &call, NULL, NULL, &errors);
    if (fclose(out) == 0 && code == LAB_EXIT_OK && size > 0)
        lab_document_picture(document, svg, size);
    free(svg);
}

void lab_print_run(struct lab_context *context, const json_t *run, const json_t *experiment, const char *form)
{
    struct lab_client *client = context->session.client;
    struct lab_error error;
    if (context->json) {
        lab_print_json(run);
        return;
    }
    json_t *read = experiment == NULL ? lab_experiment_get(client, lab_text_of(run, "experiment"), &error) : NULL;
    json_t *comparison = get_comparison(client, run);
    if (form != NULL) {
        struct lab_document *document = lab_report_document(run, experiment != NULL ? experiment : read, comparison);
        add_picture(client, document, run);
        lab_document_write(document, form, stdout);
        lab_document_free(document);
    } else {
        lab_report_run(stdout, run, experiment != NULL ? experiment : read, comparison);
    }
    json_decref(comparison);
    json_decref(read);
}
