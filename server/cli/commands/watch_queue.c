/* Follows all runs of the queue through the event stream of the lab. */
#include "lab/api_calls.h"
#include "lab/api_json.h"
#include "output/progress.h"
#include "output/report.h"
#include "output/run_line.h"
#include "watch.h"

#include <stdio.h>
#include <string.h>

struct watcher {
    struct lab_context *context;
    struct lab_progress progress;
    json_t *ended;  /* the runs that have ended, as in lists */
    bool changed;   /* a run has ended, or events were lost: the queue must be read */
    bool empty;     /* no run is queued or running */
    bool told_held; /* the user knows that the queue does not start runs */
    enum lab_exit_code code;
};

static void add_end(struct watcher *watcher, const json_t *run)
{
    char text[LAB_LINE_TEXT];
    enum lab_exit_code code = lab_report_exit_code(run);
    if (watcher->code == LAB_EXIT_OK)
        watcher->code = code;
    watcher->changed = true;
    json_array_append(watcher->ended, (json_t *)run);
    if (watcher->context->json)
        return;
    lab_progress_clear(&watcher->progress);
    printf("%s  %-16s  ", lab_text_of(run, "id"), lab_text_of(run, "experiment"));
    lab_print_styled(stdout, lab_status_style(lab_text_of(run, "status")), lab_text_of(run, "status"));
    printf("  %s\n", lab_run_result(run, text));
    fflush(stdout);
}

static void on_run(struct watcher *watcher, const json_t *run)
{
    enum lab_status status;
    if (!lab_status_parse(lab_text_of(run, "status"), &status))
        return;
    if (!lab_status_live(status))
        add_end(watcher, run);
    else if (status == LAB_STATUS_RUNNING)
        lab_progress_begin(&watcher->progress, lab_text_of(run, "experiment"));
}

static void on_event(void *context, const char *type, const char *data)
{
    struct watcher *watcher = context;
    json_t *event = json_loads(data, 0, NULL);
    if (strcmp(type, "reset") == 0 || strncmp(type, "queue.", strlen("queue.")) == 0)
        watcher->changed = true;
    else if (strcmp(type, "run.updated") == 0)
        on_run(watcher, event);
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
    while (!watcher->changed || (read_queue(watcher, error) && !watcher->empty)) {
        if (!open)
            return lab_error_set(error, "no-server", "", "The lab stopped before the queue was empty.");
        open = lab_client_wait(context->session.client, context->signals);
        lab_progress_draw(&watcher->progress);
        if (lab_signals_read(context->signals) != 0)
            return lab_error_set(error, "left", "", "Stopped waiting for the queue.");
    }
    return watcher->empty;
}

enum lab_exit_code lab_watch_queue(struct lab_context *context)
{
    struct watcher watcher = {.context = context, .ended = json_array(), .changed = true, .code = LAB_EXIT_OK};
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
        watcher.code = strcmp(error.code, "left") == 0 ? LAB_EXIT_CANCELLED : LAB_EXIT_ERROR;
    }
    json_decref(watcher.ended);
    return watcher.code;
}
