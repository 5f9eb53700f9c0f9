#include "support/jobs_harness.h"

/* Stands for the compiler: the compiled source is the source; one that begins with "bad" is rejected. */
static json_t *compile_nothing(void *context, const json_t *request, struct lab_error *error)
{
    const json_t *source = json_object_get(request, "source");
    atomic_fetch_add((atomic_int *)context, 1);
    if (strcmp(json_string_value(json_object_get(request, "architecture")), "sm_90") != 0) {
        lab_error_set(error, LAB_ERROR_UNKNOWN_ARCHITECTURE, "", "not sm_90");
        return NULL;
    }
    if (strncmp(json_string_value(source), "bad", 3) == 0)
        return json_pack("{s:s, s:[{s:s, s:s}, {s:s, s:i, s:i, s:s}]}", "status", "rejected", "messages", "severity",
                         "warning", "text", "unused", "severity", "error", "line", 3, "column", 7, "text",
                         "expected a \";\"");
    return json_pack("{s:s, s:O, s:[], s:[{s:s, s:s}, {s:s, s:s}]}", "status", "compiled", "cubin", source, "messages",
                     "kernels", "name", "_Z3addPf", "signature", "add(float*)", "name", "_Z3subPf", "signature",
                     "sub(float*)");
}

atomic_int compiled;

/* --- the lab ------------------------------------------------------------------------------------------------------ */

static void no_wake(void *context)
{
    (void)context;
}

void lab_begin(struct lab *lab, double worker_idle_s)
{
    char message[256] = "";
    lab->store = lab_store_open(lab->path, message, sizeof message);
    if (lab->store == NULL)
        fail_msg("%s", message);
    lab->events = lab_events_create(100000);
    lab->subscriber = lab_events_subscribe(lab->events, &(struct lab_event_filter){0}, NULL, no_wake, NULL);
    const struct lab_worker_options worker = {
        .path = fake_worker_path, .runtime = "host", .host_devices = 2, .grace_s = 0.15};
    struct lab_node_options nodes[] = {{"here", "local", "", worker}, {"there", "ssh", "there", worker}};
    nodes[1].worker.runtime = "there";
    const struct lab_jobs_options options = {.nodes = nodes,
                                             .node_count = lab->node_count,
                                             .worker_idle_s = worker_idle_s,
                                             .worker_check_s = 0.05,
                                             .store_retry_s = 0.01,
                                             .queue_limit = 5,
                                             .program_limit = 2,
                                             .judges_kernels = true,
                                             .compile = {compile_nothing, &compiled}};
    struct lab_error error = {0};
    lab->jobs = lab_jobs_start(&options, lab->store, lab->events, &error);
    if (lab->jobs == NULL)
        fail_msg("%s", error.detail);
    assert_true(lab_jobs_await_worker(lab->jobs, 60));
}

void lab_stop(struct lab *lab)
{
    lab_jobs_stop(lab->jobs, 4);
    lab_jobs_free(lab->jobs);
    lab_events_unsubscribe(lab->events, lab->subscriber);
    lab_events_free(lab->events);
    lab_store_close(lab->store);
    free(lab->received);
    lab->received = NULL;
    lab->received_length = 0;
}

struct lab *lab_setup_nodes(size_t count, double worker_idle_s)
{
    struct lab *lab = calloc(1, sizeof *lab);
    lab->node_count = count;
    snprintf(lab->folder, sizeof lab->folder, "/tmp/gpulab-jobs-XXXXXX");
    assert_non_null(mkdtemp(lab->folder));
    snprintf(lab->path, sizeof lab->path, "%s/lab.db", lab->folder);
    lab_begin(lab, worker_idle_s);
    return lab;
}

struct lab *lab_setup(double worker_idle_s)
{
    return lab_setup_nodes(1, worker_idle_s);
}

void lab_teardown(struct lab *lab)
{
    static const char *const endings[] = {"", "-wal", "-shm", ".lock", ".reserve"};
    lab_stop(lab);
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s%s", lab->path, endings[i]);
        unlink(path);
    }
    assert_int_equal(rmdir(lab->folder), 0);
    free(lab);
}

enum lab_submit_result lab_submit_text(struct lab *lab, const char *text, const char *key, char id[LAB_RUN_ID_SIZE],
                                       struct lab_errors *errors)
{
    json_t *request = json_loads(text, 0, NULL);
    assert_non_null(request);
    const struct lab_submit_options options = {.key = key};
    enum lab_submit_result result = lab_jobs_submit(lab->jobs, request, &options, id, errors);
    json_decref(request);
    return result;
}

