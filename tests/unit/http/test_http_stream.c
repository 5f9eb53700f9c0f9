/* Event streams over HTTP: what is sent when, which clients are dropped, and how streams end. */
#include "events.h"
#include "support/http_client.h"
#include "support/test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>

enum { RING = 64, STREAMS = 200 };

struct fixture {
    struct lab_http *http;
    struct lab_events *events;
};

static void stream(const struct lab_request *request, struct lab_response *response)
{
    struct fixture *fixture = lab_request_context(request);
    const struct lab_event_filter filter = {.run = lab_request_query(request, "run")};
    lab_respond_events(request, response, fixture->events, &filter);
}

static void hello(const struct lab_request *request, struct lab_response *response)
{
    (void)request;
    lab_respond_text(response, 200, "text/plain", "hello", 5);
}

static const struct lab_route routes[] = {
    {.method = "GET", .pattern = "/events", .query = lab_any_members, .handle = stream},
    {.method = "GET", .pattern = "/hello", .query = lab_any_members, .handle = hello},
    {0}};

static int start_with(void **state, const struct lab_http_deadlines *deadlines)
{
    struct lab_error error;
    struct fixture *fixture = calloc(1, sizeof *fixture);
    *state = fixture;
    fixture->events = lab_events_create(RING);
    const struct lab_http_options options = {
        .listen = "127.0.0.1:0", .routes = routes, .max_body_bytes = 1024, .deadlines = *deadlines, .context = fixture};
    fixture->http = lab_http_start(&options, &error);
    return fixture->http != NULL ? 0 : -1;
}

static int start(void **state)
{
    return start_with(state, &(const struct lab_http_deadlines){0});
}

static int start_with_short_deadlines(void **state)
{
    return start_with(state, &(const struct lab_http_deadlines){.heartbeat_s = 0.3, .stall_s = 0.8});
}

static int stop(void **state)
{
    struct fixture *fixture = *state;
    lab_http_stop(fixture->http, 3.0);
    lab_events_free(fixture->events);
    free(fixture);
    return 0;
}

static struct client listen_to(const struct fixture *fixture, const char *target, const char *last)
{
    char request[512];
    struct client client = client_connect(fixture->http);
    snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: localhost\r\n%s%s%s\r\n", target,
             last != NULL ? "Last-Event-ID: " : "", last != NULL ? last : "", last != NULL ? "\r\n" : "");
    client_send(&client, request);
    assert_true(client_sees(&client, "retry: ", CLIENT_TIMEOUT_MS));
    return client;
}

static void publish(const struct fixture *fixture, const char *run, int number)
{
    lab_events_publish(fixture->events, "measurement", &(struct lab_event_subject){.run = run},
                       json_pack("{s:i}", "number", number));
}

static bool counts_become(const struct fixture *fixture, uint64_t streams, double seconds)
{
    struct lab_http_counts counts;
    for (double until = lab_clock_now() + seconds; lab_clock_now() < until; client_sleep(0.02)) {
        lab_http_counts(fixture->http, &counts);
        if (counts.event_streams == streams && lab_events_subscriber_count(fixture->events) == streams)
            return true;
    }
    return false;
}

TEST_WITH(test_headers_and_an_event_without_delay, const struct fixture *fixture, .setup = start, .teardown = stop)
{
    struct client client = listen_to(fixture, "/events", NULL);
    assert_non_null(strstr(client.buffer, "HTTP/1.1 200 OK\r\n"));
    assert_non_null(strstr(client.buffer, "Content-Type: text/event-stream\r\n"));
    assert_non_null(strstr(client.buffer, "Cache-Control: no-cache\r\n"));
    client_sleep(0.1); /* its connection is suspended by now */
    double began = lab_clock_now();
    publish(fixture, NULL, 7);
    assert_true(client_sees(&client, "event: measurement\ndata: {\"number\":7}\n\n", 2000));
    assert_true(lab_clock_now() - began < 1.0);
    client_close(&client);
}

