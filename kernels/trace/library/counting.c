#include "counting.h"

#include "core/clock.h"
#include "core/library.h"
#include "cuda/counters/session.h"

#include <cupti.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RANGES = 256, /* launches that are counted before they are read */
    END_WAIT_S = 2
};

static const char graph_name[] = "CUDA-graph";

/* The functions of CUPTI and the driver that counting calls besides the profiler's. */
struct functions {
    __typeof__(&cuptiSubscribe) subscribe;
    __typeof__(&cuptiEnableCallback) enable;
    __typeof__(&cuptiGetDeviceId) device_id;
    __typeof__(&cuCtxSynchronize) synchronize;
};

/* Static, because the callback must find it at any time, also while the process ends. */
static struct {
    struct functions functions;
    struct tracer_texts *texts;
    struct tracer_output *output;
    struct cuda_wanted wanted;

    pthread_mutex_t lock; /* held during a launch that is counted, and guards what follows */
    CUcontext context;    /* that is counted; NULL: none yet */
    bool has_ended;       /* or could not begin */
    size_t captures;      /* of graphs, at present */
    struct cuda_chip chip;
    struct cuda_selection selection;
    struct cuda_session session;
    size_t launch_count;       /* in `session`, which are not yet read */
    uint32_t launches[RANGES]; /* the texts of their names */
} counting = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* --- records ------------------------------------------------------------------------------------------------------ */

static void add_note(const char *text)
{
    pthread_mutex_lock(&counting.output->lock);
    tracer_output_add_text(counting.output, LAB_TRACE_TYPE_NOTE, text);
    pthread_mutex_unlock(&counting.output->lock);
}

static void lose_launch(enum lab_trace_loss reason)
{
    pthread_mutex_lock(&counting.output->lock);
    tracer_output_lose(counting.output, reason, 1);
    pthread_mutex_unlock(&counting.output->lock);
}

static uint32_t number_of(const char *text)
{
    pthread_mutex_lock(&counting.output->lock);
    uint32_t number = tracer_text_number(counting.texts, counting.output, text);
    pthread_mutex_unlock(&counting.output->lock);
    return number;
}

static void add_metric(enum lab_hardware_counter counter, const char *name)
{
    struct lab_trace_metric record = {.counter = counter, .name = number_of(name)};
    pthread_mutex_lock(&counting.output->lock);
    tracer_output_add(counting.output, LAB_TRACE_TYPE_METRIC, &record, sizeof record);
    pthread_mutex_unlock(&counting.output->lock);
}

/* The metrics that are counted, and which counters the chip does not have. */
static void add_metrics(void)
{
    const struct cuda_selection *selection = &counting.selection;
    for (size_t i = 0; i < counting.wanted.count; i++)
        if (counting.chip.metrics[counting.wanted.counters[i]] == NULL)
            add_metric(counting.wanted.counters[i], NULL);
    for (size_t i = 0; i < selection->count; i++)
        add_metric(selection->counters[i], selection->metrics[i]);
}

static void add_launch(uint32_t name, const double values[LAB_HARDWARE_COUNTER_COUNT])
{
    struct lab_trace_launch record = {.name = name};
    for (size_t i = 0; i < LAB_TRACE_COUNTERS_MAX; i++)
        record.counts[i] = NAN;
    for (size_t i = 0; i < counting.selection.count; i++)
        record.counts[counting.selection.counters[i]] = values[i];
    pthread_mutex_lock(&counting.output->lock);
    tracer_output_add(counting.output, LAB_TRACE_TYPE_LAUNCH, &record, sizeof record);
    pthread_mutex_unlock(&counting.output->lock);
}

/* --- the profiler; the caller holds the lock ---------------------------------------------------------------------- */

/* Counts no more, after a note if there is an error. */
static void end(const struct lab_error *error)
{
    if (error != NULL)
        add_note(error->detail);
    lab_cuda_session_release(&counting.session);
    lab_cuda_selection_release(&counting.selection, &counting.chip);
    lab_cuda_chip_close(&counting.chip);
    counting.launch_count = 0;
    counting.has_ended = true;
}

static bool begin(CUcontext context, struct lab_error *error)
{
    uint32_t ordinal = 0;
    counting.context = context;
    counting.functions.device_id(context, &ordinal);
    if (!lab_cuda_chip_open(&counting.chip, context, ordinal, getenv(LAB_TRACE_VARIABLE_CUPTI), error) ||
        !lab_cuda_selection_make_pass(&counting.selection, &counting.chip, &counting.wanted, error))
        return false;
    add_metrics();
    if (counting.selection.count == 0) {
        end(NULL);
        return true;
    }
    return lab_cuda_session_open(&counting.session, &counting.chip, &counting.selection, RANGES, error) &&
           lab_cuda_session_configure(&counting.session, error) && lab_cuda_session_start(&counting.session, error);
}

