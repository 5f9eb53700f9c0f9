/* Where handlers run: those that wait keep no other request from being answered.
 */
#include "support/http_client.h"
#include "support/test.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/syscall.h>

enum { READERS = 4, WRITERS = 16 }; /* threads of the pools */

/* A handler posts `started` and returns when `go` was posted. */
static struct gate {
    sem_t started, go;
    atomic_int calls;
} reads, writes;

static void wait_at(struct gate *gate, const struct lab_request *request, struct lab_response *response)
{
    size_t length;
    const char *body = lab_request_body(request, &length);
    gate->calls++;
    sem_post(&gate->started);
    sem_wait(&gate->go);
    lab_respond_json(response, 200,
                     json_pack("{s:s, s:s#, s:s?}", "path", lab_request_path(request), "body", body, (int)length,
                               "agent", lab_request_header(request, "User-Agent")));
}

static void read_slowly(const struct lab_request *request, struct lab_response *response)
{
    wait_at(&reads, request, response);
}

static void write_slowly(const struct lab_request *request, struct lab_response *response)
{
    wait_at(&writes, request, response);
}

static void hello(const struct lab_request *request, struct lab_response *response)
{
    (void)request;
    lab_respond_text(response, 200, "text/plain", "hello", 5);
}

static void silent(const struct lab_request *request, struct lab_response *response)
{
    (void)request;
    (void)response;
}

static const struct lab_route routes[] = {
    {.method = "GET", .pattern = "/hello", .handle = hello},
    {.method = "GET", .pattern = "/read", .thread = LAB_ROUTE_READS, .handle = hello},
    {.method = "GET", .pattern = "/silent", .thread = LAB_ROUTE_READS, .handle = silent},
    {.method = "GET", .pattern = "/slow", .thread = LAB_ROUTE_READS, .handle = read_slowly},
    {.method = "POST", .pattern = "/slow", .thread = LAB_ROUTE_WRITES, .handle = write_slowly},
    {0},
};

static int start(void **state)
{
    struct lab_error error;
    const struct lab_http_options options = {.listen = "127.0.0.1:0", .routes = routes, .max_body_bytes = 1 << 20};
    struct gate *const gates[] = {&reads, &writes};
    for (size_t i = 0; i < sizeof gates / sizeof gates[0]; i++) {
        sem_init(&gates[i]->started, 0, 0);
        sem_init(&gates[i]->go, 0, 0);
        gates[i]->calls = 0;
    }
    *state = lab_http_start(&options, &error);
    return *state != NULL ? 0 : -1;
}

static int stop(void **state)
{
    return lab_http_stop(*state, 3.0) ? 0 : -1;
}

AROUND_EACH_TEST(.setup = start)

static const char get_hello[] = "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n";
static const char get_read[] = "GET /read HTTP/1.1\r\nHost: localhost\r\n\r\n";
static const char get_slow[] = "GET /slow HTTP/1.1\r\nHost: localhost\r\nUser-Agent: test\r\n\r\n";
static const char post_slow[] =
    "POST /slow HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    "Content-Length: 2\r\n\r\n{}";

static void expect_slow_answer(struct client *client, const char *body, const char *agent)
{
    struct answer answer = client_answer(client, false);
    assert_int_equal(answer.status, 200);
    json_t *document = json_loads(answer.body, 0, NULL);
    assert_string_equal(json_string_value(json_object_get(document, "path")), "/slow");
    assert_string_equal(json_string_value(json_object_get(document, "body")), body);
    assert_true(agent == NULL || strcmp(json_string_value(json_object_get(document, "agent")), agent) == 0);
    json_decref(document);
    answer_free(&answer);
}

TEST_WITH(test_handlers_that_wait_hold_up_no_other_request, struct lab_http *http, .teardown = stop)
{
    struct client readers[READERS], writers[WRITERS];
    for (int i = 0; i < READERS; i++) {
        readers[i] = client_connect(http);
        client_send(&readers[i], get_slow);
    }
    for (int i = 0; i < WRITERS; i++) {
        writers[i] = client_connect(http);
        client_send(&writers[i], post_slow);
    }
    for (int i = 0; i < READERS; i++)
        sem_wait(&reads.started);
    for (int i = 0; i < WRITERS; i++)
        sem_wait(&writes.started);
    /* All threads of both pools wait now. */
    for (int i = 0; i < 32; i++)
        expect_status(ask(http, get_hello), 200);
    for (int i = 0; i < READERS; i++)
        sem_post(&reads.go);
    for (int i = 0; i < WRITERS; i++)
        sem_post(&writes.go);
    for (int i = 0; i < READERS; i++) {
        expect_slow_answer(&readers[i], "", "test");
        expect_status(client_ask(&readers[i], get_read), 200); /* the connection stays open */
        client_close(&readers[i]);
    }
    for (int i = 0; i < WRITERS; i++) {
        expect_slow_answer(&writers[i], "{}", NULL);
        client_close(&writers[i]);
    }
}

