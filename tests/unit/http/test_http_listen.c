/* Where the server listens, how many connections it accepts, and how it stops. */
#include "support/http_client.h"
#include "support/test.h"

#include "http/listen.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>

static void hello(const struct lab_request *request, struct lab_response *response)
{
    (void)request;
    lab_respond_text(response, 200, "text/plain", "hello", 5);
}

static atomic_bool slow_started;

static void slow(const struct lab_request *request, struct lab_response *response)
{
    atomic_store(&slow_started, true);
    client_sleep(0.5);
    hello(request, response);
}

/* Responds with more bytes than the kernel buffers, so that the response is in progress until the client reads. */
static void large(const struct lab_request *request, struct lab_response *response)
{
    enum { LARGE = 32 << 20 };
    (void)request;
    char *text = calloc(1, LARGE);
    lab_respond_text(response, 200, "application/octet-stream", text, LARGE);
    free(text);
}

static const struct lab_route routes[] = {
    {.method = "GET", .pattern = "/hello", .query = lab_any_members, .handle = hello},
    {.method = "GET", .pattern = "/slow", .handle = slow},
    {.method = "GET", .pattern = "/large", .handle = large},
    {0}};

static struct lab_http *start(const char *address, const char *path, struct lab_error *error)
{
    const struct lab_http_options options = {
        .listen = address, .socket_path = path, .routes = routes, .max_body_bytes = 1024};
    return lab_http_start(&options, error);
}

static char folder[64], path[96];

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/gpulab-listen-XXXXXX");
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(path, sizeof path, "%s/http", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder); /* fails when something was left behind */
}

TEST(test_addresses)
{
    static const struct {
        const char *address, *begins;
    } valid[] = {{"127.0.0.1:0", "http://127.0.0.1:"}, {"localhost:0", "http://"}, {"0.0.0.0:0", "http://0.0.0.0:"}};
    struct lab_error error;
    for (size_t i = 0; i < sizeof valid / sizeof valid[0]; i++) {
        struct lab_http *http = start(valid[i].address, NULL, &error);
        assert_non_null(http);
        assert_ptr_equal(strstr(lab_http_address(http), valid[i].begins), lab_http_address(http));
        assert_true(client_port(http) > 0);
        lab_http_stop(http, 1.0);
    }
    static const char *const wrong[] = {
        "",       "8080",      "127.0.0.1",           "127.0.0.1:", "127.0.0.1:x", ":8080",
        "*:8080", "[::1:8080", "127.0.0.1:65536",     "::1]:80",    "192.0.2.1:0", "127.0.0.1:-1",
        "::1:0",  "::1",       "127.0.0.1:4294967296"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        error = (struct lab_error){0};
        if (start(wrong[i], NULL, &error) != NULL)
            fail_msg("%s", wrong[i]);
        assert_int_not_equal(error.code, LAB_ERROR_NONE);
        assert_true(strlen(error.detail) > 0);
    }
}

TEST(test_which_addresses_are_loopback)
{
    static const struct {
        const char *address;
        bool loopback;
    } valid[] = {{"127.0.0.1:0", true}, {"127.1.2.3:80", true}, {"[::1]:8080", true},   {"localhost:1", true},
                 {"0.0.0.0:80", false}, {"[::]:80", false},     {"10.0.0.1:80", false}, {"0:80", false}};
    static const struct {
        const char *address, *code;
    } wrong[] = {{"::1:0", "malformed-address"},
                 {"::1", "malformed-address"},
                 {":80", "malformed-address"},
                 {"0", "malformed-address"},
                 {"no.such.host.invalid:0", "unknown-host"}};
    struct lab_error error = {0};
    for (size_t i = 0; i < sizeof valid / sizeof *valid; i++) {
        bool loopback = !valid[i].loopback;
        assert_true(lab_listen_check(valid[i].address, &loopback, &error));
        assert_int_equal(loopback, valid[i].loopback);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        bool loopback = true;
        assert_false(lab_listen_check(wrong[i].address, &loopback, &error));
        assert_false(loopback);
        assert_string_equal(lab_error_name(error.code), wrong[i].code);
        assert_string_equal(error.pointer, "--listen");
    }
}

