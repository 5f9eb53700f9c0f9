/* Clients that take places and do nothing with them: whoever comes after them is answered at once, and they are closed
 * when their time is over. 127.0.0.1 and 127.0.0.2 are two addresses.
 */
#include "events.h"
#include "support/http_client.h"
#include "support/test.h"

#include <semaphore.h>

enum { PLACES = 32, LARGE = 1 << 20, HUGE = 8 << 20 };

static char *large;
static sem_t slow_started, slow_go;

static void hello(const struct lab_request *request, struct lab_response *response)
{
    const char *address = lab_request_address(request);
    lab_respond_text(response, 200, "text/plain", address, strlen(address));
}

static void send_large(const struct lab_request *request, struct lab_response *response)
{
    bool is_huge = strcmp(lab_request_path(request), "/huge") == 0;
    lab_respond_text(response, 200, "text/plain", large, is_huge ? HUGE : LARGE);
}

static void wait(const struct lab_request *request, struct lab_response *response)
{
    sem_post(&slow_started);
    sem_wait(&slow_go);
    hello(request, response);
}

static void stream(const struct lab_request *request, struct lab_response *response)
{
    lab_respond_events(request, response, lab_request_context(request), &(struct lab_event_filter){0});
}

static const struct lab_route routes[] = {
    {.method = "GET", .pattern = "/hello", .handle = hello},
    {.method = "GET", .pattern = "/large", .handle = send_large},
    {.method = "GET", .pattern = "/huge", .handle = send_large},
    {.method = "GET", .pattern = "/slow", .thread = LAB_ROUTE_READS, .handle = wait},
    {.method = "GET", .pattern = "/events", .handle = stream},
    {.method = "POST", .pattern = "/echo", .body = lab_any_members, .handle = hello},
    {0},
};

struct fixture {
    struct lab_http *http;
    struct lab_events *events;
};

static int start_with(void **state, size_t places, const struct lab_http_deadlines *deadlines)
{
    static struct fixture fixture;
    struct lab_error error;
    fixture.events = lab_events_create(64);
    large = calloc(1, HUGE);
    sem_init(&slow_started, 0, 0);
    sem_init(&slow_go, 0, 0);
    const struct lab_http_options options = {.listen = "127.0.0.1:0",
                                             .routes = routes,
                                             .max_body_bytes = 1 << 20,
                                             .connections_max = places,
                                             .deadlines = *deadlines,
                                             .context = fixture.events};
    fixture.http = lab_http_start(&options, &error);
    *state = &fixture;
    return fixture.http != NULL ? 0 : -1;
}

/* No deadline is near. */
static int start(void **state)
{
    return start_with(state, PLACES,
                      &(struct lab_http_deadlines){.header_s = 600, .body_s = 600, .idle_s = 600, .stall_s = 600});
}

static int start_impatient(void **state)
{
    return start_with(
        state, PLACES,
        &(struct lab_http_deadlines){.header_s = 600, .body_s = 600, .stall_s = 1, .bytes_per_s = 1 << 20});
}

static int start_stalled(void **state)
{
    return start_with(state, PLACES, &(struct lab_http_deadlines){.header_s = 600, .idle_s = 600, .stall_s = 30});
}

static int stop(void **state)
{
    struct fixture *fixture = *state;
    lab_http_stop(fixture->http, 0.1);
    lab_events_free(fixture->events);
    free(large);
    return 0;
}

/* Connects from 127.0.0.`from`. */
static struct client connect_from(const struct lab_http *http, int from)
{
    int size = 4096;
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK - 1 + (in_addr_t)from)};
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)client_port(http)),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    assert_int_equal(bind(descriptor, (struct sockaddr *)&own, sizeof own), 0);
    assert_int_equal(connect(descriptor, (struct sockaddr *)&address, sizeof address), 0);
    return client_of(descriptor);
}

static const char get_hello[] = "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n";

static void expect_hello(const struct lab_http *http, int from)
{
    char expected[32];
    snprintf(expected, sizeof expected, "127.0.0.%d", from);
    struct client client = connect_from(http, from);
    struct answer answer = client_ask(&client, get_hello);
    assert_int_equal(answer.status, 200);
    assert_string_equal(answer.body, expected);
    answer_free(&answer);
    client_close(&client);
}

