/* The HTTP client of one gpulab server. */
#include "client.h"

#include "curl_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const long connect_timeout_ms = 5000, request_timeout_ms = 60000;
/* A transfer of a file ends when no byte has arrived for this long. */
static const long silence_limit_s = 120;
static const int wait_ms = 1000;

struct lab_client {
    char *base;          /* URL without a trailing slash: "http://localhost" */
    char *socket_path;   /* of the Unix socket; NULL: the client connects to `base` over TCP */
    char *authorization; /* the value of the header Authorization; NULL for none */
    CURL *requests;      /* handle for requests, one at a time, which keeps its connection open */
    CURL *stream;        /* handle of the event stream, added to `multi`; NULL: no stream is open */
    CURLM *multi;
    struct curl_slist *stream_headers;
    struct lab_sse *sse; /* parser of the event stream */
    bool ended;          /* the event stream has ended */
    bool polls;          /* lab_client_wait makes `reset` events, because the lab takes no connection for the stream */
};

/* The body of a response as far as it has arrived. */
struct received {
    CURL *handle;
    FILE *download; /* gets the bytes of a response with status 200; NULL: they are kept as well */
    bool failed;    /* `download` could not be written */
    char *text;
    size_t length;
};

struct lab_client *lab_client_create(const char *url, const char *socket_path, const char *token)
{
    struct lab_client *client = calloc(1, sizeof *client);
    if (client == NULL || curl_global_init(CURL_GLOBAL_DEFAULT) != 0) {
        free(client);
        return NULL;
    }
    client->base = strdup(url != NULL ? url : "http://localhost");
    client->socket_path = url == NULL ? strdup(socket_path) : NULL;
    client->requests = curl_easy_init();
    if (token != NULL && asprintf(&client->authorization, "Bearer %s", token) < 0)
        client->authorization = NULL;
    if (client->base == NULL || client->requests == NULL || (url == NULL && client->socket_path == NULL) ||
        (token != NULL && client->authorization == NULL)) {
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
    free(client->authorization);
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
    bool prepared = curl_easy_setopt(handle, CURLOPT_URL, url) == CURLE_OK && lab_curl_allow_http(handle) &&
                    lab_curl_trust(handle) && curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
                    curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, connect_timeout_ms) == CURLE_OK;
    if (prepared && client->socket_path != NULL)
        prepared = curl_easy_setopt(handle, CURLOPT_UNIX_SOCKET_PATH, client->socket_path) == CURLE_OK &&
                   curl_easy_setopt(handle, CURLOPT_PROXY, "") == CURLE_OK;
    free(url);
    return prepared;
}

static size_t keep(struct received *received, const char *bytes, size_t count)
{
    char *larger = realloc(received->text, received->length + count);
    if (larger == NULL)
        return 0;
    received->text = larger;
    memcpy(larger + received->length, bytes, count);
    received->length += count;
    return count;
}

static size_t receive(char *bytes, size_t size, size_t count, void *context)
{
    struct received *received = context;
    long status = 0;
    if (size * count == 0)
        return 0;
    curl_easy_getinfo(received->handle, CURLINFO_RESPONSE_CODE, &status);
    if (received->download == NULL || status != 200)
        return keep(received, bytes, size * count);
    size_t written = fwrite(bytes, 1, size * count, received->download);
    received->failed = written < size * count;
    return written;
}

static bool unreachable(const struct lab_client *client, CURLcode code, struct lab_error *error)
{
    return lab_error_set(error, LAB_ERROR_NO_SERVER, "", "No lab answers at %s: %s.",
                         client->socket_path != NULL ? client->socket_path : client->base, curl_easy_strerror(code));
}

/* Sends the request that is prepared in client->requests. Returns the HTTP status, or 0 with *error set when there is
 * no complete response. */
