/* A session without a server: the queue and its worker run in this process, over the same database that a server would
 * use, or over one that is thrown away.
 */
#include "rooms.h"
#include "session.h"

#include "api/run_read.h"
#include "experiment/experiment.h"
#include "jobs/devices.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static const double describe_timeout_s = 60, grace_s = 3.0;
static const int wait_ms = 1000;

struct local_session {
    struct lab_session base;
    const struct lab_config *config;
    struct lab_rooms rooms; /* not open when only devices and experiments are looked at */
    char folder[64];        /* of a database to be thrown away; "" for none */
    struct lab_subscriber *subscriber;
    struct lab_sse *sse;
    int wake; /* an eventfd: there are events */
};

static struct local_session *local(struct lab_session *session)
{
    return (struct local_session *)session;
}

/* --- devices and experiments -----------------------------------------------------------------------------------------
 */

/* Asks a worker that is started for this alone. */
static json_t *describe(const struct lab_config *config, struct lab_error *error)
{
    const struct lab_worker_options options = {.path = config->worker_path,
                                               .runtime = config->runtime,
                                               .host_devices = config->host_devices,
                                               .lock_dir = config->lock_dir};
    struct lab_worker *worker = lab_worker_start(&options, error);
    if (worker == NULL)
        return NULL;
    json_t *document = NULL, *description = lab_worker_describe(worker, describe_timeout_s, error);
    struct lab_devices *devices = lab_devices_create();
    if (description != NULL && devices != NULL && lab_devices_update(devices, description))
        document = lab_devices_json(devices);
    else if (description != NULL)
        lab_error_set(error, "worker-protocol", "", "The worker's description of its devices cannot be read.");
    lab_devices_free(devices);
    json_decref(description);
    lab_worker_stop(worker);
    return document;
}

static json_t *devices(struct lab_session *session, struct lab_error *error)
{
    struct lab_jobs *jobs = local(session)->rooms.jobs;
    return jobs != NULL ? lab_jobs_devices(jobs) : describe(local(session)->config, error);
}

static json_t *experiments(struct lab_session *session, struct lab_error *error)
{
    (void)session;
    json_t *list = json_array();
    for (size_t i = 0; lab_experiments[i] != NULL; i++)
        json_array_append_new(list, lab_experiment_to_json(lab_experiments[i]));
    json_t *document = json_pack("{s:o}", "experiments", list);
    if (document == NULL)
        lab_error_set(error, "out-of-memory", "", "No memory for the experiments.");
    return document;
}

/* --- runs ------------------------------------------------------------------------------------------------------------
 */

static bool store_trouble(struct local_session *session, struct lab_error *error)
{
    return lab_error_set(error, "store", "", "%s", lab_store_message(session->rooms.store));
}

static enum lab_exit_code submit(struct lab_session *session, const json_t *request, char id[LAB_RUN_ID_SIZE],
                                 struct lab_errors *errors)
{
    switch (lab_jobs_submit(local(session)->rooms.jobs, request, NULL, id, errors)) {
    case LAB_SUBMIT_OK:
    case LAB_SUBMIT_SAME:
        return LAB_EXIT_OK;
    case LAB_SUBMIT_INVALID:
    case LAB_SUBMIT_KEY_REUSED:
        return LAB_EXIT_USAGE;
    case LAB_SUBMIT_FULL:
        lab_errors_add(errors, "queue-full", "", "The queue holds as many runs as it may.");
        return LAB_EXIT_ERROR;
    case LAB_SUBMIT_STORE:
        lab_errors_add(errors, "store", "", "%s", lab_store_message(local(session)->rooms.store));
        return LAB_EXIT_ERROR;
    }
    return LAB_EXIT_ERROR;
}

static json_t *read_run(struct lab_session *session, const char *id, struct lab_error *error)
{
    struct lab_rooms *rooms = &local(session)->rooms;
    struct lab_live live;
    enum lab_store_result result;
    lab_jobs_live(rooms->jobs, id, &live);
    json_t *run = lab_read_run(rooms->store, &live, id, &result);
    if (run == NULL)
        store_trouble(local(session), error);
    return run;
}

static bool cancel(struct lab_session *session, const char *id, struct lab_error *error)
{
    return lab_jobs_cancel(local(session)->rooms.jobs, id) == LAB_CANCEL_OK ||
           lab_error_set(error, "conflict", "", "The run cannot be cancelled any more.");
}

static bool remove_run(struct lab_session *session, const char *id, struct lab_error *error)
{
    return lab_store_delete_run(local(session)->rooms.store, id) == LAB_STORE_OK ||
           store_trouble(local(session), error);
}

