/* The ways in which a thread of the host waits for the end of a kernel. */
#include "waiting.h"

#include "measure/clock.h"

static const double patience_s = 10; /* longer than the time-out of a latch */

/* --- nothing of the device: another thread ------------------------------------------------------------------------ */

// region thread
static bool wait_for_thread(struct waiting *w)
{
    while (sem_wait(&w->called) != 0)
        continue;
    return true;
}
// end

/* --- asking ------------------------------------------------------------------------------------------------------- */

// region flag
static bool poll_flag(struct waiting *w)
{
    double until = lab_now_s() + patience_s;
    while (*w->flag == 0)
        if (lab_now_s() > until)
            return lab_error_set(&w->device->error, LAB_ERROR_NOT_READY, "", "the kernel has not written its flag");
    return true;
}
// end

// region stream-query
static bool poll_stream(struct waiting *w)
{
    for (bool idle = false; !idle;)
        if (!w->runtime->waiting->stream_query(w->device, w->stream, &idle))
            return false;
    return true;
}
// end

static bool record(struct waiting *w)
{
    return w->runtime->event_record(w->device, w->event, w->stream);
}

// region event-query
static bool poll_event(struct waiting *w)
{
    for (bool passed = false; !passed;)
        if (!w->runtime->event_query(w->device, w->event, &passed))
            return false;
    return true;
}
// end

/* --- calls that wait ---------------------------------------------------------------------------------------------- */

// region stream
static bool synchronize_stream(struct waiting *w)
{
    return w->runtime->stream_synchronize(w->device, w->stream);
}
// end

// region event
static bool synchronize_event(struct waiting *w)
{
    return w->runtime->event_synchronize(w->device, w->event);
}
// end

// region device
static bool synchronize_device(struct waiting *w)
{
    return w->runtime->waiting->synchronize(w->device);
}
// end

/* --- a function of the host --------------------------------------------------------------------------------------- */

// region callback
static bool enqueue_call(struct waiting *w)
{
    return w->runtime->waiting->call(w->device, w->stream, w->function, w);
}
// end

/* --- what runtimes lack ------------------------------------------------------------------------------------------- */

static const char *lacks_table(const struct waiting *w)
{
    return w->runtime->waiting == NULL ? "this device's runtime cannot wait so" : NULL;
}

static const char *lacks_blocking(const struct waiting *w)
{
    return w->runtime->waiting == NULL || w->runtime->waiting->block == NULL
               ? "this device's runtime has one way to let threads wait"
               : NULL;
}

const struct waiting_way waiting_ways[] = {
    [WAITING_THREAD] = {"thread", .sleeps = true, .wait = wait_for_thread, .no_device = true},
    [WAITING_FLAG] = {"flag", .wait = poll_flag},
    {"stream-query", .lacks = lacks_table, .wait = poll_stream},
    {"event-query", .enqueue = record, .wait = poll_event},
    {"stream-synchronize", .wait = synchronize_stream, .sleeps_on_cpu = true},
    {"event-synchronize", .enqueue = record, .wait = synchronize_event, .sleeps_on_cpu = true},
    {"device-synchronize", .lacks = lacks_table, .wait = synchronize_device, .sleeps_on_cpu = true},
    {"blocking-event", .sleeps = true, .lacks = lacks_blocking, .enqueue = record, .wait = synchronize_event,
     .blocking_event = true},
    {"blocking-stream", .sleeps = true, .lacks = lacks_blocking, .wait = synchronize_stream, .blocking_device = true},
    {"callback", .sleeps = true, .lacks = lacks_table, .enqueue = enqueue_call, .wait = wait_for_thread},
    {0},
};
