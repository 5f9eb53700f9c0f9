#include "support/http_client.h"

void client_sleep(double seconds)
{
    struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&time, NULL);
}

struct client client_of(int socket)
{
    assert_true(socket >= 0);
    char *buffer = malloc(CLIENT_BUFFER);
    assert_non_null(buffer);
    return (struct client){.socket = socket, .buffer = buffer};
}

int client_port(const struct lab_http *http)
{
    return atoi(strrchr(lab_http_address(http), ':') + 1);
}

struct client client_connect(const struct lab_http *http)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)client_port(http)),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(descriptor, (struct sockaddr *)&address, sizeof address), 0);
    return client_of(descriptor);
}

struct client client_connect_local(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(descriptor, (struct sockaddr *)&address, sizeof address), 0);
    return client_of(descriptor);
}

void client_close(struct client *client)
{
    close(client->socket);
    free(client->buffer);
}

bool client_send_bytes(const struct client *client, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t sent = send(client->socket, bytes, length, MSG_NOSIGNAL);
        if (sent < 0)
            return false;
        bytes += sent;
        length -= (size_t)sent;
    }
    return true;
}

bool client_send(const struct client *client, const char *text)
{
    return client_send_bytes(client, text, strlen(text));
}

int client_more(struct client *client, int wait_ms)
{
    struct pollfd state = {.fd = client->socket, .events = POLLIN};
    if (poll(&state, 1, wait_ms) <= 0)
        return -1;
    assert_true(client->length < CLIENT_BUFFER - 1);
    ssize_t got = recv(client->socket, client->buffer + client->length, CLIENT_BUFFER - 1 - client->length, 0);
    if (got <= 0)
        return 0;
    client->length += (size_t)got;
    client->buffer[client->length] = '\0';
    return 1;
}

void client_drop(struct client *client, size_t length)
{
    memmove(client->buffer, client->buffer + length, client->length - length + 1);
    client->length -= length;
}

bool client_ends(struct client *client, int wait_ms)
{
    double until = lab_clock_now() + wait_ms / 1e3;
    for (;;) {
        int left_ms = (int)((until - lab_clock_now()) * 1e3);
        int result = left_ms > 0 ? client_more(client, left_ms) : -1;
        if (result <= 0)
            return result == 0;
    }
}

bool client_sees(struct client *client, const char *text, int wait_ms)
{
    double until = lab_clock_now() + wait_ms / 1e3;
    while (client->length == 0 || strstr(client->buffer, text) == NULL) {
        int left_ms = (int)((until - lab_clock_now()) * 1e3);
        if (left_ms <= 0 || client_more(client, left_ms) <= 0)
            return client->length > 0 && strstr(client->buffer, text) != NULL;
    }
    return true;
}

const char *answer_header(const struct answer *answer, const char *name, char value[512])
{
    size_t length = strlen(name);
    for (const char *line = answer->headers; line != NULL && *line != '\0'; line = strstr(line, "\r\n")) {
        line += strncmp(line, "\r\n", 2) == 0 ? 2 : 0;
        if (strncasecmp(line, name, length) != 0 || line[length] != ':')
            continue;
        line += length + 1 + strspn(line + length + 1, " ");
        snprintf(value, 512, "%.*s", (int)strcspn(line, "\r"), line);
        return value;
    }
    return NULL;
}

struct answer client_answer(struct client *client, bool head)
{
    struct answer answer = {0};
    char value[512];
    const char *end;
    while (client->length == 0 || (end = strstr(client->buffer, "\r\n\r\n")) == NULL)
        if (client_more(client, CLIENT_TIMEOUT_MS) <= 0)
            return answer;
    size_t header_length = (size_t)(end - client->buffer) + 4;
    snprintf(answer.headers, sizeof answer.headers, "%.*s", (int)header_length, client->buffer);
    assert_int_equal(sscanf(answer.headers, "HTTP/1.1 %d ", &answer.status), 1);
    const char *text = answer_header(&answer, "Content-Length", value);
    bool bodiless = head || answer.status == 304 || answer.status == 204 || answer.status == 100;
    answer.length = text != NULL && !bodiless ? (size_t)strtoul(text, NULL, 10) : 0;
    while (client->length < header_length + answer.length)
        if (client_more(client, CLIENT_TIMEOUT_MS) <= 0)
            fail_msg("the body ended early");
    answer.body = calloc(1, answer.length + 1);
    assert_non_null(answer.body);
    memcpy(answer.body, client->buffer + header_length, answer.length);
    client_drop(client, header_length + answer.length);
    return answer;
}

struct answer client_ask(struct client *client, const char *request)
{
    client_send(client, request);
    return client_answer(client, strncmp(request, "HEAD ", 5) == 0);
}

struct answer ask(const struct lab_http *http, const char *request)
{
    struct client client = client_connect(http);
    struct answer answer = client_ask(&client, request);
    client_close(&client);
    return answer;
}

struct answer get(const struct lab_http *http, const char *target)
{
    char request[4096];
    snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", target);
    return ask(http, request);
}

struct answer post(const struct lab_http *http, const char *target, const char *body)
{
    char request[16384];
    snprintf(request, sizeof request,
             "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
             target, strlen(body), body);
    return ask(http, request);
}

void answer_free(struct answer *answer)
{
    free(answer->body);
    answer->body = NULL;
}

json_t *answer_problem(const struct answer *answer, int status, const char *code)
{
    char value[512], type[128];
    assert_int_equal(answer->status, status);
    assert_string_equal(answer_header(answer, "Content-Type", value), "application/problem+json");
    json_t *problem = json_loads(answer->body, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(problem);
    snprintf(type, sizeof type, "/problems/%s", code);
    assert_string_equal(json_string_value(json_object_get(problem, "type")), type);
    assert_int_equal(json_integer_value(json_object_get(problem, "status")), status);
    assert_true(json_is_string(json_object_get(problem, "title")));
    assert_true(json_is_string(json_object_get(problem, "detail")));
    assert_true(json_is_string(json_object_get(problem, "instance")));
    assert_true(json_is_array(json_object_get(problem, "errors")));
    return problem;
}

void expect_problem(struct answer answer, int status, const char *code)
{
    json_decref(answer_problem(&answer, status, code));
    answer_free(&answer);
}

void expect_status(struct answer answer, int status)
{
    assert_int_equal(answer.status, status);
    answer_free(&answer);
}
