/* gpulab-trace.so: the CUDA driver loads it into a program when the program initialises CUDA, because
 * CUDA_INJECTION64_PATH names it. It records until the program ends and changes nothing else of it: no output, exit
 * code, signal or environment, and it holds up the program for a bounded time only.
 *
 * It records activity, or reads hardware counters instead (counting.h). CUPTI returns buffers of activity that are
 * full. A thread asks for the others ten times a second, so that of a program that is killed only the end is missing.
 */
#include "activity.h"
#include "counting.h"

#include "core/clock.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER_BYTES = 256 << 10, PERIOD_MS = 100 };

/* Static, because CUPTI's callbacks and exit handlers get no context. A forked process has it too and uses it no more:
 * CUDA does not work there, and neither the thread nor CUPTI's threads exist. */
static struct {
    struct tracer_recording recording;
    pid_t process;
    bool counts; /* hardware counters, and records no activity */
    bool has_cupti;
    bool has_thread;
    pthread_t thread;
    pthread_mutex_t lock; /* guards `ends` */
    pthread_cond_t ending;
    bool ends;
} tracer = {.lock = PTHREAD_MUTEX_INITIALIZER};

__attribute__((visibility("default"))) int InitializeInjection(void);

/* --- buffers ------------------------------------------------------------------------------------------------------ */

/* CUPTI requests a buffer. Without memory for it, CUPTI drops records and counts them. */
static void CUPTIAPI allocate_buffer(uint8_t **bytes, size_t *size, size_t *records_max)
{
    *bytes = aligned_alloc(8, BUFFER_BYTES);
    *size = *bytes != NULL ? BUFFER_BYTES : 0;
    *records_max = 0;
}

/* CUPTI returns a filled buffer, on any thread. */
static void CUPTIAPI record_buffer(CUcontext context, uint32_t stream, uint8_t *bytes, size_t size, size_t valid_bytes)
{
    struct tracer_recording *recording = &tracer.recording;
    CUpti_Activity *activity = NULL;
    size_t dropped = 0;
    (void)size;
    pthread_mutex_lock(&recording->output.lock);
    while (recording->cupti.next_record(bytes, valid_bytes, &activity) == CUPTI_SUCCESS)
        tracer_activity_add(recording, activity);
    if (recording->cupti.dropped_records(context, stream, &dropped) == CUPTI_SUCCESS)
        tracer_output_lose(&recording->output, LAB_TRACE_LOSS_CUPTI, dropped);
    pthread_mutex_unlock(&recording->output.lock);
    free(bytes);
}

/* --- while the program runs --------------------------------------------------------------------------------------- */

/* Waits for the end of the program or of the period. Returns whether the program ends. */
static bool wait_for_end(void)
{
    struct timespec until = lab_clock_moment(lab_clock_now() + PERIOD_MS * 1e-3);
    pthread_mutex_lock(&tracer.lock);
    while (!tracer.ends && pthread_cond_timedwait(&tracer.ending, &tracer.lock, &until) == 0)
        continue;
    bool ends = tracer.ends;
    pthread_mutex_unlock(&tracer.lock);
    return ends;
}

static void *flush_periodically(void *unused)
{
    struct tracer_output *output = &tracer.recording.output;
    (void)unused;
    while (!wait_for_end()) {
        struct lab_trace_flushed flushed = {.at_ns = lab_time_now_ns()};
        tracer.recording.cupti.flush_all(0);
        pthread_mutex_lock(&output->lock);
        if (output->accepted + sizeof flushed <= output->limit)
            tracer_output_add(output, LAB_TRACE_TYPE_FLUSHED, &flushed, sizeof flushed);
        tracer_output_flush(output, false);
        pthread_mutex_unlock(&output->lock);
    }
    return NULL;
}

