/* The checks of a request: malformed ones, bodies of all lengths and framings, and slow clients.
 */
#include "support/http_client.h"
#include "support/test.h"

static int handled; /* calls of a handler; a rejected request must not cause one */

static void echo(const struct lab_request *request, struct lab_response *response)
{
    size_t length;
    const char *body = lab_request_body(request, &length);
    __atomic_fetch_add(&handled, 1, __ATOMIC_SEQ_CST);
    lab_respond_text(response, 200, "text/plain", body, length);
}

static void hello(const struct lab_request *request, struct lab_response *response)
{
    (void)request;
    __atomic_fetch_add(&handled, 1, __ATOMIC_SEQ_CST);
    lab_respond_text(response, 200, "text/plain", "hello", 5);
}

static const struct lab_route routes[] = {
    {.method = "GET", .pattern = "/hello", .query = lab_any_members, .handle = hello},
    {.method = "POST", .pattern = "/echo", .query = lab_any_members, .body = lab_raw_body, .handle = echo},
    {.method = "DELETE", .pattern = "/things/{id}", .handle = hello},
    {0},
};

enum { MAX_BODY = 64 * 1024 };

static int start(void **state)
{
    struct lab_error error;
    const struct lab_http_options options = {
        .listen = "127.0.0.1:0",
        .routes = routes,
        .max_body_bytes = MAX_BODY,
        .deadlines = {.header_s = 0.6, .body_s = 0.8, .idle_s = 2.0},
    };
    *state = lab_http_start(&options, &error);
    handled = 0;
    return *state != NULL ? 0 : -1;
}

static int stop(void **state)
{
    lab_http_stop(*state, 3.0);
    return 0;
}

AROUND_EACH_TEST(.setup = start, .teardown = stop)

#define HOST "Host: localhost\r\n"
#define JSON "Content-Type: application/json\r\n"

