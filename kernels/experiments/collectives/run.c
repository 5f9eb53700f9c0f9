/* Measures all points of a collectives run. */
#include "blocking.h"
#include "data.h"
#include "report.h"

#include "experiment/parameters.h"

#include <stdio.h>
#include <string.h>

/* A library may queue several operations for one call, for example events and waits. So at most 32 repetitions are
 * queued behind a latch, far fewer than the 1024 launches that CUDA queues for a device before a call blocks. */
enum { OPERATIONS_PER_CALL = 8, REPETITIONS_MAX = 256 / OPERATIONS_PER_CALL };

struct collectives {
    struct lab_run *run;
    const struct lab_runtime *runtime;
    struct lab_measurer *measurer;
    size_t points, measurable, done;

    size_t device_count; /* size of the communicator, or of the last one that was tried; 0: none */
    struct lab_lane lanes[LAB_RUN_DEVICES_MAX];
    struct lab_collective *collective; /* the communicator; NULL if there is none */
    char refusal[LAB_DETAIL_MAX];      /* why it cannot be created; "" if it can */
    struct collectives_data data;
    bool calls_tested[LAB_COLLECTIVE_OPERATIONS]; /* whether calls_block is known for the operation */
    bool calls_block[LAB_COLLECTIVE_OPERATIONS];  /* whether its calls block until the devices have finished */

    struct collectives_point point; /* the one being measured */
    struct lab_collective_buffers buffers[LAB_RUN_DEVICES_MAX];
    size_t repetitions; /* since its buffers were reset */
};

/* --- the communicator --------------------------------------------------------------------------------------------- */

/* Waits for all devices first, because they access each other's memory. The communicator is closed before the buffers
 * and streams that it may use. After an error the devices may never finish, so there is no wait. */
static void close_communicator(struct collectives *c)
{
    bool failed = c->run->error.code != NULL;
    for (size_t i = 0; i < c->device_count && !failed; i++)
        if (c->lanes[i].stream != NULL)
            (void)c->runtime->stream_synchronize(c->lanes[i].device, c->lanes[i].stream);
    if (c->collective != NULL)
        c->runtime->collective->close(c->collective);
    c->collective = NULL;
    collectives_data_release(&c->data);
    for (size_t i = 0; i < c->device_count; i++)
        c->runtime->stream_release(c->lanes[i].device, c->lanes[i].stream);
    c->device_count = 0;
}

static bool make_lanes(struct collectives *c, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct lab_device *device = c->run->devices[i];
        c->lanes[i] = (struct lab_lane){device, c->runtime->stream_create(device)};
        c->device_count = i + 1;
        if (c->lanes[i].stream == NULL) {
            c->run->error = device->error;
            return false;
        }
    }
    c->data = (struct collectives_data){
        .device_count = count,
        .lanes = c->lanes,
        .seed = (uint64_t)lab_parameter_integer(c->run->parameters, "seed"),
    };
    return true;
}

/* Records the library and the multicast setting with the result. */
static void report_library(const struct collectives *c, bool multicast)
{
    char text[LAB_DETAIL_MAX];
    snprintf(text, sizeof text, "%s on %zu devices, NVLink multicast %s",
             c->runtime->collective->library(c->collective), c->device_count,
             multicast ? "as set in the environment; if it is on, bus bandwidth may exceed the link bandwidth" : "off");
    c->run->sink.warning(c->run->sink.context, text);
}

/* Creates the communicator of the first `count` devices, unless it exists. If it is unsupported, c->refusal says why.
 * */
static bool open_communicator(struct collectives *c, size_t count)
{
    bool multicast = lab_parameter_integer(c->run->parameters, "multicast") != 0;
    if (c->device_count == count)
        return true;
    close_communicator(c);
    c->refusal[0] = '\0';
    memset(c->calls_tested, 0, sizeof c->calls_tested);
    if (!make_lanes(c, count))
        return false;
    c->collective = c->runtime->collective->open(c->run->devices, count, multicast);
    if (c->collective != NULL) {
        report_library(c, multicast);
        return true;
    }
    const struct lab_error *error = &c->run->devices[0]->error;
    if (strcmp(error->code, "unsupported") == 0) {
        snprintf(c->refusal, sizeof c->refusal, "%s", error->detail);
        return true;
    }
    c->run->error = *error;
    return false;
}

/* --- the work of a point ------------------------------------------------------------------------------------------ */

static bool enqueue(void *context)
{
    struct collectives *c = context;
    c->repetitions++;
    return c->runtime->collective->enqueue(c->collective, c->point.operation, c->point.count, c->lanes, c->buffers);
}

static bool reset(void *context)
{
    struct collectives *c = context;
    c->repetitions = 0;
    return collectives_data_reset(&c->data, &c->point);
}