void switch_on(struct switch_file *file, const char *variable)
{
    snprintf(file->path, sizeof file->path, "/tmp/gpulab-switch-XXXXXX");
    close(mkstemp(file->path));
    setenv(variable, file->path, 1);
}

void switch_off(const struct switch_file *file)
{
    unlink(file->path);
}

void lab_submit(struct lab *lab, const char *behaviour, const char *device, char id[LAB_RUN_ID_SIZE])
{
    char text[256];
    struct lab_errors errors = {0};
    snprintf(text, sizeof text, "{\"experiment\":\"probe\",\"devices\":[\"%s\"],\"parameters\":{\"behaviour\":\"%s\"}}",
             device, behaviour);
    if (lab_submit_text(lab, text, NULL, id, &errors) != LAB_SUBMIT_OK)
        fail_msg("%s: %s", behaviour, errors.count > 0 ? errors.items[0].detail : "not accepted");
}

json_t *lab_read(struct lab *lab, const char *id)
{
    const struct lab_live_state live = {.queue_position = -1};
    struct lab_run_row *row;
    assert_int_equal(lab_store_get_run(lab->store, id, &row), LAB_STORE_OK);
    json_t *run = lab_run_json(row, &live);
    assert_non_null(run);
    free(row);
    return run;
}

const char *text_at(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text != NULL ? text : "";
}

json_t *lab_await(struct lab *lab, const char *id, const char *status)
{
    for (int i = 0; i < 10000; i++) {
        json_t *run = lab_read(lab, id);
        if (strcmp(text_at(run, "status"), status) == 0)
            return run;
        json_decref(run);
        usleep(2000);
    }
    json_t *run = lab_read(lab, id);
    char *text = json_dumps(run, 0);
    fail_msg("still not %s: %s", status, text);
    return run;
}

void lab_expect(struct lab *lab, const char *id, const char *status)
{
    json_decref(lab_await(lab, id, status));
}

void lab_expect_problem(struct lab *lab, const char *id, const char *type, const char *words)
{
    json_t *run = lab_await(lab, id, "failed");
    const json_t *error = json_object_get(run, "error");
    assert_string_equal(text_at(error, "type"), type);
    if (strstr(text_at(error, "detail"), words) == NULL)
        fail_msg("'%s' does not contain '%s'", text_at(error, "detail"), words);
    json_decref(run);
}

void lab_await_progress(struct lab *lab, const char *id)
{
    struct lab_live_state live = {0};
    for (int i = 0; i < 30000 && !live.has_progress; i++) {
        lab_jobs_live_state(lab->jobs, id, &live);
        usleep(2000);
    }
    assert_true(live.has_progress);
}

static bool has_children(void)
{
    siginfo_t info;
    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

void await_no_worker(void)
{
    for (int i = 0; i < 6000 && has_children(); i++)
        usleep(10000);
    assert_false(has_children());
}

void lab_await_held(struct lab *lab, const char *words)
{
    struct lab_queue_state queue = {0};
    for (int i = 0; i < 10000; i++) {
        lab_jobs_queue(lab->jobs, &queue);
        if (words[0] == '\0' ? queue.held[0] == '\0' : strstr(queue.held, words) != NULL)
            return;
        usleep(2000);
    }
    fail_msg("held: '%s', not '%s'", queue.held, words);
}

int lab_count_events(struct lab *lab, const char *words)
{
    char chunk[4096];
    for (size_t got; (got = lab_events_read(lab->events, lab->subscriber, chunk, sizeof chunk)) > 0;) {
        lab->received = realloc(lab->received, lab->received_length + got + 1);
        memcpy(lab->received + lab->received_length, chunk, got);
        lab->received_length += got;
        lab->received[lab->received_length] = '\0';
    }
    int count = 0;
    for (const char *at = lab->received; at != NULL && (at = strstr(at, words)) != NULL; at++)
        count++;
    return count;
}

void lab_device_state(struct lab *lab, size_t index, char state[16], char reason[256])
{
    json_t *devices = lab_jobs_devices(lab->jobs);
    const json_t *device = json_array_get(json_object_get(devices, "devices"), index);
    snprintf(state, 16, "%s", text_at(device, "state"));
    snprintf(reason, 256, "%s", text_at(device, "state_reason"));
    json_decref(devices);
}