static const struct {
    const char *what, *request, *code;
    int status;
} rejected[] = {
    {"lengths that differ", "POST /echo HTTP/1.1\r\n" HOST JSON "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x",
     "repeated-header", 400},
    {"length and chunks",
     "POST /echo HTTP/1.1\r\n" HOST JSON "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
     "ambiguous-length", 400},
    {"chunks and length",
     "POST /echo HTTP/1.1\r\n" HOST JSON "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
     "ambiguous-length", 400},
    {"another coding", "POST /echo HTTP/1.1\r\n" HOST JSON "Transfer-Encoding: gzip\r\n\r\n{}",
     "unsupported-transfer-encoding", 400},
    {"a list of codings",
     "POST /echo HTTP/1.1\r\n" HOST JSON "Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
     "unsupported-transfer-encoding", 400},
    {"identity", "POST /echo HTTP/1.1\r\n" HOST JSON "Transfer-Encoding: identity\r\n\r\n{}",
     "unsupported-transfer-encoding", 400},
    {"chunked and a space",
     "POST /echo HTTP/1.1\r\n" HOST JSON "Transfer-Encoding: chunked \r\n\r\n2\r\n{}\r\n0\r\n\r\n",
     "unsupported-transfer-encoding", 400},
    {"two codings",
     "POST /echo HTTP/1.1\r\n" HOST JSON
     "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
     "repeated-header", 400},
    {"a space before the colon", "POST /echo HTTP/1.1\r\n" HOST JSON "Content-Length : 2\r\n\r\n{}", "malformed-header",
     400},
    {"a control character in a header", "GET /hello HTTP/1.1\r\n" HOST "X: a\x01z\r\n\r\n", "malformed-header", 400},
    {"a bare CR in a header", "GET /hello HTTP/1.1\r\n" HOST "X: a\rContent-Length: 4\r\n\r\n", "malformed-header",
     400},
    {"two types", "POST /echo HTTP/1.1\r\n" HOST JSON JSON "Content-Length: 2\r\n\r\n{}", "repeated-header", 400},
    {"no host", "GET /hello HTTP/1.1\r\n\r\n", "missing-host", 400},
    {"no host in 1.0", "GET /hello HTTP/1.0\r\n\r\n", "missing-host", 400},
    {"an empty host", "GET /hello HTTP/1.1\r\nHost:\r\n\r\n", "malformed-host", 400},
    {"two hosts", "GET /hello HTTP/1.1\r\n" HOST HOST "\r\n", "repeated-header", 400},
    {"a foreign host", "GET /hello HTTP/1.1\r\nHost: evil.example\r\n\r\n", "foreign-host", 403},
    {"a space in the target", "GET /hello you HTTP/1.1\r\n" HOST "\r\n", "malformed-target", 400},
    {"a tab in the target", "GET /hel\tlo HTTP/1.1\r\n" HOST "\r\n", "malformed-target", 400},
    {"an encoded NUL", "GET /hello%00 HTTP/1.1\r\n" HOST "\r\n", "malformed-target", 400},
    {"an encoded newline", "GET /hello%0a HTTP/1.1\r\n" HOST "\r\n", "malformed-target", 400},
    {"encoded dots", "GET /%2e%2e%2fetc HTTP/1.1\r\n" HOST "\r\n", "malformed-target", 400},
    {"encoded dots in a segment", "GET /x/%2e%2E/hello HTTP/1.1\r\n" HOST "\r\n", "malformed-target", 400},
    {"a dot segment", "GET /./hello HTTP/1.1\r\n" HOST "\r\n", "malformed-target", 400},
    {"dots at the end", "GET /hello/.. HTTP/1.1\r\n" HOST "\r\n", "malformed-target", 400},
    {"two slashes", "GET //hello HTTP/1.1\r\n" HOST "\r\n", "malformed-target", 400},
    {"an incomplete escape", "GET /hello%4 HTTP/1.1\r\n" HOST "\r\n", "malformed-target", 400},
    {"an escape that is not hexadecimal", "GET /hello%zz HTTP/1.1\r\n" HOST "\r\n", "malformed-target", 400},
    {"broken UTF-8", "GET /hello%ff HTTP/1.1\r\n" HOST "\r\n", "malformed-target", 400},
    {"an overlong slash", "GET /hello%c0%af HTTP/1.1\r\n" HOST "\r\n", "malformed-target", 400},
    {"a surrogate", "GET /hello?q=%ed%a0%80 HTTP/1.1\r\n" HOST "\r\n", "malformed-target", 400},
    {"NUL in the query", "GET /hello?q=%00 HTTP/1.1\r\n" HOST "\r\n", "malformed-target", 400},
    {"a fragment", "GET /hello#there HTTP/1.1\r\n" HOST "\r\n", "malformed-target", 400},
    {"no slash", "GET hello HTTP/1.1\r\n" HOST "\r\n", "malformed-target", 400},
    {"a star", "OPTIONS * HTTP/1.1\r\n" HOST "\r\n", "malformed-target", 400},
    {"an absolute target of a foreign host", "GET http://evil.example/hello HTTP/1.1\r\n" HOST "\r\n", "foreign-host",
     403},
    {"an unknown method", "BREW /hello HTTP/1.1\r\n" HOST "\r\n", "unknown-method", 501},
    {"a method in lower case", "get /hello HTTP/1.1\r\n" HOST "\r\n", "unknown-method", 501},
    {"TRACE", "TRACE /hello HTTP/1.1\r\n" HOST "\r\n", "method-not-allowed", 405},
    {"another type", "POST /echo HTTP/1.1\r\n" HOST "Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}",
     "unsupported-media-type", 415},
    {"no type", "POST /echo HTTP/1.1\r\n" HOST "Content-Length: 2\r\n\r\n{}", "unsupported-media-type", 415},
    {"a type with the same beginning",
     "POST /echo HTTP/1.1\r\n" HOST "Content-Type: application/jsonp\r\nContent-Length: 2\r\n\r\n{}",
     "unsupported-media-type", 415},
    {"another charset",
     "POST /echo HTTP/1.1\r\n" HOST "Content-Type: application/json; charset=latin1\r\nContent-Length: 2\r\n\r\n{}",
     "unsupported-media-type", 415},
    {"a compressed body", "POST /echo HTTP/1.1\r\n" HOST JSON "Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}",
     "unsupported-media-type", 415},
    {"a body without a type that the handler would not read",
     "DELETE /things/7 HTTP/1.1\r\n" HOST "Content-Length: 2\r\n\r\n{}", "unsupported-media-type", 415},
    {"a length too large", "POST /echo HTTP/1.1\r\n" HOST JSON "Content-Length: 65537\r\n\r\n", "body-too-large", 413},
};

TEST_WITH(test_rejected, struct lab_http *http)
{
    for (size_t i = 0; i < sizeof rejected / sizeof rejected[0]; i++) {
        struct client client = client_connect(http);
        struct answer answer = client_ask(&client, rejected[i].request);
        if (answer.status != rejected[i].status)
            printf("%s: %d\n", rejected[i].what, answer.status);
        expect_problem(answer, rejected[i].status, rejected[i].code);
        /* Bytes after the request are not read as another request. */
        assert_int_equal(client_more(&client, 20) > 0, 0);
        client_close(&client);
    }
    assert_int_equal(handled, 0);
}

