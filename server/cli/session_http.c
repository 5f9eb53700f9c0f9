/* A session with a lab that serves. */
#include "client.h"
#include "session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct http_session {
    struct lab_session base;
    struct lab_client *client;
};

static struct lab_client *client_of(struct lab_session *session)
{
    return ((struct http_session *)session)->client;
}

static const char *text_of(const json_t *object, const char *name, const char *otherwise)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text != NULL ? text : otherwise;
}

/* A problem document's errors, or what it says on the whole when it lists none. */
static void add_problem(struct lab_errors *errors, int status, const json_t *problem)
{
    size_t index;
    json_t *each, *list = json_object_get(problem, "errors");
    json_array_foreach(list, index, each)
    {
        lab_errors_add(errors, "problem", text_of(each, "pointer", ""), "%s", text_of(each, "detail", ""));
    }
    if (json_array_size(list) == 0)
        lab_errors_add(errors, "problem", "", "The lab answers %d: %s", status,
                       text_of(problem, "detail", text_of(problem, "title", "no reason given.")));
}

/* A request that is answered by `wanted` or fails. The reply is a new reference. */
static bool ask(struct lab_session *session, const char *method, const char *path, int wanted, json_t **reply,
                struct lab_error *error)
{
    int status = lab_client_request(client_of(session), method, path, NULL, reply, error);
    if (status == wanted)
        return true;
    if (status != 0) {
        struct lab_errors errors = {0};
        add_problem(&errors, status, *reply);
        *error = errors.items[0];
    }
    json_decref(*reply);
    *reply = NULL;
    return false;
}

static json_t *get(struct lab_session *session, const char *path, struct lab_error *error)
{
    json_t *reply;
    if (!ask(session, "GET", path, 200, &reply, error))
        return NULL;
    if (reply == NULL)
        lab_error_set(error, "no-server", "", "What answers there is no gpulab: its answer is not JSON.");
    return reply;
}

static json_t *devices(struct lab_session *session, struct lab_error *error)
{
    return get(session, "/api/v1/devices", error);
}

static json_t *experiments(struct lab_session *session, struct lab_error *error)
{
    return get(session, "/api/v1/experiments", error);
}

static enum lab_exit_code submit(struct lab_session *session, const json_t *request, char id[LAB_RUN_ID_SIZE],
                                 struct lab_errors *errors)
{
    struct lab_error error;
    json_t *reply;
    enum lab_exit_code end = LAB_EXIT_ERROR;
    int status = lab_client_request(client_of(session), "POST", "/api/v1/runs", request, &reply, &error);
    if (status == 202 && strlen(text_of(reply, "id", "")) == LAB_RUN_ID_SIZE - 1) {
        snprintf(id, LAB_RUN_ID_SIZE, "%s", text_of(reply, "id", ""));
        end = LAB_EXIT_OK;
    } else if (status == 0) {
        lab_errors_add(errors, error.code, "", "%s", error.detail);
    } else {
        add_problem(errors, status, reply);
        if (status == 400 || status == 413 || status == 422)
            end = LAB_EXIT_USAGE;
    }
    json_decref(reply);
    return end;
}

static json_t *read_run(struct lab_session *session, const char *id, struct lab_error *error)
{
    char path[80];
    snprintf(path, sizeof path, "/api/v1/runs/%s", id);
    return get(session, path, error);
}

static bool cancel(struct lab_session *session, const char *id, struct lab_error *error)
{
    char path[80];
    json_t *reply;
    snprintf(path, sizeof path, "/api/v1/runs/%s/cancel", id);
    bool taken = ask(session, "POST", path, 202, &reply, error);
    json_decref(reply);
    return taken;
}

static bool remove_run(struct lab_session *session, const char *id, struct lab_error *error)
{
    char path[80];
    json_t *reply;
    snprintf(path, sizeof path, "/api/v1/runs/%s", id);
    bool removed = ask(session, "DELETE", path, 204, &reply, error);
    json_decref(reply);
    return removed;
}

static bool watch(struct lab_session *session, const char *id, struct lab_sse *sse, struct lab_error *error)
{
    char path[80];
    if (sse == NULL) {
        lab_client_unstream(client_of(session));
        return true;
    }
    snprintf(path, sizeof path, "/api/v1/events?run=%s", id);
    return lab_client_stream(client_of(session), path, sse, error);
}

static bool wait_for_event(struct lab_session *session, int descriptor)
{
    return lab_client_wait(client_of(session), descriptor);
}

static void close_session(struct lab_session *session)
{
    lab_client_free(client_of(session));
    free(session);
}

static const struct lab_session_kind kind = {
    .devices = devices,
    .experiments = experiments,
    .submit = submit,
    .read = read_run,
    .cancel = cancel,
    .remove = remove_run,
    .watch = watch,
    .wait = wait_for_event,
    .close = close_session,
};

struct lab_session *lab_session_http(const char *url, const char *socket_path, struct lab_error *error)
{
    struct http_session *session = calloc(1, sizeof *session);
    if (session == NULL || (session->client = lab_client_create(url, socket_path)) == NULL) {
        free(session);
        lab_error_set(error, "out-of-memory", "", "No memory to ask a lab.");
        return NULL;
    }
    session->base = (struct lab_session){.kind = &kind, .saves = true};
    json_t *version = get(&session->base, "/api/v1/version", error);
    bool ours = strcmp(text_of(version, "name", ""), "gpulab") == 0;
    if (version != NULL && !ours)
        lab_error_set(error, "no-server", "", "What answers there is no gpulab.");
    json_decref(version);
    if (ours)
        return &session->base;
    close_session(&session->base);
    return NULL;
}