static bool connections_become(const struct lab_http *http, size_t count, double seconds)
{
    struct lab_http_counts counts = {0};
    for (double until = lab_clock_now() + seconds; lab_clock_now() < until; client_sleep(0.01)) {
        lab_http_counts(http, &counts);
        if (counts.connections == count)
            return true;
    }
    printf("%zu connections, not %zu\n", (size_t)counts.connections, count);
    return false;
}

/* What clients that take places send. */
static const char *const idle_requests[] = {
    "",                                         /* nothing */
    "GET /hello HT",                            /* half a request line */
    "GET /hello HTTP/1.1\r\nHost: localhost\r", /* half a header */
    "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", /* half a body */
    "GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n", /* and it reads no answer */
    get_hello,                                        /* and it keeps the connection */
};

/* More clients than there are places, from one address or two, that do nothing: every newcomer is answered at once. */
TEST_WITH(test_newcomers_are_answered, struct fixture *fixture, .setup = start, .teardown = stop)
{
    enum { MORE = 2 * PLACES };
    for (size_t i = 0; i < sizeof idle_requests / sizeof idle_requests[0]; i++) {
        for (int addresses = 1; addresses <= 2; addresses++) {
            struct client clients[MORE];
            for (int c = 0; c < MORE; c++) {
                clients[c] = connect_from(fixture->http, 2 + c % addresses);
                client_send(&clients[c], idle_requests[i]);
            }
            for (int c = 0; c < 8; c++)
                expect_hello(fixture->http, 1 + c % 3);
            for (int c = 0; c < MORE; c++)
                client_close(&clients[c]);
            assert_true(connections_become(fixture->http, 0, 10));
        }
    }
}

/* The address with the most connections loses one, and of its connections the one that has waited for longest. */
TEST_WITH(test_the_longest_waiting_is_closed, struct fixture *fixture, .setup = start, .teardown = stop)
{
    struct client few[4], many[PLACES - 4];
    for (int i = 0; i < 4; i++) {
        few[i] = connect_from(fixture->http, 3);
        expect_status(client_ask(&few[i], get_hello), 200);
    }
    for (int i = 0; i < PLACES - 4; i++) {
        many[i] = connect_from(fixture->http, 2);
        expect_status(client_ask(&many[i], get_hello), 200);
    }
    expect_status(client_ask(&many[0], get_hello), 200); /* now the second has waited for longest */
    struct client newcomer = connect_from(fixture->http, 1);
    expect_status(client_ask(&newcomer, get_hello), 200);
    assert_true(client_ends(&many[1], 5000));
    expect_status(client_ask(&many[0], get_hello), 200);
    for (int i = 2; i < PLACES - 4; i++)
        expect_status(client_ask(&many[i], get_hello), 200);
    for (int i = 0; i < 4; i++)
        expect_status(client_ask(&few[i], get_hello), 200);
    for (int i = 0; i < 4; i++)
        client_close(&few[i]);
    for (int i = 0; i < PLACES - 4; i++)
        client_close(&many[i]);
    client_close(&newcomer);
}

/* Requests whose handler runs keep their connection. */
TEST_WITH(test_requests_in_progress_are_not_closed, struct fixture *fixture, .setup = start, .teardown = stop)
{
    enum { READERS = 4 };
    struct client busy[READERS], silent[2 * PLACES];
    for (int i = 0; i < READERS; i++) {
        busy[i] = connect_from(fixture->http, 2);
        client_send(&busy[i], "GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n");
        sem_wait(&slow_started);
    }
    for (int i = 0; i < 2 * PLACES; i++)
        silent[i] = connect_from(fixture->http, 2);
    expect_hello(fixture->http, 1);
    for (int i = 0; i < READERS; i++)
        sem_post(&slow_go);
    for (int i = 0; i < READERS; i++) {
        expect_status(client_answer(&busy[i], false), 200);
        client_close(&busy[i]);
    }
    for (int i = 0; i < 2 * PLACES; i++)
        client_close(&silent[i]);
}

