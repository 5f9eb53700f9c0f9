/* The HTTP client of one gpulab server. */
#include "client.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const long connect_timeout_ms = 5000, request_timeout_ms = 60000;
static const int wait_ms = 1000;

struct lab_client {
    char *base;        /* URL without a trailing slash: "http://localhost" */
    char *socket_path; /* of the Unix socket; NULL: the client connects to `base` over TCP */
    CURL *requests;    /* handle for requests, one at a time, which keeps its connection open */
    CURL *stream;      /* handle of the event stream, added to `multi`; NULL: no stream is open */
    CURLM *multi;
    struct lab_sse *sse; /* parser of the event stream */
    bool ended;          /* the event stream has ended */
};

/* The body of a response as far as it has arrived. */
struct received {
    char *text;
    size_t length;
};

struct lab_client *lab_client_create(const char *url, const char *socket_path)
{
    struct lab_client *client = calloc(1, sizeof *client);
    if (client == NULL || curl_global_init(CURL_GLOBAL_DEFAULT) != 0) {
        free(client);
        return NULL;
    }
    client->base = strdup(url != NULL ? url : "http://localhost");
    client->socket_path = url == NULL ? strdup(socket_path) : NULL;
    client->requests = curl_easy_init();
    if (client->base == NULL || client->requests == NULL || (url == NULL && client->socket_path == NULL)) {
        lab_client_free(client);
        return NULL;
    }
    size_t length = strlen(client->base);
    while (length > 0 && client->base[length - 1] == '/')
        client->base[--length] = '\0';
    return client;
}

void lab_client_free(struct lab_client *client)
{
    if (client == NULL)
        return;
    lab_client_close_stream(client);
    curl_easy_cleanup(client->requests);
    free(client->base);
    free(client->socket_path);
    free(client);
    curl_global_cleanup();
}

/* Sets the options that all requests have in common: URL, protocols, timeouts and socket. Returns false when out of
 * memory. */
static bool prepare(const struct lab_client *client, CURL *handle, const char *path)
{
    char *url = NULL;
    if (asprintf(&url, "%s%s", client->base, path) < 0)
        return false;
    bool prepared = curl_easy_setopt(handle, CURLOPT_URL, url) == CURLE_OK &&
                    curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
                    curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
                    curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, connect_timeout_ms) == CURLE_OK;
    if (prepared && client->socket_path != NULL)
        prepared = curl_easy_setopt(handle, CURLOPT_UNIX_SOCKET_PATH, client->socket_path) == CURLE_OK &&
                   curl_easy_setopt(handle, CURLOPT_PROXY, "") == CURLE_OK;
    free(url);
    return prepared;
}

static size_t receive(char *bytes, size_t size, size_t count, void *context)
{
    struct received *received = context;
    if (size * count == 0)
        return 0;
    char *larger = realloc(received->text, received->length + size * count);
    if (larger == NULL)
        return 0;
    received->text = larger;
    memcpy(larger + received->length, bytes, size * count);
    received->length += size * count;
    return size * count;
}

static bool unreachable(const struct lab_client *client, CURLcode code, struct lab_error *error)
{
    return lab_error_set(error, "no-server", "", "No lab answers at %s: %s.",
                         client->socket_path != NULL ? client->socket_path : client->base, curl_easy_strerror(code));
}

/* Sends the request that is prepared in client->requests. Returns the HTTP status, or 0 with *error set when there is
 * no response. */
