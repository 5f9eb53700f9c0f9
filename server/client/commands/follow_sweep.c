/* Follows a sweep through the event stream of the lab until all of its runs have ended. */
#include "follow_sweep.h"

#include "lab/api_calls.h"
#include "output/progress.h"

#include "core/json_members.h"

#include <stdio.h>
#include <string.h>

struct follower {
    struct lab_context *context;
    const char *id; /* of the sweep */
    size_t total;   /* runs of the sweep */
    json_t *ended;  /* an object with the ids of the runs that have ended */
    struct lab_progress progress;
    bool outdated;  /* events were lost, or sent before the stream was open: the runs must be listed */
    bool cancelled; /* the user has cancelled the sweep */
};

static void note_end(struct follower *follower, const json_t *run)
{
    enum lab_status status;
    if (strcmp(lab_text_of(run, "sweep"), follower->id) == 0 && lab_status_parse(lab_text_of(run, "status"), &status) &&
        !lab_status_live(status))
        json_object_set_new(follower->ended, lab_text_of(run, "id"), json_true());
}

static void show_progress(struct follower *follower, const char *label)
{
    lab_progress_set(&follower->progress, json_object_size(follower->ended), follower->total,
                     follower->cancelled ? "cancelling; Ctrl-C again to stop waiting" : label);
}

static void on_event(void *context, const char *type, const char *data)
{
    struct follower *follower = context;
    json_t *event = json_loads(data, 0, NULL);
    if (strcmp(type, "reset") == 0) {
        follower->outdated = true;
    } else if (strcmp(type, "run.updated") == 0) {
        note_end(follower, event);
        show_progress(follower, lab_text_of(event, "status"));
    } else if (strcmp(type, "run.progress") == 0) {
        show_progress(follower, lab_text_of(event, "label"));
    }
    json_decref(event);
}

/* Lists the runs of the sweep, newest first, and notes which have ended. Returns NULL with *error set on failure. */
static json_t *list_runs(struct follower *follower, struct lab_error *error)
{
    struct lab_errors errors = {0};
    struct lab_url url;
    json_t *runs, *next, *run;
    size_t index;
    lab_url_begin(&url, "/api/v1/runs");
    lab_url_query(&url, "sweep", follower->id);
    if (lab_runs_list(follower->context->session.client, &url, follower->total, &runs, &next, &errors) != LAB_EXIT_OK)
        *error = errors.items[0];
    json_array_foreach(runs, index, run)
    {
        note_end(follower, run);
    }
    follower->outdated = false;
    json_decref(next);
    return runs;
}

/* Handles a signal: the first one cancels the sweep; after the second one returns false with *error set. */
static bool handle_signal(struct follower *follower, struct lab_error *error)
{
    struct lab_errors refused = {0};
    struct lab_url url;
    if (follower->cancelled)
        return lab_error_set(error, LAB_ERROR_LEFT, "", "Stopped waiting for the sweep %s.", follower->id);
    follower->cancelled = true;
    lab_url_begin(&url, "/api/v1/sweeps");
    lab_url_segment(&url, follower->id);
    lab_url_segment(&url, "cancel");
    lab_api_call(follower->context->session.client, &(struct lab_call){.method = "POST", .path = url.text}, NULL, NULL,
                 &refused);
    lab_print_errors(&refused);
    show_progress(follower, "");
    return true;
}

/* Waits until all runs have ended, and returns them as list_runs does. */
static json_t *wait_for_end(struct follower *follower, struct lab_error *error)
{
    const struct lab_context *context = follower->context;
    bool open = true;
    for (;;) {
        if (follower->outdated || !open || json_object_size(follower->ended) >= follower->total) {
            json_t *runs = list_runs(follower, error);
            if (runs == NULL || json_object_size(follower->ended) >= follower->total)
                return runs;
            json_decref(runs);
        }
        if (!open) {
            lab_error_set(error, LAB_ERROR_NO_SERVER, "", "The lab stopped before the sweep %s had finished.",
                          follower->id);
            return NULL;
        }
        open = lab_client_wait(context->session.client, context->signals);
        lab_progress_draw(&follower->progress);
        if (lab_signals_read(context->signals) != 0 && !handle_signal(follower, error))
            return NULL;
    }
}

json_t *lab_follow_sweep(struct lab_context *context, const char *id, size_t total, struct lab_error *error)
{
    struct follower follower = {.context = context, .id = id, .total = total, .ended = json_object(), .outdated = true};
    struct lab_sse sse = {.context = &follower, .event = on_event};
    json_t *runs = NULL;
    lab_progress_begin(&follower.progress, "sweep");
    if (lab_client_open_stream(context->session.client, "/api/v1/events", &sse, error))
        runs = wait_for_end(&follower, error);
    lab_client_close_stream(context->session.client);
    lab_progress_clear(&follower.progress);
    lab_sse_release(&sse);
    json_decref(follower.ended);
    return runs;
}
