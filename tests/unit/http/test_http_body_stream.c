/* Bodies that are produced while they are sent: their content and their end, slow clients, bounded memory.
 */
#include "support/http_client.h"
#include "support/test.h"

#include <stdatomic.h>
#include <sys/resource.h>

/* What the handler's producer does, and what it has done. */
static struct producer {
    size_t total;    /* bytes of the body */
    size_t fails_at; /* where it fails; 0: it does not */
    size_t piece;    /* most bytes of a call; 0: as many as fit */
    atomic_size_t produced;
    atomic_int open, released; /* contexts */
} producer;

/* Byte `at` of the body. */
static char byte_at(size_t at)
{
    return (char)('a' + at % 23 + at / 65536 % 3);
}

static ssize_t produce(void *context, char *buffer, size_t size)
{
    size_t *at = context;
    if (producer.fails_at > 0 && *at >= producer.fails_at)
        return -1;
    size_t length = producer.total - *at < size ? producer.total - *at : size;
    if (producer.piece > 0 && length > producer.piece)
        length = producer.piece;
    for (size_t i = 0; i < length; i++)
        buffer[i] = byte_at(*at + i);
    *at += length;
    producer.produced += length;
    return (ssize_t)length;
}

static void release(void *context)
{
    free(context);
    producer.open--;
    producer.released++;
}

static void stream(const struct lab_request *request, struct lab_response *response)
{
    (void)request;
    producer.open++;
    lab_respond_header(response, "X-Test", "1");
    lab_respond_stream(response, "text/plain", produce, release, calloc(1, sizeof(size_t)));
}

/* A handler that changes its mind. */
static void stream_then_fail(const struct lab_request *request, struct lab_response *response)
{
    stream(request, response);
    lab_respond_problem(response, LAB_ERROR_STORE_UNAVAILABLE, NULL, NULL);
}

static void write_tag(const struct lab_request *request, char tag[LAB_CACHE_TAG_SIZE])
{
    (void)request;
    strcpy(tag, "same");
}

static const struct lab_route routes[] = {
    {.method = "GET", .pattern = "/stream", .thread = LAB_ROUTE_READS, .handle = stream, .cache_tag = write_tag},
    {.method = "GET", .pattern = "/inline", .handle = stream},
    {.method = "GET", .pattern = "/failing", .thread = LAB_ROUTE_READS, .handle = stream_then_fail},
    {0},
};

static int start_with(void **state, double stall_s)
{
    struct lab_error error;
    const struct lab_http_options options = {
        .listen = "127.0.0.1:0", .routes = routes, .max_body_bytes = 1024, .deadlines = {.stall_s = stall_s}};
    memset(&producer, 0, sizeof producer);
    *state = lab_http_start(&options, &error);
    return *state != NULL ? 0 : -1;
}

static int start(void **state)
{
    return start_with(state, 600);
}

static int start_impatient(void **state)
{
    return start_with(state, 1);
}

static int stop(void **state)
{
    return lab_http_stop(*state, 3.0) ? 0 : -1;
}

static void expect_released(int count)
{
    double until = lab_clock_now() + 10;
    while ((producer.open > 0 || producer.released < count) && lab_clock_now() < until)
        client_sleep(0.01);
    assert_int_equal(producer.open, 0);
    assert_int_equal(producer.released, count);
}

static struct client ask_for(const struct lab_http *http, const char *target, const char *version)
{
    struct client client = client_connect(http);
    char request[256];
    snprintf(request, sizeof request, "GET %s HTTP/%s\r\nHost: localhost\r\n\r\n", target, version);
    client_send(&client, request);
    return client;
}

/* The client's end of the connection, to read from. */
static FILE *file_of(const struct client *client)
{
    FILE *file = fdopen(dup(client->socket), "r");
    assert_non_null(file);
    return file;
}