TEST_WITH(test_requests_of_one_connection_are_answered_in_order, struct lab_http *http, .teardown = stop)
{
    enum { ROUNDS = 200 };
    struct client client = client_connect(http);
    for (int i = 0; i < ROUNDS; i++) {
        client_send(&client, get_read);
        client_send(&client, get_hello);
    }
    for (int i = 0; i < 2 * ROUNDS; i++)
        expect_status(client_answer(&client, false), 200);
    client_close(&client);
}

TEST_WITH(test_head_and_silent_handlers, struct lab_http *http, .teardown = stop)
{
    struct answer answer = ask(http, "HEAD /read HTTP/1.1\r\nHost: localhost\r\n\r\n");
    char value[512];
    assert_int_equal(answer.status, 200);
    assert_string_equal(answer_header(&answer, "Content-Length", value), "5");
    answer_free(&answer);
    expect_problem(get(http, "/silent"), 500, "no-answer");
}

/* More requests than the queue of a pool holds: those that do not fit are told to come back later, the others are
 * answered. */
TEST_WITH(test_a_full_queue_is_a_503, struct lab_http *http, .teardown = stop)
{
    enum { CLIENTS = 300 };
    static struct client clients[CLIENTS];
    int answered = 0, refused = 0;
    for (int i = 0; i < CLIENTS; i++) {
        clients[i] = client_connect(http);
        client_send(&clients[i], get_slow);
    }
    for (int i = 0; i < CLIENTS; i++)
        sem_post(&reads.go);
    for (int i = 0; i < CLIENTS; i++) {
        struct answer answer = client_answer(&clients[i], false);
        char value[512];
        answered += answer.status == 200;
        refused += answer.status == 503;
        if (answer.status == 503) {
            assert_non_null(answer_header(&answer, "Retry-After", value));
            json_decref(answer_problem(&answer, 503, "too-busy"));
        }
        answer_free(&answer);
        client_close(&clients[i]);
    }
    assert_int_equal(answered, reads.calls);
    assert_int_equal(answered + refused, CLIENTS);
}

/* The client leaves while the handler runs. */
TEST_WITH(test_clients_that_leave, struct lab_http *http, .teardown = stop)
{
    struct client client = client_connect(http);
    client_send(&client, get_slow);
    sem_wait(&reads.started);
    client_close(&client);
    sem_post(&reads.go);
    expect_status(ask(http, get_read), 200);
    double until = lab_clock_now() + 10;
    struct lab_http_counts counts = {.connections = 1};
    while (counts.connections > 0 && lab_clock_now() < until) {
        lab_http_counts(http, &counts);
        client_sleep(0.01);
    }
    assert_int_equal(counts.connections, 0);
}

/* At a stop, handlers that run are waited for, and requests that wait for a thread are refused. */
static void *stop_later(void *http)
{
    return lab_http_stop(http, 5.0) ? http : NULL;
}

TEST_WITH(test_stopping_waits_for_handlers, struct lab_http *http)
{
    struct client clients[2 * READERS];
    pthread_t thread;
    void *stopped;
    for (int i = 0; i < 2 * READERS; i++) {
        clients[i] = client_connect(http);
        client_send(&clients[i], get_slow);
        if (i < READERS)
            sem_wait(&reads.started);
    }
    client_sleep(0.1); /* the others arrive */
    pthread_create(&thread, NULL, stop_later, http);
    client_sleep(0.2); /* the stop begins */
    for (int i = 0; i < 2 * READERS; i++)
        sem_post(&reads.go);
    for (int i = 0; i < 2 * READERS; i++) {
        struct answer answer = client_answer(&clients[i], false);
        assert_true(answer.status == 200 || answer.status == 503 || answer.status == 0);
        assert_true(i >= READERS || answer.status == 200);
        answer_free(&answer);
        client_close(&clients[i]);
    }
    pthread_join(thread, &stopped);
    assert_ptr_equal(stopped, http);
}

TEST_WITH(test_a_handler_that_does_not_return_is_left, struct lab_http *http)
{
    struct client client = client_connect(http);
    client_send(&client, get_slow);
    sem_wait(&reads.started);
    double began = lab_clock_now();
    assert_false(lab_http_stop(http, 0.3));
    assert_true(lab_clock_now() - began < 5);
    assert_true(client_ends(&client, CLIENT_TIMEOUT_MS));
    client_close(&client);
    sem_post(&reads.go);
    assert_true(lab_http_stop(http, 5)); /* it has returned meanwhile */
}
