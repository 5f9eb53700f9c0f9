/* The calls of the HTTP API that commands make. */
#include "api_calls.h"

#include "core/error_json.h"
#include "core/json_members.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { PATH_SIZE = 80, PREFIX_MIN = 8, TAIL_MIN = 6, PAGE_MAX = 500, CHANGE_ATTEMPTS = 8 };

/* Adds the errors that a problem document lists; if it lists none, one error with its detail, and with the status where
 * the document has none. */
static void add_problem(struct lab_errors *errors, int status, const json_t *problem)
{
    const char *detail = lab_text_of(problem, "detail");
    size_t index;
    json_t *each, *list = json_object_get(problem, "errors");
    json_array_foreach(list, index, each)
    {
        struct lab_error error;
        lab_error_read(each, &error);
        lab_errors_add(errors, error.code, error.pointer, "%s", error.detail);
    }
    if (json_array_size(list) == 0 && detail[0] != '\0')
        lab_errors_add(errors, lab_error_of_problem(problem), "", "%s", detail);
    else if (json_array_size(list) == 0)
        lab_errors_add(errors, LAB_ERROR_PROBLEM, "", "The lab answered with HTTP status %d.", status);
    if (status == 401)
        lab_errors_add(errors, LAB_ERROR_PROBLEM, "--token-file",
                       "names a file with a token of the lab; 'gpulab token add' makes one.");
}

/* Whether all that is wrong with a request is that a device, its machine or a worker is not there. */
static bool lacks_device(const json_t *problem)
{
    size_t index, lacking = 0, others = 0;
    json_t *each;
    json_array_foreach(json_object_get(problem, "errors"), index, each)
    {
        struct lab_error error;
        lab_error_read(each, &error);
        bool lacks = lab_exit_code_of(error.code) == LAB_EXIT_NO_DEVICE;
        lacking += lacks;
        others +=
            !lacks && error.code != LAB_ERROR_INVALID_RUN; /* which says which run of a sweep the errors are about */
    }
    return lab_exit_code_of(lab_error_of_problem(problem)) == LAB_EXIT_NO_DEVICE || (lacking > 0 && others == 0);
}

/* The exit code for a status that is not 2xx, with its problem document. */
static enum lab_exit_code exit_code_of(int status, const json_t *problem)
{
    static const int wrong_request[] = {400, 404, 409, 412, 413, 414, 415, 422};
    if (lacks_device(problem))
        return LAB_EXIT_NO_DEVICE;
    for (size_t i = 0; i < sizeof wrong_request / sizeof *wrong_request; i++)
        if (status == wrong_request[i])
            return LAB_EXIT_USAGE;
    return LAB_EXIT_ERROR;
}

enum lab_exit_code lab_api_call(struct lab_client *client, const struct lab_call *call, json_t **reply, int *status,
                                struct lab_errors *errors)
{
    struct lab_error error;
    json_t *document;
    int answered = lab_client_request(client, call, &document, &error);
    bool good = answered >= 200 && answered < 300;
    if (status != NULL)
        *status = answered;
    if (reply != NULL)
        *reply = good ? json_incref(document) : NULL;
    if (answered == 0)
        lab_errors_add(errors, error.code, "", "%s", error.detail);
    else if (!good)
        add_problem(errors, answered, document);
    enum lab_exit_code code = good ? LAB_EXIT_OK : exit_code_of(answered, document);
    json_decref(document);
    return code;
}

json_t *lab_get(struct lab_client *client, const char *path, struct lab_error *error)
{
    struct lab_errors errors = {0};
    json_t *reply;
    enum lab_exit_code code =
        lab_api_call(client, &(struct lab_call){.method = "GET", .path = path}, &reply, NULL, &errors);
    if (code == LAB_EXIT_OK && reply == NULL)
        lab_errors_add(&errors, LAB_ERROR_NO_SERVER, "",
                       "The server is not a gpulab server: its response is not a JSON document.");
    if (errors.count > 0)
        *error = errors.items[0];
    return reply;
}