static int perform(struct lab_client *client, json_t **reply, struct lab_error *error)
{
    struct received received = {0};
    long status = 0;
    curl_easy_setopt(client->requests, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(client->requests, CURLOPT_WRITEDATA, &received);
    CURLcode code = curl_easy_perform(client->requests);
    if (code == CURLE_OK)
        code = curl_easy_getinfo(client->requests, CURLINFO_RESPONSE_CODE, &status);
    if (code != CURLE_OK)
        unreachable(client, code, error);
    *reply = status != 0 && received.length > 0 ? json_loadb(received.text, received.length, 0, NULL) : NULL;
    free(received.text);
    return code == CURLE_OK ? (int)status : 0;
}

int lab_client_request(struct lab_client *client, const char *method, const char *path, const json_t *body,
                       json_t **reply, struct lab_error *error)
{
    static const char content_type[] = "Content-Type: application/json";
    struct curl_slist *headers = NULL;
    char *text = NULL;
    int status = 0;
    *reply = NULL;
    curl_easy_reset(client->requests);
    if (!prepare(client, client->requests, path) || (headers = curl_slist_append(NULL, content_type)) == NULL ||
        (body != NULL && (text = json_dumps(body, JSON_COMPACT)) == NULL)) {
        unreachable(client, CURLE_OUT_OF_MEMORY, error);
        goto out;
    }
    curl_easy_setopt(client->requests, CURLOPT_CUSTOMREQUEST, method);
    curl_easy_setopt(client->requests, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(client->requests, CURLOPT_TIMEOUT_MS, request_timeout_ms);
    if (strcmp(method, "GET") != 0)
        curl_easy_setopt(client->requests, CURLOPT_POSTFIELDS, text != NULL ? text : "");
    status = perform(client, reply, error);
out:
    free(text);
    curl_slist_free_all(headers);
    return status;
}

/* --- the event stream --------------------------------------------------------------------------------------------- */

static size_t receive_events(char *bytes, size_t size, size_t count, void *context)
{
    struct lab_client *client = context;
    return lab_sse_feed(client->sse, bytes, size * count) ? size * count : 0;
}

/* Receives the data of the event stream that have arrived; sets client->ended at the end of the stream. */
static void transfer(struct lab_client *client)
{
    int running = 0, left;
    if (curl_multi_perform(client->multi, &running) != CURLM_OK || running == 0)
        client->ended = true;
    while (curl_multi_info_read(client->multi, &left) != NULL)
        client->ended = true;
}

bool lab_client_wait(struct lab_client *client, int descriptor)
{
    struct curl_waitfd extra = {.fd = descriptor, .events = CURL_WAIT_POLLIN};
    curl_multi_poll(client->multi, &extra, descriptor >= 0 ? 1 : 0, wait_ms, NULL);
    transfer(client);
    return !client->ended;
}

void lab_client_close_stream(struct lab_client *client)
{
    if (client->stream != NULL && client->multi != NULL)
        curl_multi_remove_handle(client->multi, client->stream);
    curl_easy_cleanup(client->stream);
    curl_multi_cleanup(client->multi);
    client->stream = NULL;
    client->multi = NULL;
    client->ended = false;
}

bool lab_client_open_stream(struct lab_client *client, const char *path, struct lab_sse *sse, struct lab_error *error)
{
    long status = 0;
    lab_client_close_stream(client);
    client->sse = sse;
    client->stream = curl_easy_init();
    client->multi = curl_multi_init();
    if (client->stream == NULL || client->multi == NULL || !prepare(client, client->stream, path))
        return unreachable(client, CURLE_OUT_OF_MEMORY, error);
    curl_easy_setopt(client->stream, CURLOPT_WRITEFUNCTION, receive_events);
    curl_easy_setopt(client->stream, CURLOPT_WRITEDATA, client);
    if (curl_multi_add_handle(client->multi, client->stream) != CURLM_OK)
        return unreachable(client, CURLE_OUT_OF_MEMORY, error);
    transfer(client);
    for (int waited = 0; !client->ended && status == 0 && waited < request_timeout_ms; waited += wait_ms) {
        curl_multi_poll(client->multi, NULL, 0, wait_ms, NULL);
        transfer(client);
        curl_easy_getinfo(client->stream, CURLINFO_RESPONSE_CODE, &status);
    }
    if (status == 200)
        return true;
    return lab_error_set(error, "no-server", "", "The lab did not open an event stream (HTTP status %ld).", status);
}