TEST_WITH(test_replay_and_reset, const struct fixture *fixture, .setup = start, .teardown = stop)
{
    struct client client = listen_to(fixture, "/events", NULL);
    publish(fixture, NULL, 1);
    publish(fixture, NULL, 2);
    assert_true(client_sees(&client, "{\"number\":2}", 2000));
    char id[64];
    snprintf(id, sizeof id, "%.*s", (int)strcspn(strstr(client.buffer, "id: ") + 4, "\n"),
             strstr(client.buffer, "id: ") + 4);
    client_close(&client);
    client = listen_to(fixture, "/events", id);
    assert_true(client_sees(&client, "{\"number\":2}", 2000));
    assert_null(strstr(client.buffer, "{\"number\":1}"));
    client_close(&client);
    client = listen_to(fixture, "/events", "nothing-7");
    assert_true(client_sees(&client, "event: reset\n", 2000));
    client_close(&client);
}

TEST_WITH(test_a_filtered_stream, const struct fixture *fixture, .setup = start, .teardown = stop)
{
    struct client client = listen_to(fixture, "/events?run=mine", NULL);
    for (int i = 0; i < 3 * RING; i++)
        publish(fixture, "other", i);
    publish(fixture, "mine", 1000);
    assert_true(client_sees(&client, "{\"number\":1000}", 2000));
    assert_null(strstr(client.buffer, "reset"));
    assert_null(strstr(client.buffer, "{\"number\":1}"));
    client_close(&client);
}

TEST_WITH(test_heartbeats, struct fixture *fixture, .setup = start_with_short_deadlines, .teardown = stop)
{
    struct client client = listen_to(fixture, "/events", NULL);
    for (int beats = 0; beats < 3; beats++) {
        assert_true(client_sees(&client, "\n:\n\n", 3000));
        client.length = 0;
    }
    client_close(&client);
}

/* libmicrohttpd does not watch a suspended connection. */
TEST_WITH(test_a_client_that_leaves_is_detected, const struct fixture *fixture, .setup = start, .teardown = stop)
{
    struct client clients[8];
    for (int i = 0; i < 8; i++)
        clients[i] = listen_to(fixture, "/events", NULL);
    assert_true(counts_become(fixture, 8, 2));
    for (int i = 0; i < 8; i++)
        client_close(&clients[i]);
    assert_true(counts_become(fixture, 0, 5));
}

TEST_WITH(test_a_client_that_does_not_read_is_dropped, const struct fixture *fixture,
          .setup = start_with_short_deadlines, .teardown = stop)
{
    struct client silent = listen_to(fixture, "/events", NULL), reader = listen_to(fixture, "/events", NULL);
    char text[4096];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    double began = lab_clock_now();
    for (int i = 0; lab_events_subscriber_count(fixture->events) > 1; i++) {
        assert_true(lab_clock_now() - began < 20);
        for (int burst = 0; burst < 20; burst++)
            lab_events_publish(fixture->events, "log", NULL, json_pack("{s:s, s:i}", "text", text, "number", i));
        client_sleep(0.02);
        reader.length = 0; /* it reads; what it reads does not matter */
        client_more(&reader, 0);
    }
    lab_events_publish(fixture->events, "log", NULL, json_pack("{s:s}", "text", "the last"));
    double until = lab_clock_now() + 5;
    while (strstr(reader.buffer, "the last") == NULL && lab_clock_now() < until) {
        reader.length = 0;
        client_more(&reader, 1000);
    }
    assert_non_null(strstr(reader.buffer, "the last"));
    client_close(&silent);
    client_close(&reader);
}

