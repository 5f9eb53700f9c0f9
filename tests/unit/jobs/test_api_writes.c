/* server/api/runs: what a request writes is answered from what was written. No statement of a connection that reads is
 * executed, but for measurements, and the answer is what the store has. */
#include "support/jobs_harness.h"
#include "support/test.h"

#include "support/http_client.h"

#include "api/api.h"

#include <sqlite3.h>
#include <stdatomic.h>

/* --- counting ----------------------------------------------------------------------------------------------------- */

/* Statements of connections that only read; those of them that read members of a run. */
static atomic_int reads, run_reads;

static int count_read(unsigned kind, void *db, void *statement, void *text)
{
    (void)kind, (void)text;
    if (sqlite3_db_readonly(db, "main") == 1) {
        reads++;
        run_reads += strstr(sqlite3_sql(statement), "run.revision") != NULL;
    }
    return 0;
}

/* Is called by SQLite for each connection that is opened. */
static int trace(sqlite3 *db, const char **message, const struct sqlite3_api_routines *api)
{
    (void)message, (void)api;
    return sqlite3_trace_v2(db, SQLITE_TRACE_STMT, count_read, db);
}

static int count_reads(void **state)
{
    (void)state;
    return sqlite3_auto_extension((void (*)(void))(void *)trace);
}

AROUND_EACH_TEST(.setup = count_reads)

/* --- the lab ------------------------------------------------------------------------------------------------------ */

struct api_lab {
    struct lab *lab;
    struct lab_api api;
    struct lab_http *http;
};

/* A lab whose queue is paused, so that nothing else reads; the node "there" has CUDA devices. */
static void start(struct api_lab *test)
{
    struct lab_error error = {0};
    test->lab = lab_setup_nodes(2, 60);
    assert_true(lab_jobs_pause(test->lab->jobs, true));
    test->api = (struct lab_api){.store = test->lab->store, .jobs = test->lab->jobs, .events = test->lab->events};
    const struct lab_http_options options = {
        .listen = "127.0.0.1:0", .routes = lab_api_routes, .max_body_bytes = 1 << 20, .context = &test->api};
    test->http = lab_http_start(&options, &error);
    if (test->http == NULL)
        fail_msg("%s", error.detail);
}

static void stop(struct api_lab *test)
{
    assert_true(lab_http_stop(test->http, 10));
    lab_teardown(test->lab);
}

/* Sends a request with a JSON body; returns the answer's document, a new reference. */
static json_t *call(const struct api_lab *test, const char *method, const char *path, const char *body, int status)
{
    char request[1024];
    snprintf(request, sizeof request,
             "%s %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nIf-Match: *\r\n"
             "Content-Length: %zu\r\n\r\n%s",
             method, path, strlen(body), body);
    struct client client = client_connect(test->http);
    struct answer answer = client_ask(&client, request);
    client_close(&client);
    if (answer.status != status)
        fail_msg("%s %s: %d %s", method, path, answer.status, answer.body);
    json_t *document = json_loads(answer.body, 0, NULL);
    free(answer.body);
    assert_non_null(document);
    return document;
}

/* The same for a request that must not read. */
static json_t *write_only(const struct api_lab *test, const char *method, const char *path, const char *body,
                          int status)
{
    reads = 0;
    json_t *document = call(test, method, path, body, status);
    assert_int_equal(reads, 0);
    return document;
}

static json_t *submit(const struct api_lab *test, const char *path, const char *body)
{
    return write_only(test, "POST", path, body, 202);
}

static json_t *cancel(const struct api_lab *test, const char *collection, const char *id)
{
    char path[128];
    snprintf(path, sizeof path, "/api/v1/%s/%s/cancel", collection, id);
    return submit(test, path, "{}");
}

/* Checks that the resource is what the answer of the write was. */
static void assert_stored(const struct api_lab *test, const char *collection, const json_t *written)
{
    char path[128];
    snprintf(path, sizeof path, "/api/v1/%s/%s", collection, text_at(written, "id"));
    reads = run_reads = 0;
    json_t *stored = call(test, "GET", path, "", 200);
    assert_true(reads > 0); /* such reads are counted */
    char *a = json_dumps(written, JSON_INDENT(1)), *b = json_dumps(stored, JSON_INDENT(1));
    assert_string_equal(a, b);
    free(a);
    free(b);
    json_decref(stored);
}

/* --- tests -------------------------------------------------------------------------------------------------------- */

