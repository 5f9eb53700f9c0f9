/* Requests that are answered later: when their handler is called again, how many may wait, and how they end. */
#include "events.h"
#include "support/http_client.h"
#include "support/test.h"

#include <pthread.h>
#include <stdatomic.h>

struct fixture {
    struct lab_http *http;
    struct lab_events *events;
    atomic_int state, calls;
};

/* Answers with the state once it is not 0. */
static void answer_state(const struct lab_request *request, struct lab_response *response)
{
    struct fixture *fixture = lab_request_context(request);
    char text[16];
    if (!lab_request_await(request, response, fixture->events, "changed", lab_request_query(request, "run")))
        return;
    int state = atomic_load(&fixture->state);
    atomic_fetch_add(&fixture->calls, 1);
    if (state == 0 && lab_respond_later(request))
        return;
    int length = snprintf(text, sizeof text, "state %d", state);
    lab_respond_text(response, 200, "text/plain", text, (size_t)length);
}

static const struct lab_schema query[] = {{.name = "wait", .type = LAB_TYPE_INTEGER, .maximum = 60, .fallback = "0"},
                                          {.name = "run", .type = LAB_TYPE_STRING, .maximum = 60},
                                          {0}};
static const struct lab_route routes[] = {
    {"GET", "/state", LAB_ROUTE_READS, LAB_ROLE_PUBLIC, answer_state, .query = query}, {0}};

static int start(void **state)
{
    struct lab_error error;
    struct fixture *fixture = calloc(1, sizeof *fixture);
    *state = fixture;
    fixture->events = lab_events_create(64);
    const struct lab_http_options options = {
        .listen = "127.0.0.1:0", .routes = routes, .max_body_bytes = 1024, .context = fixture};
    fixture->http = lab_http_start(&options, &error);
    return fixture->http != NULL ? 0 : -1;
}

static int stop(void **state)
{
    struct fixture *fixture = *state;
    lab_http_stop(fixture->http, 3.0);
    lab_events_free(fixture->events);
    free(fixture);
    return 0;
}

static struct client request_state(const struct fixture *fixture, const char *target)
{
    char request[256];
    struct client client = client_connect(fixture->http);
    snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", target);
    client_send(&client, request);
    return client;
}

static void publish(const struct fixture *fixture, const char *type, const char *run)
{
    lab_events_publish(fixture->events, type, &(struct lab_event_subject){.run = run}, json_object());
}

static void expect_waiting(const struct fixture *fixture, uint64_t count)
{
    struct lab_http_counts counts = {.waiting = UINT64_MAX};
    for (double until = lab_clock_now() + CLIENT_TIMEOUT_MS / 1e3; counts.waiting != count && lab_clock_now() < until;
         client_sleep(0.01))
        lab_http_counts(fixture->http, &counts);
    assert_int_equal(counts.waiting, count);
}

static void expect_calls(struct fixture *fixture, int count)
{
    for (double until = lab_clock_now() + CLIENT_TIMEOUT_MS / 1e3;
         atomic_load(&fixture->calls) < count && lab_clock_now() < until;)
        client_sleep(0.01);
    assert_int_equal(atomic_load(&fixture->calls), count);
}

TEST_WITH(test_its_own_events_call_the_handler_again, struct fixture *fixture, .setup = start, .teardown = stop)
{
    struct client client = request_state(fixture, "/state?wait=60&run=mine");
    expect_calls(fixture, 1);
    publish(fixture, "other", "mine");
    publish(fixture, "changed", "other");
    publish(fixture, "changed", "mine");
    expect_calls(fixture, 2);
    atomic_store(&fixture->state, 7);
    publish(fixture, "changed", "mine");
    assert_true(client_sees(&client, "state 7", CLIENT_TIMEOUT_MS));
    expect_calls(fixture, 3);
    expect_waiting(fixture, 0);
    client_close(&client);
}

TEST_WITH(test_the_number_of_requests_that_wait_is_limited, struct fixture *fixture, .setup = start, .teardown = stop)
{
    enum { MOST = 224 }; /* of one loopback address, of 512 connections: that of event streams */
    static struct client clients[MOST];
    char value[512];
    for (int i = 0; i < MOST; i++) {
        clients[i] = request_state(fixture, "/state?wait=60");
        expect_waiting(fixture, (uint64_t)i + 1);
    }
    struct answer answer = get(fixture->http, "/state?wait=60");
    json_decref(answer_problem(&answer, 503, "too-many-streams"));
    assert_non_null(answer_header(&answer, "Retry-After", value));
    answer_free(&answer);
    expect_status(get(fixture->http, "/state"), 200);
    atomic_store(&fixture->state, 1);
    publish(fixture, "changed", NULL);
    for (int i = 0; i < MOST; i++) {
        assert_true(client_sees(&clients[i], "state 1", CLIENT_TIMEOUT_MS));
        client_close(&clients[i]);
    }
    expect_waiting(fixture, 0);
}

struct publisher {
    const struct fixture *fixture;
    atomic_bool stop;
};

static void *publish_until_stopped(void *context)
{
    struct publisher *publisher = context;
    while (!atomic_load(&publisher->stop)) {
        publish(publisher->fixture, "changed", NULL);
        client_sleep(0.0002);
    }
    return NULL;
}

/* Events are published, and clients leave, while requests wait and the server stops. */
TEST_WITH(test_stop_while_requests_wait, struct fixture *fixture, .setup = start, .teardown = stop)
{
    enum { CLIENTS = 40 };
    struct client clients[CLIENTS];
    struct publisher publisher = {.fixture = fixture};
    pthread_t thread;
    pthread_create(&thread, NULL, publish_until_stopped, &publisher);
    for (int i = 0; i < CLIENTS; i++) {
        clients[i] = request_state(fixture, "/state?wait=60");
        if (i % 4 == 3)
            client_close(&clients[i]);
    }
    for (double until = lab_clock_now() + CLIENT_TIMEOUT_MS / 1e3;
         atomic_load(&fixture->calls) < 10 * CLIENTS && lab_clock_now() < until;)
        client_sleep(0.01);
    assert_true(lab_http_stop(fixture->http, 5.0));
    fixture->http = NULL;
    atomic_store(&publisher.stop, true);
    pthread_join(thread, NULL);
    for (int i = 0; i < CLIENTS; i++) {
        if (i % 4 == 3)
            continue;
        assert_true(client_sees(&clients[i], "\"status\":503", CLIENT_TIMEOUT_MS));
        client_close(&clients[i]);
    }
    assert_int_equal(lab_events_subscriber_count(fixture->events), 0);
}
