/* Static files as they are served. The files are the test's own; the API tests check that those of static/ are compiled
 * in.
 */
#include "support/http_client.h"
#include "support/test.h"

#define BYTES(text) (const unsigned char *)(text), NULL, sizeof(text) - 1, 0
#define BOTH(text, compressed)                                                                                         \
    (const unsigned char *)(text), (const unsigned char *)(compressed), sizeof(text) - 1, sizeof(compressed) - 1

const struct lab_asset lab_assets[] = {
    {"/index.html", "text/html; charset=utf-8", "aaa", BOTH("<!doctype html>", "zip"), false},
    {"/modules/app.js", "text/javascript; charset=utf-8", "bbb", BOTH("export {};", "zop"), false},
    {"/icon.svg", "image/svg+xml", "ccc", BYTES("<svg/>"), false},
    {"/bundle/app-X1.js", "text/javascript; charset=utf-8", "ddd", BOTH("1;", "z"), true},
    {0},
};

static void hello(const struct lab_request *request, struct lab_response *response)
{
    (void)request;
    lab_respond_text(response, 200, "text/plain", "hello", 5);
}

static const struct lab_route routes[] = {{.method = "GET", .pattern = "/healthz", .handle = hello},
                                          {.method = "POST", .pattern = "/api/v1/runs", .handle = hello},
                                          {0}};

static int start(void **state)
{
    struct lab_error error;
    const struct lab_http_options options = {.listen = "127.0.0.1:0", .routes = routes, .max_body_bytes = 1024};
    *state = lab_http_start(&options, &error);
    return *state != NULL ? 0 : -1;
}

static int stop(void **state)
{
    lab_http_stop(*state, 3.0);
    return 0;
}

AROUND_EACH_TEST(.setup = start, .teardown = stop)

static void expect_body(struct answer answer, const char *body)
{
    assert_int_equal(answer.status, 200);
    assert_string_equal(answer.body, body);
    answer_free(&answer);
}

TEST_WITH(test_paths, struct lab_http *http)
{
    static const char page[] = "<!doctype html>";
    static const struct {
        const char *target, *body;
    } found[] = {
        {"/", page},
        {"/index.html", page},
        {"/?theme=dark", page},
        {"/runs/0190f0c1-7a2b-7c3d-8e4f-5a6b7c8d9e0f", page},
        {"/runs/", page},
        {"/compare", page},
        {"/apiary", page},
        {"/modules/app.js", "export {};"},
        {"/modules/app.js?v=2", "export {};"},
        {"/icon.svg", "<svg/>"},
        {"/healthz", "hello"},
    };
    for (size_t i = 0; i < sizeof found / sizeof found[0]; i++)
        expect_body(get(http, found[i].target), found[i].body);
    static const char *const missing[] = {
        "/nothing.js",   "/modules/nothing.js", "/api",        "/api/", "/api/v1/nothing",
        "/icon.svg/x.y", "/modules/app.jsx",    "/favicon.ico"};
    for (size_t i = 0; i < sizeof missing / sizeof missing[0]; i++)
        expect_problem(get(http, missing[i]), 404, "not-found");
}

TEST_WITH(test_headers, struct lab_http *http)
{
    static const char *const headers[][2] = {
        {"Content-Type", "text/html; charset=utf-8"},
        {"ETag", "\"aaa\""},
        {"Cache-Control", "no-cache"},
        {"X-Content-Type-Options", "nosniff"},
        {"Referrer-Policy", "no-referrer"},
        {"Vary", "Accept-Encoding"},
        {"Content-Length", "15"},
    };
    char value[512];
    struct answer answer = get(http, "/");
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
        assert_string_equal(answer_header(&answer, headers[i][0], value), headers[i][1]);
    assert_non_null(answer_header(&answer, "Content-Security-Policy", value));
    static const char *const policies[] = {"default-src 'self'", "frame-ancestors 'none'", "base-uri 'none'",
                                           "form-action 'self'"};
    for (size_t i = 0; i < sizeof policies / sizeof policies[0]; i++)
        assert_non_null(strstr(value, policies[i]));
    assert_null(strstr(value, "unsafe"));
    answer_free(&answer);
}