TEST_WITH(test_the_connection_can_be_used_after_head, const struct fixture *fixture, .setup = start, .teardown = stop)
{
    struct client client = client_connect(fixture->http);
    char value[512];
    struct answer answer = client_ask(&client, "HEAD /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_int_equal(answer.status, 200);
    assert_string_equal(answer_header(&answer, "Content-Type", value), "text/event-stream");
    answer_free(&answer);
    answer = client_ask(&client, "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_string_equal(answer.body, "hello");
    answer_free(&answer);
    assert_int_equal(lab_events_subscriber_count(fixture->events), 0);
    client_close(&client);
}

/* The last bytes are the empty chunk: the stream was ended, not aborted. */
static void expect_last_chunk(const struct client *client)
{
    static const char last[] = "0\r\n\r\n";
    assert_true(client->length >= sizeof last - 1);
    assert_string_equal(client->buffer + client->length - (sizeof last - 1), last);
}

static double cpu_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

/* Many streams: they use no processor time without events, leave connections for requests, get all events, and end when
 * the server stops. */
TEST_WITH(test_many_streams, struct fixture *fixture, .setup = start, .teardown = stop)
{
    static struct client clients[STREAMS];
    for (int i = 0; i < STREAMS; i++)
        clients[i] = listen_to(fixture, i % 2 == 0 ? "/events" : "/events?run=mine", NULL);
    assert_true(counts_become(fixture, STREAMS, 2));
    client_sleep(0.2);
    double cpu = cpu_seconds();
    client_sleep(2.0);
    assert_true(cpu_seconds() - cpu < 0.1); /* one stream in a busy loop would use all of it */
    struct client others[64];
    for (int i = 0; i < 64; i++)
        others[i] = client_connect(fixture->http);
    for (int i = 0; i < 64; i++)
        expect_status(client_ask(&others[i], "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n"), 200);
    publish(fixture, "mine", 1);
    for (int i = 0; i < STREAMS; i++)
        assert_true(client_sees(&clients[i], "{\"number\":1}", 5000));
    publish(fixture, "mine", 2); /* not yet sent when the server stops */
    double began = lab_clock_now();
    lab_http_stop(fixture->http, 5.0);
    fixture->http = NULL;
    assert_true(lab_clock_now() - began < 4.0); /* all ended before the grace period did */
    for (int i = 0; i < STREAMS; i++) {
        assert_true(client_ends(&clients[i], 2000));
        assert_non_null(strstr(clients[i].buffer, "{\"number\":2}"));
        expect_last_chunk(&clients[i]);
        client_close(&clients[i]);
    }
    for (int i = 0; i < 64; i++)
        client_close(&others[i]);
    assert_int_equal(lab_events_subscriber_count(fixture->events), 0);
}

TEST_WITH(test_the_number_of_streams_is_limited, struct fixture *fixture, .setup = start, .teardown = stop)
{
    enum { MOST = 224 }; /* of one loopback address, of 512 connections */
    static struct client clients[MOST];
    for (int i = 0; i < MOST; i++)
        clients[i] = listen_to(fixture, "/events", NULL);
    char value[512];
    struct answer answer = get(fixture->http, "/events");
    json_decref(answer_problem(&answer, 503, "too-many-streams"));
    assert_non_null(answer_header(&answer, "Retry-After", value));
    answer_free(&answer);
    client_close(&clients[0]);
    assert_true(counts_become(fixture, MOST - 1, 5));
    clients[0] = listen_to(fixture, "/events", NULL);
    expect_status(get(fixture->http, "/hello"), 200);
    for (int i = 0; i < MOST; i++)
        client_close(&clients[i]);
}

struct publisher {
    const struct fixture *fixture;
    atomic_bool stop;
};

static void *publish_until_stopped(void *context)
{
    struct publisher *publisher = context;
    for (int i = 0; !atomic_load(&publisher->stop); i++) {
        publish(publisher->fixture, i % 3 == 0 ? "mine" : NULL, i);
        client_sleep(0.0002);
    }
    return NULL;
}

/* Streams are opened and closed and events published while the server stops. */
TEST_WITH(test_stop_while_streams_are_opened, struct fixture *fixture, .setup = start, .teardown = stop)
{
    enum { CLIENTS = 40 };
    struct client clients[CLIENTS];
    struct publisher publisher = {.fixture = fixture};
    pthread_t thread;
    pthread_create(&thread, NULL, publish_until_stopped, &publisher);
    for (int i = 0; i < CLIENTS; i++) {
        clients[i] = listen_to(fixture, i % 2 == 0 ? "/events" : "/events?run=mine", NULL);
        if (i % 4 == 3)
            client_close(&clients[i]);
    }
    double began = lab_clock_now();
    lab_http_stop(fixture->http, 5.0);
    assert_true(lab_clock_now() - began < 4.5);
    fixture->http = NULL;
    atomic_store(&publisher.stop, true);
    pthread_join(thread, NULL);
    for (int i = 0; i < CLIENTS; i++) {
        if (i % 4 == 3)
            continue;
        for (clients[i].length = 0; client_more(&clients[i], 2000) > 0;)
            if (clients[i].length > CLIENT_BUFFER / 2)
                client_drop(&clients[i], clients[i].length - 7);
        expect_last_chunk(&clients[i]);
        client_close(&clients[i]);
    }
}