TEST(a_run_is_answered_from_what_was_written)
{
    static const char *const bodies[] = {
        "{\"experiment\":\"probe\"}",
        "{\"experiment\":\"probe\",\"tags\":[\"a\",\"b\"],\"note\":\"\\u20ac\",\"priority\":\"low\",\"time_limit_s\":7.5}",
        "{\"experiment\":\"probe\",\"compare_with\":{\"parameters\":{\"points\":2}}}",
        "{\"experiment\":\"shown\",\"devices\":[\"there-0\"],\"kernel\":{\"source\":\"x\",\"edits\":\"shown/note-kernels\"}}",
        "{\"experiment\":\"group\"}",
    };
    struct api_lab test;
    start(&test);
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        json_t *run = submit(&test, "/api/v1/runs", bodies[i]);
        assert_string_equal(text_at(run, "status"), "queued");
        assert_true(json_is_integer(json_object_get(run, "queue_position")));
        assert_stored(&test, "runs", run);
        json_decref(run);
    }
    stop(&test);
}

TEST(a_repeated_run_is_answered_so_too)
{
    struct api_lab test;
    char path[128];
    start(&test);
    json_t *first = submit(&test, "/api/v1/runs", "{\"experiment\":\"probe\",\"note\":\"first\"}");
    snprintf(path, sizeof path, "/api/v1/runs/%s/repeat", text_at(first, "id"));
    reads = 0;
    json_t *second = call(&test, "POST", path, "{}", 202);
    assert_true(reads > 0); /* of the run that is repeated */
    assert_string_equal(text_at(second, "note"), "");
    assert_stored(&test, "runs", second);
    json_decref(first);
    json_decref(second);
    stop(&test);
}

TEST(a_sweep_is_answered_from_what_was_written)
{
    struct api_lab test;
    start(&test);
    json_t *sweep = submit(&test, "/api/v1/sweeps", "{\"experiment\":\"probe\",\"parameters\":{\"points\":[1,2,3]}}");
    assert_int_equal(json_integer_value(json_object_get(json_object_get(sweep, "counts"), "queued")), 3);
    assert_stored(&test, "sweeps", sweep);
    json_decref(sweep);
    stop(&test);
}

TEST(a_cancelled_run_is_answered_so_too)
{
    struct api_lab test;
    start(&test);
    json_t *run = submit(&test, "/api/v1/runs", "{\"experiment\":\"probe\",\"note\":\"n\"}");
    json_t *cancelled = cancel(&test, "runs", text_at(run, "id"));
    assert_string_equal(text_at(cancelled, "status"), "cancelled");
    assert_stored(&test, "runs", cancelled);
    assert_int_equal(lab_count_events(test.lab, "event: run.updated"), 2);
    json_decref(run);
    json_decref(cancelled);
    stop(&test);
}

TEST(a_cancelled_sweep_is_answered_so_too)
{
    struct api_lab test;
    start(&test);
    json_t *sweep = submit(&test, "/api/v1/sweeps", "{\"experiment\":\"probe\",\"parameters\":{\"points\":[1,2,3]}}");
    json_t *cancelled = cancel(&test, "sweeps", text_at(sweep, "id"));
    const json_t *counts = json_object_get(cancelled, "counts");
    assert_int_equal(json_integer_value(json_object_get(counts, "cancelled")), 3);
    assert_stored(&test, "sweeps", cancelled);
    assert_int_equal(lab_count_events(test.lab, "\"status\":\"cancelled\""), 3);
    json_decref(sweep);
    json_decref(cancelled);
    stop(&test);
}

TEST(a_changed_run_is_answered_so_too)
{
    static const char *const bodies[] = {"{\"tags\":[\"a\",\"b\"]}", "{\"note\":\"\\u20ac\"}",
                                         "{\"pinned\":true,\"note\":\"\"}", "{\"pinned\":false}", "{}"};
    struct api_lab test;
    char path[128];
    start(&test);
    json_t *run = submit(&test, "/api/v1/runs", "{\"experiment\":\"probe\"}");
    json_decref(cancel(&test, "runs", text_at(run, "id")));
    snprintf(path, sizeof path, "/api/v1/runs/%s", text_at(run, "id"));
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        json_t *changed = write_only(&test, "PATCH", path, bodies[i], 200);
        assert_stored(&test, "runs", changed);
        json_decref(changed);
    }
    json_decref(run);
    stop(&test);
}

/* Measurements are not written by the request: they are read, and nothing else is. */
TEST(a_changed_run_is_answered_with_its_measurements)
{
    struct api_lab test;
    char path[128], id[LAB_RUN_ID_SIZE];
    start(&test);
    assert_true(lab_jobs_pause(test.lab->jobs, false));
    lab_submit(test.lab, "finish", "fake-0", id);
    lab_expect(test.lab, id, "succeeded");
    snprintf(path, sizeof path, "/api/v1/runs/%s", id);
    reads = run_reads = 0;
    json_t *changed = call(&test, "PATCH", path, "{\"note\":\"changed\"}", 200);
    assert_int_equal(run_reads, 0);
    assert_true(reads > 0);
    assert_true(json_array_size(json_object_get(changed, "measurements")) > 0);
    assert_stored(&test, "runs", changed);
    assert_true(run_reads > 0);
    json_decref(changed);
    stop(&test);
}