/* Errors that libmicrohttpd detects: they are answered like others, once, and the connection is closed. */
TEST_WITH(test_rejected_by_libmicrohttpd, struct lab_http *http)
{
    static const struct {
        const char *request, *code;
        int status;
    } cases[] = {
        {"POST /echo HTTP/1.1\r\n" HOST JSON "Content-Length: two\r\n\r\n{}", "malformed-request", 400},
        {"POST /echo HTTP/1.1\r\n" HOST JSON "Content-Length: -1\r\n\r\n{}", "malformed-request", 400},
        {"POST /echo HTTP/1.1\r\n" HOST JSON "Content-Length: +2\r\n\r\n{}", "malformed-request", 400},
        {"POST /echo HTTP/1.1\r\n" HOST JSON "Content-Length: 2, 2\r\n\r\n{}", "malformed-request", 400},
        {"POST /echo HTTP/1.1\r\n" HOST JSON "Content-Length: 99999999999999999999\r\n\r\n{}", "body-too-large", 413},
        {"POST /echo HTTP/1.1\r\n" HOST JSON "Transfer-Encoding: chunked\r\n\r\nx\r\n{}\r\n0\r\n\r\n", "malformed-body",
         400},
        {"POST /echo HTTP/1.1\r\n" HOST JSON "Transfer-Encoding: chunked\r\n\r\n2\r\n{}abc\r\n0\r\n\r\n",
         "malformed-body", 400},
        {"POST /echo HTTP/1.1\r\n" HOST JSON "Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n{}\r\n0\r\n\r\n",
         "body-too-large", 413},
        {"GET /hello\r\n" HOST "\r\n", "malformed-request", 400},
        {"GET /hello HTTP/2.0\r\n" HOST "\r\n", "unsupported-version", 505},
        {"GET /hello HTTP/1.1\r\n" HOST "no colon\r\n\r\n", "malformed-request", 400},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct client client = client_connect(http);
        struct answer answer = client_ask(&client, cases[i].request);
        if (answer.status != cases[i].status)
            printf("%s: %d\n", cases[i].request, answer.status);
        expect_problem(answer, cases[i].status, cases[i].code);
        assert_true(client_ends(&client, 3000));
        assert_int_equal(client.length, 0);
        client_close(&client);
    }
    assert_int_equal(handled, 0);
}

/* libmicrohttpd closes the connection without an answer. */
TEST_WITH(test_no_request_line, struct lab_http *http)
{
    static const char *const requests[] = {"GARBAGE\r\n\r\n", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"};
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        struct client client = client_connect(http);
        client_send(&client, requests[i]);
        assert_true(client_ends(&client, 3000));
        client_close(&client);
    }
}

/* The path in a problem is that of the refused request, not of an earlier one. */
TEST_WITH(test_the_instance_of_an_error_of_libmicrohttpd, struct lab_http *http)
{
    static const char *const requests[] = {"GET /hello HTTP/2.0\r\n" HOST "\r\n",
                                           "GET /things HTTP/1.1\r\n" HOST "no colon\r\n\r\n"};
    static const char *const instances[] = {"", "/things"};
    for (size_t i = 0; i < 2; i++) {
        struct client client = client_connect(http);
        expect_status(client_ask(&client, "GET /hello HTTP/1.1\r\n" HOST "\r\n"), 200);
        struct answer answer = client_ask(&client, requests[i]);
        json_t *problem = json_loads(answer.body, 0, NULL);
        assert_string_equal(json_string_value(json_object_get(problem, "instance")), instances[i]);
        json_decref(problem);
        answer_free(&answer);
        client_close(&client);
    }
}

TEST_WITH(test_a_nul_in_the_target, struct lab_http *http)
{
    static const char request[] = "GET /hello\0/evil HTTP/1.1\r\n" HOST "\r\n";
    struct client client = client_connect(http);
    client_send_bytes(&client, request, sizeof request - 1);
    expect_problem(client_answer(&client, false), 400, "malformed-target");
    client_close(&client);
    assert_int_equal(handled, 0);
}

