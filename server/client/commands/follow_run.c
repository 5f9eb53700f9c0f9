/* Follows a run through the event stream of the lab until the run has ended. */
#include "follow_run.h"

#include "lab/api_calls.h"
#include "output/printed.h"
#include "output/progress.h"

#include "core/json_members.h"

#include <stdio.h>
#include <string.h>

struct follower {
    struct lab_client *client;
    int signals;
    const char *id; /* of the run */
    bool owned;     /* a signal cancels the run */
    bool prints;    /* what a program prints is written */
    struct lab_progress progress;
    struct lab_printed printed;
    bool finished;
    bool outdated;  /* events were lost, or sent before the stream was open: the run must be read with GET */
    bool cancelled; /* the user has cancelled the run */
};

/* Writes text that begins at `offset` of the run's output. Where text before it is missing, the run must be read. */
static void print(struct follower *follower, const char *stream, size_t offset, const char *text)
{
    if (!follower->prints)
        return;
    lab_progress_clear(&follower->progress);
    if (!lab_printed_add(&follower->printed, stream, offset, text))
        follower->outdated = true;
    follower->progress.hidden = follower->printed.out_begun || follower->printed.err_begun;
}

static void update(struct follower *follower, const json_t *run)
{
    enum lab_status status;
    const json_t *position = json_object_get(run, "queue_position");
    char label[64];
    follower->finished = lab_status_parse(lab_text_of(run, "status"), &status) && !lab_status_live(status);
    if (json_is_integer(position)) {
        snprintf(label, sizeof label, "queued; runs before it in the queue: %" JSON_INTEGER_FORMAT,
                 json_integer_value(position));
        lab_progress_set(&follower->progress, 0, 0, label);
    }
}

static void on_event(void *context, const char *type, const char *data)
{
    struct follower *follower = context;
    json_t *event = json_loads(data, 0, NULL);
    bool of_run = strcmp(lab_text_of(event, "id"), follower->id) == 0;
    if (strcmp(type, "reset") == 0)
        follower->outdated = true;
    else if (of_run && strcmp(type, "run.updated") == 0)
        update(follower, event);
    else if (strcmp(type, "run.output") == 0 && strcmp(lab_text_of(event, "run"), follower->id) == 0)
        print(follower, lab_text_of(event, "stream"), (size_t)json_integer_value(json_object_get(event, "offset")),
              lab_text_of(event, "text"));
    else if (of_run && strcmp(type, "run.progress") == 0)
        lab_progress_set(&follower->progress, (size_t)json_integer_value(json_object_get(event, "done")),
                         (size_t)json_integer_value(json_object_get(event, "total")),
                         follower->cancelled ? "cancelling" : lab_text_of(event, "label"));
    json_decref(event);
}

/* Handles a signal: the first one cancels the run if it is owned; otherwise returns false with *error set. */
static bool handle_signal(struct follower *follower, struct lab_error *error)
{
    struct lab_errors refused = {0};
    if (follower->cancelled || !follower->owned)
        return lab_error_set(error, LAB_ERROR_LEFT, "", "Stopped waiting for the run %s.", follower->id);
    follower->cancelled = true;
    /* Cancelling fails if the run has just finished. The error is ignored, because the event of the finished run
     * follows. */
    lab_cancel_run(follower->client, follower->id, &refused);
    lab_progress_set(&follower->progress, 0, 0, "cancelling; Ctrl-C again to stop waiting");
    return true;
}

/* Reads the run and updates the follower, with the output unless the stream will bring it. False with *error set when
 * reading fails. */
static bool read_run(struct follower *follower, bool with_output, struct lab_error *error)
{
    json_t *run = lab_run_get(follower->client, follower->id, error);
    if (run == NULL)
        return false;
    update(follower, run);
    if (with_output)
        print(follower, NULL, 0, lab_text_of(run, "output"));
    follower->outdated = follower->outdated && !with_output;
    json_decref(run);
    return true;
}

/* Opens the stream, after its last event where it was open before. */
static bool open_stream(struct follower *follower, struct lab_sse *sse, struct lab_error *error)
{
    char path[80];
    snprintf(path, sizeof path, "/api/v1/events?run=%s", follower->id);
    follower->outdated = follower->outdated || sse->last_id[0] == '\0';
    return lab_client_open_stream(follower->client, path, sse, error);
}

/* Opens a stream that has ended again, which brings what was missed. Succeeds also where that is no longer possible,
 * but the run has finished. */
static bool reopen_stream(struct follower *follower, struct lab_sse *sse, struct lab_error *error)
{
    if (!read_run(follower, false, error))
        return false;
    bool finished = follower->finished;
    if (!finished)
        lab_client_wait(follower->client, follower->signals); /* a pause, for a lab that ends its streams at once */
    follower->finished = false; /* until the stream says so, which may be while it is opened */
    if (open_stream(follower, sse, error))
        return true;
    return follower->finished = finished;
}

static bool wait_for_end(struct follower *follower, struct lab_sse *sse, struct lab_error *error)
{
    if (!open_stream(follower, sse, error))
        return false;
    for (;;) {
        if (follower->outdated && !follower->finished && !read_run(follower, true, error))
            return false;
        if (follower->finished)
            return true;
        bool stream_open = lab_client_wait(follower->client, follower->signals);
        lab_progress_draw(&follower->progress);
        if (lab_signals_read(follower->signals) != 0 && !handle_signal(follower, error))
            return false;
        if (!stream_open && !follower->finished && !reopen_stream(follower, sse, error))
            return false;
    }
}

/* The finished run, a new reference, of whose output the rest is written. */
static json_t *take_run(struct follower *follower, struct lab_error *error)
{
    json_t *run = lab_run_get(follower->client, follower->id, error);
    if (run == NULL || !follower->prints)
        return run;
    print(follower, NULL, 0, lab_text_of(run, "output"));
    lab_printed_end(&follower->printed);
    json_object_del(run, "output");
    return run;
}

json_t *lab_follow_run(const struct lab_context *context, const char *id, const char *experiment, bool owned,
                       struct lab_error *error)
{
    struct follower follower = {.client = context->session.client,
                                .signals = context->signals,
                                .id = id,
                                .owned = owned,
                                .prints = !context->json};
    struct lab_sse sse = {.context = &follower, .event = on_event};
    json_t *run = NULL;
    lab_progress_begin(&follower.progress, experiment);
    lab_progress_set(&follower.progress, 0, 0, "queued");
    if (wait_for_end(&follower, &sse, error))
        run = take_run(&follower, error);
    lab_client_close_stream(follower.client);
    lab_progress_clear(&follower.progress);
    lab_sse_release(&sse);
    return run;
}