/* --- events ----------------------------------------------------------------------------------------------------------
 */

/* Any thread. */
static void wake(void *context)
{
    const uint64_t one = 1;
    ssize_t ignored = write(((struct local_session *)context)->wake, &one, sizeof one);
    (void)ignored;
}

static bool watch(struct lab_session *base, const char *id, struct lab_sse *sse, struct lab_error *error)
{
    struct local_session *session = local(base);
    lab_events_unsubscribe(session->rooms.events, session->subscriber);
    session->subscriber = NULL;
    session->sse = sse;
    if (sse == NULL)
        return true;
    session->subscriber = lab_events_subscribe(session->rooms.events, id, NULL, wake, session);
    return session->subscriber != NULL || lab_error_set(error, "out-of-memory", "", "No memory to follow the run.");
}

static bool wait_for_event(struct lab_session *base, int descriptor)
{
    struct local_session *session = local(base);
    struct pollfd ends[] = {{.fd = session->wake, .events = POLLIN}, {.fd = descriptor, .events = POLLIN}};
    char text[4096];
    uint64_t count;
    size_t length;
    if (poll(ends, sizeof ends / sizeof *ends, wait_ms) > 0 && ends[0].revents != 0 &&
        read(session->wake, &count, sizeof count) < 0 && errno != EAGAIN)
        return false;
    while ((length = lab_events_read(session->rooms.events, session->subscriber, text, sizeof text)) > 0)
        if (!lab_sse_feed(session->sse, text, length))
            return false;
    return true;
}

/* --- opening and closing ---------------------------------------------------------------------------------------------
 */

/* Removes what a store leaves: the database and the files beside it. */
static void throw_away(const char *folder)
{
    static const char *const names[] = {"gpulab.db", "gpulab.db-wal", "gpulab.db-shm", "gpulab.db.lock"};
    char path[128];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
}

static void close_session(struct lab_session *base)
{
    struct local_session *session = local(base);
    lab_events_unsubscribe(session->rooms.events, session->subscriber);
    lab_rooms_close(&session->rooms, grace_s);
    if (session->folder[0] != '\0')
        throw_away(session->folder);
    close(session->wake);
    free(session);
}

static const struct lab_session_kind kind = {
    .devices = devices,
    .experiments = experiments,
    .submit = submit,
    .read = read_run,
    .cancel = cancel,
    .remove = remove_run,
    .watch = watch,
    .wait = wait_for_event,
    .close = close_session,
};

/* Where the database is: the configured one, or a new one that is thrown away. */
static bool choose_path(struct local_session *session, bool save, char *path, size_t size, struct lab_error *error)
{
    char folder[] = "/tmp/gpulab-XXXXXX";
    if (save) {
        snprintf(path, size, "%s", session->config->db_path);
        return true;
    }
    if (mkdtemp(folder) == NULL)
        return lab_error_set(error, "store", "", "No folder for the run's data can be made in /tmp: %m");
    snprintf(session->folder, sizeof session->folder, "%s", folder);
    snprintf(path, size, "%s/gpulab.db", folder);
    return true;
}

/* A paused queue would have a run wait for ever, for nobody could resume it. */
static enum lab_exit_code check_queue(struct lab_jobs *jobs, struct lab_error *error)
{
    struct lab_queue_state state;
    lab_jobs_queue(jobs, &state);
    if (!state.paused)
        return LAB_EXIT_OK;
    lab_error_set(
        error, "queue-paused", "",
        "The queue of this database is paused, and no server runs that could resume it. Start 'gpulab serve' and "
        "resume it, or use --no-save.");
    return LAB_EXIT_ERROR;
}

struct lab_session *lab_session_local(const struct lab_session_wish *wish, enum lab_exit_code *end,
                                      struct lab_error *error)
{
    char path[PATH_MAX];
    struct local_session *session = calloc(1, sizeof *session);
    *end = LAB_EXIT_ERROR;
    if (session == NULL || (session->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) < 0) {
        free(session);
        lab_error_set(error, "out-of-memory", "", "No memory for a run.");
        return NULL;
    }
    session->base = (struct lab_session){.kind = &kind, .saves = wish->run && wish->save};
    session->config = wish->config;
    if (!wish->run) {
        *end = LAB_EXIT_OK;
        return &session->base;
    }
    if (choose_path(session, wish->save, path, sizeof path, error))
        *end = lab_rooms_open(&session->rooms, session->config, path, error);
    if (*end == LAB_EXIT_OK)
        *end = check_queue(session->rooms.jobs, error);
    if (*end == LAB_EXIT_OK)
        return &session->base;
    close_session(&session->base);
    return NULL;
}
