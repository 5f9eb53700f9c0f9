/* The calls of the HTTP API that commands make. */
#include "api_calls.h"

#include "api_json.h"

#include <stdio.h>
#include <string.h>

enum { PATH_SIZE = 80 };

/* Adds the errors that a problem document lists; if it lists none, one error with the status and the document's detail
 * or title. */
static void add_problem(struct lab_errors *errors, int status, const json_t *problem)
{
    const char *detail = lab_text_of(problem, "detail"), *title = lab_text_of(problem, "title");
    size_t index;
    json_t *each, *list = json_object_get(problem, "errors");
    json_array_foreach(list, index, each)
    {
        lab_errors_add(errors, "problem", lab_text_of(each, "pointer"), "%s", lab_text_of(each, "detail"));
    }
    if (json_array_size(list) == 0)
        lab_errors_add(errors, "problem", "", "The lab answered with HTTP status %d: %s", status,
                       detail[0] != '\0'  ? detail
                       : title[0] != '\0' ? title
                                          : "no reason given.");
}

/* Sends a request without a body. Returns false with *error set unless the status is `expected`. If `reply` is not
 * NULL, *reply becomes the JSON body, a new reference, or NULL if there is none. */
static bool call(struct lab_client *client, const char *method, const char *path, int expected, json_t **reply,
                 struct lab_error *error)
{
    json_t *document;
    int status = lab_client_request(client, method, path, NULL, &document, error);
    if (status != expected && status != 0) {
        struct lab_errors errors = {0};
        add_problem(&errors, status, document);
        *error = errors.items[0];
    }
    if (reply != NULL)
        *reply = status == expected ? json_incref(document) : NULL;
    json_decref(document);
    return status == expected;
}

json_t *lab_get(struct lab_client *client, const char *path, struct lab_error *error)
{
    json_t *reply;
    if (call(client, "GET", path, 200, &reply, error) && reply == NULL)
        lab_error_set(error, "no-server", "", "The server is not a gpulab server: its response is not JSON.");
    return reply;
}

json_t *lab_get_run(struct lab_client *client, const char *id, struct lab_error *error)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "/api/v1/runs/%s", id);
    return lab_get(client, path, error);
}

enum lab_exit_code lab_submit_run(struct lab_client *client, const json_t *request, char id[LAB_RUN_ID_SIZE],
                                  struct lab_errors *errors)
{
    struct lab_error error;
    json_t *reply;
    enum lab_exit_code code = LAB_EXIT_ERROR;
    int status = lab_client_request(client, "POST", "/api/v1/runs", request, &reply, &error);
    if (status == 202 && strlen(lab_text_of(reply, "id")) == LAB_RUN_ID_SIZE - 1) {
        snprintf(id, LAB_RUN_ID_SIZE, "%s", lab_text_of(reply, "id"));
        code = LAB_EXIT_OK;
    } else if (status == 0) {
        lab_errors_add(errors, error.code, "", "%s", error.detail);
    } else {
        add_problem(errors, status, reply);
        if (status == 400 || status == 413 || status == 422)
            code = LAB_EXIT_USAGE;
    }
    json_decref(reply);
    return code;
}

bool lab_cancel_run(struct lab_client *client, const char *id, struct lab_error *error)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "/api/v1/runs/%s/cancel", id);
    return call(client, "POST", path, 202, NULL, error);
}

bool lab_delete_run(struct lab_client *client, const char *id, struct lab_error *error)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "/api/v1/runs/%s", id);
    return call(client, "DELETE", path, 204, NULL, error);
}
