#include "notices.h"

#include "delivery.h"
#include "thread.h"

#include "core/clock.h"

#include <stdatomic.h>
#include <stdlib.h>

/* How often the queue is looked at; how long a channel waits after its first failure and at most; attempts of a
 * notice. */
enum { ATTEMPTS_MAX = 8 };
static const double interval_s = 0.5;
static const int64_t second_us = 1000000, first_pause_s = 10, longest_pause_s = 3600;

struct lab_notices {
    struct lab_store *store;
    struct lab_deliveries *deliveries;
    double look_at; /* by the clock: when the queue is looked at again */
    pthread_t thread;
    atomic_bool stopping;
};

static void begin(void *context, const struct lab_notice_row *notice, const struct lab_channel_row *channel)
{
    struct lab_notices *notices = context;
    if (!lab_deliveries_has(notices->deliveries, channel->id))
        lab_deliveries_begin(notices->deliveries, channel, notice);
}

/* When the next attempt is made after one more failure. */
static int64_t next_attempt(int64_t attempts)
{
    int64_t pause_s = first_pause_s << (attempts < 16 ? attempts : 16);
    return lab_time_now() + (pause_s < longest_pause_s ? pause_s : longest_pause_s) * second_us;
}

/* The next notice of the channel is begun at once. False if the attempt was not recorded: what was sent must not be
 * sent again. */
static bool record(void *context, const struct lab_delivery *delivery)
{
    struct lab_notices *notices = context;
    bool over = delivery->sent || delivery->attempts + 1 >= ATTEMPTS_MAX;
    if (lab_store_end_attempt(notices->store, delivery->notice,
                              delivery->sent ? "sent"
                              : over         ? "failed"
                                             : "waiting",
                              over ? lab_time_now() : next_attempt(delivery->attempts),
                              delivery->sent ? NULL : delivery->error) != LAB_STORE_OK)
        return false;
    notices->look_at = lab_clock_now();
    return true;
}

static void *send_notices(void *context)
{
    struct lab_notices *notices = context;
    while (!atomic_load(&notices->stopping)) {
        if (lab_clock_now() >= notices->look_at) {
            notices->look_at = lab_clock_now() + interval_s;
            lab_store_due_notices(notices->store, lab_time_now(), begin, notices);
        }
        lab_deliveries_proceed(notices->deliveries, interval_s, record, notices);
    }
    return NULL;
}

struct lab_notices *lab_notices_start(struct lab_store *store, unsigned own_port)
{
    struct lab_notices *notices = calloc(1, sizeof *notices);
    if (notices == NULL)
        return NULL;
    notices->store = store;
    notices->deliveries = lab_deliveries_create(own_port);
    if (notices->deliveries != NULL && lab_thread_start(&notices->thread, send_notices, notices) == 0)
        return notices;
    lab_deliveries_free(notices->deliveries);
    free(notices);
    return NULL;
}

void lab_notices_stop(struct lab_notices *notices)
{
    if (notices == NULL)
        return;
    atomic_store(&notices->stopping, true);
    lab_deliveries_wake(notices->deliveries);
    pthread_join(notices->thread, NULL);
    lab_deliveries_free(notices->deliveries);
    free(notices);
}
