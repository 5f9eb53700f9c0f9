/* Requests that are answered later. The connection of one stays suspended between two calls of its handler, so that it
 * uses no thread. An event, or a tick, submits the next call to the pool of its route; `suspended` says who may do
 * that, and is read and written under the lock. */
#include "work.h"

#include "http/output/output.h"

#include "events.h"

#include "core/clock.h"

#include <stdlib.h>
#include <string.h>

struct lab_pending {
    LIST_ENTRY(lab_pending) link; /* in http->pending */
    struct lab_request *request;
    struct lab_events *events;
    struct lab_subscriber *subscriber;
    int64_t until_ms; /* when the handler must respond (clock.h) */
    bool postponed;   /* set by the handler; used only by the thread that calls the handler */
    void (*again)(struct lab_request *request);
    pthread_mutex_t lock; /* for the members below */
    bool suspended, over;
    bool happened; /* an event, since the handler was called */
};

static struct lab_http *http_of(const struct lab_pending *pending)
{
    return pending->request->connection->http;
}

/* --- calling again ------------------------------------------------------------------------------------------------ */

static void run_again(struct lab_job *job)
{
    struct lab_request *request = (struct lab_request *)(void *)((char *)job - offsetof(struct lab_request, job));
    request->pending->again(request);
}

/* The caller holds the lock. */
static void wake(struct lab_pending *pending)
{
    pending->happened = !pending->suspended;
    if (!pending->suspended)
        return;
    pending->suspended = false;
    struct lab_request *request = pending->request;
    request->job.run = run_again;
    lab_phase_enter(request->connection, LAB_PHASE_HANDLER);
    lab_pool_continue(http_of(pending)->pools[request->route->thread], &request->job);
}

static void pending_wake(void *context)
{
    struct lab_pending *pending = context;
    pthread_mutex_lock(&pending->lock);
    wake(pending);
    pthread_mutex_unlock(&pending->lock);
}

bool lab_pending_is_postponed(const struct lab_pending *pending)
{
    return pending != NULL && pending->postponed;
}

/* No request is suspended after `stopping` was set, so lab_pending_end misses none. */
bool lab_pending_suspend(struct lab_pending *pending, void (*again)(struct lab_request *request))
{
    pending->postponed = false;
    pending->again = again;
    lab_phase_enter(pending->request->connection, LAB_PHASE_STREAM);
    pthread_mutex_lock(&pending->lock);
    bool suspended = !pending->happened && !pending->over && !atomic_load(&http_of(pending)->stopping);
    pending->suspended = suspended;
    pending->happened = false;
    pthread_mutex_unlock(&pending->lock);
    return suspended;
}

/* --- what handlers call ------------------------------------------------------------------------------------------- */

static struct lab_pending *create(const struct lab_request *request, struct lab_events *events, const char *type,
                                  const char *run)
{
    struct lab_http *http = request->connection->http;
    struct lab_pending *pending = calloc(1, sizeof *pending);
    if (pending == NULL)
        return NULL;
    pending->request = &request->connection->request;
    pending->events = events;
    pending->until_ms = lab_clock_coarse_ms() + lab_request_integer(request, "wait") * 1000;
    pthread_mutex_init(&pending->lock, NULL);
    const struct lab_event_filter filter = {.type = type, .run = run};
    pending->subscriber = lab_events_subscribe(events, &filter, NULL, pending_wake, pending);
    if (pending->subscriber == NULL) {
        pthread_mutex_destroy(&pending->lock);
        free(pending);
        return NULL;
    }
    pthread_mutex_lock(&http->streams_lock);
    LIST_INSERT_HEAD(&http->pending, pending, link);
    atomic_fetch_add(&http->pending_count, 1);
    pthread_mutex_unlock(&http->streams_lock);
    return pending;
}

void lab_pending_free(struct lab_pending *pending)
{
    if (pending == NULL)
        return;
    struct lab_http *http = http_of(pending);
    pthread_mutex_lock(&http->streams_lock);
    LIST_REMOVE(pending, link);
    atomic_fetch_sub(&http->pending_count, 1);
    pthread_mutex_unlock(&http->streams_lock);
    lab_events_unsubscribe(pending->events, pending->subscriber);
    lab_connection_give_back(pending->request->connection, LAB_SHARE_STREAMS);
    pthread_mutex_destroy(&pending->lock);
    free(pending);
}

bool lab_request_await(const struct lab_request *request, struct lab_response *response, struct lab_events *events,
                       const char *type, const char *run)
{
    struct lab_connection *connection = request->connection;
    if (!lab_request_waits(request) || request->pending != NULL)
        return true;
    if (!lab_connection_take(connection, LAB_SHARE_STREAMS)) {
        lab_stream_refuse(response);
        return false;
    }
    connection->request.pending = create(request, events, type, run);
    if (request->pending != NULL)
        return true;
    lab_connection_give_back(connection, LAB_SHARE_STREAMS);
    lab_respond_problem(response, LAB_ERROR_OUT_OF_MEMORY, NULL, NULL);
    return false;
}

bool lab_respond_later(const struct lab_request *request)
{
    struct lab_pending *pending = request->pending;
    if (pending == NULL)
        return false;
    pthread_mutex_lock(&pending->lock);
    pending->postponed = !pending->over;
    pthread_mutex_unlock(&pending->lock);
    return pending->postponed;
}

/* --- all requests that are answered later ------------------------------------------------------------------------- */

void lab_pending_tick(struct lab_http *http)
{
    struct lab_pending *each;
    int64_t now_ms = lab_clock_coarse_ms();
    pthread_mutex_lock(&http->streams_lock);
    LIST_FOREACH (each, &http->pending, link) {
        pthread_mutex_lock(&each->lock);
        if (now_ms >= each->until_ms || (each->suspended && lab_connection_has_left(each->request->connection)) ||
            !lab_connection_may_listen(each->request->connection)) {
            each->over = true;
            wake(each);
        }
        pthread_mutex_unlock(&each->lock);
    }
    pthread_mutex_unlock(&http->streams_lock);
}

void lab_pending_end(struct lab_http *http)
{
    struct lab_pending *each;
    pthread_mutex_lock(&http->streams_lock);
    LIST_FOREACH (each, &http->pending, link)
        pending_wake(each);
    pthread_mutex_unlock(&http->streams_lock);
}
