/* server/http/work/check.c: what a request with a body, a query or a header gets before its handler is called, and what
 * the handler then reads. The values themselves are the subject of test_field.c. */
#include "support/http_client.h"
#include "support/test.h"

static void no_content(const struct lab_request *request, struct lab_response *response)
{
    (void)request;
    lab_respond_empty(response, 204);
}

static void show_json(const struct lab_request *request, struct lab_response *response)
{
    lab_respond_json(response, 200, json_incref((json_t *)lab_request_json(request)));
}

static void show_body(const struct lab_request *request, struct lab_response *response)
{
    size_t length;
    const char *body = lab_request_body(request, &length);
    lab_respond_text(response, 200, "text/plain", body, length);
}

static void show_query(const struct lab_request *request, struct lab_response *response)
{
    int64_t since = -1;
    bool has_since = lab_request_time(request, "since", &since);
    lab_respond_json(response, 200,
                     json_pack("{s:I, s:b, s:I, s:b}", "limit", (json_int_t)lab_request_integer(request, "limit"),
                               "all", lab_request_flag(request, "all"), "since", (json_int_t)since, "has_since",
                               has_since));
}

static void add_errors(const struct lab_request *request, const json_t *body, struct lab_errors *errors)
{
    (void)request;
    lab_errors_add(errors, LAB_ERROR_OUT_OF_BOUNDS, "/more", "The body has %zu members.", json_object_size(body));
}

static const struct lab_schema query[] = {
    {.name = "limit", .type = LAB_TYPE_INTEGER, .minimum = 1, .maximum = 500, .fallback = "50"},
    {.name = "all", .type = LAB_TYPE_BOOLEAN},
    {.name = "since", .type = LAB_TYPE_TIME},
    {0},
};
static const struct lab_schema limit[] = {{.name = "limit", .type = LAB_TYPE_INTEGER, .maximum = 9}, {0}};
static const struct lab_schema limit_required[] = {
    {.name = "limit", .type = LAB_TYPE_INTEGER, .maximum = 9, .required = true}, {0}};
static const struct lab_schema headers[] = {{.name = "X-Key", .type = LAB_TYPE_STRING, .minimum = 1, .maximum = 4},
                                            {0}};

static const struct lab_route routes[] = {
    {.method = "GET", .pattern = "/query", .handle = show_query, .query = query},
    {.method = "POST", .pattern = "/nothing", .handle = no_content},
    {.method = "POST", .pattern = "/json", .handle = show_json, .body = lab_any_members},
    {.method = "POST", .pattern = "/optional", .handle = show_json, .body = limit},
    {.method = "POST",
     .pattern = "/required",
     .handle = show_json,
     .body = limit_required,
     .headers = headers,
     .add_errors = add_errors},
    {.method = "POST", .pattern = "/raw", .handle = show_body, .body = lab_raw_body},
    {0},
};

static int start(void **state)
{
    struct lab_error error;
    const struct lab_http_options options = {.listen = "127.0.0.1:0", .routes = routes, .max_body_bytes = 16384};
    *state = lab_http_start(&options, &error);
    return *state != NULL ? 0 : -1;
}

static int stop(void **state)
{
    lab_http_stop(*state, 3.0);
    return 0;
}

AROUND_EACH_TEST(.setup = start, .teardown = stop)

static void expect_member(const json_t *object, const char *name, const char *value)
{
    const char *found = json_string_value(json_object_get(object, name));
    if (found == NULL || strcmp(found, value) != 0)
        fail_msg("%s is %s, not %s", name, found != NULL ? found : "missing", value);
}

/* Expects 422 with exactly these errors, as "code pointer" in order, separated by commas. */
static void expect_errors(struct answer answer, const char *wanted)
{
    char found[512] = "";
    size_t index;
    const json_t *error;
    json_t *problem = answer_problem(&answer, 422, "invalid-request");
    json_array_foreach(json_object_get(problem, "errors"), index, error)
    {
        size_t used = strlen(found);
        snprintf(found + used, sizeof found - used, "%s%s %s", index > 0 ? ", " : "",
                 json_string_value(json_object_get(error, "code")),
                 json_string_value(json_object_get(error, "pointer")));
        assert_true(json_string_length(json_object_get(error, "detail")) > 5);
    }
    assert_string_equal(found, wanted);
    json_decref(problem);
    answer_free(&answer);
}

static void expect_body(struct answer answer, const char *body)
{
    assert_int_equal(answer.status, 200);
    assert_string_equal(answer.body, body);
    answer_free(&answer);
}

