/* Who may call which route: tokens, roles, the rate limit, the Unix socket, and what the logs say. */
#include "support/http_client.h"
#include "support/test.h"

#include "auth/auth.h"
#include "auth/log.h"

#include "events.h"

static struct lab_events *events;

static void who(const struct lab_request *request, struct lab_response *response)
{
    const struct lab_identity *identity = lab_request_identity(request);
    lab_respond_json(response, 200,
                     json_pack("{s:s, s:s, s:s, s:b}", "name", identity->name, "role", lab_role_name(identity->role),
                               "address", lab_request_address(request), "encrypted",
                               lab_request_is_encrypted(request)));
}

static void create(const struct lab_request *request, struct lab_response *response)
{
    (void)request;
    lab_respond_header(response, "Location", "/things/7");
    lab_respond_text(response, 201, "text/plain", "created", 7);
}

static void stream(const struct lab_request *request, struct lab_response *response)
{
    lab_respond_events(request, response, events, &(struct lab_event_filter){0});
}

static const struct lab_route routes[] = {
    {.method = "GET", .pattern = "/public", .query = lab_any_members, .role = LAB_ROLE_PUBLIC, .handle = who},
    {.method = "GET", .pattern = "/anonymous", .role = LAB_ROLE_ANONYMOUS, .handle = who},
    {.method = "GET", .pattern = "/participant", .role = LAB_ROLE_VIEWER, .participants = true, .handle = who},
    {.method = "GET", .pattern = "/viewer", .role = LAB_ROLE_VIEWER, .handle = who},
    {.method = "GET", .pattern = "/operator", .role = LAB_ROLE_OPERATOR, .handle = who},
    {.method = "GET", .pattern = "/admin", .role = LAB_ROLE_ADMIN, .handle = who},
    {.method = "POST", .pattern = "/things", .role = LAB_ROLE_OPERATOR, .thread = LAB_ROUTE_WRITES, .handle = create},
    {.method = "GET", .pattern = "/events", .role = LAB_ROLE_VIEWER, .handle = stream},
    {0},
};

struct server {
    struct lab_auth *auth;
    struct lab_http *http;
    struct lab_log *access, *audit;
    char folder[32], access_path[64], audit_path[64], socket_path[64];
};

static void add_token(struct lab_auth *auth, int64_t id, enum lab_role role)
{
    struct lab_token token = {.id = id, .role = role};
    const char *name = lab_role_name(role);
    snprintf(token.name, sizeof token.name, "the-%s", name);
    lab_secret_digest(name, strlen(name), token.digest);
    assert_true(lab_auth_add_token(auth, &token));
}

static void start_limited(struct server *server, unsigned rate_limit)
{
    struct lab_error error = {0};
    *server = (struct server){.folder = "/tmp/gpulab-access-XXXXXX"};
    assert_non_null(mkdtemp(server->folder));
    snprintf(server->access_path, sizeof server->access_path, "%s/access", server->folder);
    snprintf(server->socket_path, sizeof server->socket_path, "%s/socket", server->folder);
    snprintf(server->audit_path, sizeof server->audit_path, "%s/audit", server->folder);
    server->auth = lab_auth_create(&(struct lab_auth_options){.rate_limit = rate_limit});
    server->access = lab_log_open(server->access_path, &error);
    server->audit = lab_log_open(server->audit_path, &error);
    const struct lab_http_options options = {
        .listen = "127.0.0.1:0",
        .socket_path = server->socket_path,
        .routes = routes,
        .max_body_bytes = 1024,
        .deadlines = {.heartbeat_s = 0.2},
        .auth = server->auth,
        .logs = {.access = server->access, .audit = server->audit, .format = LAB_LOG_TEXT},
    };
    server->http = lab_http_start(&options, &error);
    if (server->http == NULL)
        fail_msg("%s", error.detail);
}

static void start(struct server *server)
{
    start_limited(server, 0);
}

static void stop(struct server *server)
{
    lab_http_stop(server->http, 3.0);
    lab_log_close(server->access);
    lab_log_close(server->audit);
    lab_auth_free(server->auth);
    unlink(server->access_path);
    unlink(server->audit_path);
    rmdir(server->folder);
}

static struct answer request(const struct server *server, const char *method, const char *path, const char *headers)
{
    char text[1024];
    snprintf(text, sizeof text, "%s %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n", method, path, headers);
    return ask(server->http, text);
}

static int status_of(const struct server *server, const char *path, const char *headers)
{
    struct answer answer = request(server, "GET", path, headers);
    answer_free(&answer);
    return answer.status;
}

TEST(test_without_tokens)
{
    struct server server;
    start(&server);
    struct answer answer = request(&server, "GET", "/admin", "");
    assert_string_equal(answer.body,
                        "{\"name\":\"\",\"role\":\"admin\",\"address\":\"127.0.0.1\",\"encrypted\":false}");
    answer_free(&answer);
    stop(&server);
}

