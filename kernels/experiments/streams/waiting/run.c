/* Measures how long after the end of a kernel the host knows it, and how busy its thread was until then.
 *
 * The kernel is enqueued behind a latch. A second thread opens the latch some time later, when the first one waits, and
 * notes the time: so both times are of one clock.
 */
#include "waiting.h"

#include "benchmark/benchmark.h"
#include "benchmark/loop.h"
#include "descriptor/parameters.h"
#include "measure/clock.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>

static const double latch_timeout_s = 5;

struct run {
    struct lab_run *run;
    struct lab_benchmark_state *kernels; /* the kernel, its counter and flag, and the check of the counter */
    struct lab_event *event, *blocking_event;
    struct lab_latch *latch;
    double hold_s; /* before the latch is opened */
    pthread_t opener;
    bool started; /* the thread is */
    sem_t armed;  /* posted when the latch must be opened, or the thread must end */
    _Atomic(double) opened_s;
    atomic_bool stopping;
    /* of the current point */
    struct waiting waiting;
    const struct waiting_way *way;
    struct lab_work kernel;  /* one launch */
    double busy_s, waited_s; /* of all waits of the point */
    uint64_t early;          /* waits that ended before the kernel */
    double medians[2];       /* latency of WAITING_THREAD and WAITING_FLAG; 0: not measured */
};

/* --- the thread that opens the latch ------------------------------------------------------------------------------ */

static void sleep_s(double seconds)
{
    struct timespec time = {.tv_sec = (time_t)seconds, .tv_nsec = (long)(1e9 * (seconds - (double)(time_t)seconds))};
    nanosleep(&time, NULL);
}

static void *open_latches(void *context)
{
    struct run *r = context;
    for (;;) {
        while (sem_wait(&r->armed) != 0)
            continue;
        if (r->stopping)
            return NULL;
        sleep_s(r->hold_s);
        r->opened_s = lab_now_s();
        if (r->way->no_device)
            sem_post(&r->waiting.called);
        else
            r->waiting.runtime->latch_open(r->waiting.device, r->latch);
    }
}

static void post(void *context)
{
    sem_post(&((struct waiting *)context)->called);
}

/* --- one wait ----------------------------------------------------------------------------------------------------- */

/* Processor time of this thread. */
static double busy_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Enqueues the kernel behind the closed latch, and what the way needs behind the kernel. */
static bool enqueue_closed(struct run *r)
{
    struct waiting *w = &r->waiting;
    *(volatile uint32_t *)w->flag = 0;
    return r->way->no_device ||
           (w->runtime->latch_close(w->device, r->latch, w->stream, latch_timeout_s) &&
            r->kernel.enqueue(r->kernel.context) && (r->way->enqueue == NULL || r->way->enqueue(w)));
}

/* Sets *latency_s to the time from the opening of the latch until this thread knows that the kernel has ended. */
static bool wait_once(struct run *r, double *latency_s)
{
    struct waiting *w = &r->waiting;
    if (!enqueue_closed(r)) {
        w->runtime->latch_open(w->device, r->latch);
        return false;
    }
    sem_post(&r->armed);
    double start_s = lab_now_s(), start_busy_s = busy_s();
    bool good = r->way->wait(w);
    double end_s = lab_now_s();
    r->busy_s += busy_s() - start_busy_s;
    r->waited_s += end_s - start_s;
    r->early += good && !r->way->no_device && *w->flag == 0;
    good = w->runtime->stream_synchronize(w->device, w->stream) && good;
    *latency_s = end_s - r->opened_s;
    return good;
}

static bool enqueue(void *context)
{
    double latency_s;
    return wait_once(context, &latency_s);
}

static bool sample(void *context, size_t repetitions, double *seconds)
{
    double sum_s = 0;
    for (size_t i = 0; i < repetitions; i++) {
        double latency_s;
        if (!wait_once(context, &latency_s))
            return false;
        sum_s += latency_s;
    }
    *seconds = sum_s / (double)repetitions;
    return true;
}

static bool poison(void *context)
{
    const struct run *r = context;
    return r->kernel.poison(r->kernel.context);
}

/* A wait that ended before the kernel is wrong too. */
static bool verify(void *context, uint64_t *wrong)
{
    const struct run *r = context;
    bool good = r->kernel.verify(r->kernel.context, wrong);
    *wrong += r->early;
    return good;
}

/* --- the case of a point ------------------------------------------------------------------------------------------ */

static bool set_blocking(struct run *r, bool blocks)
{
    return !r->way->blocking_device || r->waiting.runtime->waiting->block(r->waiting.device, blocks);
}

static bool make_events(struct run *r)
{
    struct lab_device *device = r->waiting.device;
    const struct lab_runtime_waiting *table = r->waiting.runtime->waiting;
    if (r->event == NULL && (r->event = r->waiting.runtime->event_create(device)) == NULL)
        return false;
    if (r->way->blocking_event && r->blocking_event == NULL)
        return (r->blocking_event = table->event_create_blocking(device)) != NULL;
    return true;
}

