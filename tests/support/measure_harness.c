#include "support/measure_harness.h"

struct script script;

void record(char what)
{
    if (script.logged < LOG_MAX - 1)
        script.log[script.logged++] = what;
}

/* The earliest time at which work that is enqueued now can start. Behind a latch this is the time of closing it, so
 * that the work has no gaps. */
static double earliest_start(const struct lab_stream *stream)
{
    return fmax(stream->time, script.latch.closed ? script.latch.closed_at : simulated.now_s);
}

void run_for(struct lab_stream *stream, double seconds)
{
    stream->time = earliest_start(stream) + seconds;
    stream->queued++;
}

/* --- the device --------------------------------------------------------------------------------------------------- */

static struct lab_stream *stream_create(struct lab_device *device)
{
    (void)device;
    script.unreleased++;
    return calloc(1, sizeof(struct lab_stream));
}

static void stream_free(struct lab_device *device, struct lab_stream *stream)
{
    (void)device;
    script.unreleased -= stream != NULL;
    free(stream);
}

static bool stream_synchronize(struct lab_device *device, struct lab_stream *stream)
{
    (void)device;
    assert_false(script.latch.closed); /* waiting behind a closed latch would deadlock */
    if (stream->queued > script.queued_most)
        script.queued_most = stream->queued;
    stream->queued = 0;
    simulated.now_s = fmax(simulated.now_s, stream->time);
    return true;
}

bool stream_wait(struct lab_device *device, struct lab_stream *stream, struct lab_event *event)
{
    (void)device;
    stream->time = fmax(stream->time, event->time);
    return true;
}

static struct lab_event *event_create(struct lab_device *device)
{
    (void)device;
    script.unreleased++;
    return calloc(1, sizeof(struct lab_event));
}

static void event_free(struct lab_device *device, struct lab_event *event)
{
    (void)device;
    script.unreleased -= event != NULL;
    free(event);
}

static bool event_record(struct lab_device *device, struct lab_event *event, struct lab_stream *stream)
{
    (void)device;
    event->time = earliest_start(stream);
    return true;
}

static bool event_synchronize(struct lab_device *device, struct lab_event *event)
{
    (void)device;
    simulated.now_s = fmax(simulated.now_s, event->time);
    return true;
}

static bool event_query(struct lab_device *device, struct lab_event *event, bool *passed)
{
    (void)device;
    *passed = event->time <= simulated.now_s;
    return true;
}

static bool event_elapsed(struct lab_device *device, struct lab_event *start, struct lab_event *stop, double *seconds)
{
    (void)device;
    *seconds = stop->time - start->time;
    return true;
}

static struct lab_latch *latch_create(struct lab_device *device)
{
    (void)device;
    script.unreleased++;
    return &script.latch;
}

static void latch_free(struct lab_device *device, struct lab_latch *latch)
{
    (void)device;
    script.unreleased -= latch != NULL;
}

static bool latch_close(struct lab_device *device, struct lab_latch *latch, struct lab_stream *stream, double timeout_s)
{
    (void)device;
    (void)stream;
    assert_true(timeout_s > 0);
    assert_true(script.enqueued + script.baseline_enqueued > 0); /* the work has run once before a latch is closed */
    script.behind_latch = 0;
    *latch = (struct lab_latch){true, false, simulated.now_s, timeout_s};
    script.latched++;
    return true;
}

static void latch_open(struct lab_device *device, struct lab_latch *latch)
{
    (void)device;
    latch->closed = false;
}

static bool latch_timed_out(struct lab_device *device, struct lab_latch *latch, bool *timed_out)
{
    (void)device;
    *timed_out = script.latch_times_out || latch->timed_out;
    return true;
}

static struct lab_plan *prepare(struct lab_device *device, const struct lab_operation *operation)
{
    if (operation->kind != LAB_OPERATION_FLUSH || script.cannot_flush) {
        lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "", "the caches cannot be flushed");
        return NULL;
    }
    script.unreleased++;
    return (struct lab_plan *)&script;
}

static void plan_free(struct lab_device *device, struct lab_plan *plan)
{
    (void)device;
    script.unreleased -= plan != NULL;
}

static bool enqueue_flush(struct lab_device *device, struct lab_plan *plan, struct lab_stream *stream)
{
    (void)device;
    assert_ptr_equal(plan, &script);
    record('f');
    run_for(stream, script.flush_s);
    return true;
}