/* Participants do not include the roles before them, and viewers may call what participants may. */
static bool may_call(enum lab_role role, enum lab_role needed)
{
    if (role == LAB_ROLE_PARTICIPANT)
        return needed == LAB_ROLE_PUBLIC || needed == LAB_ROLE_PARTICIPANT;
    return role >= needed;
}

TEST(test_roles)
{
    struct server server;
    char header[64];
    start(&server);
    for (enum lab_role role = LAB_ROLE_PARTICIPANT; role <= LAB_ROLE_ADMIN; role++)
        add_token(server.auth, (int64_t)role, role);
    for (enum lab_role role = LAB_ROLE_PUBLIC; role <= LAB_ROLE_ADMIN; role++) {
        if (role == LAB_ROLE_ANONYMOUS) /* no token has it */
            continue;
        snprintf(header, sizeof header, role > 0 ? "Authorization: Bearer %s\r\n" : "", lab_role_name(role));
        for (enum lab_role needed = LAB_ROLE_PUBLIC; needed <= LAB_ROLE_ADMIN; needed++) {
            char path[32];
            snprintf(path, sizeof path, "/%s", lab_role_name(needed));
            int expected = may_call(role, needed) ? 200 : role == LAB_ROLE_PUBLIC ? 401 : 403;
            if (status_of(&server, path, header) != expected)
                fail_msg("%s with the role %s", path, lab_role_name(role));
        }
    }
    /* Tokens are demanded by routes alone: the page's files are public, and what does not exist is not found. */
    assert_int_equal(status_of(&server, "/", ""), 200);
    assert_int_equal(status_of(&server, "/api/nothing", ""), 404);
    stop(&server);
}

TEST(test_problems)
{
    struct server server;
    char value[512];
    start(&server);
    add_token(server.auth, 1, LAB_ROLE_VIEWER);
    struct answer answer = request(&server, "GET", "/admin", "");
    assert_string_equal(answer_header(&answer, "WWW-Authenticate", value), "Bearer realm=\"gpulab\"");
    assert_non_null(answer_header(&answer, "X-Request-Id", value));
    expect_problem(answer, 401, "missing-token");
    answer = request(&server, "GET", "/public", "Authorization: Bearer wrong\r\n");
    expect_status(answer, 200);
    answer = request(&server, "GET", "/viewer", "Authorization: Bearer wrong\r\n");
    assert_string_equal(answer_header(&answer, "WWW-Authenticate", value),
                        "Bearer realm=\"gpulab\", error=\"invalid_token\"");
    expect_problem(answer, 401, "unknown-token");
    answer = request(&server, "GET", "/admin", "Authorization: Bearer viewer\r\n");
    assert_non_null(strstr(answer.body, "the role admin; the role of 'the-viewer' is viewer"));
    expect_problem(answer, 403, "role-too-low");
    answer = request(&server, "GET", "/viewer", "Authorization: Bearer viewer\r\nAuthorization: Bearer viewer\r\n");
    expect_problem(answer, 400, "repeated-header");
    stop(&server);
}

TEST(test_sessions)
{
    struct server server;
    struct lab_identity identity;
    enum lab_auth_result result;
    char session[LAB_SECRET_SIZE], header[256];
    start(&server);
    add_token(server.auth, 1, LAB_ROLE_VIEWER);
    assert_true(lab_auth_open_session(server.auth, "viewer", session, &identity, &result));
    snprintf(header, sizeof header, "Cookie: other=1; " LAB_SESSION_COOKIE "=%s; more=2\r\n", session);
    assert_int_equal(status_of(&server, "/viewer", header), 200);
    assert_int_equal(status_of(&server, "/operator", header), 403);
    lab_auth_close_session(server.auth, session);
    assert_int_equal(status_of(&server, "/viewer", header), 401);
    stop(&server);
}

