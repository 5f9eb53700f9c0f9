/* Following a run. */
#include "follow.h"

#include "progress.h"

#include <stdio.h>
#include <string.h>

struct course {
    const char *id;
    struct lab_progress progress;
    bool ended;  /* the stream said so */
    bool unsure; /* events were lost: ask how the run stands */
    bool cancelled;
};

static bool is_final(const json_t *run)
{
    enum lab_status status;
    const char *name = json_string_value(json_object_get(run, "status"));
    return name != NULL && lab_status_parse(name, &status) && !lab_status_live(status);
}

static void show_state(struct course *course, const json_t *run)
{
    const json_t *place = json_object_get(run, "queue_position");
    char label[64];
    if (json_is_integer(place)) {
        snprintf(label, sizeof label, "queued, %" JSON_INTEGER_FORMAT " before it", json_integer_value(place));
        lab_progress_set(&course->progress, 0, 0, label);
    }
}

static void on_event(void *context, const char *type, const char *data)
{
    struct course *course = context;
    json_t *event = json_loads(data, 0, NULL);
    const char *id = json_string_value(json_object_get(event, "id"));
    bool ours = id != NULL && strcmp(id, course->id) == 0;
    if (strcmp(type, "reset") == 0) {
        course->unsure = true;
    } else if (ours && strcmp(type, "run.updated") == 0) {
        course->ended = is_final(event);
        show_state(course, event);
    } else if (ours && strcmp(type, "run.progress") == 0) {
        const char *label = json_string_value(json_object_get(event, "label"));
        lab_progress_set(&course->progress, (size_t)json_integer_value(json_object_get(event, "done")),
                         (size_t)json_integer_value(json_object_get(event, "total")),
                         course->cancelled ? "being cancelled"
                         : label != NULL   ? label
                                           : "");
    }
    json_decref(event);
}

/* The first signal cancels, the second gives up; false then. */
static bool take_signal(struct lab_session *session, struct course *course, struct lab_error *error)
{
    struct lab_error refused;
    if (course->cancelled)
        return lab_error_set(error, "left", "", "Left before the run %s had ended.", course->id);
    course->cancelled = true;
    /* A run that has just ended by itself refuses; its end is on the way. */
    session->kind->cancel(session, course->id, &refused);
    lab_progress_set(&course->progress, 0, 0, "being cancelled; Ctrl-C again leaves it alone");
    return true;
}

/* Asks how the run stands; false with *error when it cannot be known, or can change no more. */
static bool look(struct lab_session *session, struct course *course, bool open, struct lab_error *error)
{
    json_t *run = session->kind->read(session, course->id, error);
    if (run == NULL)
        return false;
    course->ended = is_final(run);
    course->unsure = false;
    show_state(course, run);
    json_decref(run);
    return open || course->ended ||
           lab_error_set(error, "no-server", "", "The lab stopped before the run %s had ended.", course->id);
}

/* Waits until the run is final; false with *error. */
static bool wait_for_end(struct lab_session *session, struct course *course, int signals, struct lab_error *error)
{
    bool open = true;
    while (!course->ended) {
        if ((course->unsure || !open) && !look(session, course, open, error))
            return false;
        if (course->ended)
            return true;
        open = session->kind->wait(session, signals);
        lab_progress_draw(&course->progress);
        if (lab_signals_read(signals) != 0 && !take_signal(session, course, error))
            return false;
    }
    return true;
}

json_t *lab_follow(struct lab_session *session, const char *id, const char *experiment, int signals,
                   struct lab_error *error)
{
    struct course course = {.id = id, .unsure = true}; /* it may have ended before we listened */
    struct lab_sse sse = {.context = &course, .event = on_event};
    json_t *run = NULL;
    lab_progress_begin(&course.progress, experiment);
    lab_progress_set(&course.progress, 0, 0, "queued");
    if (session->kind->watch(session, id, &sse, error) && wait_for_end(session, &course, signals, error))
        run = session->kind->read(session, id, error);
    session->kind->watch(session, id, NULL, error);
    lab_progress_clear(&course.progress);
    lab_sse_release(&sse);
    return run;
}