TEST_WITH(test_query, struct lab_http *http)
{
    expect_body(get(http, "/query"), "{\"limit\":50,\"all\":false,\"since\":-1,\"has_since\":false}");
    expect_body(get(http, "/query?limit=500&all=true&since=1970-01-01T00:00:01Z"),
                "{\"limit\":500,\"all\":true,\"since\":1000000,\"has_since\":true}");
    expect_errors(get(http, "/query?limit=1&colour=red&limit=2&a%2Fb"),
                  "unknown-parameter /query/colour, repeated-parameter /query/limit, unknown-parameter /query/a~1b");
    expect_errors(get(http, "/query?limit=0&all=yes&since=now"),
                  "out-of-bounds /query/limit, wrong-type /query/all, wrong-type /query/since");
    expect_errors(post(http, "/nothing?limit=1", ""), "unknown-parameter /query/limit");
    char target[1024] = "/query?";
    for (int i = 0; i < 40; i++)
        strcat(target, "limit=1&");
    expect_problem(get(http, target), 400, "malformed-target");
}

TEST_WITH(test_body, struct lab_http *http)
{
    expect_status(post(http, "/nothing", ""), 204);
    expect_status(post(http, "/nothing", "{}"), 204);
    expect_errors(post(http, "/nothing", "{\"a\":1}"), "unknown-field /a");
    expect_problem(post(http, "/nothing", "{"), 400, "malformed-json");
    expect_body(post(http, "/optional", ""), "{}");
    expect_body(post(http, "/optional", "{\"limit\":3}"), "{\"limit\":3}");
    expect_problem(post(http, "/required", ""), 400, "malformed-json");
    expect_body(post(http, "/required", "{\"limit\":3}"), "{\"limit\":3}");
    expect_body(post(http, "/raw", "{"), "{");
}

TEST_WITH(test_all_errors_come_together, struct lab_http *http)
{
    static const char request[] =
        "POST /required?x=1 HTTP/1.1\r\nHost: localhost\r\nX-Key: abcde\r\n"
        "Content-Type: application/json\r\nContent-Length: 14\r\n\r\n{\"a\":1,\"b\":[]}";
    expect_errors(ask(http, request),
                  "unknown-parameter /query/x, out-of-bounds /headers/X-Key, unknown-field /a, "
                  "unknown-field /b, missing /limit, out-of-bounds /more");
}

TEST_WITH(test_json_errors, struct lab_http *http)
{
    static const struct {
        const char *body, *code, *pointer;
        int status;
    } cases[] = {
        {"{", "malformed-json", "", 400},
        {"{\"a\":1} x", "malformed-json", "", 400},
        {"{\"a\":{\"b\":[1,2,NaN]}}", "malformed-json", "/a/b/2", 400},
        {"{\"a\":1e999}", "malformed-json", "/a", 400},
        {"{\"a\":99999999999999999999}", "malformed-json", "/a", 400},
        {"{\"a\":\"\\u0000\"}", "malformed-json", "/a", 400},
        {"{\"a\":\"\xff\"}", "malformed-json", "/a", 400},
        {"{\"x\":{\"a~/b\":1,\"c\":[],\"a~/b\":2}}", "duplicate-key", "/x/a~0~1b", 400},
        {"{\"a\":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}", "too-deep",
         "/a/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0", 400},
        {"[]", "wrong-type", "", 422},
        {"\"text\"", "wrong-type", "", 422},
        {"7", "wrong-type", "", 422},
        {"null", "wrong-type", "", 422},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct answer answer = post(http, "/json", cases[i].body);
        if (answer.status != cases[i].status)
            fail_msg("%s: %d", cases[i].body, answer.status);
        json_t *problem = answer_problem(&answer, cases[i].status, cases[i].code);
        const json_t *error = json_array_get(json_object_get(problem, "errors"), 0);
        expect_member(error, "pointer", cases[i].pointer);
        expect_member(error, "code", cases[i].code);
        json_decref(problem);
        answer_free(&answer);
    }
    struct answer answer = post(http, "/json", "{\"a\":99999999999999999999}");
    json_t *problem = answer_problem(&answer, 400, "malformed-json");
    expect_member(json_array_get(json_object_get(problem, "errors"), 0), "detail",
                  "line 1, column 25: too large a number: integers must be below 2^63, others below 1.8e308");
    json_decref(problem);
    answer_free(&answer);
    /* The greatest depth that is allowed; and brackets in strings do not count. */
    expect_status(post(http, "/json", "{\"a\":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}"), 200);
    expect_status(post(http, "/json", "{\"a\":\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\\\"[[\"}"), 200);
}