TEST(test_ipv6)
{
    struct lab_error error;
    struct lab_http *http = start("[::1]:0", NULL, &error);
    if (http == NULL)
        skip(); /* this machine has no IPv6 */
    assert_ptr_equal(strstr(lab_http_address(http), "http://[::1]:"), lab_http_address(http));
    struct sockaddr_in6 address = {
        .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)client_port(http)), .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    int descriptor = socket(AF_INET6, SOCK_STREAM, 0);
    assert_int_equal(connect(descriptor, (struct sockaddr *)&address, sizeof address), 0);
    struct client client = client_of(descriptor);
    expect_status(client_ask(&client, "GET /hello HTTP/1.1\r\nHost: [::1]\r\n\r\n"), 200);
    client_close(&client);
    lab_http_stop(http, 1.0);
}

TEST(test_an_address_in_use)
{
    struct lab_error error = {0};
    struct lab_http *http = start("127.0.0.1:0", NULL, &error);
    assert_null(start(strstr(lab_http_address(http), "127."), NULL, &error));
    assert_int_equal(error.code, LAB_ERROR_CANNOT_LISTEN);
    assert_non_null(strstr(error.detail, "in use"));
    lab_http_stop(http, 1.0);
}

TEST(test_the_unix_socket, .setup = make_folder, .teardown = remove_folder)
{
    struct lab_error error;
    struct stat file;
    struct lab_http *http = start("127.0.0.1:0", path, &error);
    assert_non_null(http);
    assert_int_equal(stat(path, &file), 0);
    assert_true(S_ISSOCK(file.st_mode));
    assert_int_equal(file.st_mode & 07777, 0600);
    struct client client = client_connect_local(path);
    for (int i = 0; i < 2; i++) {
        struct answer answer = client_ask(&client, "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n");
        assert_string_equal(answer.body, "hello");
        answer_free(&answer);
    }
    expect_status(client_ask(&client, "GET /hello HTTP/1.1\r\nHost: evil.example\r\n\r\n"), 403);
    client_close(&client);
    expect_status(get(http, "/hello"), 200);
    lab_http_stop(http, 1.0);
    assert_int_equal(stat(path, &file), -1);
}

TEST(test_a_unix_socket_in_use_is_kept, .setup = make_folder, .teardown = remove_folder)
{
    struct lab_error error = {0};
    struct lab_http *first = start("127.0.0.1:0", path, &error);
    assert_null(start("127.0.0.1:0", path, &error));
    assert_int_equal(error.code, LAB_ERROR_ALREADY_RUNNING);
    struct client client = client_connect_local(path);
    expect_status(client_ask(&client, "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n"), 200);
    client_close(&client);
    lab_http_stop(first, 1.0);
}

TEST(test_a_stale_unix_socket_is_replaced, .setup = make_folder, .teardown = remove_folder)
{
    struct lab_error error;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strcpy(address.sun_path, path);
    int dead = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(dead, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(dead, 1), 0);
    close(dead); /* as after a server that was killed */
    struct lab_http *http = start("127.0.0.1:0", path, &error);
    assert_non_null(http);
    struct client client = client_connect_local(path);
    expect_status(client_ask(&client, "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n"), 200);
    client_close(&client);
    lab_http_stop(http, 1.0);
}

TEST(test_a_file_that_is_not_a_socket_is_kept, .setup = make_folder, .teardown = remove_folder)
{
    struct lab_error error = {0};
    struct stat file;
    close(open(path, O_CREAT | O_WRONLY, 0600));
    assert_null(start("127.0.0.1:0", path, &error));
    assert_int_equal(error.code, LAB_ERROR_CANNOT_LISTEN);
    assert_int_equal(stat(path, &file), 0);
    char beyond[256];
    memset(beyond, 'x', sizeof beyond - 1);
    beyond[0] = '/';
    beyond[sizeof beyond - 1] = '\0';
    assert_null(start("127.0.0.1:0", beyond, &error));
    assert_null(start("127.0.0.1:0", "/nonexistent/folder/http", &error));
}

/* A server does not remove the socket of a later server at the same path. */
TEST(test_the_unix_socket_of_another_server_is_not_removed, .setup = make_folder, .teardown = remove_folder)
{
    struct lab_error error;
    struct stat file;
    struct lab_http *first = start("127.0.0.1:0", path, &error);
    assert_int_equal(unlink(path), 0);
    struct lab_http *second = start("127.0.0.1:0", path, &error);
    assert_non_null(second);
    lab_http_stop(first, 1.0);
    assert_int_equal(stat(path, &file), 0);
    lab_http_stop(second, 1.0);
    assert_int_equal(stat(path, &file), -1);
}