/* Reads the head of a response up to the empty line; returns the status. */
static int read_head(FILE *file, bool *chunked)
{
    char line[512];
    int status = 0;
    *chunked = false;
    assert_non_null(fgets(line, sizeof line, file));
    assert_int_equal(sscanf(line, "HTTP/1.1 %d", &status), 1);
    while (fgets(line, sizeof line, file) != NULL && strcmp(line, "\r\n") != 0)
        *chunked = *chunked || strcasecmp(line, "Transfer-Encoding: chunked\r\n") == 0;
    return status;
}

/* Reads a chunked body and checks each byte. Returns its length; *whole says whether the last chunk came. */
static size_t read_chunks(FILE *file, bool *whole)
{
    static char bytes[1 << 20];
    size_t at = 0, length = 1;
    char line[512];
    *whole = false;
    while (length > 0 && fgets(line, sizeof line, file) != NULL) {
        length = strtoul(line, NULL, 16);
        assert_true(length < sizeof bytes);
        if (fread(bytes, 1, length + 2, file) != length + 2)
            return at;
        for (size_t i = 0; i < length; i++)
            if (bytes[i] != byte_at(at + i))
                fail_msg("byte %zu is %d", at + i, bytes[i]);
        at += length;
        *whole = length == 0;
    }
    return at;
}

TEST_WITH(test_bodies_arrive_whole, struct lab_http *http, .setup = start, .teardown = stop)
{
    static const size_t totals[] = {0, 1, 65535, 65536, 65537, 1 << 20}, pieces[] = {0, 1000};
    int requests = 0;
    for (size_t i = 0; i < sizeof totals / sizeof totals[0]; i++) {
        for (size_t p = 0; p < 2; p++) {
            bool chunked, whole;
            producer.total = totals[i];
            producer.piece = pieces[p];
            struct client client = ask_for(http, "/stream", "1.1");
            FILE *file = file_of(&client);
            for (int again = 0; again < 2; again++) { /* on the same connection */
                assert_int_equal(read_head(file, &chunked), 200);
                assert_true(chunked);
                assert_int_equal(read_chunks(file, &whole), totals[i]);
                assert_true(whole);
                expect_released(++requests);
                if (again == 0)
                    client_send(&client, "GET /inline HTTP/1.1\r\nHost: localhost\r\n\r\n");
            }
            fclose(file);
            client_close(&client);
        }
    }
}

TEST_WITH(test_http_1_0, struct lab_http *http, .setup = start, .teardown = stop)
{
    bool chunked;
    size_t length = 0;
    producer.total = 200000;
    struct client client = ask_for(http, "/stream", "1.0");
    FILE *file = file_of(&client);
    assert_int_equal(read_head(file, &chunked), 200);
    assert_false(chunked);
    for (int byte; (byte = fgetc(file)) != EOF; length++)
        assert_int_equal(byte, byte_at(length));
    assert_int_equal(length, producer.total);
    fclose(file);
    client_close(&client);
    expect_released(1);
}