json_t *lab_run_get(struct lab_client *client, const char *id, struct lab_error *error)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "/api/v1/runs/%s", id);
    return lab_get(client, path, error);
}

json_t *lab_experiment_get(struct lab_client *client, const char *name, struct lab_error *error)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "/api/v1/experiments/%s", name);
    return lab_get(client, path, error);
}

/* --- finding a run ------------------------------------------------------------------------------------------------ */

static bool is_part_of_id(const char *id, const char *part)
{
    size_t length = strlen(part), size = strlen(id);
    return length <= size &&
           ((length >= PREFIX_MIN && strncasecmp(id, part, length) == 0) || strcasecmp(id + size - length, part) == 0);
}

/* The first run of the list whose id begins or ends with `part`, borrowed; *count: how many do. */
static const char *first_match(const json_t *runs, const char *part, size_t *count)
{
    const char *found = NULL;
    size_t index;
    json_t *run;
    *count = 0;
    json_array_foreach(runs, index, run)
    {
        if (!is_part_of_id(lab_text_of(run, "id"), part))
            continue;
        found = found != NULL ? found : lab_text_of(run, "id");
        ++*count;
    }
    return found;
}

enum lab_exit_code lab_run_search(struct lab_client *client, const char *word, char id[LAB_RUN_ID_SIZE],
                                  struct lab_errors *errors)
{
    bool latest = strcmp(word, "latest") == 0;
    struct lab_url url;
    json_t *list;
    size_t count = 0;
    if (!latest && strlen(word) < TAIL_MIN) {
        lab_errors_add(errors, LAB_ERROR_USAGE, word,
                       "must be the id of a run, its first 8 or more or last 6 or more characters, or 'latest'");
        return LAB_EXIT_USAGE;
    }
    lab_url_begin(&url, "/api/v1/runs");
    lab_url_query(&url, "limit", latest ? "1" : "500");
    lab_url_query(&url, "q", latest ? NULL : word);
    enum lab_exit_code code =
        lab_api_call(client, &(struct lab_call){.method = "GET", .path = url.text}, &list, NULL, errors);
    if (code != LAB_EXIT_OK)
        return code;
    const char *found = first_match(json_object_get(list, "runs"), latest ? "" : word, &count);
    if (count == 1)
        snprintf(id, LAB_RUN_ID_SIZE, "%s", found);
    else if (count > 1)
        lab_errors_add(errors, LAB_ERROR_USAGE, word, "begins or ends the ids of %zu runs; give more characters",
                       count);
    else if (latest)
        lab_errors_add(errors, LAB_ERROR_USAGE, word, "the lab has no run yet");
    else
        lab_errors_add(errors, LAB_ERROR_USAGE, word, "no run of the lab has this id; 'gpulab runs' lists them");
    json_decref(list);
    return count == 1 ? LAB_EXIT_OK : LAB_EXIT_USAGE;
}

/* Appends the next page to `runs`. *cursor is the place in the list, NULL at the beginning and null after the last
 * page; it is released and replaced. */
static enum lab_exit_code add_page(struct lab_client *client, const struct lab_url *filters, size_t limit, json_t *runs,
                                   json_t **cursor, struct lab_errors *errors)
{
    struct lab_url url = *filters;
    char number[16];
    json_t *page;
    snprintf(number, sizeof number, "%zu", limit < PAGE_MAX ? limit : PAGE_MAX);
    lab_url_query(&url, "limit", number);
    lab_url_query(&url, "cursor", json_string_value(*cursor));
    const struct lab_call call = {.method = "GET", .path = url.text};
    enum lab_exit_code code = lab_api_call(client, &call, &page, NULL, errors);
    json_array_extend(runs, json_object_get(page, "runs"));
    json_decref(*cursor);
    *cursor = json_incref(json_object_get(page, "next"));
    json_decref(page);
    return code;
}