TEST(test_requests_in_progress_are_finished)
{
    struct lab_error error;
    struct lab_http *http = start("127.0.0.1:0", NULL, &error);
    struct client busy = client_connect(http), idle = client_connect(http), half = client_connect(http);
    expect_status(client_ask(&idle, "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n"), 200);
    client_send(&half, "GET /hello HTTP/1.1\r\nHost:");
    client_send(&busy, "GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n");
    double began = lab_clock_now();
    while (!atomic_load(&slow_started)) {
        assert_true(lab_clock_now() - began < 10);
        client_sleep(0.01);
    }
    began = lab_clock_now();
    lab_http_stop(http, 5.0);
    assert_true(lab_clock_now() - began < 4.0);
    struct answer answer = client_answer(&busy, false);
    assert_int_equal(answer.status, 200);
    assert_string_equal(answer.body, "hello");
    answer_free(&answer);
    assert_true(client_ends(&busy, 1000) && client_ends(&idle, 1000) && client_ends(&half, 1000));
    client_close(&busy);
    client_close(&idle);
    client_close(&half);
}

TEST(test_the_grace_period_ends)
{
    struct lab_error error;
    struct lab_http *http = start("127.0.0.1:0", NULL, &error);
    struct client slow_reader = client_connect(http);
    client_send(&slow_reader, "GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_true(client_more(&slow_reader, CLIENT_TIMEOUT_MS) > 0); /* it has started, and the rest is not read */
    double began = lab_clock_now();
    lab_http_stop(http, 0.5);
    double took = lab_clock_now() - began;
    assert_true(took > 0.4 && took < 4.0);
    client_close(&slow_reader);
}

TEST(test_no_connection_is_accepted_after_the_stop)
{
    struct lab_error error;
    struct lab_http *http = start("127.0.0.1:0", NULL, &error);
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)client_port(http)),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    lab_http_stop(http, 1.0);
    int descriptor = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(descriptor, (struct sockaddr *)&address, sizeof address), -1);
    close(descriptor);
    lab_http_stop(NULL, 1.0);
}

/* When all connections are in use and idle, a new client waits only until the idle ones are closed. */
TEST(test_idle_connections_are_closed_for_new_ones)
{
    enum { MOST = 448, MORE = 8 }; /* MOST: of one loopback address, of 512 */
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    if (files.rlim_max < 4 * MOST)
        skip();
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    struct lab_error error;
    struct lab_http *http = start("127.0.0.1:0", NULL, &error);
    static struct client clients[MOST + MORE];
    for (int i = 0; i < MOST; i++) {
        clients[i] = client_connect(http);
        expect_status(client_ask(&clients[i], "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n"), 200);
    }
    struct lab_http_counts counts;
    lab_http_counts(http, &counts);
    assert_int_equal(counts.connections, MOST);
    double began = lab_clock_now();
    for (int i = MOST; i < MOST + MORE; i++) {
        clients[i] = client_connect(http);
        expect_status(client_ask(&clients[i], "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n"), 200);
    }
    assert_true(lab_clock_now() - began < 5);
    for (int i = 0; i < MOST + MORE; i++)
        client_close(&clients[i]);
    lab_http_stop(http, 1.0);
}

struct load {
    struct lab_http *http;
    atomic_int answered;
};

static void *send_requests(void *context)
{
    struct load *load = context;
    struct client client = client_connect(load->http);
    for (;;) {
        struct answer answer = client_ask(&client, "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n");
        int status = answer.status;
        answer_free(&answer);
        if (status != 200)
            break;
        load->answered++;
    }
    client_close(&client);
    return NULL;
}

TEST(test_stop_under_load)
{
    enum { CLIENTS = 4, ROUNDS = 5 };
    for (int round = 0; round < ROUNDS; round++) {
        struct lab_error error;
        struct lab_http *http = start("127.0.0.1:0", NULL, &error);
        pthread_t threads[CLIENTS];
        struct load loads[CLIENTS];
        for (int i = 0; i < CLIENTS; i++) {
            loads[i] = (struct load){.http = http};
            pthread_create(&threads[i], NULL, send_requests, &loads[i]);
        }
        for (int i = 0; i < CLIENTS; i++) {
            while (loads[i].answered == 0)
                client_sleep(0.001);
        }
        double began = lab_clock_now();
        lab_http_stop(http, 5.0);
        assert_true(lab_clock_now() - began < 4.0);
        for (int i = 0; i < CLIENTS; i++)
            pthread_join(threads[i], NULL);
    }
}