static bool begin(void *context, struct lab_point *point, struct lab_case *c)
{
    struct run *r = context;
    r->way = &waiting_ways[point->values[WAITING_AXIS_VARIANT]];
    const char *lacks = r->way->lacks != NULL ? r->way->lacks(&r->waiting) : NULL;
    if (!lab_benchmark_begin(r->kernels, point, c))
        return false;
    if (c->skipped[0] == '\0' && lacks != NULL)
        snprintf(c->skipped, sizeof c->skipped, "%s", lacks);
    if (c->skipped[0] != '\0')
        return true;
    r->kernel = c->work;
    r->waiting.stream = c->work.lanes[0].stream;
    r->waiting.flag = lab_benchmark_buffer(r->kernels, WAITING_FLAG_BUFFER);
    r->busy_s = r->waited_s = 0;
    r->early = 0;
    c->work = (struct lab_work){.timing = LAB_TIME_BY_WORK,
                                .lane_count = 1,
                                .lanes = r->kernel.lanes,
                                .context = r,
                                .enqueue = enqueue,
                                .sample = sample,
                                .poison = poison,
                                .verify = verify,
                                .accumulates = true,
                                .repetitions_max = 1,
                                .cacheless = true};
    if (!lab_run_forward_error(r->run, r->waiting.device, make_events(r) && set_blocking(r, true)))
        return false;
    r->waiting.event = r->way->blocking_event ? r->blocking_event : r->event;
    return true;
}

static bool sleeps(const struct run *r)
{
    return r->way->sleeps || (r->way->sleeps_on_cpu && lab_facts_is_cpu(&r->waiting.device->facts));
}

/* The latency of a way that sleeps is that of the flag and of waking a thread up; others are compared with the flag. */
static bool report_prediction(struct run *r, const struct lab_report *report)
{
    double flag_s = r->medians[WAITING_FLAG], thread_s = r->medians[WAITING_THREAD];
    if (r->way->no_device || flag_s == 0 || (sleeps(r) && thread_s == 0))
        return true;
    return lab_report_value(report, "predicted_latency", flag_s + (sleeps(r) ? thread_s : 0));
}

static bool report(void *context, const struct lab_case *c, const struct lab_report *report)
{
    struct run *r = context;
    const struct lab_report besides = {.run = report->run, .point = report->point};
    size_t variant = (size_t)report->point->values[WAITING_AXIS_VARIANT];
    struct lab_summary summary;
    (void)c;
    if (!lab_summarise(report->outcome->samples, report->outcome->count, &summary))
        return lab_error_set(&r->run->error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for a median");
    if (variant <= WAITING_FLAG)
        r->medians[variant] = summary.median;
    return report_prediction(r, &besides) && lab_report_value(&besides, "cpu_share", r->busy_s / r->waited_s) &&
           lab_report_value(&besides, "predicted_cpu_share", sleeps(r) ? 0 : 1);
}

static void end(void *context)
{
    struct run *r = context;
    if (r->way->lacks == NULL || r->way->lacks(&r->waiting) == NULL)
        (void)set_blocking(r, false);
    lab_benchmark_end(r->kernels);
}

static bool renew(void *context)
{
    lab_benchmark_renew(((struct run *)context)->kernels);
    return true;
}

/* --- the run ------------------------------------------------------------------------------------------------------ */

static bool start(struct run *r)
{
    r->latch = r->waiting.runtime->latch_create(r->waiting.device);
    if (!lab_run_forward_error(r->run, r->waiting.device, r->latch != NULL))
        return false;
    r->started = pthread_create(&r->opener, NULL, open_latches, r) == 0;
    return r->started || lab_error_set(&r->run->error, LAB_ERROR_OUT_OF_MEMORY, "", "no thread can be started");
}

static void stop(struct run *r)
{
    struct lab_device *device = r->waiting.device;
    const struct lab_runtime *runtime = r->waiting.runtime;
    r->stopping = true;
    sem_post(&r->armed);
    if (r->started)
        pthread_join(r->opener, NULL);
    runtime->event_free(device, r->event);
    runtime->event_free(device, r->blocking_event);
    runtime->latch_free(device, r->latch);
    lab_benchmark_close(r->kernels);
    sem_destroy(&r->armed);
    sem_destroy(&r->waiting.called);
}

bool waiting_run(struct lab_run *run)
{
    static const struct lab_loop loop = {.begin = begin, .report = report, .end = end, .renew = renew};
    struct run r = {.run = run,
                    .waiting = {.device = run->devices[0], .runtime = run->devices[0]->runtime, .function = post},
                    .hold_s = lab_parameter_number(run->parameters, "hold_s")};
    sem_init(&r.armed, 0, 0);
    sem_init(&r.waiting.called, 0, 0);
    r.kernels = lab_benchmark_open(run, run->devices[0], run->experiment->benchmark);
    bool good = r.kernels != NULL && start(&r) && lab_loop_run(run, &loop, &r);
    stop(&r);
    return good;
}