TEST(test_unix_socket)
{
    struct server server;
    start(&server);
    add_token(server.auth, 1, LAB_ROLE_VIEWER);
    struct client client = client_connect_local(server.socket_path);
    struct answer answer = client_ask(&client, "GET /admin HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_int_equal(answer.status, 200);
    assert_non_null(strstr(answer.body, "\"address\":\"unix\""));
    assert_null(strstr(answer.body, "\"name\":\"\""));
    answer_free(&answer);
    client_close(&client);
    stop(&server);
}

TEST(test_encrypted_by_a_proxy)
{
    struct server server;
    start(&server);
    struct answer answer = request(&server, "GET", "/public", "Origin: https://localhost\r\n");
    assert_non_null(strstr(answer.body, "\"encrypted\":true"));
    answer_free(&answer);
    stop(&server);
}

TEST(test_rate_limit)
{
    struct server server;
    char value[512];
    start_limited(&server, 1);
    add_token(server.auth, 1, LAB_ROLE_OPERATOR);
    add_token(server.auth, 2, LAB_ROLE_VIEWER);
    /* One write at once, then one in ten seconds. */
    struct answer answer = request(&server, "POST", "/things", "Authorization: Bearer operator\r\n");
    expect_status(answer, 201);
    answer = request(&server, "POST", "/things", "Authorization: Bearer operator\r\n");
    int wait_s = atoi(answer_header(&answer, "Retry-After", value));
    assert_true(wait_s >= 1 && wait_s <= 10);
    expect_problem(answer, 429, "too-many-requests");
    assert_int_equal(status_of(&server, "/viewer", "Authorization: Bearer viewer\r\n"), 200);
    for (int i = 0; i < 20; i++)
        assert_int_equal(status_of(&server, "/", ""), 200);
    stop(&server);
}

/* A stream that is open ends when its token is revoked. */
TEST(test_revoked_stream)
{
    struct server server;
    start(&server);
    add_token(server.auth, 1, LAB_ROLE_VIEWER);
    events = lab_events_create(16);
    struct client client = client_connect(server.http);
    client_send(&client, "GET /events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer viewer\r\n\r\n");
    assert_true(client_sees(&client, "retry", 5000));
    assert_false(client_sees(&client, "\r\n0\r\n\r\n", 500));
    lab_auth_remove_token(server.auth, 1);
    assert_true(client_sees(&client, "\r\n0\r\n\r\n", 5000));
    client_close(&client);
    stop(&server);
    lab_events_free(events);
}

/* Checks that line `number` of a file matches: each word of `expected`, where "*" stands for any. */
static void expect_line(const char *path, int number, const char *expected)
{
    char line[LAB_LOG_LINE_MAX], copy[512], *line_rest = NULL, *expected_rest = NULL;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    for (int i = 0; i <= number; i++)
        assert_non_null(fgets(line, sizeof line, file));
    fclose(file);
    snprintf(copy, sizeof copy, "%s", expected);
    const char *word = strtok_r(line, " \n", &line_rest), *wanted = strtok_r(copy, " ", &expected_rest);
    for (; wanted != NULL; wanted = strtok_r(NULL, " ", &expected_rest)) {
        assert_non_null(word);
        if (strcmp(wanted, "*") != 0)
            assert_string_equal(word, wanted);
        word = strtok_r(NULL, " \n", &line_rest);
    }
    assert_null(word);
}

/* Waits until a file has `count` lines: the line of a request is written after its answer. */
static void wait_for_lines(const char *path, int count)
{
    for (int wait = 0; wait < 10000; wait++) {
        FILE *file = fopen(path, "r");
        int lines = 0;
        for (int c; file != NULL && (c = fgetc(file)) != EOF;)
            lines += c == '\n';
        if (file != NULL)
            fclose(file);
        if (lines == count)
            return;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    fail_msg("%s does not have %d lines", path, count);
}

TEST(test_logs)
{
    struct server server;
    start(&server);
    add_token(server.auth, 1, LAB_ROLE_OPERATOR);
    const struct {
        const char *method, *target, *headers;
    } requests[] = {{"GET", "/public?secret=x", "Authorization: Bearer operator\r\n"},
                    {"POST", "/things", "Authorization: Bearer operator\r\n"},
                    {"POST", "/things", ""},
                    {"HEAD", "/public", ""}};
    struct answer answer;
    for (int i = 0; i < (int)(sizeof requests / sizeof *requests); i++) {
        answer = request(&server, requests[i].method, requests[i].target, requests[i].headers);
        answer_free(&answer);
        wait_for_lines(server.access_path, i + 1);
    }
    answer = request(&server, "POST", "/things", "Content-Length: two\r\n"); /* refused before its method is known */
    assert_int_equal(answer.status, 400);
    answer_free(&answer);
    lab_http_stop(server.http, 3.0);
    server.http = NULL;
    lab_log_close(server.access);
    lab_log_close(server.audit);
    server.access = server.audit = NULL;
    expect_line(server.access_path, 0, "* access 127.0.0.1 the-operator GET /public 200 * * *");
    expect_line(server.access_path, 1, "* access 127.0.0.1 the-operator POST /things 201 7 * *");
    expect_line(server.access_path, 2, "* access 127.0.0.1 - POST /things 401 * * *");
    expect_line(server.access_path, 3, "* access 127.0.0.1 - HEAD /public 200 0 * *");
    expect_line(server.access_path, 4, "* access 127.0.0.1 - - /things 400 * * *");
    expect_line(server.audit_path, 0, "* audit 127.0.0.1 the-operator operator POST /things 201 /things/7 *");
    expect_line(server.audit_path, 1, "* audit 127.0.0.1 - public POST /things 401 /things *");
    stop(&server);
}
