/* Follows a run through the event stream of the lab until the run has ended. */
#include "follow_run.h"

#include "lab/api_calls.h"
#include "output/progress.h"

#include "core/json_members.h"

#include <stdio.h>
#include <string.h>

struct follower {
    struct lab_client *client;
    const char *id; /* of the run */
    bool owned;     /* a signal cancels the run */
    struct lab_progress progress;
    bool finished;
    bool outdated;  /* events were lost, or sent before the stream was open: the run must be read with GET */
    bool cancelled; /* the user has cancelled the run */
};

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

/* Reads the run and updates the follower. Returns false with *error set when reading fails, or when the stream has
 * ended although the run has not finished. */
static bool read_run(struct follower *follower, bool stream_open, struct lab_error *error)
{
    json_t *run = lab_run_get(follower->client, follower->id, error);
    if (run == NULL)
        return false;
    update(follower, run);
    follower->outdated = false;
    json_decref(run);
    return stream_open || follower->finished ||
           lab_error_set(error, LAB_ERROR_NO_SERVER, "", "The lab stopped before the run %s had finished.",
                         follower->id);
}

static bool wait_for_end(struct follower *follower, int signals, struct lab_error *error)
{
    bool stream_open = true;
    for (;;) {
        if ((follower->outdated || !stream_open) && !follower->finished && !read_run(follower, stream_open, error))
            return false;
        if (follower->finished)
            return true;
        stream_open = lab_client_wait(follower->client, signals);
        lab_progress_draw(&follower->progress);
        if (lab_signals_read(signals) != 0 && !handle_signal(follower, error))
            return false;
    }
}

json_t *lab_follow_run(struct lab_client *client, const char *id, const char *experiment, int signals, bool owned,
                       struct lab_error *error)
{
    struct follower follower = {.client = client, .id = id, .owned = owned, .outdated = true};
    struct lab_sse sse = {.context = &follower, .event = on_event};
    char path[80];
    json_t *run = NULL;
    snprintf(path, sizeof path, "/api/v1/events?run=%s", id);
    lab_progress_begin(&follower.progress, experiment);
    lab_progress_set(&follower.progress, 0, 0, "queued");
    if (lab_client_open_stream(client, path, &sse, error) && wait_for_end(&follower, signals, error))
        run = lab_run_get(client, id, error);
    lab_client_close_stream(client);
    lab_progress_clear(&follower.progress);
    lab_sse_release(&sse);
    return run;
}
