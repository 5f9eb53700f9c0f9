#include "notices.h"

#include "delivery.h"
#include "thread.h"

#include "core/clock.h"

#include <curl/curl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* How often the queue is looked at; how long a channel waits after its first failure and at most; attempts of a notice. */
enum { ATTEMPTS_MAX = 8 };
static const double interval_s = 0.5;
static const int64_t second_us = 1000000, first_pause_s = 10, longest_pause_s = 3600;

struct lab_notices {
    struct lab_store *store;
    struct lab_delivery_options options;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wakeup; /* `stopping` was set */
    atomic_bool stopping;
};

/* A notice and its channel, copied: the store's rows are valid during its callback alone, and that must not wait for a network. */
struct due {
    struct lab_notice_row notice;
    struct lab_channel_row channel;
    char *texts[8];
    size_t count;
};

static const char *keep(struct due *due, const char *text)
{
    if (text == NULL)
        return NULL;
    char *copy = strdup(text);
    due->texts[due->count++] = copy;
    return copy != NULL ? copy : "";
}

static void keep_due(void *context, const struct lab_notice_row *notice, const struct lab_channel_row *channel)
{
    struct due *due = context;
    due->notice = (struct lab_notice_row){.id = notice->id,
                                          .created_at = notice->created_at,
                                          .attempts = notice->attempts,
                                          .delivery = keep(due, notice->delivery),
                                          .content = keep(due, notice->content)};
    due->channel = (struct lab_channel_row){.private = channel->private,
                                            .kind = keep(due, channel->kind),
                                            .address = keep(due, channel->address),
                                            .secret = keep(due, channel->secret),
                                            .sender = keep(due, channel->sender),
                                            .recipient = keep(due, channel->recipient)};
}

/* When the next attempt is made after one more failure. */
static int64_t next_attempt(int64_t attempts)
{
    int64_t pause_s = first_pause_s << (attempts < 16 ? attempts : 16);
    return lab_time_now() + (pause_s < longest_pause_s ? pause_s : longest_pause_s) * second_us;
}

/* Sends the notice that is due for longest. False when none is. */
static bool send_one(struct lab_notices *notices)
{
    struct due due = {0};
    char error[LAB_DELIVERY_ERROR_SIZE];
    if (lab_store_due_notice(notices->store, lab_time_now(), keep_due, &due) != LAB_STORE_OK)
        return false;
    bool sent = lab_deliver(&notices->options, &due.channel, &due.notice, error);
    bool over = sent || due.notice.attempts + 1 >= ATTEMPTS_MAX;
    bool recorded = true;
    if (sent || !atomic_load(&notices->stopping))
        recorded = lab_store_end_attempt(notices->store, due.notice.id,
                                         sent   ? "sent"
                                         : over ? "failed"
                                                : "waiting",
                                         over ? lab_time_now() : next_attempt(due.notice.attempts),
                                         sent ? NULL : error) == LAB_STORE_OK;
    for (size_t i = 0; i < due.count; i++)
        free(due.texts[i]);
    return recorded;
}

static void *send_notices(void *context)
{
    struct lab_notices *notices = context;
    while (!atomic_load(&notices->stopping)) {
        if (send_one(notices))
            continue;
        struct timespec until = lab_clock_moment(lab_clock_now() + interval_s);
        pthread_mutex_lock(&notices->lock);
        if (!atomic_load(&notices->stopping))
            pthread_cond_timedwait(&notices->wakeup, &notices->lock, &until);
        pthread_mutex_unlock(&notices->lock);
    }
    return NULL;
}

struct lab_notices *lab_notices_start(struct lab_store *store, unsigned own_port)
{
    struct lab_notices *notices = calloc(1, sizeof *notices);
    if (notices == NULL)
        return NULL;
    curl_global_init(CURL_GLOBAL_DEFAULT);
    notices->store = store;
    notices->options = (struct lab_delivery_options){own_port, &notices->stopping};
    pthread_mutex_init(&notices->lock, NULL);
    lab_condition_init(&notices->wakeup);
    if (lab_thread_start(&notices->thread, send_notices, notices) == 0)
        return notices;
    pthread_cond_destroy(&notices->wakeup);
    pthread_mutex_destroy(&notices->lock);
    free(notices);
    return NULL;
}

void lab_notices_stop(struct lab_notices *notices)
{
    if (notices == NULL)
        return;
    pthread_mutex_lock(&notices->lock);
    atomic_store(&notices->stopping, true);
    pthread_cond_signal(&notices->wakeup);
    pthread_mutex_unlock(&notices->lock);
    pthread_join(notices->thread, NULL);
    pthread_cond_destroy(&notices->wakeup);
    pthread_mutex_destroy(&notices->lock);
    free(notices);
}
