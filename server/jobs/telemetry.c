/* The thread that asks NVML. Its calls can hang with the driver, so nobody waits for it without a limit. */
#include "telemetry.h"

#include "clock.h"
#include "facts/nvml.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

static const double interval_s = 1.5; /* between two looks */
static const double interest_s = 10;  /* how long one question keeps us looking */
static const double patience_s = 0.2; /* how long who asks waits for fresh figures */
static const double farewell_s = 1;   /* how long a look under way may hold up the end */

struct lab_telemetry {
    struct lab_devices *devices;
    struct lab_events *events;
    struct lab_nvml *nvml;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    double wanted_until, looked_at; /* looked_at: when the last look ended */
    bool stopping;
};

static json_t *look(void *context, const char *uuid)
{
    return lab_nvml_telemetry(context, uuid);
}

/* Waits until it is time for a look; false when it is time to go. With the lock held. */
static bool wait_for_interest(struct lab_telemetry *telemetry)
{
    while (!telemetry->stopping) {
        double now = lab_clock_now(), next = telemetry->looked_at + interval_s;
        bool followed = telemetry->looked_at > 0 && lab_events_subscriber_count(telemetry->events) > 0;
        bool wanted = followed || now < telemetry->wanted_until;
        if (wanted && now >= next)
            return true;
        if (wanted) {
            struct timespec moment = lab_clock_moment(next);
            pthread_cond_timedwait(&telemetry->changed, &telemetry->lock, &moment);
        } else {
            pthread_cond_wait(&telemetry->changed, &telemetry->lock);
        }
    }
    return false;
}

static void *watch(void *context)
{
    struct lab_telemetry *telemetry = context;
    pthread_mutex_lock(&telemetry->lock);
    while (wait_for_interest(telemetry)) {
        pthread_mutex_unlock(&telemetry->lock);
        json_t *seen = lab_devices_observe(telemetry->devices, look, telemetry->nvml);
        if (json_array_size(seen) > 0 && lab_events_subscriber_count(telemetry->events) > 0)
            lab_events_publish(telemetry->events, "device.telemetry", NULL, json_pack("{s:O}", "devices", seen));
        json_decref(seen);
        pthread_mutex_lock(&telemetry->lock);
        telemetry->looked_at = lab_clock_now();
        pthread_cond_broadcast(&telemetry->changed);
    }
    pthread_mutex_unlock(&telemetry->lock);
    return NULL;
}

static void telemetry_free(struct lab_telemetry *telemetry)
{
    lab_nvml_close(telemetry->nvml);
    pthread_cond_destroy(&telemetry->changed);
    pthread_mutex_destroy(&telemetry->lock);
    free(telemetry);
}

struct lab_telemetry *lab_telemetry_start(struct lab_devices *devices, struct lab_events *events)
{
    struct lab_nvml *nvml = lab_nvml_open(NULL);
    struct lab_telemetry *telemetry = nvml != NULL ? calloc(1, sizeof *telemetry) : NULL;
    if (telemetry == NULL) {
        if (nvml != NULL)
            lab_nvml_close(nvml);
        return NULL;
    }
    telemetry->devices = devices;
    telemetry->events = events;
    telemetry->nvml = nvml;
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&telemetry->lock, NULL);
    pthread_cond_init(&telemetry->changed, &attributes);
    pthread_condattr_destroy(&attributes);

    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&telemetry->thread, NULL, watch, telemetry);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed != 0) {
        telemetry_free(telemetry);
        return NULL;
    }
    return telemetry;
}

void lab_telemetry_ask(struct lab_telemetry *telemetry)
{
    if (telemetry == NULL)
        return;
    pthread_mutex_lock(&telemetry->lock);
    double now = lab_clock_now(), looked_at = telemetry->looked_at;
    bool stale = now - looked_at > 2 * interval_s;
    telemetry->wanted_until = now + interest_s;
    pthread_cond_broadcast(&telemetry->changed);
    struct timespec moment = lab_clock_moment(now + patience_s);
    while (stale && telemetry->looked_at <= looked_at && !telemetry->stopping)
        if (pthread_cond_timedwait(&telemetry->changed, &telemetry->lock, &moment) != 0)
            break;
    pthread_mutex_unlock(&telemetry->lock);
}

bool lab_telemetry_stop(struct lab_telemetry *telemetry)
{
    if (telemetry == NULL)
        return true;
    pthread_mutex_lock(&telemetry->lock);
    telemetry->stopping = true;
    pthread_cond_broadcast(&telemetry->changed);
    pthread_mutex_unlock(&telemetry->lock);
    struct timespec moment;
    clock_gettime(CLOCK_REALTIME, &moment);
    moment.tv_sec += (time_t)farewell_s;
    if (pthread_timedjoin_np(telemetry->thread, NULL, &moment) != 0)
        return false; /* it hangs in the driver and still uses what it was given */
    telemetry_free(telemetry);
    return true;
}