TEST_WITH(test_kept, struct lab_http *http)
{
    char value[512];
    struct answer answer = get(http, "/bundle/app-X1.js");
    assert_string_equal(answer_header(&answer, "Cache-Control", value), "public, max-age=31536000, immutable");
    answer_free(&answer);
}

static struct answer get_as(const struct lab_http *http, const char *method, const char *target, const char *header)
{
    char request[512];
    snprintf(request, sizeof request, "%s %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n\r\n", method, target, header);
    return ask(http, request);
}

TEST_WITH(test_compressed, struct lab_http *http)
{
    static const struct {
        const char *header;
        bool gzip;
    } cases[] = {
        {"Accept-Encoding: gzip", true},
        {"Accept-Encoding: gzip, deflate, br, zstd", true},
        {"Accept-Encoding: br;q=1.0, GZIP;q=0.5", true},
        {"Accept-Encoding: x-gzip", true},
        {"Accept-Encoding: br", false},
        {"Accept-Encoding: gzip;q=0", false},
        {"Accept-Encoding: gzip; q=0.000, br", false},
        {"Accept-Encoding: identity", false},
        {"Accept-Encoding: notgzip", false},
        {"Accept-Encoding:", false},
        {"X: y", false},
    };
    char value[512];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct answer answer = get_as(http, "GET", "/modules/app.js", cases[i].header);
        assert_int_equal(answer.status, 200);
        assert_string_equal(answer.body, cases[i].gzip ? "zop" : "export {};");
        assert_int_equal(answer_header(&answer, "Content-Encoding", value) != NULL, cases[i].gzip);
        assert_string_equal(answer_header(&answer, "ETag", value), cases[i].gzip ? "\"bbb-gzip\"" : "\"bbb\"");
        assert_string_equal(answer_header(&answer, "Vary", value), "Accept-Encoding");
        answer_free(&answer);
    }
    expect_body(get_as(http, "GET", "/icon.svg", "Accept-Encoding: gzip"), "<svg/>");
}

TEST_WITH(test_not_modified, struct lab_http *http)
{
    expect_status(get_as(http, "GET", "/", "If-None-Match: \"aaa\""), 304);
    expect_status(get_as(http, "GET", "/runs/x", "If-None-Match: W/\"aaa\""), 304);
    expect_status(get_as(http, "HEAD", "/", "If-None-Match: \"aaa\""), 304);
    expect_status(get_as(http, "GET", "/", "If-None-Match: \"bbb\""), 200);
    expect_status(get_as(http, "GET", "/", "If-None-Match: \"aaa-gzip\""), 200);
    expect_status(get_as(http, "GET", "/", "Accept-Encoding: gzip\r\nIf-None-Match: \"aaa-gzip\""), 304);
    expect_status(get_as(http, "GET", "/", "Accept-Encoding: gzip\r\nIf-None-Match: \"aaa\""), 200);
}

TEST_WITH(test_other_methods, struct lab_http *http)
{
    char value[512];
    struct answer answer = get_as(http, "HEAD", "/", "X: y");
    assert_int_equal(answer.status, 200);
    assert_string_equal(answer_header(&answer, "Content-Length", value), "15");
    answer_free(&answer);
    answer = get_as(http, "DELETE", "/icon.svg", "X: y");
    json_decref(answer_problem(&answer, 405, "method-not-allowed"));
    assert_string_equal(answer_header(&answer, "Allow", value), "GET, HEAD");
    answer_free(&answer);
    expect_problem(get_as(http, "POST", "/healthz", "X: y"), 405, "method-not-allowed");
}