TEST_WITH(test_event_streams_of_an_address_are_limited, struct fixture *fixture, .setup = start, .teardown = stop)
{
    enum { OF_ALL = PLACES / 2, OF_ONE = OF_ALL - OF_ALL / 8 };
    static const char request[] = "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n";
    struct client streams[OF_ALL + 1];
    for (int i = 0; i < OF_ALL; i++) {
        streams[i] = connect_from(fixture->http, i < OF_ONE ? 2 : 3);
        client_send(&streams[i], request);
        assert_true(client_sees(&streams[i], "retry: ", CLIENT_TIMEOUT_MS));
        if (i == OF_ONE - 1) {
            struct client refused = connect_from(fixture->http, 2);
            expect_problem(client_ask(&refused, request), 503, "too-many-streams");
            client_close(&refused);
        }
    }
    streams[OF_ALL] = connect_from(fixture->http, 3);
    expect_problem(client_ask(&streams[OF_ALL], request), 503, "too-many-streams");
    client_close(&streams[0]);
    client_sleep(1.5); /* at the next tick the server sees that its client has left */
    expect_hello(fixture->http, 2);
    for (int i = 1; i <= OF_ALL; i++)
        client_close(&streams[i]);
}

/* Clients that read nothing, or a little now and then, are closed after stall_s. */
TEST_WITH(test_clients_that_do_not_read_are_closed, struct fixture *fixture, .setup = start_impatient, .teardown = stop)
{
    enum { CLIENTS = 8 };
    struct client clients[CLIENTS];
    for (int i = 0; i < CLIENTS; i++) {
        clients[i] = connect_from(fixture->http, 2);
        client_send(&clients[i], "GET /huge HTTP/1.1\r\nHost: localhost\r\n\r\n");
    }
    char byte;
    double until = lab_clock_now() + 60;
    struct lab_http_counts counts = {.connections = CLIENTS};
    while (counts.connections > 0 && lab_clock_now() < until) {
        for (int i = 0; i < CLIENTS / 2; i++)
            recv(clients[i].socket, &byte, 1, MSG_DONTWAIT);
        client_sleep(0.01);
        lab_http_counts(fixture->http, &counts);
    }
    assert_int_equal(counts.connections, 0);
    for (int i = 0; i < CLIENTS; i++)
        client_close(&clients[i]);
}

/* A client that reads all the time gets all of a body that takes longer than stall_s. */
TEST_WITH(test_a_slow_reader_gets_everything, struct fixture *fixture, .setup = start_impatient, .teardown = stop)
{
    struct client client = connect_from(fixture->http, 2);
    static char piece[HUGE / 32];
    size_t total = 0;
    client_send(&client, "GET /huge HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    for (ssize_t got = 1; got > 0; total += (size_t)got) {
        got = recv(client.socket, piece, sizeof piece, MSG_WAITALL);
        assert_true(got >= 0);
        client_sleep(0.08);
    }
    assert_true(total > HUGE);
    client_close(&client);
}

/* The client leaves in the middle of a body: its place is free at once, not after body_s. */
TEST_WITH(test_a_client_that_leaves_in_a_body, struct fixture *fixture, .setup = start, .teardown = stop)
{
    static const char *const requests[] = {
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1",
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Ty"};
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        struct client client = connect_from(fixture->http, 2);
        client_send(&client, requests[i]);
        assert_true(connections_become(fixture->http, 1, 5));
        client_sleep(0.05);
        client_close(&client);
        assert_true(connections_become(fixture->http, 0, 5));
    }
}

