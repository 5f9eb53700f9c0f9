/* Bodies that are too large for memory: they arrive whole in a temporary file, with their own Content-Type and limit.
 */
#include "support/http_client.h"
#include "support/test.h"

#include <dirent.h>

enum { MEMORY_MAX = 64 * 1024, FILE_MAX = 8 << 20 };

static int handled; /* calls of a handler */

/* Byte `at` of a body. */
static char byte_at(size_t at)
{
    return (char)('a' + at % 23 + at / 65536 % 3);
}

/* Answers with the length of the file, or 500 when a byte is wrong. */
static void import(const struct lab_request *request, struct lab_response *response)
{
    FILE *file = lab_request_body_file(request);
    char text[32];
    size_t length = 0;
    handled++;
    for (int byte; (byte = fgetc(file)) != EOF; length++)
        if (byte != byte_at(length))
            return;
    lab_respond_text(response, 200, "text/plain", text, (size_t)snprintf(text, sizeof text, "%zu", length));
}

static void in_memory(const struct lab_request *request, struct lab_response *response)
{
    handled++;
    if (lab_request_body_file(request) == NULL)
        lab_respond_empty(response, 204);
}

static const struct lab_route routes[] = {
    {.method = "POST",
     .pattern = "/import",
     .thread = LAB_ROUTE_WRITES,
     .body = lab_raw_body,
     .body_type = "application/x-ndjson",
     .body_max = FILE_MAX,
     .handle = import},
    {.method = "POST", .pattern = "/memory", .body = lab_raw_body, .handle = in_memory},
    {0},
};

static char folder[] = "/tmp/test_http_body_file.XXXXXX";

static int start_in(void **state, const char *spool)
{
    struct lab_error error;
    const struct lab_http_options options = {
        .listen = "127.0.0.1:0", .routes = routes, .max_body_bytes = MEMORY_MAX, .spool_folder = spool};
    handled = 0;
    *state = lab_http_start(&options, &error);
    return *state != NULL ? 0 : -1;
}

static int start(void **state)
{
    return start_in(state, folder);
}

static int start_without_folder(void **state)
{
    return start_in(state, "/nonexistent");
}

static int stop(void **state)
{
    return lab_http_stop(*state, 3.0) ? 0 : -1;
}

/* Sends a body of `length` bytes, in chunks of `chunk` bytes unless it is 0, and reads the response. */
static struct answer import_bytes(struct client *client, size_t length, size_t chunk)
{
    char head[256], size[32];
    char *body = malloc(length + 1);
    for (size_t i = 0; i < length; i++)
        body[i] = byte_at(i);
    snprintf(size, sizeof size, chunk > 0 ? "Transfer-Encoding: chunked" : "Content-Length: %zu", length);
    snprintf(head, sizeof head,
             "POST /import HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n%s\r\n\r\n", size);
    client_send(client, head);
    for (size_t at = 0; at<length; at += chunk> 0 ? chunk : length) {
        size_t part = chunk > 0 && length - at > chunk ? chunk : length - at;
        if (chunk > 0) {
            snprintf(size, sizeof size, "%zx\r\n", part);
            client_send(client, size);
        }
        client_send_bytes(client, body + at, part);
        if (chunk > 0)
            client_send(client, "\r\n");
    }
    if (chunk > 0)
        client_send(client, "0\r\n\r\n");
    free(body);
    return client_answer(client, false);
}

TEST_WITH(test_bodies_arrive_whole, struct lab_http *http, .setup = start, .teardown = stop)
{
    static const size_t lengths[] = {0, 1, 262143, 262144, 262145, 3000000, FILE_MAX}, chunks[] = {0, 1000000, 70000};
    struct client client = client_connect(http); /* all on one connection */
    for (size_t c = 0; c < sizeof chunks / sizeof chunks[0]; c++) {
        for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
            struct answer answer = import_bytes(&client, lengths[i], chunks[c]);
            char expected[32];
            snprintf(expected, sizeof expected, "%zu", lengths[i]);
            assert_int_equal(answer.status, 200);
            assert_string_equal(answer.body, expected);
            answer_free(&answer);
        }
    }
    client_close(&client);
}

TEST_WITH(test_the_limit_is_that_of_the_route, struct lab_http *http, .setup = start, .teardown = stop)
{
    struct client client = client_connect(http);
    expect_problem(import_bytes(&client, FILE_MAX + 1, 1000000), 413, "body-too-large");
    assert_true(client_ends(&client, 5000));
    client_close(&client);
    char head[256];
    snprintf(head, sizeof head,
             "POST /import HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n"
             "Content-Length: %d\r\n\r\n",
             FILE_MAX + 1);
    expect_problem(ask(http, head), 413, "body-too-large");
    snprintf(head, sizeof head,
             "POST /memory HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n",
             MEMORY_MAX + 1);
    expect_problem(ask(http, head), 413, "body-too-large");
    expect_status(post(http, "/memory", "{}"), 204);
    assert_int_equal(handled, 1);
}

TEST_WITH(test_the_type_is_that_of_the_route, struct lab_http *http, .setup = start, .teardown = stop)
{
    expect_problem(post(http, "/import", "{}"), 415, "unsupported-media-type");
    expect_problem(ask(http,
                       "POST /memory HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n"
                       "Content-Length: 2\r\n\r\n{}"),
                   415, "unsupported-media-type");
    assert_int_equal(handled, 0);
}

TEST_WITH(test_a_file_that_cannot_be_written, struct lab_http *http, .setup = start_without_folder, .teardown = stop)
{
    static const size_t lengths[] = {10, 1 << 20};
    for (size_t i = 0; i < 2; i++) {
        struct client client = client_connect(http);
        expect_problem(import_bytes(&client, lengths[i], 0), 503, "no-space");
        expect_status(client_ask(&client, "POST /memory HTTP/1.1\r\nHost: localhost\r\n\r\n"), 204);
        client_close(&client);
    }
    assert_int_equal(handled, 2);
}

static int count_files(void)
{
    DIR *directory = opendir(folder);
    int count = -2; /* . and .. */
    assert_non_null(directory);
    while (readdir(directory) != NULL)
        count++;
    closedir(directory);
    return count;
}

/* A client that leaves in the middle: nothing stays, neither a file nor a connection. */
TEST_WITH(test_a_client_that_leaves, struct lab_http *http, .setup = start, .teardown = stop)
{
    static char bytes[1 << 20];
    struct client client = client_connect(http);
    client_send(&client,
                "POST /import HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n"
                "Content-Length: 8000000\r\n\r\n");
    client_send_bytes(&client, bytes, sizeof bytes);
    assert_int_equal(count_files(), 0); /* it has no name */
    client_close(&client);
    struct lab_http_counts counts = {.connections = 1};
    for (double until = lab_clock_now() + 10; counts.connections > 0 && lab_clock_now() < until; client_sleep(0.01))
        lab_http_counts(http, &counts);
    assert_int_equal(counts.connections, 0);
    assert_int_equal(handled, 0);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

AROUND_EACH_TEST(.setup = make_folder, .teardown = remove_folder)