enum lab_exit_code lab_runs_list(struct lab_client *client, const struct lab_url *url, size_t limit, json_t **runs,
                                 json_t **next, struct lab_errors *errors)
{
    enum lab_exit_code code;
    *runs = json_array();
    *next = NULL;
    do
        code = add_page(client, url, limit - json_array_size(*runs), *runs, next, errors);
    while (code == LAB_EXIT_OK && json_is_string(*next) && json_array_size(*runs) < limit);
    if (code == LAB_EXIT_OK)
        return code;
    json_decref(*runs);
    json_decref(*next);
    *runs = *next = NULL;
    return code;
}

/* --- runs --------------------------------------------------------------------------------------------------------- */

enum lab_exit_code lab_run_submit(struct lab_client *client, const json_t *request, char id[LAB_RUN_ID_SIZE],
                                  struct lab_errors *errors)
{
    const struct lab_call call = {.method = "POST", .path = "/api/v1/runs", .body = request};
    json_t *reply;
    enum lab_exit_code code = lab_api_call(client, &call, &reply, NULL, errors);
    if (code == LAB_EXIT_OK && strlen(lab_text_of(reply, "id")) != LAB_RUN_ID_SIZE - 1) {
        lab_errors_add(errors, LAB_ERROR_NO_SERVER, "", "The server is not a gpulab server: its response has no run.");
        code = LAB_EXIT_ERROR;
    }
    if (code == LAB_EXIT_OK)
        snprintf(id, LAB_RUN_ID_SIZE, "%s", lab_text_of(reply, "id"));
    json_decref(reply);
    return code;
}

enum lab_exit_code lab_cancel_run(struct lab_client *client, const char *id, struct lab_errors *errors)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "/api/v1/runs/%s/cancel", id);
    return lab_api_call(client, &(struct lab_call){.method = "POST", .path = path}, NULL, NULL, errors);
}

enum lab_exit_code lab_run_delete(struct lab_client *client, const char *id, struct lab_errors *errors)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "/api/v1/runs/%s", id);
    return lab_api_call(client, &(struct lab_call){.method = "DELETE", .path = path}, NULL, NULL, errors);
}

/* Sends the change of a run that was read before. On success *run is replaced by the run as it is now. */
static enum lab_exit_code patch(struct lab_client *client, const char *path, json_t **run, const json_t *body,
                                int *status, struct lab_errors *errors)
{
    char revision[32];
    json_t *changed;
    snprintf(revision, sizeof revision, "\"%" JSON_INTEGER_FORMAT "\"",
             json_integer_value(json_object_get(*run, "revision")));
    const struct lab_call call = {.method = "PATCH", .path = path, .body = body, .if_match = revision};
    enum lab_exit_code code = lab_api_call(client, &call, &changed, status, errors);
    json_decref(*run);
    *run = changed;
    return code;
}

enum lab_exit_code lab_change_run(struct lab_client *client, const char *id,
                                  json_t *(*change)(const json_t *run, void *context), void *context, json_t **changed,
                                  struct lab_errors *errors)
{
    char path[PATH_SIZE];
    enum lab_exit_code code = LAB_EXIT_ERROR;
    int status = 412; /* the run was changed since it was read */
    snprintf(path, sizeof path, "/api/v1/runs/%s", id);
    *changed = NULL;
    for (size_t attempt = 0; status == 412 && attempt < CHANGE_ATTEMPTS; attempt++) {
        *errors = (struct lab_errors){0};
        code = lab_api_call(client, &(struct lab_call){.method = "GET", .path = path}, changed, &status, errors);
        json_t *body = code == LAB_EXIT_OK ? change(*changed, context) : NULL;
        if (body != NULL)
            code = patch(client, path, changed, body, &status, errors);
        json_decref(body);
    }
    return code;
}
