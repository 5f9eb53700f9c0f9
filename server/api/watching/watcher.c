/* The thread that watches the lab (lab_watcher_start in api.h). It reads the event stream, so that no run waits for
 * it. */
#include "figures.h"
#include "judge.h"

#include "events.h"
#include "thread.h"

#include "core/clock.h"
#include "core/json_members.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* How often machines and disk are looked at. JUDGED_MAX: runs that are known to be judged, since they can change after
 * their end. EVENT_MAX: bytes of an event that is read. */
enum { JUDGED_MAX = 64, NODES_MAX = 256, EVENT_MAX = 8 << 20 };
static const double interval_s = 1;

/* Something that can be wrong: whether it was right before, and whether a notice says that it is wrong. */
struct trouble {
    bool seen, told;
};

struct lab_watcher {
    struct lab_api *api;
    struct lab_figures *figures;
    struct lab_subscriber *subscriber;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wakeup; /* there are events, or `stopping` was set */
    bool ready;            /* for `lock` */
    atomic_bool stopping;
    int64_t since; /* runs that ended before are not judged */
    char *text;    /* of the event that is read */
    size_t length;
    char judged[JUDGED_MAX][LAB_RUN_ID_SIZE];
    size_t judged_next;
    struct trouble disk, nodes[NODES_MAX];
};

/* --- watches ------------------------------------------------------------------------------------------------------ */

struct watches {
    struct lab_watch_row *items; /* their texts are copies */
    size_t count;
};

static void keep_watch(void *context, const struct lab_watch_row *watch)
{
    struct watches *watches = context;
    struct lab_watch_row *larger = realloc(watches->items, (watches->count + 1) * sizeof *larger);
    if (larger == NULL)
        return;
    watches->items = larger;
    struct lab_watch_row *copy = &larger[watches->count++];
    *copy = *watch;
    copy->kind = strdup(watch->kind);
    copy->experiment = watch->experiment != NULL ? strdup(watch->experiment) : NULL;
    copy->metric = watch->metric != NULL ? strdup(watch->metric) : NULL;
}

static void release_watches(struct watches *watches)
{
    for (size_t i = 0; i < watches->count; i++) {
        free((char *)(uintptr_t)watches->items[i].kind);
        free((char *)(uintptr_t)watches->items[i].experiment);
        free((char *)(uintptr_t)watches->items[i].metric);
    }
    free(watches->items);
}

enum lab_store_result lab_notice_add(struct lab_store *store, int64_t channel, json_t *content,
                                     char delivery[LAB_RUN_ID_SIZE])
{
    char *text = content != NULL ? json_dumps(content, JSON_COMPACT) : NULL;
    lab_run_id(delivery);
    const struct lab_notice_row notice = {
        .channel = channel, .created_at = lab_time_now(), .delivery = delivery, .content = text};
    enum lab_store_result result = text != NULL ? lab_store_add_notice(store, &notice) : lab_store_no_memory();
    free(text);
    json_decref(content);
    return result;
}

/* --- runs --------------------------------------------------------------------------------------------------------- */

/* Whether the run has ended now; false the second time. */
static bool has_ended(struct lab_watcher *watcher, const struct lab_run_row *run)
{
    if ((run->status != LAB_STATUS_SUCCEEDED && run->status != LAB_STATUS_FAILED) || run->finished_at < watcher->since)
        return false;
    for (size_t i = 0; i < JUDGED_MAX; i++)
        if (strcmp(watcher->judged[i], run->id) == 0)
            return false;
    memcpy(watcher->judged[watcher->judged_next++ % JUDGED_MAX], run->id, LAB_RUN_ID_SIZE);
    return true;
}

static void judge_run(struct lab_watcher *watcher, const char *id)
{
    struct lab_run_row *run = NULL;
    struct watches watches = {0};
    char delivery[LAB_RUN_ID_SIZE];
    if (lab_store_get_run(watcher->api->store, id, &run) == LAB_STORE_OK && has_ended(watcher, run)) {
        lab_judge_figures(watcher->api, run);
        lab_store_list_watches(watcher->api->store, keep_watch, &watches);
    }
    for (size_t i = 0; i < watches.count && !atomic_load(&watcher->stopping); i++) {
        json_t *content = lab_judge_run(watcher->api, run, &watches.items[i]);
        if (content != NULL)
            lab_notice_add(watcher->api->store, watches.items[i].channel, content, delivery);
    }
    release_watches(&watches);
    free(run);
}

/* Judges the run of an event, "id: …\nevent: …\ndata: {…}". */
static void take_event(struct lab_watcher *watcher, char *text)
{
    const char *data = strstr(text, "data: ");
    json_t *run = data != NULL ? json_loads(data + 6, JSON_DISABLE_EOF_CHECK, NULL) : NULL;
    enum lab_status status;
    const char *id = lab_text_of(run, "id");
    if (id[0] != '\0' && lab_status_parse(lab_text_of(run, "status"), &status) && !lab_status_live(status))
        judge_run(watcher, id);
    json_decref(run);
}