/* A client may close its side after its request, and still gets the answer. */
TEST_WITH(test_a_client_that_only_closes_its_side, struct fixture *fixture, .setup = start, .teardown = stop)
{
    struct client client = connect_from(fixture->http, 2);
    client_send(&client,
                "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                "Content-Length: 2\r\n\r\n{}");
    shutdown(client.socket, SHUT_WR);
    expect_status(client_answer(&client, false), 200);
    client_close(&client);
}

static int start_large(void **state)
{
    return start_with(state, 512, &(struct lab_http_deadlines){.header_s = 600});
}
/* Of all threads and the queue of a pool, one address gets a part. */
TEST_WITH(test_waiting_requests_of_an_address_are_limited, struct fixture *fixture, .setup = start_large,
          .teardown = stop)
{
    enum { OF_ONE = 224, READERS = 4 };
    static struct client clients[OF_ONE + 1];
    for (int i = 0; i < OF_ONE; i++) {
        clients[i] = connect_from(fixture->http, 2);
        client_send(&clients[i], "GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n");
        if (i < READERS)
            sem_wait(&slow_started);
    }
    client_sleep(0.3); /* all of them arrive */
    clients[OF_ONE] = connect_from(fixture->http, 2);
    expect_problem(client_ask(&clients[OF_ONE], "GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n"), 503, "too-busy");
    expect_status(client_ask(&clients[OF_ONE], get_hello), 200);
    struct client other = connect_from(fixture->http, 3);
    client_send(&other, "GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n");
    for (int i = 0; i < OF_ONE + 1; i++)
        sem_post(&slow_go);
    for (int i = 0; i < OF_ONE; i++)
        expect_status(client_answer(&clients[i], false), 200);
    expect_status(client_answer(&other, false), 200);
    for (int i = 0; i <= OF_ONE; i++)
        client_close(&clients[i]);
    client_close(&other);
}

/* Takes all the memory for responses with 8 clients that read nothing. */
static void take_all_memory(const struct lab_http *http, struct client clients[8])
{
    for (int i = 0; i < 8; i++) {
        char first;
        clients[i] = connect_from(http, 2);
        client_send(&clients[i], "GET /huge HTTP/1.1\r\nHost: localhost\r\n\r\n");
        assert_int_equal(recv(clients[i].socket, &first, 1, MSG_PEEK), 1);
    }
}

/* Whether the client gets a large response, which may be refused at first. */
static bool gets_large_response(struct client *client)
{
    int status = 0;
    for (double until = lab_clock_now() + 60; status != 200 && lab_clock_now() < until; client_sleep(0.01)) {
        struct answer answer = client_ask(client, "HEAD /large HTTP/1.1\r\nHost: localhost\r\n\r\n");
        status = answer.status;
        free(answer.body);
    }
    return status == 200;
}

TEST_WITH(test_memory_for_responses_is_limited, struct fixture *fixture, .setup = start, .teardown = stop)
{
    struct client deaf[8], other = connect_from(fixture->http, 3);
    take_all_memory(fixture->http, deaf);
    expect_problem(client_ask(&other, "GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n"), 503, "too-busy");
    expect_status(client_ask(&other, get_hello), 200);
    client_close(&deaf[0]);
    assert_true(gets_large_response(&other));
    client_close(&other);
    for (int i = 1; i < 8; i++)
        client_close(&deaf[i]);
}

/* More connections at once than there are places, and than may be closing at the same time. */
TEST_WITH(test_a_burst_of_connections_locks_nobody_out, struct fixture *fixture, .setup = start, .teardown = stop)
{
    enum { BURST = 400 };
    static struct client clients[BURST];
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < BURST; i++)
            clients[i] = connect_from(fixture->http, 2);
        expect_hello(fixture->http, 3);
        for (int i = 0; i < BURST; i++)
            client_close(&clients[i]);
    }
}

/* The response gets the memory of a client that has read nothing for a while; the others keep theirs. */
TEST_WITH(test_memory_of_clients_that_do_not_read_is_freed, struct fixture *fixture, .setup = start_stalled,
          .teardown = stop)
{
    struct client deaf[8], other = connect_from(fixture->http, 3);
    struct lab_http_counts counts;
    take_all_memory(fixture->http, deaf);
    assert_true(gets_large_response(&other));
    do {
        client_sleep(0.01);
        lab_http_counts(fixture->http, &counts);
    } while (counts.connections > 8);
    assert_int_equal(counts.connections, 8);
    client_close(&other);
    for (int i = 0; i < 8; i++)
        client_close(&deaf[i]);
}