static int perform(struct lab_client *client, FILE *download, json_t **reply, struct lab_error *error)
{
    struct received received = {.handle = client->requests, .download = download};
    long status = 0;
    curl_easy_setopt(client->requests, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(client->requests, CURLOPT_WRITEDATA, &received);
    CURLcode code = curl_easy_perform(client->requests);
    if (code == CURLE_OK)
        code = curl_easy_getinfo(client->requests, CURLINFO_RESPONSE_CODE, &status);
    if (received.failed)
        lab_error_set(error, LAB_ERROR_OUTPUT, "", "The output cannot be written: %m.");
    else if (code != CURLE_OK)
        unreachable(client, code, error);
    *reply = status != 0 && received.length > 0 ? json_loadb(received.text, received.length, 0, NULL) : NULL;
    free(received.text);
    return code == CURLE_OK ? (int)status : 0;
}

static bool append_header(struct curl_slist **headers, const char *name, const char *value)
{
    char *line = NULL;
    if (value == NULL)
        return true;
    if (asprintf(&line, "%s: %s", name, value) < 0)
        return false;
    struct curl_slist *longer = curl_slist_append(*headers, line);
    free(line);
    if (longer != NULL)
        *headers = longer;
    return longer != NULL;
}

/* The headers of a request, for curl_slist_free_all; NULL when out of memory. */
static struct curl_slist *headers_of(const struct lab_client *client, const struct lab_call *call)
{
    struct curl_slist *headers = NULL;
    bool complete =
        append_header(&headers, "Content-Type", call->upload != NULL ? call->media_type : "application/json") &&
        append_header(&headers, "If-Match", call->if_match) &&
        append_header(&headers, "Authorization", client->authorization);
    if (complete)
        return headers;
    curl_slist_free_all(headers);
    return NULL;
}

/* Sets method, body and time limits of a request. `text` is the body where it is not a file. */
static void prepare_body(CURL *handle, const struct lab_call *call, const char *text)
{
    curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, call->method);
    if (call->upload != NULL) {
        curl_easy_setopt(handle, CURLOPT_UPLOAD, 1L);
        curl_easy_setopt(handle, CURLOPT_READDATA, call->upload);
    } else if (strcmp(call->method, "GET") != 0) {
        curl_easy_setopt(handle, CURLOPT_POSTFIELDS, text != NULL ? text : "");
    }
    if (call->upload == NULL && call->download == NULL) {
        curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, request_timeout_ms);
    } else {
        curl_easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, 1L);
        curl_easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, silence_limit_s);
    }
}

int lab_client_request(struct lab_client *client, const struct lab_call *call, json_t **reply, struct lab_error *error)
{
    struct curl_slist *headers = headers_of(client, call);
    char *text = call->body != NULL ? json_dumps(call->body, JSON_COMPACT) : NULL;
    int status = 0;
    *reply = NULL;
    curl_easy_reset(client->requests);
    if (headers == NULL || (call->body != NULL && text == NULL) || !prepare(client, client->requests, call->path)) {
        unreachable(client, CURLE_OUT_OF_MEMORY, error);
        goto out;
    }
    curl_easy_setopt(client->requests, CURLOPT_HTTPHEADER, headers);
    prepare_body(client->requests, call, text);
    status = perform(client, call->download, reply, error);
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
    if (client->polls)
        client->sse->event(client->sse->context, "reset", "{}");
    else
        transfer(client);
    return !client->ended;
}

void lab_client_close_stream(struct lab_client *client)
{
    if (client->stream != NULL && client->multi != NULL)
        curl_multi_remove_handle(client->multi, client->stream);
    curl_easy_cleanup(client->stream);
    curl_multi_cleanup(client->multi);
    curl_slist_free_all(client->stream_headers);
    client->stream_headers = NULL;
    client->stream = NULL;
    client->multi = NULL;
    client->ended = client->polls = false;
}

bool lab_client_open_stream(struct lab_client *client, const char *path, struct lab_sse *sse, struct lab_error *error)
{
    long status = 0;
    lab_client_close_stream(client);
    client->sse = sse;
    lab_sse_restart(sse);
    client->stream = curl_easy_init();
    client->multi = curl_multi_init();
    if (client->stream == NULL || client->multi == NULL || !prepare(client, client->stream, path) ||
        !append_header(&client->stream_headers, "Authorization", client->authorization) ||
        !append_header(&client->stream_headers, "Last-Event-ID", sse->last_id[0] != '\0' ? sse->last_id : NULL))
        return unreachable(client, CURLE_OUT_OF_MEMORY, error);
    curl_easy_setopt(client->stream, CURLOPT_HTTPHEADER, client->stream_headers);
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
    client->polls = status == 0 && client->socket_path != NULL;
    client->ended = client->ended && !client->polls;
    if (status == 200 || client->polls)
        return true;
    return lab_error_set(error, LAB_ERROR_NO_SERVER, "", "The lab did not open an event stream (HTTP status %ld).",
                         status);
}
