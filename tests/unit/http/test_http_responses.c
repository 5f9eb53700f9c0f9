/* Routes, what a handler reads from a request, and its responses: problems, JSON, entity tags, the cache. */
#include "support/http_client.h"
#include "support/test.h"

struct counters {
    int made; /* bodies made for the cache */
    char tag[32];
};

static struct counters *counters_of(const struct lab_request *request)
{
    return lab_request_context(request);
}

/* A handler that responds with the parts and parameters that it reads from the request. */
static void show(const struct lab_request *request, struct lab_response *response)
{
    const char *q = lab_request_query(request, "q"), *agent = lab_request_header(request, "user-AGENT");
    const char *part = lab_request_part(request, "id"), *step = lab_request_part(request, "step");
    lab_respond_json(response, 200,
                     json_pack("{s:s, s:s?, s:s?, s:s?, s:s?}", "path", lab_request_path(request), "id", part, "step",
                               step, "q", q, "agent", agent));
}

static void cached(const struct lab_request *request, struct lab_response *response)
{
    struct counters *counters = counters_of(request);
    char body[256];
    if (strcmp(lab_request_path(request), "/api/v1/cached/none") == 0) {
        lab_respond_problem(response, LAB_ERROR_NOT_FOUND, NULL, NULL);
        return;
    }
    __atomic_fetch_add(&counters->made, 1, __ATOMIC_SEQ_CST);
    snprintf(body, sizeof body, "%s %s", lab_request_path(request), counters->tag);
    lab_respond_header(response, "Link", "</next>; rel=\"next\"");
    lab_respond_json(response, 200, json_pack("{s:s}", "body", body));
}

static void write_tag(const struct lab_request *request, char tag[LAB_CACHE_TAG_SIZE])
{
    snprintf(tag, LAB_CACHE_TAG_SIZE, "%s", counters_of(request)->tag);
}

static void cached_large(const struct lab_request *request, struct lab_response *response)
{
    enum { LARGE = 1 << 20 };
    __atomic_fetch_add(&counters_of(request)->made, 1, __ATOMIC_SEQ_CST);
    char *text = malloc(LARGE + 1);
    memset(text, 'x', LARGE);
    text[LARGE] = '\0';
    lab_respond_json(response, 200, json_pack("{s:s}", "body", text));
    free(text);
}

static void created(const struct lab_request *request, struct lab_response *response)
{
    (void)request;
    lab_respond_header(response, "Location", "/api/v1/things/7");
    lab_respond_empty(response, 202);
}

static void csv(const struct lab_request *request, struct lab_response *response)
{
    (void)request;
    lab_respond_header(response, "Cache-Control", "max-age=60");
    lab_respond_text(response, 200, "text/csv", "a,b\n", 4);
}

static void no_response(const struct lab_request *request, struct lab_response *response)
{
    (void)request;
    (void)response;
}

static void many_errors(const struct lab_request *request, struct lab_response *response)
{
    (void)request;
    struct lab_errors errors = {0};
    for (int i = 0; i < LAB_ERRORS_MAX + 3; i++)
        lab_errors_add(&errors, LAB_ERROR_OUT_OF_BOUNDS, "/parameters/x", "Error %d.", i);
    lab_respond_problem(response, LAB_ERROR_INVALID_REQUEST, "The request is not valid.", &errors);
}

static const struct lab_route routes[] = {
    {.method = "GET", .pattern = "/api/v1/things", .query = lab_any_members, .handle = show},
    {.method = "GET", .pattern = "/api/v1/things/{id}", .query = lab_any_members, .handle = show},
    {.method = "PUT", .pattern = "/api/v1/things/{id}", .handle = show},
    {.method = "DELETE", .pattern = "/api/v1/things/{id}", .handle = show},
    {.method = "GET", .pattern = "/api/v1/things/{id}/steps/{step}", .query = lab_any_members, .handle = show},
    {.method = "GET", .pattern = "/api/v1/things/{id}/measurements.csv", .handle = csv},
    {.method = "POST", .pattern = "/api/v1/created", .handle = created},
    {.method = "GET", .pattern = "/api/v1/cached", .query = lab_any_members, .handle = cached, .cache_tag = write_tag},
    {.method = "GET",
     .pattern = "/api/v1/cached/{id}",
     .thread = LAB_ROUTE_READS,
     .handle = cached,
     .cache_tag = write_tag},
    {.method = "GET", .pattern = "/api/v1/large", .handle = cached_large, .cache_tag = write_tag},
    {.method = "GET", .pattern = "/api/v1/silent", .handle = no_response},
    {.method = "GET", .pattern = "/api/v1/errors", .handle = many_errors},
    {0},
};

