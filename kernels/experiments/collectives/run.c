/* collectives, measured: device count by device count, point by point. */
#include "blocking.h"
#include "collectives.h"
#include "data.h"
#include "experiment/parameters.h"
#include "measure/measure.h"

#include <stdio.h>
#include <string.h>

/* A library may queue several things for one call (an event here, a wait there): 32 repetitions behind a latch are the
 * most, which is far from the 1024 launches that CUDA queues for a device before a call waits for room. */
enum { OPERATIONS = 8, REPETITIONS_MAX = 256 / OPERATIONS };

struct collectives {
    struct lab_run *run;
    const struct lab_runtime *runtime;
    struct lab_measurer *measurer;
    size_t points, measurable, done;

    size_t device_count; /* of the devices that have met, or were asked to; 0: none */
    struct lab_lane lanes[LAB_RUN_DEVICES_MAX];
    struct lab_collective *collective;
    char refusal[LAB_DETAIL_MAX]; /* why they cannot meet; "" */
    struct collectives_data data;
    bool calls_tested[LAB_COLLECTIVE_OPERATIONS]; /* whether it is known that the operation's calls */
    bool calls_block[LAB_COLLECTIVE_OPERATIONS];  /* wait for the devices */

    struct collectives_point point; /* the one being measured */
    struct lab_collective_buffers buffers[LAB_RUN_DEVICES_MAX];
    size_t repetitions; /* since its data were renewed */
};

/* --- the devices -------------------------------------------------------------------------------------------------- */

/* Nothing is released while a device may still be at work in it, on others' memory too; the collective goes first, which may
 * use what is released behind it. */
static void close_devices(struct collectives *c)
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

static void tell_library(const struct collectives *c, bool multicast)
{
    char text[LAB_DETAIL_MAX];
    snprintf(text, sizeof text, "%s on %zu devices, NVLink multicast %s",
             c->runtime->collective->library(c->collective), c->device_count,
             multicast ? "left to the environment: with it, bus bandwidth may be above what the links carry" : "off");
    c->run->sink.warning(c->run->sink.context, text);
}

/* Makes the first `count` devices meet, unless they have. Where they cannot, the reason is kept as a refusal. */
static bool open_devices(struct collectives *c, size_t count)
{
    bool multicast = lab_parameter_integer(c->run->parameters, "multicast") != 0;
    if (c->device_count == count)
        return true;
    close_devices(c);
    c->refusal[0] = '\0';
    memset(c->calls_tested, 0, sizeof c->calls_tested);
    if (!make_lanes(c, count))
        return false;
    c->collective = c->runtime->collective->open(c->run->devices, count, multicast);
    if (c->collective != NULL) {
        tell_library(c, multicast);
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

/* --- reporting ---------------------------------------------------------------------------------------------------- */

static struct lab_measurement measurement_of(const struct collectives_point *point)
{
    struct lab_measurement measurement = {.cache = "warm", .numa_node = LAB_UNKNOWN};
    lab_axes_text(&measurement.axes, "operation", collectives_operations[point->operation]);
    lab_axes_number(&measurement.axes, "bytes", (int64_t)point->bytes);
    lab_axes_flag(&measurement.axes, "in_place", point->in_place);
    lab_axes_number(&measurement.axes, "device_count", (int64_t)point->device_count);
    return measurement;
}

static void report_skipped(const struct collectives *c, const struct collectives_point *point, const char *reason)
{
    struct lab_measurement measurement = measurement_of(point);
    measurement.metric = "busbw";
    measurement.unit = "GB/s";
    measurement.skipped = reason;
    lab_summarise(NULL, 0, &measurement.summary);
    c->run->sink.measurement(c->run->sink.context, &measurement);
}

static bool report(const struct collectives *c, const struct lab_outcome *outcome)
{
    const struct collectives_point *point = &c->point;
    struct lab_measurement measurement = measurement_of(point);
    double gigabytes = (double)point->bytes / 1e9;
    double crossing = gigabytes * collectives_bus_factor(point->operation, point->device_count);
    lab_measurement_from_outcome(&measurement, outcome);
    return lab_report_outcome(c->run, &measurement, outcome, "busbw", "GB/s", crossing) &&
           lab_report_outcome(c->run, &measurement, outcome, "algbw", "GB/s", gigabytes) &&
           lab_report_outcome(c->run, &measurement, outcome, "time", "s", 0);
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

/* A sum in place is added up again by the next repetition, so what many samples leave behind is not the sum. The last
 * repetition, on renewed data, is checked whole. */
static bool verify(void *context, uint64_t *wrong)
{
    struct collectives *c = context;
    *wrong = 0;
    bool added_up = c->point.in_place && collectives_reduces(c->point.operation) && c->repetitions > 1;
    return added_up || collectives_data_check(&c->data, &c->point, wrong);
}

/* Finds out, once for each operation, whether its calls can be queued behind a latch. */
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
                "%s: the calls wait for the devices, so small sizes show how fast one thread launches on all of them",
                collectives_operations[operation]);
            c->run->sink.warning(c->run->sink.context, text);
        }
    }
    work->timing = c->calls_block[operation] ? LAB_TIME_EVENTS : LAB_TIME_LATCHED;
    return true;
}

/* The time budget begins here, with the first point: until devices have met may take longer than a quick run. */
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
        .operations = OPERATIONS,
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
        return report(c, &outcome);
    report_skipped(c, &c->point, outcome.unmeasurable);
    return true;
}

/* --- the points --------------------------------------------------------------------------------------------------- */

/* "all-reduce 4 MiB in place, 2 devices" */
static void label_point(const struct collectives_point *point, char *label, size_t size)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    size_t bytes = point->bytes, unit = 0;
    for (; unit < 3 && bytes >= 1024 && bytes % 1024 == 0; bytes /= 1024)
        unit++;
    snprintf(label, size, "%s %zu %s%s, %zu devices", collectives_operations[point->operation], bytes, units[unit],
             point->in_place ? " in place" : "", point->device_count);
}

static const char *reason_to_skip(const struct collectives *c, const struct collectives_point *point)
{
    if (c->runtime->collective == NULL)
        return "these devices have no collectives: there is no library for them that this program knows";
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
    const char *reason = reason_to_skip(c, point);
    if (reason == NULL) {
        if (!open_devices(c, point->device_count))
            return false;
        reason = c->refusal[0] != '\0' ? c->refusal : NULL;
    }
    if (reason != NULL) {
        report_skipped(c, point, reason);
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
    close_devices(&c);
    lab_measurer_release(c.measurer);
    return good;
}
