/* The thread that reads NVML. NVML calls can hang in the driver, so a request waits for the thread with a timeout. */
#include "telemetry.h"

#include "core/clock.h"
#include "facts/nvml.h"
#include "thread.h"

#include <pthread.h>
#include <stdlib.h>

static const double interval_s = 1.5;        /* between two reads */
static const double request_lifetime_s = 10; /* a request keeps the thread reading this long */
static const double fresh_timeout_s = 0.2;   /* a request waits this long for new values */

struct lab_telemetry {
    struct lab_devices *devices;
    struct lab_events *events;
    struct lab_nvml *nvml;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    double requested_until; /* the thread reads until then, by lab_clock_now */
    double read_at;         /* when the last read ended; 0: none yet */
    bool stopping;
};

static json_t *read_device(void *context, const char *uuid)
{
    return lab_nvml_telemetry(context, uuid);
}

/* Waits until the next read is due; false when the thread is to stop. The lock is held. */
static bool wait_until_due(struct lab_telemetry *telemetry)
{
    while (!telemetry->stopping) {
        double now = lab_clock_now(), next = telemetry->read_at + interval_s;
        bool wanted = now < telemetry->requested_until || lab_events_subscriber_count(telemetry->events) > 0;
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

static void *telemetry_main(void *context)
{
    struct lab_telemetry *telemetry = context;
    pthread_mutex_lock(&telemetry->lock);
    while (wait_until_due(telemetry)) {
        pthread_mutex_unlock(&telemetry->lock);
        json_t *list = lab_devices_read_telemetry(telemetry->devices, read_device, telemetry->nvml);
        if (json_array_size(list) > 0 && lab_events_subscriber_count(telemetry->events) > 0)
            lab_events_publish(telemetry->events, "device.telemetry", NULL, json_pack("{s:O}", "devices", list));
        json_decref(list);
        pthread_mutex_lock(&telemetry->lock);
        telemetry->read_at = lab_clock_now();
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
    pthread_mutex_init(&telemetry->lock, NULL);
    lab_condition_init(&telemetry->changed);
    if (lab_thread_start(&telemetry->thread, telemetry_main, telemetry) != 0) {
        telemetry_free(telemetry);
        return NULL;
    }
    return telemetry;
}

void lab_telemetry_wake(struct lab_telemetry *telemetry)
{
    if (telemetry == NULL)
        return;
    pthread_mutex_lock(&telemetry->lock);
    telemetry->requested_until = lab_clock_now() + request_lifetime_s;
    pthread_cond_broadcast(&telemetry->changed);
    pthread_mutex_unlock(&telemetry->lock);
}

void lab_telemetry_request(struct lab_telemetry *telemetry)
{
    if (telemetry == NULL)
        return;
    pthread_mutex_lock(&telemetry->lock);
    double now = lab_clock_now(), read_at = telemetry->read_at;
    bool stale = now - read_at > 2 * interval_s;
    telemetry->requested_until = now + request_lifetime_s;
    pthread_cond_broadcast(&telemetry->changed);
    struct timespec moment = lab_clock_moment(now + fresh_timeout_s);
    while (stale && telemetry->read_at <= read_at && !telemetry->stopping)
        if (pthread_cond_timedwait(&telemetry->changed, &telemetry->lock, &moment) != 0)
            break;
    pthread_mutex_unlock(&telemetry->lock);
}

void lab_telemetry_stop(struct lab_telemetry *telemetry)
{
    if (telemetry == NULL)
        return;
    pthread_mutex_lock(&telemetry->lock);
    telemetry->stopping = true;
    pthread_cond_broadcast(&telemetry->changed);
    pthread_mutex_unlock(&telemetry->lock);
    pthread_join(telemetry->thread, NULL);
    telemetry_free(telemetry);
}