static struct counters counters;

static int start(void **state)
{
    struct lab_error error;
    counters = (struct counters){.tag = "tag-1"};
    const struct lab_http_options options = {
        .listen = "127.0.0.1:0", .routes = routes, .max_body_bytes = 16384, .context = &counters};
    *state = lab_http_start(&options, &error);
    return *state != NULL ? 0 : -1;
}

static int stop(void **state)
{
    lab_http_stop(*state, 3.0);
    return 0;
}

AROUND_EACH_TEST(.setup = start, .teardown = stop)

static json_t *json_of(struct answer answer)
{
    assert_int_equal(answer.status, 200);
    json_t *json = json_loads(answer.body, 0, NULL);
    assert_non_null(json);
    answer_free(&answer);
    return json;
}

static void expect_member(const json_t *object, const char *name, const char *value)
{
    const char *found = json_string_value(json_object_get(object, name));
    if (value == NULL)
        assert_null(found);
    else
        assert_string_equal(found, value);
}

TEST_WITH(test_parts_and_queries, struct lab_http *http)
{
    static const struct {
        const char *target, *path, *id, *step, *q;
    } cases[] = {
        {"/api/v1/things", "/api/v1/things", NULL, NULL, NULL},
        {"/api/v1/things/7?q=x", "/api/v1/things/7", "7", NULL, "x"},
        {"/api/v1/things/a%2Fb%20c/steps/tiled-8?q=", "/api/v1/things/a%2Fb%20c/steps/tiled-8", "a/b c", "tiled-8", ""},
        {"/api/v1/things/%C3%A4?x=1&&q=a+b%2B%26&q=second", "/api/v1/things/%C3%A4", "\xC3\xA4", NULL, "a b+&"},
        {"/api/v1/things/7?q", "/api/v1/things/7", "7", NULL, ""},
        {"/api/v1/things/7?", "/api/v1/things/7", "7", NULL, NULL},
        {"/api/v1/things/7?q==?", "/api/v1/things/7", "7", NULL, "=?"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        json_t *seen = json_of(get(http, cases[i].target));
        expect_member(seen, "path", cases[i].path);
        expect_member(seen, "id", cases[i].id);
        expect_member(seen, "step", cases[i].step);
        expect_member(seen, "q", cases[i].q);
        json_decref(seen);
    }
    json_t *seen = json_of(ask(http, "GET /api/v1/things HTTP/1.1\r\nHost: localhost\r\nUser-Agent: me\r\n\r\n"));
    expect_member(seen, "agent", "me");
    json_decref(seen);
}

TEST_WITH(test_no_route, struct lab_http *http)
{
    static const char *const targets[] = {
        "/api",
        "/api/v1/nothing",
        "/api/v1/things/",
        "/api/v1/things/7/",
        "/api/v1/thing",
        "/api/v1/things/7/steps/",
        "/api/v1/things/7/8",
        "/nothing.txt",
        "/api/v1/thingsx",
        "/api/v1/things%2F7/steps",
        "/api/v1/things/7/x/y/z/w",
    };
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++)
        expect_problem(get(http, targets[i]), 404, "not-found");
    struct answer answer = get(http, "/api/v1/nothing?x=1");
    json_t *problem = answer_problem(&answer, 404, "not-found");
    expect_member(problem, "instance", "/api/v1/nothing");
    expect_member(problem, "title", "Not found");
    json_decref(problem);
    answer_free(&answer);
}

TEST_WITH(test_other_methods, struct lab_http *http)
{
    char allow[512];
    struct answer answer = post(http, "/api/v1/things/7", "{}");
    json_decref(answer_problem(&answer, 405, "method-not-allowed"));
    assert_string_equal(answer_header(&answer, "Allow", allow), "GET, HEAD, PUT, DELETE");
    answer_free(&answer);
    answer = get(http, "/api/v1/created");
    json_decref(answer_problem(&answer, 405, "method-not-allowed"));
    assert_string_equal(answer_header(&answer, "Allow", allow), "POST");
    answer_free(&answer);
    expect_problem(ask(http, "OPTIONS /api/v1/things HTTP/1.1\r\nHost: localhost\r\n\r\n"), 405, "method-not-allowed");
    expect_problem(ask(http, "PROPFIND /api/v1/things HTTP/1.1\r\nHost: localhost\r\n\r\n"), 501, "unknown-method");
}