/* Starts the thread with all signals blocked, because they are the program's. */
static void start_thread(void)
{
    sigset_t all, before;
    sigfillset(&all);
    lab_condition_init(&tracer.ending);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    tracer.has_thread = pthread_create(&tracer.thread, NULL, flush_periodically, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (tracer.has_thread)
        pthread_setname_np(tracer.thread, "gpulab-trace");
}

/* At exit(), also of a forked process, which has no thread and nothing to write. */
static void end_recording(void)
{
    struct tracer_output *output = &tracer.recording.output;
    if (getpid() != tracer.process)
        return;
    pthread_mutex_lock(&tracer.lock);
    tracer.ends = true;
    pthread_cond_signal(&tracer.ending);
    pthread_mutex_unlock(&tracer.lock);
    if (tracer.has_thread)
        pthread_join(tracer.thread, NULL);
    if (tracer.counts)
        tracer_counting_end();
    if (tracer.has_cupti)
        tracer.recording.cupti.flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    pthread_mutex_lock(&output->lock);
    tracer_output_end(output, lab_time_now_ns());
    pthread_mutex_unlock(&output->lock);
}

/* --- the beginning ------------------------------------------------------------------------------------------------ */

/* When this process was started, in ns since 1970: field 22 of /proc/self/stat, in ticks since boot. `now_ns` if that
 * is not known. */
static int64_t start_of_process(int64_t now_ns)
{
    char text[1024] = "";
    unsigned long long ticks = 0;
    struct timespec since_boot;
    FILE *file = fopen("/proc/self/stat", "re");
    if (file == NULL)
        return now_ns;
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[size] = '\0';
    const char *fields = strrchr(text, ')'); /* the name of the program before it may have any character */
    for (int field = 2; fields != NULL && field < 22; field++)
        fields = strchr(fields + 1, ' ');
    if (fields == NULL || (ticks = strtoull(fields, NULL, 10)) == 0 || clock_gettime(CLOCK_BOOTTIME, &since_boot) != 0)
        return now_ns;
    int64_t tick_ns = INT64_C(1000000000) / sysconf(_SC_CLK_TCK);
    int64_t age_ns = (int64_t)since_boot.tv_sec * 1000000000 + since_boot.tv_nsec - (int64_t)ticks * tick_ns;
    return age_ns > 0 ? now_ns - age_ns : now_ns;
}

static void add_begin(struct tracer_output *output)
{
    int64_t now_ns = lab_time_now_ns();
    struct lab_trace_begin begin = {.magic = LAB_TRACE_MAGIC,
                                    .version = LAB_TRACE_VERSION,
                                    .started_ns = start_of_process(now_ns),
                                    .begun_ns = now_ns};
    tracer_output_add(output, LAB_TRACE_TYPE_BEGIN, &begin, sizeof begin);
}

/* Returns false after a note that nothing can be recorded. */
static bool open_cupti(struct tracer_recording *recording)
{
    char why[256], text[400];
    struct tracer_cupti *cupti = &recording->cupti;
    if (!tracer_cupti_open(cupti, getenv(LAB_TRACE_VARIABLE_CUPTI), why, sizeof why))
        snprintf(text, sizeof text, "Nothing could be recorded, because CUPTI is not installed: %s", why);
    else if (cupti->register_callbacks(allocate_buffer, record_buffer) != CUPTI_SUCCESS)
        snprintf(text, sizeof text, "Nothing could be recorded, because CUPTI is in use by another tool.");
    else
        return true;
    pthread_mutex_lock(&recording->output.lock);
    tracer_output_add_text(&recording->output, LAB_TRACE_TYPE_NOTE, text);
    pthread_mutex_unlock(&recording->output.lock);
    return false;
}

static void start_activity(struct tracer_recording *recording)
{
    tracer.has_cupti = open_cupti(recording);
    if (!tracer.has_cupti)
        return;
    recording->cupti.set_thread_id_type(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
    tracer_activity_enable(recording);
    start_thread();
}

/* Called by the driver, once in a process. Returns 1 always: the program runs whatever can be recorded. */
int InitializeInjection(void)
{
    struct tracer_recording *recording = &tracer.recording;
    struct tracer_output *output = &recording->output;
    const char *counters = getenv(LAB_TRACE_VARIABLE_COUNTERS);
    if (tracer.process != 0 ||
        !tracer_output_open(output, getenv(LAB_TRACE_VARIABLE_FD), getenv(LAB_TRACE_VARIABLE_LIMIT)))
        return 1;
    tracer.process = getpid();
    lab_demangler_open(&recording->texts.demangler);
    pthread_mutex_lock(&output->lock);
    add_begin(output);
    pthread_mutex_unlock(&output->lock);
    tracer.counts = counters != NULL;
    if (tracer.counts)
        tracer_counting_start(&recording->texts, output, counters);
    else
        start_activity(recording);
    pthread_mutex_lock(&output->lock);
    tracer_output_flush(output, false);
    pthread_mutex_unlock(&output->lock);
    atexit(end_recording);
    return 1;
}