/* Finds where CUPTI keeps what each launch has counted. False with an error where that of one is missing. */
static bool find_places(size_t places[RANGES], struct lab_error *error)
{
    for (size_t launch = 0; launch < counting.launch_count; launch++)
        places[launch] = SIZE_MAX;
    for (size_t place = 0; place < counting.launch_count; place++) {
        size_t launch;
        if (!lab_cuda_session_range(&counting.session, place, &launch, error))
            return false;
        if (launch < counting.launch_count)
            places[launch] = place;
    }
    for (size_t launch = 0; launch < counting.launch_count; launch++)
        if (places[launch] == SIZE_MAX)
            return lab_error_set(error, LAB_ERROR_UNSUPPORTED, "", "CUPTI has counted nothing for launch %zu", launch);
    return true;
}

/* Reads what the launches have counted. */
static bool read_launches(struct lab_error *error)
{
    bool last;
    size_t places[RANGES] = {0};
    double values[LAB_HARDWARE_COUNTER_COUNT];
    if (!lab_cuda_session_stop(&counting.session, &last, error))
        return false;
    if (counting.launch_count == 0)
        return true;
    if (!lab_cuda_session_decode(&counting.session, error) || !find_places(places, error))
        return false;
    for (size_t i = 0; i < counting.launch_count; i++) {
        if (!lab_cuda_session_values(&counting.session, places[i], values, error))
            return false;
        add_launch(counting.launches[i], values);
    }
    counting.launch_count = 0;
    return true;
}

static void finish(void)
{
    struct lab_error error;
    if (counting.context == NULL || counting.has_ended)
        return;
    end(read_launches(&error) ? NULL : &error);
}

/* Makes place for another launch. */
static bool advance(struct lab_error *error)
{
    return counting.launch_count < RANGES ||
           (read_launches(error) && lab_cuda_session_configure(&counting.session, error) &&
            lab_cuda_session_start(&counting.session, error));
}

/* --- launches ----------------------------------------------------------------------------------------------------- */

/* Waits until the context is idle. */
static bool wait_for_work(struct lab_error *error)
{
    CUresult result = counting.functions.synchronize();
    return result == CUDA_SUCCESS ||
           lab_error_set(error, LAB_ERROR_CUDA_ERROR, "", "the program's work has failed (CUDA error %d)", (int)result);
}

/* Whether a launch in this context is to be counted. */
static bool is_counted(CUcontext context)
{
    if (counting.has_ended)
        return false;
    if (counting.captures > 0)
        lose_launch(LAB_TRACE_LOSS_CAPTURE);
    else if (counting.context != NULL && counting.context != context)
        lose_launch(LAB_TRACE_LOSS_CONTEXT);
    return counting.captures == 0 && (counting.context == NULL || counting.context == context);
}

/* Begins the range of a launch. If it returns true, the lock is held until end_launch. */
static bool begin_launch(CUcontext context)
{
    struct lab_error error;
    pthread_mutex_lock(&counting.lock);
    if (is_counted(context)) {
        bool begun = counting.context != NULL || begin(context, &error);
        if (begun && !counting.has_ended && advance(&error) && wait_for_work(&error) &&
            lab_cuda_session_push(&counting.session, counting.launch_count, &error))
            return true;
        if (!counting.has_ended)
            end(&error);
    }
    pthread_mutex_unlock(&counting.lock);
    return false;
}

static void end_launch(const char *name)
{
    struct lab_error error, popping;
    bool good = wait_for_work(&error), popped = lab_cuda_session_pop(&counting.session, good ? &error : &popping);
    if (good && popped)
        counting.launches[counting.launch_count++] = number_of(name);
    else
        end(&error);
    pthread_mutex_unlock(&counting.lock);
}

/* --- CUPTI's callbacks -------------------------------------------------------------------------------------------- */