TEST_WITH(test_simple_responses, struct lab_http *http)
{
    char value[512];
    struct answer answer = post(http, "/api/v1/created", "{}");
    assert_int_equal(answer.status, 202);
    assert_string_equal(answer_header(&answer, "Location", value), "/api/v1/things/7");
    assert_string_equal(answer_header(&answer, "Content-Length", value), "0");
    answer_free(&answer);
    answer = get(http, "/api/v1/things");
    assert_string_equal(answer_header(&answer, "Content-Type", value), "application/json");
    assert_string_equal(answer_header(&answer, "X-Content-Type-Options", value), "nosniff");
    assert_string_equal(answer_header(&answer, "Cache-Control", value), "no-cache");
    answer_free(&answer);
    expect_problem(get(http, "/api/v1/silent"), 500, "no-answer");
}

TEST_WITH(test_errors_beyond_the_list_are_counted, struct lab_http *http)
{
    struct answer answer = get(http, "/api/v1/errors");
    json_t *problem = answer_problem(&answer, 422, "invalid-request");
    assert_int_equal(json_array_size(json_object_get(problem, "errors")), LAB_ERRORS_MAX);
    expect_member(problem, "detail", "The request is not valid. (3 more errors are not listed.)");
    json_decref(problem);
    answer_free(&answer);
}

static struct answer get_if(const struct lab_http *http, const char *method, const char *target, const char *tags)
{
    char request[1024];
    snprintf(request, sizeof request, "%s %s HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: %s\r\n\r\n", method, target,
             tags);
    return ask(http, request);
}

/* Reads the resource's entity tag into `tag`, without quotes. */
static void read_tag(const struct lab_http *http, const char *target, char tag[64])
{
    char value[512];
    struct answer answer = get(http, target);
    assert_int_equal(answer.status, 200);
    assert_non_null(answer_header(&answer, "ETag", value));
    assert_int_equal(sscanf(value, "\"%63[^\"]\"", tag), 1);
    answer_free(&answer);
}

TEST_WITH(test_entity_tags, struct lab_http *http)
{
    static const char *const targets[] = {"/api/v1/things/7/measurements.csv", "/api/v1/things/7", "/api/v1/cached",
                                          "/api/v1/cached/7"};
    char value[512], list[256], tag[64], quoted[80];
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        read_tag(http, targets[i], tag);
        snprintf(quoted, sizeof quoted, "\"%s\"", tag);
        static const char *const matching[] = {"\"%s\"", "W/\"%s\"", "\"other\", \"%s\"", "\"a,b\",W/\"%s\" , \"x\"",
                                               "*"};
        for (size_t m = 0; m < sizeof matching / sizeof matching[0]; m++) {
            snprintf(list, sizeof list, matching[m], tag);
            struct answer answer = get_if(http, "GET", targets[i], list);
            assert_int_equal(answer.status, 304);
            assert_string_equal(answer_header(&answer, "ETag", value), quoted);
            answer_free(&answer);
            expect_status(get_if(http, "HEAD", targets[i], list), 304);
        }
        static const char *const others[] = {"\"other\"", "%s", "\"%s", "\"%sx\"", "\"x%s\"", "\"\"", ""};
        for (size_t m = 0; m < sizeof others / sizeof others[0]; m++) {
            snprintf(list, sizeof list, others[m], tag);
            expect_status(get_if(http, "GET", targets[i], list), 200);
        }
    }
}

/* The tag is that of the body: the state of the cache may change without it. */
TEST_WITH(test_the_entity_tag_belongs_to_the_body, struct lab_http *http)
{
    char first[64], other[64], again[64];
    read_tag(http, "/api/v1/things/7", first);
    read_tag(http, "/api/v1/things/8", other);
    assert_string_not_equal(first, other);
    strcpy(counters.tag, "tag-2");
    read_tag(http, "/api/v1/things/7", again);
    assert_string_equal(first, again);
    read_tag(http, "/api/v1/cached", first);
    strcpy(counters.tag, "tag-3"); /* the body has the tag in it */
    read_tag(http, "/api/v1/cached", again);
    assert_string_not_equal(first, again);
}

