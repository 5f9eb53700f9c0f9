/* Host must name this server, and a write from a browser must come from the server's own page. */
#include "support/http_client.h"
#include "support/test.h"

static void hello(const struct lab_request *request, struct lab_response *response)
{
    (void)request;
    lab_respond_text(response, 200, "text/plain", "hello", 5);
}

static void write_origin(const struct lab_request *request, struct lab_response *response)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    lab_request_write_origin(request, out);
    fclose(out);
    lab_respond_text(response, 200, "text/plain", text, length);
    free(text);
}

static const struct lab_route routes[] = {
    {.method = "GET", .pattern = "/origin", .handle = write_origin},
    {.method = "GET", .pattern = "/hello", .query = lab_any_members, .handle = hello},
    {.method = "POST", .pattern = "/hello", .handle = hello},
    {.method = "PUT", .pattern = "/hello", .handle = hello},
    {.method = "PATCH", .pattern = "/hello", .handle = hello},
    {.method = "DELETE", .pattern = "/hello", .handle = hello},
    {0},
};

static int start_at(void **state, const char *address)
{
    static const char *const allowed[] = {"lab.example", "proxy.example:8443", NULL};
    struct lab_error error;
    const struct lab_http_options options = {
        .listen = address, .routes = routes, .max_body_bytes = 1024, .allow_hosts = allowed};
    *state = lab_http_start(&options, &error);
    return *state != NULL ? 0 : -1;
}

static int start(void **state)
{
    return start_at(state, "127.0.0.1:0");
}

static int stop(void **state)
{
    lab_http_stop(*state, 3.0);
    return 0;
}

static int status_of(const struct lab_http *http, const char *method, const char *host, const char *origin)
{
    char request[1024];
    snprintf(request, sizeof request, "%s /hello HTTP/1.1\r\nHost: %s\r\n%s%s%s\r\n", method, host,
             origin != NULL ? "Origin: " : "", origin != NULL ? origin : "", origin != NULL ? "\r\n" : "");
    struct answer answer = ask(http, request);
    int status = answer.status;
    answer_free(&answer);
    return status;
}

TEST_WITH(test_origin_of_addresses, struct lab_http *http, .setup = start, .teardown = stop)
{
    static const struct {
        const char *headers, *origin;
    } cases[] = {
        {"Host: lab.example", "http://lab.example"},
        {"Host: proxy.example:8443", "http://proxy.example:8443"},
        {"Host: lab.example:81\r\nX-Forwarded-Proto: https", "https://lab.example:81"},
        {"Host: lab.example\r\nX-Forwarded-Proto: javascript", "http://lab.example"},
        {"Host: lab.example\r\nX-Forwarded-Host: evil.example", "http://lab.example"},
        {"Host: localhost:8080", "http://lab.example"}, /* a proxy asks by its own name */
        {"Host: 127.0.0.1", "http://lab.example"},
    };
    char request[256];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(request, sizeof request, "GET /origin HTTP/1.1\r\n%s\r\n\r\n", cases[i].headers);
        struct answer answer = ask(http, request);
        assert_int_equal(answer.status, 200);
        assert_string_equal(answer.body, cases[i].origin);
        answer_free(&answer);
    }
}

TEST_WITH(test_hosts, struct lab_http *http, .setup = start, .teardown = stop)
{
    static const struct {
        const char *host;
        int status;
    } cases[] = {
        {"localhost", 200},
        {"LocalHost:9000", 200},
        {"a\"><b>x.localhost", 400},
        {"a b.localhost", 400},
        {"[::1\"]", 400},
        {"gpulab.localhost", 200},
        {"127.0.0.1", 200},
        {"127.0.0.1:1", 200},
        {"127.3.2.1:65535", 200},
        {"[::1]", 200},
        {"[::1]:8080", 200},
        {"[0:0:0:0:0:0:0:1]", 200},
        {"lab.example", 200},
        {"LAB.example:80", 200},
        {"proxy.example:8443", 200},
        {"proxy.example", 403},
        {"proxy.example:8444", 403},
        {"evil.example", 403},
        {"localhost.evil.example", 403},
        {"evillocalhost", 403},
        {".localhost", 403},
        {"127.0.0.1.evil.example", 403},
        {"128.0.0.1", 403},
        {"192.0.2.7", 403},
        {"[::2]", 403},
        {"::1", 400},
        {"[::1", 400},
        {"[::1]x", 400},
        {"[]", 400},
        {":80", 400},
        {"localhost:", 200},
        {"localhost:x", 400},
        {"localhost:123456", 400},
        {"localhost evil", 400},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int status = status_of(http, "GET", cases[i].host, NULL);
        if (status != cases[i].status)
            fail_msg("%s: %d", cases[i].host, status);
    }
}

/* Reads with a foreign Host are rejected too, those of static files included. */
TEST_WITH(test_reads_with_a_foreign_host, struct lab_http *http, .setup = start, .teardown = stop)
{
    expect_problem(ask(http, "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"), 403, "foreign-host");
    expect_problem(ask(http, "GET /nothing.txt HTTP/1.1\r\nHost: evil.example\r\n\r\n"), 403, "foreign-host");
}

TEST_WITH(test_origins, struct lab_http *http, .setup = start, .teardown = stop)
{
    static const char *const writes[] = {"POST", "PUT", "PATCH", "DELETE"};
    static const struct {
        const char *host, *origin;
        int status;
    } cases[] = {
        {"localhost:8080", NULL, 200},
        {"localhost:8080", "http://localhost:8080", 200},
        {"localhost:8080", "http://LOCALHOST:8080", 200},
        {"lab.example", "https://lab.example", 200},
        {"localhost:8080", "http://localhost:3000", 403},
        {"localhost:8080", "http://127.0.0.1:8080", 403},
        {"localhost:8080", "http://localhost:8080.evil.example", 403},
        {"localhost:8080", "http://evil.example", 403},
        {"localhost:8080", "null", 403},
        {"localhost:8080", "localhost:8080", 403},
        {"localhost:8080", "file://localhost:8080", 403},
        {"localhost:8080", "", 403},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (size_t m = 0; m < sizeof writes / sizeof writes[0]; m++) {
            int status = status_of(http, writes[m], cases[i].host, cases[i].origin);
            if (status != cases[i].status)
                fail_msg("%s %s %s: %d", writes[m], cases[i].host, cases[i].origin, status);
        }
        /* A browser lets a page of another origin send a GET, but not read the response. */
        assert_int_equal(status_of(http, "GET", cases[i].host, cases[i].origin), 200);
    }
}

TEST_WITH(test_a_foreign_origin_gets_a_problem_document, struct lab_http *http, .setup = start, .teardown = stop)
{
    expect_problem(ask(http, "POST /hello HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\n\r\n"), 403,
                   "foreign-origin");
}

/* The address that a client connected to is allowed as Host. */
TEST(test_own_address)
{
    void *http;
    assert_int_equal(start_at(&http, "0.0.0.0:0"), 0);
    assert_int_equal(status_of(http, "GET", "127.0.0.1", NULL), 200);
    assert_int_equal(status_of(http, "GET", "192.0.2.7", NULL), 403);
    assert_int_equal(status_of(http, "GET", "0.0.0.0", NULL), 403);
    stop(&http);
}