const struct lab_runtime scripted = {
    .name = "scripted",
    .stream_create = stream_create,
    .stream_free = stream_free,
    .stream_synchronize = stream_synchronize,
    .stream_wait = stream_wait,
    .event_create = event_create,
    .event_free = event_free,
    .event_record = event_record,
    .event_synchronize = event_synchronize,
    .event_query = event_query,
    .event_elapsed = event_elapsed,
    .latch_create = latch_create,
    .latch_free = latch_free,
    .latch_close = latch_close,
    .latch_open = latch_open,
    .latch_timed_out = latch_timed_out,
    .prepare = prepare,
    .plan_free = plan_free,
    .enqueue = enqueue_flush,
};

static void count_behind_latch(void)
{
    script.behind_latch += script.latch.closed;
    if (script.behind_latch > script.behind_latch_most)
        script.behind_latch_most = script.behind_latch;
}

/* --- the work and its baseline ------------------------------------------------------------------------------------ */

bool enqueue(void *context)
{
    (void)context;
    double factor = 1 + (script.enqueued % 2 == 0 ? script.spread : -script.spread);
    double seconds = script.operation_time != NULL ? script.operation_time() : script.operation_s;
    record('w');
    script.enqueued++;
    count_behind_latch();
    simulated.now_s += script.enqueue_s;
    if (script.blocks && script.latch.closed && !script.latch.timed_out) {
        simulated.now_s += script.latch.timeout_s;
        script.latch.timed_out = true;
    }
    if (script.fail_after != 0 && script.enqueued > script.fail_after)
        return lab_error_set(&script.device.error, LAB_ERROR_CUDA_ERROR, "", "as the script says");
    if (script.cancel_after != 0 && script.enqueued > script.cancel_after)
        atomic_store(&script.cancel, true);
    for (size_t i = 0; i < STREAMS; i++)
        run_for(&script.work_streams[i], seconds * factor);
    return true;
}

bool enqueue_baseline(void *context)
{
    (void)context;
    record('b');
    script.baseline_enqueued++;
    run_for(&script.baseline_stream, script.baseline_s);
    return true;
}

bool load(void *context)
{
    (void)context;
    script.loaded++;
    count_behind_latch();
    run_for(&script.background, script.load_s);
    return true;
}

bool before_sample(void *context)
{
    (void)context;
    record('h');
    run_for(&script.work_streams[0], 1e-3);
    return true;
}

bool poison(void *context)
{
    (void)context;
    record('p');
    script.poisoned++;
    simulated.now_s += script.poison_s;
    return true;
}

bool verify(void *context, uint64_t *wrong)
{
    (void)context;
    record('v');
    script.verified++;
    simulated.now_s += script.verify_s;
    *wrong = script.verify_wrong ? 3 : 0;
    return true;
}

/* --- one run ------------------------------------------------------------------------------------------------------ */

const struct lab_lane lanes[] = {{&script.device, &script.work_streams[0]}, {&script.device, &script.work_streams[1]}};

const struct lab_lane baseline_lane = {&script.device, &script.baseline_stream};

void open_points(struct fixture *f, const char *parameters, size_t points)
{
    struct lab_errors errors = {0};
    json_t *given = json_loads(parameters, 0, NULL);
    memset(&script, 0, sizeof script);
    simulate_clock(NULL);
    script.operation_s = script.load_s = 10e-6;
    script.baseline_s = 20e-6;
    script.device.runtime = &scripted;
    *f = (struct fixture){0};
    f->parameters = lab_parameters_parse(lab_experiment_find("transfer"), given, &errors);
    assert_non_null(f->parameters);
    json_decref(given);
    f->run = (struct lab_run){
        .parameters = f->parameters, .device_count = 1, .devices = {&script.device}, .cancel = &script.cancel};
    f->measurer = lab_measurer_create(&f->run, points);
    assert_non_null(f->measurer);
    f->work = (struct lab_work){.timing = LAB_TIME_LATCHED,
                                .lane_count = 1,
                                .lanes = lanes,
                                .operations = 1,
                                .enqueue = enqueue,
                                .poison = poison,
                                .verify = verify};
    f->baseline = (struct lab_work){.timing = LAB_TIME_LATCHED,
                                    .lane_count = 1,
                                    .lanes = &baseline_lane,
                                    .operations = 1,
                                    .enqueue = enqueue_baseline};
}

void open_fixture(struct fixture *f, const char *parameters)
{
    open_points(f, parameters, 1);
}

void close_fixture(struct fixture *f)
{
    lab_measurer_free(f->measurer);
    lab_parameters_free(f->parameters);
    assert_int_equal(script.unreleased, 0);
}
