/* Chooses the lab that a command uses. */
#include "session.h"

#include "api_calls.h"
#include "token_file.h"

#include "core/json_members.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

static const int retry_ms = 100, waiting_note_ms = 1000, wait_limit_ms = 30000;

/* Connects to the lab at `url`, or to the one on the Unix socket if `url` is NULL. */
static bool connect_to(struct lab_session *session, const char *url, const char *socket_path, const char *token,
                       struct lab_error *error)
{
    session->client = lab_client_create(url, socket_path, token);
    if (session->client == NULL)
        return lab_error_set(error, LAB_ERROR_OUT_OF_MEMORY, "", "Out of memory.");
    json_t *version = lab_get(session->client, "/api/v1/version", error);
    bool found = strcmp(lab_text_of(version, "name"), "gpulab") == 0;
    if (version != NULL && !found)
        lab_error_set(error, LAB_ERROR_NO_SERVER, "", "The server at %s is not a gpulab server.",
                      url != NULL ? url : socket_path);
    json_decref(version);
    if (!found) {
        lab_client_free(session->client);
        session->client = NULL;
    }
    return found;
}

static bool connect_to_socket(struct lab_session *session, struct lab_config *config, struct lab_error *error)
{
    lab_config_release(config);
    if (!lab_config_socket(config))
        return lab_error_set(
            error, LAB_ERROR_NO_SERVER, "",
            "The Unix socket in the folder of %s cannot be used: the folder does not exist, or the path of the socket is too long.",
            config->db_path);
    return connect_to(session, NULL, config->socket_path, NULL, error);
}

bool lab_session_find(struct lab_session *session, const struct lab_session_options *options, struct lab_config *config,
                      struct lab_error *error)
{
    char token[LAB_TOKEN_MAX];
    *session = (struct lab_session){.private_lab.channel = -1};
    if (options->server == NULL)
        return connect_to_socket(session, config, error);
    if (options->token_file != NULL && !lab_token_read(options->token_file, token, error))
        return false;
    return connect_to(session, options->server, NULL, options->token_file != NULL ? token : NULL, error);
}

/* Waits before the next attempt; after the first second, prints a note to stderr. Returns false after a signal or at
 * the limit. */
static bool wait_for_database(const struct lab_config *config, int waited_ms, int signals)
{
    struct pollfd signal = {.fd = signals, .events = POLLIN};
    if (waited_ms == waiting_note_ms)
        fprintf(stderr, "gpulab: waiting for the process that uses %s.\n", config->db_path);
    return waited_ms < wait_limit_ms && poll(&signal, 1, retry_ms) == 0;
}

/* Whether the lab has a device of the runtime that was asked for. A lab that runs already was started without this
 * command's --runtime, and one whose GPU is gone may measure the CPU. */
static bool has_runtime(const struct lab_session *session, const struct lab_config *config, struct lab_error *error)
{
    if (strcmp(config->runtime, "auto") == 0)
        return true;
    size_t index;
    json_t *device, *answer = lab_get(session->client, "/api/v1/devices", error);
    bool found = false;
    json_array_foreach(json_object_get(answer, "devices"), index, device)
    {
        found = found || strcmp(lab_text_of(device, "backend"), config->runtime) == 0;
    }
    if (answer != NULL && !found)
        lab_error_set(error, LAB_ERROR_NO_DEVICE, "", "The lab has no device of the runtime %s.", config->runtime);
    json_decref(answer);
    return found;
}

enum lab_exit_code lab_session_open(struct lab_session *session, const struct lab_session_options *options,
                                    struct lab_config *config, int signals, struct lab_error *error)
{
    for (int waited_ms = 0;; waited_ms += retry_ms) {
        if (lab_session_find(session, options, config, error)) {
            if (options->private.kind == LAB_PRIVATE_HISTORY || has_runtime(session, config, error))
                return LAB_EXIT_OK;
            if (error->code != LAB_ERROR_NO_SERVER)
                return lab_exit_code_of(error->code);
            lab_client_free(session->client); /* the lab, that of another command, has ended since it was found */
            session->client = NULL;
        }
        if (options->server != NULL)
            return lab_exit_code_of(error->code);
        enum lab_exit_code code =
            lab_private_lab_start(&session->private_lab, config, &options->private, signals, error);
        if (code == LAB_EXIT_OK)
            break;
        bool in_use = error->code == LAB_ERROR_STORE_IN_USE;
        if (!in_use || !wait_for_database(config, waited_ms, signals))
            return in_use && signals >= 0 && lab_signals_read(signals) != 0 ? LAB_EXIT_CANCELLED : code;
    }
    session->temporary = options->private.kind == LAB_PRIVATE_TEMPORARY;
    return connect_to_socket(session, config, error) ? LAB_EXIT_OK : LAB_EXIT_ERROR;
}

void lab_session_close(struct lab_session *session)
{
    /* before the lab is stopped, because a private lab continues while a command is connected */
    lab_client_free(session->client);
    lab_private_lab_stop(&session->private_lab);
}