/* In place, each repetition adds up the sums of the previous one, so the results after several repetitions are not
 * checked. lab_measure verifies one more repetition on reset buffers, which is checked completely. */
static bool verify(void *context, uint64_t *wrong)
{
    struct collectives *c = context;
    *wrong = 0;
    bool sums_of_sums = c->point.in_place && collectives_reduces(c->point.operation) && c->repetitions > 1;
    return sums_of_sums || collectives_data_check(&c->data, &c->point, wrong);
}

/* Tests, once per operation, whether its calls can be queued behind a latch. */
static bool choose_timing(struct collectives *c, struct lab_work *work)
{
    enum lab_collective_operation operation = c->point.operation;
    if (!c->calls_tested[operation]) {
        if (!reset(c) || !collectives_calls_block(work, REPETITIONS_MAX, &c->calls_block[operation]))
            return false;
        c->calls_tested[operation] = true;
        if (c->calls_block[operation]) {
            char text[LAB_DETAIL_MAX];
            snprintf(
                text, sizeof text,
                "%s: the library's calls block until the devices have finished, so times of small sizes include the "
                "launches by one host thread on all devices",
                collectives_operations[operation]);
            c->run->sink.warning(c->run->sink.context, text);
        }
    }
    work->timing = c->calls_block[operation] ? LAB_TIME_EVENTS : LAB_TIME_LATCHED;
    return true;
}

/* Creates the measurer, and thereby starts the time budget, at the first point: creating a communicator can take longer
 * than a quick run. */
static bool begin_measuring(struct collectives *c)
{
    if (c->measurer == NULL)
        c->measurer = lab_measurer_create(c->run, c->measurable);
    return c->measurer != NULL;
}

static bool measure_point(struct collectives *c)
{
    struct lab_outcome outcome;
    struct lab_work work = {
        .lane_count = c->device_count,
        .lanes = c->lanes,
        .operations = OPERATIONS_PER_CALL,
        .context = c,
        .enqueue = enqueue,
        .poison = reset,
        .verify = verify,
    };
    if (!begin_measuring(c))
        return false;
    if (!collectives_data_prepare(&c->data, &c->point)) {
        c->run->error = c->lanes[0].device->error;
        return false;
    }
    collectives_data_buffers(&c->data, &c->point, c->buffers);
    if (!choose_timing(c, &work)) {
        c->run->error = c->lanes[0].device->error;
        return false;
    }
    if (!lab_measure(c->measurer, &work, &outcome))
        return false;
    if (outcome.unmeasurable == NULL)
        return collectives_report_outcome(c->run, &c->point, &outcome);
    collectives_report_skipped(c->run, &c->point, outcome.unmeasurable);
    return true;
}

/* --- the points --------------------------------------------------------------------------------------------------- */

/* Writes, for example, "all-reduce 4 MiB in place, 2 devices". */
static void label_point(const struct collectives_point *point, char *label, size_t size)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    size_t bytes = point->bytes, unit = 0;
    for (; unit < 3 && bytes >= 1024 && bytes % 1024 == 0; bytes /= 1024)
        unit++;
    snprintf(label, size, "%s %zu %s%s, %zu devices", collectives_operations[point->operation], bytes, units[unit],
             point->in_place ? " in place" : "", point->device_count);
}

static const char *skip_reason(const struct collectives *c, const struct collectives_point *point)
{
    if (c->runtime->collective == NULL)
        return "the runtime of these devices has no collectives";
    return collectives_skip_reason(point);
}

static bool visit_point(void *context, const struct collectives_point *point)
{
    struct collectives *c = context;
    char label[96];
    if (lab_run_cancelled(c->run))
        return lab_error_set(&c->run->error, "cancelled", "", "the run was cancelled");
    label_point(point, label, sizeof label);
    c->run->sink.progress(c->run->sink.context, c->done++, c->points, label);
    const char *reason = skip_reason(c, point);
    if (reason == NULL) {
        if (!open_communicator(c, point->device_count))
            return false;
        reason = c->refusal[0] != '\0' ? c->refusal : NULL;
    }
    if (reason != NULL) {
        collectives_report_skipped(c->run, point, reason);
        return true;
    }
    c->point = *point;
    return measure_point(c);
}

static bool count_point(void *context, const struct collectives_point *point)
{
    struct collectives *c = context;
    c->points++;
    c->measurable += collectives_skip_reason(point) == NULL;
    return true;
}

bool collectives_run(struct lab_run *run)
{
    struct collectives c = {.run = run, .runtime = run->devices[0]->runtime};
    collectives_each_point(run->parameters, run->device_count, count_point, &c);
    bool good = collectives_each_point(run->parameters, run->device_count, visit_point, &c);
    if (good)
        run->sink.progress(run->sink.context, c.points, c.points, "done");
    close_communicator(&c);
    lab_measurer_release(c.measurer);
    return good;
}
