/* Follows all runs of the queue through the event stream of the lab. */
#include "lab/api_calls.h"
#include "lab/api_json.h"
#include "output/progress.h"
#include "output/report.h"
#include "output/run_line.h"
#include "watch.h"

#include "core/json_members.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct watcher {
    struct lab_context *context;
    struct lab_progress progress;
    json_t *live;   /* an object with the ids of the runs that are queued or running */
    json_t *ended;  /* the runs that have ended, as in lists */
    bool outdated;  /* events were lost, or sent before the stream was open: the live runs must be listed */
    bool changed;   /* a run has ended, or the queue was paused or held: the queue must be read */
    bool empty;     /* no run is queued or running */
    bool told_held; /* the user knows that the queue does not start runs */
    enum lab_exit_code code;
};

static void add_end(struct watcher *watcher, const json_t *run)
{
    enum lab_exit_code code = lab_report_exit_code(run);
    watcher->code = lab_report_join_exit_codes(watcher->code, code);
    watcher->changed = true;
    json_array_append(watcher->ended, (json_t *)run);
    if (watcher->context->json)
        return;
    lab_progress_clear(&watcher->progress);
    printf("%s  %-16s  ", lab_text_of(run, "id"), lab_text_of(run, "experiment"));
    lab_print_styled(stdout, lab_status_style(lab_text_of(run, "status")), lab_text_of(run, "status"));
    char *result = lab_run_result(run);
    printf("  %s\n", result != NULL ? result : "");
    free(result);
    fflush(stdout);
}

static void on_run(struct watcher *watcher, const json_t *run)
{
    enum lab_status status;
    if (!lab_status_parse(lab_text_of(run, "status"), &status))
        return;
    if (lab_status_live(status))
        json_object_set_new(watcher->live, lab_text_of(run, "id"), json_true());
    else if (json_object_del(watcher->live, lab_text_of(run, "id")) == 0)
        add_end(watcher, run);
    if (status == LAB_STATUS_RUNNING)
        lab_progress_begin(&watcher->progress, lab_text_of(run, "experiment"));
}

static void on_event(void *context, const char *type, const char *data)
{
    struct watcher *watcher = context;
    json_t *event = json_loads(data, 0, NULL);
    if (strcmp(type, "reset") == 0)
        watcher->outdated = true;
    else if (strcmp(type, "queue.updated") == 0)
        watcher->changed = true;
    else if (strcmp(type, "run.updated") == 0)
        on_run(watcher, event);
    else if (strcmp(type, "run.deleted") == 0)
        json_object_del(watcher->live, lab_text_of(event, "id"));
    else if (strcmp(type, "run.progress") == 0)
        lab_progress_set(&watcher->progress, (size_t)lab_number_of(event, "done"),
                         (size_t)lab_number_of(event, "total"), lab_text_of(event, "label"));
    json_decref(event);
}

/* Says once why the lab starts no run although some are queued. */
static void tell_held(struct watcher *watcher, const json_t *queue)
{
    const char *held = lab_text_of(queue, "held");
    bool paused = json_is_true(json_object_get(queue, "paused"));
    if (watcher->told_held || (!paused && held[0] == '\0'))
        return;
    lab_progress_clear(&watcher->progress);
    fprintf(stderr, "gpulab: the queue starts no run: %s\n", paused ? "it is paused." : held);
    watcher->told_held = true;
}

/* Lists the runs that are queued or running. */
static bool list_live(struct watcher *watcher, struct lab_error *error)
{
    static const char *const urls[] = {"/api/v1/runs?status=queued", "/api/v1/runs?status=running"};
    enum { LIVE_MAX = 10000 };
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
        struct lab_errors errors = {0};
        struct lab_url url;
        json_t *runs, *next, *run;
        size_t index;
        lab_url_begin(&url, urls[i]);
        if (lab_runs_list(watcher->context->session.client, &url, LIVE_MAX, &runs, &next, &errors) != LAB_EXIT_OK) {
            *error = errors.items[0];
            return false;
        }
        json_array_foreach(runs, index, run)
        {
            on_run(watcher, run);
        }
        json_decref(next);
        json_decref(runs);
    }
    watcher->outdated = false;
    watcher->changed = true;
    return true;
}

/* Reads the runs whose end has not arrived as an event. */
static bool read_live(struct watcher *watcher, struct lab_error *error)
{
    json_t *live = json_copy(watcher->live), *value;
    const char *id;
    bool good = true;
    json_object_foreach(live, id, value)
    {
        json_t *run = good ? lab_run_get(watcher->context->session.client, id, error) : NULL;
        good = run != NULL;
        if (good)
            on_run(watcher, run);
        json_decref(run);
    }
    json_decref(live);
    return good;
}

static bool read_queue(struct watcher *watcher, struct lab_error *error)
{
    json_t *queue = lab_get(watcher->context->session.client, "/api/v1/queue", error);
    if (queue == NULL)
        return false;
    bool running = json_is_string(json_object_get(queue, "running"));
    watcher->empty = !running && json_integer_value(json_object_get(queue, "length")) == 0;
    watcher->changed = false;
    if (!watcher->empty && !running)
        tell_held(watcher, queue);
    json_decref(queue);
    return true;
}

/* Waits until the queue is empty. Returns false with *error set on failure; with code "left" after a signal. */
static bool follow(struct watcher *watcher, struct lab_error *error)
{
    struct lab_context *context = watcher->context;
    bool open = true;
    for (;;) {
        if (watcher->outdated && !list_live(watcher, error))
            return false;
        if (watcher->changed && !read_queue(watcher, error))
            return false;
        if (watcher->empty)
            return read_live(watcher, error);
        if (!open)
            return lab_error_set(error, LAB_ERROR_NO_SERVER, "", "The lab stopped before the queue was empty.");
        open = lab_client_wait(context->session.client, context->signals);
        lab_progress_draw(&watcher->progress);
        if (lab_signals_read(context->signals) != 0)
            return lab_error_set(error, LAB_ERROR_LEFT, "", "Stopped waiting for the queue.");
    }
}

enum lab_exit_code lab_watch_queue(struct lab_context *context)
{
    struct watcher watcher = {
        .context = context, .live = json_object(), .ended = json_array(), .outdated = true, .code = LAB_EXIT_OK};
    struct lab_sse sse = {.context = &watcher, .event = on_event};
    struct lab_error error = {0};
    lab_progress_begin(&watcher.progress, "queue");
    bool done =
        lab_client_open_stream(context->session.client, "/api/v1/events", &sse, &error) && follow(&watcher, &error);
    lab_client_close_stream(context->session.client);
    lab_progress_clear(&watcher.progress);
    lab_sse_release(&sse);
    if (context->json) {
        json_t *document = json_pack("{s:O}", "runs", watcher.ended);
        lab_print_json(document);
        json_decref(document);
    }
    if (!done) {
        lab_print_error(&error);
        watcher.code = lab_exit_code_of(error.code);
    }
    json_decref(watcher.ended);
    json_decref(watcher.live);
    return watcher.code;
}