/* Reads the events that there are. One that is too long is left out. */
static void read_events(struct lab_watcher *watcher)
{
    char buffer[4096], *end;
    size_t read;
    while (!atomic_load(&watcher->stopping) &&
           (read = lab_events_read(watcher->api->events, watcher->subscriber, buffer, sizeof buffer)) > 0) {
        char *larger = realloc(watcher->text, watcher->length + read + 1);
        if (larger == NULL)
            return;
        watcher->text = larger;
        memcpy(larger + watcher->length, buffer, read);
        watcher->length += read;
        larger[watcher->length] = '\0';
        while ((end = strstr(watcher->text, "\n\n")) != NULL) {
            end[1] = '\0';
            take_event(watcher, watcher->text);
            watcher->length -= (size_t)(end + 2 - watcher->text);
            memmove(watcher->text, end + 2, watcher->length + 1);
        }
        if (watcher->length > EVENT_MAX)
            watcher->length = 0;
    }
}

/* --- machines and disk -------------------------------------------------------------------------------------------- */

/* Tells the channels that watch for it of something that is wrong, once while it is so; again if no notice could be
 * added. */
static void tell(struct lab_watcher *watcher, struct trouble *trouble, enum lab_watch_kind kind, const char *subject,
                 const char *reason)
{
    struct watches watches = {0};
    char delivery[LAB_RUN_ID_SIZE];
    if (trouble->told)
        return;
    trouble->told = lab_store_list_watches(watcher->api->store, keep_watch, &watches) == LAB_STORE_OK;
    for (size_t i = 0; i < watches.count; i++)
        if (strcmp(watches.items[i].kind, lab_watch_kinds[kind]) == 0 &&
            lab_notice_add(watcher->api->store, watches.items[i].channel, lab_judge_lab(kind, subject, reason),
                           delivery) != LAB_STORE_OK)
            trouble->told = false;
    release_watches(&watches);
}

/* A node counts as lost when its worker, which was seen before, answers no longer. */
static void look_at_nodes(struct lab_watcher *watcher)
{
    size_t i;
    json_t *node, *nodes = lab_jobs_nodes(watcher->api->jobs);
    json_array_foreach(nodes, i, node)
    {
        const char *state = lab_text_of(node, "state");
        if (i >= NODES_MAX)
            break;
        struct trouble *trouble = &watcher->nodes[i];
        if (strcmp(state, "held") != 0) {
            trouble->seen = trouble->seen || strcmp(state, "starting") != 0;
            trouble->told = false;
        } else if (trouble->seen) {
            tell(watcher, trouble, LAB_WATCH_NODE, lab_text_of(node, "name"), lab_text_of(node, "state_reason"));
        }
    }
    json_decref(nodes);
}

static void look_at_disk(struct lab_watcher *watcher)
{
    char message[LAB_DETAIL_MAX];
    if (lab_store_healthy(watcher->api->store, message, sizeof message))
        watcher->disk.told = false;
    else
        tell(watcher, &watcher->disk, LAB_WATCH_DISK, NULL, message);
}

/* --- the thread --------------------------------------------------------------------------------------------------- */

static void wake(void *context)
{
    struct lab_watcher *watcher = context;
    pthread_mutex_lock(&watcher->lock);
    watcher->ready = true;
    pthread_cond_signal(&watcher->wakeup);
    pthread_mutex_unlock(&watcher->lock);
}

static void *watch(void *context)
{
    struct lab_watcher *watcher = context;
    double looked_at = -INFINITY;
    while (!atomic_load(&watcher->stopping)) {
        read_events(watcher);
        if (lab_clock_now() - looked_at >= interval_s) {
            look_at_nodes(watcher);
            look_at_disk(watcher);
            looked_at = lab_clock_now();
        }
        struct timespec until = lab_clock_moment(lab_clock_now() + interval_s);
        pthread_mutex_lock(&watcher->lock);
        if (!watcher->ready && !atomic_load(&watcher->stopping))
            pthread_cond_timedwait(&watcher->wakeup, &watcher->lock, &until);
        watcher->ready = false;
        pthread_mutex_unlock(&watcher->lock);
    }
    return NULL;
}

static void free_watcher(struct lab_watcher *watcher)
{
    lab_events_unsubscribe(watcher->api->events, watcher->subscriber);
    pthread_cond_destroy(&watcher->wakeup);
    pthread_mutex_destroy(&watcher->lock);
    watcher->api->figures = NULL;
    lab_figures_free(watcher->figures);
    free(watcher->text);
    free(watcher);
}

struct lab_watcher *lab_watcher_start(struct lab_api *api)
{
    struct lab_watcher *watcher = calloc(1, sizeof *watcher);
    if (watcher == NULL)
        return NULL;
    watcher->api = api;
    watcher->since = lab_time_now();
    pthread_mutex_init(&watcher->lock, NULL);
    lab_condition_init(&watcher->wakeup);
    watcher->figures = lab_figures_create();
    static const struct lab_event_filter updates = {.type = LAB_EVENT_RUN_UPDATED};
    watcher->subscriber =
        watcher->figures != NULL ? lab_events_subscribe(api->events, &updates, NULL, wake, watcher) : NULL;
    api->figures = watcher->figures;
    if (watcher->subscriber != NULL && lab_thread_start(&watcher->thread, watch, watcher) == 0)
        return watcher;
    free_watcher(watcher);
    return NULL;
}

void lab_watcher_stop(struct lab_watcher *watcher)
{
    if (watcher == NULL)
        return;
    atomic_store(&watcher->stopping, true);
    wake(watcher);
    pthread_join(watcher->thread, NULL);
    free_watcher(watcher);
}