TEST_WITH(test_only_what_is_found_is_not_modified, struct lab_http *http)
{
    expect_status(get(http, "/api/v1/cached"), 200); /* in the cache now */
    expect_problem(get_if(http, "GET", "/api/v1/nothing", "*"), 404, "not-found");
    expect_problem(get_if(http, "GET", "/api/v1/cached/none", "*"), 404, "not-found");
    expect_problem(get_if(http, "GET", "/api/v1/cached/none", "\"tag-1\""), 404, "not-found");
    expect_problem(get_if(http, "GET", "/api/v1/large?bogus=1", "*"), 422, "invalid-request");
    expect_status(ask(http, "POST /api/v1/created HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: *\r\n\r\n"), 202);
    int made = counters.made;
    expect_status(get_if(http, "GET", "/api/v1/cached/7", "*"), 304);
    expect_status(get_if(http, "GET", "/api/v1/cached/7", "*"), 304);
    assert_int_equal(counters.made, made + 1);
}

static void expect_cached(const struct lab_http *http, const char *target, const char *body)
{
    char value[512];
    struct answer answer = get(http, target);
    assert_string_equal(answer_header(&answer, "Link", value), "</next>; rel=\"next\"");
    json_t *seen = json_of(answer);
    expect_member(seen, "body", body);
    json_decref(seen);
}

TEST_WITH(test_a_body_is_made_once, struct lab_http *http)
{
    expect_cached(http, "/api/v1/cached", "/api/v1/cached tag-1");
    expect_cached(http, "/api/v1/cached", "/api/v1/cached tag-1");
    assert_int_equal(counters.made, 1);
    expect_cached(http, "/api/v1/cached?limit=2", "/api/v1/cached tag-1");
    assert_int_equal(counters.made, 2);
    strcpy(counters.tag, "tag-2");
    expect_cached(http, "/api/v1/cached", "/api/v1/cached tag-2");
    expect_cached(http, "/api/v1/cached", "/api/v1/cached tag-2");
    assert_int_equal(counters.made, 3);
    struct answer answer = ask(http, "HEAD /api/v1/cached HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_int_equal(answer.status, 200);
    answer_free(&answer);
    assert_int_equal(counters.made, 3);
}

TEST_WITH(test_the_cache_is_bounded, struct lab_http *http)
{
    enum { KEYS = 300 };
    char target[64], body[64];
    for (int i = 0; i < KEYS; i++) {
        snprintf(target, sizeof target, "/api/v1/cached/%d", i);
        snprintf(body, sizeof body, "/api/v1/cached/%d tag-1", i);
        expect_cached(http, target, body);
        expect_cached(http, "/api/v1/cached/0", "/api/v1/cached/0 tag-1"); /* used often, so it stays */
    }
    assert_int_equal(counters.made, KEYS);
    expect_cached(http, "/api/v1/cached/1", "/api/v1/cached/1 tag-1"); /* not used for long, so it was removed */
    assert_int_equal(counters.made, KEYS + 1);
}

TEST_WITH(test_a_large_body_is_not_cached, struct lab_http *http)
{
    for (int i = 1; i <= 2; i++) {
        struct client client = client_connect(http);
        client_send(&client, "GET /api/v1/large HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        size_t total = 0;
        for (; client_more(&client, CLIENT_TIMEOUT_MS) > 0; client.length = 0)
            total += client.length;
        assert_true(total > 1 << 20);
        client_close(&client);
        assert_int_equal(counters.made, i);
    }
}

/* The body of a mebibyte is small enough for the cache when it is compressed. */
TEST_WITH(test_a_body_is_compressed_once, struct lab_http *http)
{
    char value[512];
    for (int i = 0; i < 2; i++) {
        struct answer answer =
            ask(http, "GET /api/v1/large HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n");
        assert_int_equal(answer.status, 200);
        assert_true(answer.length < 1 << 16);
        assert_string_equal(answer_header(&answer, "Content-Encoding", value), "gzip");
        assert_string_equal(answer_header(&answer, "Vary", value), "Accept-Encoding");
        assert_int_equal(counters.made, 1);
        answer_free(&answer);
    }
}

TEST_WITH(test_counts, struct lab_http *http)
{
    struct lab_http_counts before, after;
    lab_http_counts(http, &before);
    struct client client = client_connect(http);
    for (int i = 0; i < 3; i++)
        expect_status(client_ask(&client, "GET /api/v1/things/7/measurements.csv HTTP/1.1\r\nHost: localhost\r\n\r\n"),
                      200);
    expect_status(client_ask(&client, "HEAD /api/v1/things/7/measurements.csv HTTP/1.1\r\nHost: localhost\r\n\r\n"),
                  200);
    lab_http_counts(http, &after);
    assert_int_equal(after.requests - before.requests, 4);
    assert_int_equal(after.bytes_sent - before.bytes_sent, 12);
    assert_int_equal(after.connections, 1);
    assert_int_equal(after.event_streams, 0);
    client_close(&client);
}