TEST_WITH(test_too_long, struct lab_http *http)
{
    enum { LONG = 65536 };
    char *request = malloc(LONG + 256);
    for (int in_path = 0; in_path < 2; in_path++) {
        strcpy(request, in_path ? "GET /" : "GET /hello HTTP/1.1\r\n" HOST "X-Long: ");
        size_t used = strlen(request);
        memset(request + used, 'x', LONG);
        strcpy(request + used + LONG, in_path ? " HTTP/1.1\r\n" HOST "\r\n" : "\r\n\r\n");
        struct client client = client_connect(http);
        expect_problem(client_ask(&client, request), in_path ? 414 : 431,
                       in_path ? "target-too-long" : "headers-too-large");
        assert_true(client_ends(&client, 3000));
        client_close(&client);
    }
    free(request);
    assert_int_equal(handled, 0);
}

TEST_WITH(test_accepted, struct lab_http *http)
{
    static const char *const requests[] = {
        "GET http://localhost/hello HTTP/1.1\r\n" HOST "\r\n",
        "GET /%68ello?a=%41&b HTTP/1.1\r\n" HOST "\r\n",
        "GET /hello?q=a%20b+c%C3%A4&q2=\xC3\xA4 HTTP/1.1\r\n" HOST "\r\n",
        "GET /hello HTTP/1.0\r\n" HOST "\r\n",
        "\r\nGET /hello HTTP/1.1\r\n" HOST "\r\n",
        "POST /echo HTTP/1.1\r\n" HOST "\r\n",
        "POST /echo HTTP/1.1\r\n" HOST "Content-Length: 0\r\n\r\n",
        "POST /echo HTTP/1.1\r\n" HOST
        "Content-Type: Application/JSON ; charset=\"UTF-8\"\r\nContent-Length: 2\r\n\r\n{}",
        "DELETE /things/a%2Fb HTTP/1.1\r\n" HOST "\r\n",
    };
    const int count = (int)(sizeof requests / sizeof requests[0]);
    for (int i = 0; i < count; i++) {
        struct answer answer = ask(http, requests[i]);
        if (answer.status != 200)
            fail_msg("%s: %d", requests[i], answer.status);
        answer_free(&answer);
    }
    assert_int_equal(handled, count);
}

TEST_WITH(test_a_connection_stays_open_after_errors, struct lab_http *http)
{
    static const char *const requests[] = {
        "GET /nothing.txt HTTP/1.1\r\n" HOST "\r\n",
        "GET /hello HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        "PUT /hello HTTP/1.1\r\n" HOST "\r\n",
        "BREW /hello HTTP/1.1\r\n" HOST "\r\n",
        "GET /../hello HTTP/1.1\r\n" HOST "\r\n",
        "HEAD /hello HTTP/1.1\r\n" HOST "\r\n",
        "HEAD /nothing.txt HTTP/1.1\r\n" HOST "\r\n",
        "POST /echo HTTP/1.1\r\n" HOST "Content-Type: text/plain\r\nContent-Length: 5\r\n\r\nGET /",
        "POST /nothing.txt HTTP/1.1\r\n" HOST JSON "Transfer-Encoding: chunked\r\n\r\n5\r\nGET /\r\n0\r\n\r\n",
        "POST /echo HTTP/1.1\r\n" HOST JSON "Content-Length: 4\r\n\r\nbody",
        "POST /echo HTTP/1.1\r\n" HOST JSON
        "Transfer-Encoding: chunked\r\n\r\n2;x=y\r\nbo\r\n2\r\ndy\r\n0\r\nTrailer: x\r\n\r\n",
    };
    static const int statuses[] = {404, 403, 405, 501, 400, 200, 404, 415, 404, 200, 200};
    struct client client = client_connect(http);
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        struct answer answer = client_ask(&client, requests[i]);
        if (answer.status != statuses[i])
            fail_msg("%s: %d", requests[i], answer.status);
        if (i >= 9)
            assert_string_equal(answer.body, "body");
        answer_free(&answer);
    }
    /* The same requests, all sent before the first response is read. */
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++)
        client_send(&client, requests[i]);
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++)
        expect_status(client_answer(&client, strncmp(requests[i], "HEAD", 4) == 0), statuses[i]);
    client_close(&client);
}

TEST_WITH(test_head_has_the_length_of_get, struct lab_http *http)
{
    char value[512];
    struct answer answer = ask(http, "HEAD /hello HTTP/1.1\r\n" HOST "\r\n");
    assert_int_equal(answer.status, 200);
    assert_string_equal(answer_header(&answer, "Content-Length", value), "5");
    answer_free(&answer);
}