TEST_WITH(test_head_has_no_body, struct lab_http *http, .setup = start, .teardown = stop)
{
    char value[512];
    producer.total = 1000;
    struct client client = client_connect(http);
    struct answer answer = client_ask(&client, "HEAD /stream HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_int_equal(answer.status, 200);
    assert_string_equal(answer_header(&answer, "Content-Type", value), "text/plain");
    assert_string_equal(answer_header(&answer, "X-Test", value), "1");
    assert_int_equal(answer.length, 0);
    answer_free(&answer);
    expect_status(client_ask(&client, "HEAD /inline HTTP/1.1\r\nHost: localhost\r\n\r\n"), 200);
    client_close(&client);
    expect_released(2);
    assert_int_equal(producer.produced, 0);
}

TEST_WITH(test_a_failure_breaks_the_body_off, struct lab_http *http, .setup = start, .teardown = stop)
{
    bool chunked, whole;
    producer.total = 1 << 20;
    producer.fails_at = 300000;
    struct client client = ask_for(http, "/stream", "1.1");
    FILE *file = file_of(&client);
    assert_int_equal(read_head(file, &chunked), 200);
    assert_true(read_chunks(file, &whole) < producer.total);
    assert_false(whole);
    fclose(file);
    client_close(&client);
    expect_released(1);
}

TEST_WITH(test_another_response_replaces_the_stream, struct lab_http *http, .setup = start, .teardown = stop)
{
    expect_problem(get(http, "/failing"), 503, "store-unavailable");
    expect_released(1);
}

/* A client that stops reading makes the producer wait, and is closed when it has accepted nothing for stall_s. */
TEST_WITH(test_a_client_that_does_not_read, struct lab_http *http, .setup = start_impatient, .teardown = stop)
{
    enum { SOCKET_BUFFERS = 24 << 20 };
    producer.total = (size_t)1 << 30;
    struct client client = ask_for(http, "/stream", "1.1");
    assert_true(client_more(&client, CLIENT_TIMEOUT_MS) > 0);
    expect_released(1);
    assert_true(producer.produced < SOCKET_BUFFERS);
    client_close(&client);
}

TEST_WITH(test_a_client_that_leaves, struct lab_http *http, .setup = start, .teardown = stop)
{
    producer.total = (size_t)1 << 30;
    for (int i = 0; i < 8; i++) {
        struct client client = ask_for(http, "/stream", "1.1");
        assert_true(client_more(&client, CLIENT_TIMEOUT_MS) > 0);
        client_close(&client);
    }
    expect_released(8);
}

static long resident_bytes(void)
{
    long pages = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%ld %ld", &pages, &resident), 2);
    fclose(file);
    return resident * sysconf(_SC_PAGESIZE);
}

/* 100 MB to a client that pauses: the memory of this process, which is also the server, stays the same. */
TEST_WITH(test_memory_is_bounded, struct lab_http *http, .setup = start, .teardown = stop)
{
    enum { GROWTH_MAX = 16 << 20, PAUSES = 10 };
    bool chunked;
    producer.total = 100 << 20;
    struct client client = ask_for(http, "/stream", "1.1");
    FILE *file = file_of(&client);
    assert_int_equal(read_head(file, &chunked), 200);
    long before = resident_bytes(), most = before;
    static char bytes[1 << 20];
    size_t at = 0;
    char line[512];
    for (int pauses = 0; fgets(line, sizeof line, file) != NULL;) {
        size_t length = strtoul(line, NULL, 16);
        assert_true(length < sizeof bytes);
        assert_int_equal(fread(bytes, 1, length + 2, file), length + 2);
        at += length;
        if (length == 0)
            break;
        if (at * PAUSES / producer.total > (size_t)pauses) {
            pauses++;
            client_sleep(0.1);
            most = resident_bytes() > most ? resident_bytes() : most;
        }
    }
    assert_int_equal(at, producer.total);
    assert_true(most - before < GROWTH_MAX);
    fclose(file);
    client_close(&client);
    expect_released(1);
}

/* A stop does not wait for the rest of a body. */
TEST_WITH(test_stopping_breaks_the_body_off, struct lab_http *http, .setup = start)
{
    bool chunked, whole;
    producer.total = (size_t)1 << 40;
    struct client reading = ask_for(http, "/stream", "1.1"), stalled = ask_for(http, "/stream", "1.1");
    FILE *file = file_of(&reading);
    assert_int_equal(read_head(file, &chunked), 200);
    assert_true(client_more(&stalled, CLIENT_TIMEOUT_MS) > 0);
    double began = lab_clock_now();
    assert_true(lab_http_stop(http, 0.5));
    assert_true(lab_clock_now() - began < 5);
    read_chunks(file, &whole);
    assert_false(whole);
    fclose(file);
    client_close(&reading);
    client_close(&stalled);
    expect_released(2);
}