#define BOTH(what, function)                                                                                           \
    {what, CUPTI_DRIVER_TRACE_CBID_##function},                                                                        \
    {                                                                                                                  \
        what, CUPTI_DRIVER_TRACE_CBID_##function##_ptsz                                                                \
    }

enum called { LAUNCHES_KERNEL, LAUNCHES_GRAPH, BEGINS_CAPTURE, ENDS_CAPTURE };
static const struct {
    enum called what;
    CUpti_CallbackId id;
} calls[] = {
    BOTH(LAUNCHES_KERNEL, cuLaunchKernel),
    BOTH(LAUNCHES_KERNEL, cuLaunchKernelEx),
    BOTH(LAUNCHES_KERNEL, cuLaunchCooperativeKernel),
    BOTH(LAUNCHES_GRAPH, cuGraphLaunch),
    BOTH(BEGINS_CAPTURE, cuStreamBeginCapture),
    BOTH(BEGINS_CAPTURE, cuStreamBeginCapture_v2),
    BOTH(BEGINS_CAPTURE, cuStreamBeginCaptureToGraph),
    BOTH(ENDS_CAPTURE, cuStreamEndCapture),
};

static void count_captures(enum called what, const CUpti_CallbackData *call)
{
    pthread_mutex_lock(&counting.lock);
    if (what == BEGINS_CAPTURE && call->callbackSite == CUPTI_API_ENTER)
        counting.captures++;
    else if (what == ENDS_CAPTURE && call->callbackSite == CUPTI_API_EXIT && counting.captures > 0)
        counting.captures--;
    pthread_mutex_unlock(&counting.lock);
}

static void take_call(enum called what, const CUpti_CallbackData *call)
{
    if (what == BEGINS_CAPTURE || what == ENDS_CAPTURE)
        count_captures(what, call);
    else if (call->callbackSite == CUPTI_API_ENTER)
        *call->correlationData = begin_launch(call->context);
    else if (*call->correlationData != 0)
        end_launch(what == LAUNCHES_GRAPH ? graph_name : call->symbolName);
}

static void CUPTIAPI take_callback(void *unused, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *data)
{
    (void)unused;
    if (domain == CUPTI_CB_DOMAIN_DRIVER_API)
        for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
            if (calls[i].id == id)
                take_call(calls[i].what, data);
    if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
        pthread_mutex_lock(&counting.lock);
        if (((const CUpti_ResourceData *)data)->context == counting.context)
            finish();
        pthread_mutex_unlock(&counting.lock);
    }
}

/* --- beginning and end -------------------------------------------------------------------------------------------- */

static bool open_functions(char *why, size_t why_size)
{
    static const struct lab_library_symbol of_cupti[] = {{offsetof(struct functions, subscribe), "cuptiSubscribe"},
                                                         {offsetof(struct functions, enable), "cuptiEnableCallback"},
                                                         {offsetof(struct functions, device_id), "cuptiGetDeviceId"}};
    static const struct lab_library_symbol of_driver[] = {
        {offsetof(struct functions, synchronize), "cuCtxSynchronize"}};
    const char *path = getenv(LAB_TRACE_VARIABLE_CUPTI), *driver = getenv(LAB_TRACE_VARIABLE_DRIVER);
    const char *const given[] = {path, NULL}, *const drivers[] = {driver != NULL ? driver : "libcuda.so.1", NULL};
    const struct lab_library cupti = {path != NULL ? given : lab_cupti_names, of_cupti,
                                      sizeof of_cupti / sizeof *of_cupti};
    const struct lab_library cuda = {drivers, of_driver, sizeof of_driver / sizeof *of_driver};
    return lab_library_open(&cupti, &counting.functions, why, why_size) &&
           lab_library_open(&cuda, &counting.functions, why, why_size);
}

static void read_wanted(const char *text)
{
    char *after = NULL;
    for (; *text != '\0' && counting.wanted.count < LAB_HARDWARE_COUNTER_COUNT;
         text = *after == ',' ? after + 1 : after) {
        unsigned long number = strtoul(text, &after, 10);
        if (after == text || number >= LAB_HARDWARE_COUNTER_COUNT)
            return;
        counting.wanted.counters[counting.wanted.count++] = (enum lab_hardware_counter)number;
    }
}

static bool enable_callbacks(void)
{
    CUpti_SubscriberHandle subscriber;
    if (counting.functions.subscribe(&subscriber, take_callback, NULL) != CUPTI_SUCCESS)
        return false;
    bool good = counting.functions.enable(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE,
                                          CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING) == CUPTI_SUCCESS;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        good =
            good && counting.functions.enable(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, calls[i].id) == CUPTI_SUCCESS;
    return good;
}

void tracer_counting_start(struct tracer_texts *texts, struct tracer_output *output, const char *counters)
{
    char why[256], text[400];
    counting.texts = texts;
    counting.output = output;
    read_wanted(counters);
    if (!open_functions(why, sizeof why))
        snprintf(text, sizeof text, "CUPTI is not installed: %s", why);
    else if (!enable_callbacks())
        snprintf(text, sizeof text, "CUPTI is in use by another tool in the program");
    else
        return;
    counting.has_ended = true;
    add_note(text);
}

void tracer_counting_end(void)
{
    struct timespec until = lab_clock_moment(lab_clock_now() + END_WAIT_S);
    if (pthread_mutex_clocklock(&counting.lock, CLOCK_MONOTONIC, &until) != 0) {
        add_note("the program ended while another of its threads launched a kernel");
        return;
    }
    finish();
    pthread_mutex_unlock(&counting.lock);
}