/* A client that sends its whole body before it reads still gets the 413. */
TEST_WITH(test_too_large, struct lab_http *http)
{
    enum { SENT = 8 << 20, PIECE = 64 * 1024 };
    char *piece = malloc(PIECE + 16);
    for (int chunked = 0; chunked < 2; chunked++) {
        struct client client = client_connect(http);
        char head[256];
        snprintf(head, sizeof head, "POST /echo HTTP/1.1\r\n" HOST JSON "%s%.0d\r\n\r\n",
                 chunked ? "Transfer-Encoding: chunked" : "Content-Length: 8388608", 0);
        client_send(&client, head);
        size_t framing = chunked ? strlen("10000\r\n") : 0;
        memcpy(piece, "10000\r\n", framing);
        memset(piece + framing, 'x', PIECE);
        memcpy(piece + framing + PIECE, "\r\n", 2);
        for (int sent = 0; sent < SENT; sent += PIECE)
            assert_true(client_send_bytes(&client, piece, PIECE + framing + (chunked ? 2 : 0)));
        expect_problem(client_answer(&client, false), 413, "body-too-large");
        assert_true(client_ends(&client, 5000));
        client_close(&client);
    }
    free(piece);
    assert_int_equal(handled, 0);
}

TEST_WITH(test_the_largest_body, struct lab_http *http)
{
    char *request = malloc(MAX_BODY + 256);
    int used = sprintf(request, "POST /echo HTTP/1.1\r\n" HOST JSON "Content-Length: %d\r\n\r\n", MAX_BODY);
    memset(request + used, 'x', MAX_BODY);
    request[used + MAX_BODY] = '\0';
    struct answer answer = ask(http, request);
    assert_int_equal(answer.status, 200);
    assert_int_equal(answer.length, MAX_BODY);
    answer_free(&answer);
    free(request);
}

TEST_WITH(test_expect, struct lab_http *http)
{
    struct client client = client_connect(http);
    client_send(&client, "POST /echo HTTP/1.1\r\n" HOST JSON "Expect: 100-continue\r\nContent-Length: 4\r\n\r\n");
    expect_status(client_answer(&client, false), 100);
    client_send(&client, "body");
    expect_status(client_answer(&client, false), 200);
    /* The request is rejected before the client sends its body. */
    client_send(&client,
                "POST /echo HTTP/1.1\r\n" HOST JSON "Expect: 100-continue\r\nContent-Length: 99999999\r\n\r\n");
    expect_problem(client_answer(&client, false), 413, "body-too-large");
    assert_true(client_ends(&client, 3000));
    client_close(&client);
    expect_problem(ask(http, "POST /echo HTTP/1.1\r\n" HOST "Expect: 100-continue\r\nContent-Length: 4\r\n\r\n"), 415,
                   "unsupported-media-type");
}

/* Single bytes do not keep a connection open: the deadlines are absolute. */
TEST_WITH(test_slow_clients, struct lab_http *http)
{
    static const char *const begun[] = {
        "",
        "GET /hel",
        "GET /hello HTTP/1.1\r\n" HOST "X-Slow: ",
        "POST /echo HTTP/1.1\r\n" HOST JSON "Content-Length: 1000\r\n\r\n",
        "POST /echo HTTP/1.1\r\n" HOST JSON "Transfer-Encoding: chunked\r\n\r\n3e8\r\n",
    };
    enum { CLIENTS = sizeof begun / sizeof begun[0] };
    struct client clients[CLIENTS];
    bool ended[CLIENTS] = {false};
    double began = lab_clock_now();
    for (int i = 0; i < CLIENTS; i++) {
        clients[i] = client_connect(http);
        client_send(&clients[i], begun[i]);
    }
    for (int left = CLIENTS; left > 0;) {
        assert_true(lab_clock_now() - began < 5);
        for (int i = 0; i < CLIENTS; i++) {
            if (ended[i])
                continue;
            bool alive = (i == 0 || client_send(&clients[i], "x")) && !client_ends(&clients[i], 20);
            ended[i] = !alive;
            left -= ended[i] ? 1 : 0;
        }
    }
    assert_true(lab_clock_now() - began > 0.5);
    for (int i = 0; i < CLIENTS; i++)
        client_close(&clients[i]);
    assert_int_equal(handled, 0);
    expect_status(get(http, "/hello"), 200);
}

TEST_WITH(test_an_idle_connection_ends, struct lab_http *http)
{
    struct client client = client_connect(http);
    expect_status(client_ask(&client, "GET /hello HTTP/1.1\r\n" HOST "\r\n"), 200);
    assert_false(client_ends(&client, 1000));
    assert_true(client_ends(&client, 4000));
    client_close(&client);
}
