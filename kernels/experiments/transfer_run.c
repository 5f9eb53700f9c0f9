/* transfer, measured: buffers, the work of a point, and what is reported of it. */
#include "transfer.h"

#include "measure.h"
#include "verify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One direction of copying. */
struct lane {
    enum lab_direction direction;
    enum transfer_pattern pattern;
    size_t piece; /* bytes of one, for TRANSFER_PIECES */
    struct lab_stream *stream;
    enum lab_memory source_kind, destination_kind;
    struct lab_region source, destination;
    uint64_t seed;
    struct lab_plan *plan; /* where a kernel moves the bytes */
};

/* A source and a destination on each side; a side that nothing needs stays NULL. */
struct buffers {
    enum lab_memory host_kind;
    bool ready;
    char refusal[LAB_DETAIL_MAX]; /* why this kind of host memory cannot be had; "" */
    void *host_source, *host_destination, *device_source, *device_destination;
};

/* The medians of a series so far, for the fitted line. */
struct series {
    size_t count, capacity;
    double *bytes, *seconds;
    struct transfer_point point; /* any point of it */
};

struct transfer {
    struct lab_run *run;
    struct lab_device *device;
    const struct lab_runtime *runtime;
    struct lab_measurer *measurer;
    struct lab_stream *streams[2];
    struct buffers buffers;
    struct series series;
    size_t points, done;
    bool warned_of_cache;

    struct transfer_point point; /* the one being measured */
    size_t lane_count;
    struct lane lanes[2];
};

/* --- buffers ------------------------------------------------------------------------------------------------------ */

static void release_buffers(struct transfer *t)
{
    struct buffers *b = &t->buffers;
    t->runtime->release(t->device, b->host_kind, b->host_source);
    t->runtime->release(t->device, b->host_kind, b->host_destination);
    t->runtime->release(t->device, LAB_MEMORY_DEVICE, b->device_source);
    t->runtime->release(t->device, LAB_MEMORY_DEVICE, b->device_destination);
    *b = (struct buffers){0};
}

/* Makes the buffers for points of this kind of host memory. A kind that the device does not have is remembered as a
 * refusal, so that its points are skipped. */
static bool use_buffers(struct transfer *t, enum lab_memory host_kind)
{
    struct buffers *b = &t->buffers;
    const struct lab_runtime *runtime = t->runtime;
    size_t extent = transfer_extent(t->run->parameters);
    if (b->ready && b->host_kind == host_kind)
        return true;
    release_buffers(t);
    b->host_kind = host_kind;
    b->ready = true;
    bool host =
        host_kind == LAB_MEMORY_DEVICE || (runtime->allocate(t->device, host_kind, extent, &b->host_source) &&
                                           runtime->allocate(t->device, host_kind, extent, &b->host_destination));
    if (host && runtime->allocate(t->device, LAB_MEMORY_DEVICE, extent, &b->device_source) &&
        runtime->allocate(t->device, LAB_MEMORY_DEVICE, extent, &b->device_destination))
        return true;
    if (strcmp(t->device->error.code, "unsupported") != 0) {
        t->run->error = t->device->error;
        return false;
    }
    snprintf(b->refusal, sizeof b->refusal, "%s", t->device->error.detail);
    return true;
}

/* --- the work of a point ------------------------------------------------------------------------------------------ */

/* Copies piece or row `step` of a lane, or all of it where the pattern is one operation. */
static bool enqueue_step(struct transfer *t, const struct lane *lane, size_t step)
{
    char *destination = lane->destination.address;
    const char *source = lane->source.address;
    size_t bytes = lane->source.width;
    if (lane->plan != NULL)
        return t->runtime->enqueue(t->device, lane->plan, lane->stream);
    switch (lane->pattern) {
    case TRANSFER_PITCHED:
        return t->runtime->copy2d->copy(t->device, lane->stream, lane->destination, lane->source, lane->direction);
    case TRANSFER_ROWS:
        destination += step * lane->destination.pitch;
        source += step * lane->source.pitch;
        break;
    case TRANSFER_PIECES:
        destination += step * lane->piece;
        source += step * lane->piece;
        bytes = bytes - step * lane->piece < lane->piece ? bytes - step * lane->piece : lane->piece;
        break;
    case TRANSFER_CONTIGUOUS:
        break;
    }
    return t->runtime->copy(t->device, lane->stream, destination, source, bytes, lane->direction);
}

/* How many operations one copy of the lane is. */
static size_t steps_of(const struct lane *lane)
{
    if (lane->plan != NULL)
        return 1;
    switch (lane->pattern) {
    case TRANSFER_PIECES:
        return (lane->source.width + lane->piece - 1) / lane->piece;
    case TRANSFER_ROWS:
        return lane->source.height;
    case TRANSFER_PITCHED:
    case TRANSFER_CONTIGUOUS:
        break;
    }
    return 1;
}

/* Both directions take turns, so that neither waits for all of the other to be queued. */
static bool enqueue_work(void *context)
{
    struct transfer *t = context;
    for (size_t step = 0, steps = steps_of(&t->lanes[0]); step < steps; step++)
        if (!enqueue_step(t, &t->lanes[0], step) || (t->point.aggregate && !enqueue_step(t, &t->lanes[1], step)))
            return false;
    return true;
}

static bool enqueue_load(void *context)
{
    struct transfer *t = context;
    return enqueue_step(t, &t->lanes[1], 0);
}

static bool poison(void *context)
{
    struct transfer *t = context;
    for (size_t i = 0; i < t->lane_count; i++) {
        const struct lane *lane = &t->lanes[i];
        if (!lab_verify_poison(t->device, lane->stream, lane->destination_kind, lane->destination, lane->seed))
            return false;
    }
    return true;
}

/* What is measured must be right. The load beside it is not checked: the last repetition before the check runs without
 * it. */
static bool verify(void *context, uint64_t *wrong)
{
    struct transfer *t = context;
    size_t measured = t->point.aggregate ? 2 : 1;
    *wrong = 0;
    for (size_t i = 0; i < measured; i++) {
        const struct lane *lane = &t->lanes[i];
        uint64_t found;
        if (!lab_verify_check(t->device, lane->stream, lane->destination_kind, lane->destination, lane->seed, &found))
            return false;
        *wrong += found;
    }
    return true;
}

static struct lab_region region_of(const struct transfer *t, enum transfer_pattern pattern, void *address)
{
    size_t bytes = t->point.bytes;
    if (pattern != TRANSFER_PITCHED && pattern != TRANSFER_ROWS)
        return lab_region_of(address, bytes);
    size_t row = (size_t)lab_parameter_integer(t->run->parameters, "row_bytes");
    return (struct lab_region){address, row, bytes / row,
                               (size_t)lab_parameter_integer(t->run->parameters, "pitch_bytes")};
}

/* Lays out one direction and fills its source. */
static bool open_lane(struct transfer *t, enum lab_direction direction, enum transfer_pattern pattern)
{
    size_t index = t->lane_count++;
    struct lane *lane = &t->lanes[index];
    const struct buffers *b = &t->buffers;
    bool from_host = direction == LAB_H2D, to_host = direction == LAB_D2H;
    *lane = (struct lane){
        .direction = direction,
        .pattern = pattern,
        .piece = (size_t)lab_parameter_integer(t->run->parameters, "piece_bytes"),
        .stream = t->streams[index],
        .source_kind = from_host ? b->host_kind : LAB_MEMORY_DEVICE,
        .destination_kind = to_host ? b->host_kind : LAB_MEMORY_DEVICE,
        .source = region_of(t, pattern, from_host ? b->host_source : b->device_source),
        .destination = region_of(t, pattern, to_host ? b->host_destination : b->device_destination),
        .seed = (uint64_t)lab_parameter_integer(t->run->parameters, "seed") * 4 + (uint64_t)direction,
    };
    if (!lab_verify_fill(t->device, lane->stream, lane->source_kind, lane->source, lane->seed))
        return false;
    if (t->point.engine != TRANSFER_SM)
        return true;
    struct lab_problem problem = {.kind = LAB_PROBLEM_COPY, .destination = lane->destination, .source = lane->source};
    lane->plan = t->runtime->prepare(t->device, &problem);
    return lane->plan != NULL;
}

static void close_lanes(struct transfer *t)
{
    for (size_t i = 0; i < t->lane_count; i++)
        t->runtime->plan_release(t->device, t->lanes[i].plan);
    t->lane_count = 0;
}

static enum lab_timing timing_of(const struct transfer_point *point)
{
    if (point->memory == LAB_MEMORY_PAGEABLE)
        return LAB_TIME_HOST_CLOCK;
    bool many = point->pattern == TRANSFER_PIECES || point->pattern == TRANSFER_ROWS;
    return many ? LAB_TIME_EVENTS : LAB_TIME_LATCHED;
}

/* --- reporting ---------------------------------------------------------------------------------------------------- */

static void set_series_axes(struct lab_axes *axes, const struct transfer_point *point)
{
    if (!point->aggregate)
        lab_axes_text(axes, "direction", transfer_directions[point->direction]);
    if (point->direction != LAB_D2D) {
        lab_axes_flag(axes, "opposing", point->opposing);
        lab_axes_text(axes, "memory", transfer_memories[point->memory - LAB_MEMORY_PAGEABLE]);
    }
    lab_axes_text(axes, "engine", transfer_engines[point->engine]);
    lab_axes_text(axes, "pattern", transfer_patterns[point->pattern]);
}

/* How many bytes count for one byte copied: METHOD of each metric's formula. */
static double bytes_counted(const struct transfer_point *point)
{
    return point->direction == LAB_D2D || point->aggregate ? 2 : 1;
}

/* The peak in GB/s; false where the device does not tell. `what` must outlive the peak. */
static bool peak_of(const struct transfer *t, const struct transfer_point *point, char *what, size_t size,
                    struct lab_peak *peak)
{
    const struct lab_device_facts *facts = &t->device->facts;
    if (point->direction == LAB_D2D && !point->aggregate) {
        snprintf(what, size, "device memory, reading and writing");
        peak->value = facts->memory_peak_bytes_per_s / 1e9;
    } else {
        snprintf(what, size, "PCIe gen%lld x%lld, %s", (long long)facts->pcie_max_generation,
                 (long long)facts->pcie_max_width, point->aggregate ? "both directions" : "one direction");
        peak->value = facts->pcie_peak_bytes_per_s / 1e9 * (point->aggregate ? 2 : 1);
    }
    peak->what = what;
    return isfinite(peak->value) && peak->value > 0;
}

/* Sends one metric, whose samples are numerator / seconds, or the seconds themselves when numerator is 0. */
static bool report(struct transfer *t, struct lab_measurement *measurement, const struct lab_outcome *outcome,
                   const char *metric, const char *unit, double numerator)
{
    double *samples = malloc(outcome->count * sizeof *samples);
    bool good = samples != NULL;
    for (size_t i = 0; good && i < outcome->count; i++)
        samples[i] = numerator > 0 ? numerator / outcome->samples[i] : outcome->samples[i];
    measurement->metric = metric;
    measurement->unit = unit;
    measurement->samples = samples;
    measurement->sample_count = outcome->count;
    good = good && lab_summarise(samples, outcome->count, &measurement->summary);
    if (good)
        t->run->sink.measurement(t->run->sink.context, measurement);
    else
        lab_error_set(&t->run->error, "out-of-memory", "", "no memory for the samples of a point");
    free(samples);
    return good;
}

static bool report_point(struct transfer *t, const struct lab_outcome *outcome)
{
    const struct transfer_point *point = &t->point;
    struct lab_measurement measurement = {.cache = "warm",
                                          .numa_node = point->direction == LAB_D2D ? LAB_UNKNOWN : t->run->numa_node};
    set_series_axes(&measurement.axes, point);
    lab_axes_number(&measurement.axes, "bytes", (int64_t)point->bytes);
    lab_measurement_from_outcome(&measurement, outcome);

    double gigabytes = bytes_counted(point) * (double)point->bytes / 1e9;
    char what[64];
    struct lab_peak peak;
    bool has_peak = peak_of(t, point, what, sizeof what, &peak);
    measurement.peak = has_peak ? &peak : NULL;
    const char *bandwidth = point->aggregate ? "aggregate_bandwidth" : "bandwidth";
    if (!report(t, &measurement, outcome, bandwidth, "GB/s", gigabytes))
        return false;
    if (has_peak && !report(t, &measurement, outcome, "share_of_peak", "1", gigabytes / peak.value))
        return false;
    measurement.peak = NULL;
    return report(t, &measurement, outcome, "time", "s", 0);
}

static void report_skipped(struct transfer *t, const char *reason)
{
    struct lab_measurement measurement = {.metric = t->point.aggregate ? "aggregate_bandwidth" : "bandwidth",
                                          .unit = "GB/s",
                                          .numa_node = LAB_UNKNOWN,
                                          .skipped = reason};
    lab_summarise(NULL, 0, &measurement.summary);
    set_series_axes(&measurement.axes, &t->point);
    lab_axes_number(&measurement.axes, "bytes", (int64_t)t->point.bytes);
    t->run->sink.measurement(t->run->sink.context, &measurement);
}

/* --- the fitted line ---------------------------------------------------------------------------------------------- */

static void report_fitted(struct transfer *t, const struct series *series, const char *metric, const char *unit,
                          double value, double residual)
{
    struct lab_measurement measurement = {.metric = metric, .unit = unit, .numa_node = LAB_UNKNOWN};
    lab_summarise(&value, 1, &measurement.summary);
    measurement.summary.n = series->count;
    measurement.summary.stdev = NAN;
    measurement.summary.noise = residual;
    set_series_axes(&measurement.axes, &series->point);
    t->run->sink.measurement(t->run->sink.context, &measurement);
}

/* Ends a series: fits its line where it has at least three sizes and the line means something. Many copies in a row have
 * no latency of their own, they have one each. */
static void finish_series(struct transfer *t)
{
    struct series *series = &t->series;
    struct lab_line line;
    bool one_call = series->point.pattern == TRANSFER_CONTIGUOUS || series->point.pattern == TRANSFER_PITCHED;
    if (one_call && series->count >= 3 && lab_fit_line(series->bytes, series->seconds, series->count, &line) &&
        line.intercept > 0 && line.slope > 0) {
        report_fitted(t, series, "latency", "s", line.intercept, line.residual);
        report_fitted(t, series, "asymptotic_bandwidth", "GB/s", bytes_counted(&series->point) / line.slope / 1e9,
                      line.residual);
        report_fitted(t, series, "half_bandwidth_bytes", "B", line.intercept / line.slope, line.residual);
    }
    series->count = 0;
}

static bool same_series(const struct transfer_point *a, const struct transfer_point *b)
{
    return a->direction == b->direction && a->opposing == b->opposing && a->aggregate == b->aggregate &&
           a->memory == b->memory && a->engine == b->engine && a->pattern == b->pattern;
}

static bool add_to_series(struct transfer *t, const struct lab_outcome *outcome)
{
    struct series *series = &t->series;
    struct lab_summary summary;
    if (series->count == series->capacity) {
        size_t capacity = series->capacity > 0 ? 2 * series->capacity : 16;
        double *bytes = realloc(series->bytes, capacity * sizeof *bytes);
        if (bytes != NULL)
            series->bytes = bytes;
        double *seconds = realloc(series->seconds, capacity * sizeof *seconds);
        if (seconds != NULL)
            series->seconds = seconds;
        if (bytes == NULL || seconds == NULL)
            return lab_error_set(&t->run->error, "out-of-memory", "", "no memory for the series");
        series->capacity = capacity;
    }
    if (!lab_summarise(outcome->samples, outcome->count, &summary))
        return lab_error_set(&t->run->error, "out-of-memory", "", "no memory for the summary");
    series->point = t->point;
    series->bytes[series->count] = (double)t->point.bytes;
    series->seconds[series->count++] = summary.median;
    return true;
}

/* --- the points --------------------------------------------------------------------------------------------------- */

/* Why this point cannot be measured; NULL when it can. */
static const char *reason_to_skip(const struct transfer *t)
{
    const struct transfer_point *point = &t->point;
    bool rows = point->pattern == TRANSFER_PITCHED || point->pattern == TRANSFER_ROWS;
    if (t->buffers.refusal[0] != '\0')
        return t->buffers.refusal;
    if (point->engine == TRANSFER_SM && point->memory == LAB_MEMORY_PAGEABLE)
        return "a kernel reaches page-locked memory only";
    if (point->engine == TRANSFER_SM && (point->pattern == TRANSFER_PIECES || point->pattern == TRANSFER_ROWS))
        return "a kernel moves all pieces in one launch: see the patterns contiguous and pitched";
    if (point->opposing && point->memory == LAB_MEMORY_PAGEABLE)
        return "pageable copies block the thread that starts them, so two directions do not run at once";
    if (rows && point->bytes % (size_t)lab_parameter_integer(t->run->parameters, "row_bytes") != 0)
        return "the size is no whole number of rows";
    if (point->pattern == TRANSFER_PITCHED && point->engine == TRANSFER_COPY_ENGINE && t->runtime->copy2d == NULL)
        return "the device has no two-dimensional copy";
    return NULL;
}

static void warn_of_cache(struct transfer *t)
{
    int64_t cache = t->device->facts.l2_bytes;
    if (t->point.direction != LAB_D2D || t->warned_of_cache || cache == LAB_UNKNOWN ||
        2 * t->point.bytes > (size_t)cache)
        return;
    char text[160];
    snprintf(
        text, sizeof text,
        "d2d copies whose source and destination fit in the last-level cache (%.0f MiB) show the cache, not the memory",
        (double)cache / 1048576);
    t->run->sink.warning(t->run->sink.context, text);
    t->warned_of_cache = true;
}

static bool measure_point(struct transfer *t)
{
    const struct transfer_point *point = &t->point;
    struct lab_outcome outcome;
    enum lab_direction other = point->direction == LAB_H2D ? LAB_D2H : LAB_H2D;
    bool loaded = point->opposing && !point->aggregate;
    bool good = open_lane(t, point->direction, point->pattern) &&
                (!point->opposing || open_lane(t, other, loaded ? TRANSFER_CONTIGUOUS : point->pattern));
    if (!good) {
        t->run->error = t->device->error;
    } else {
        struct lab_work work = {
            .timing = timing_of(point),
            .device = t->device,
            .stream_count = point->aggregate ? 2 : 1,
            .streams = {t->streams[0], t->streams[1]},
            .operations = point->aggregate ? 2 : 1,
            .context = t,
            .enqueue = enqueue_work,
            .poison = poison,
            .verify = verify,
            .background = loaded ? t->streams[1] : NULL,
            .load = loaded ? enqueue_load : NULL,
        };
        good = lab_measure(t->measurer, &work, &outcome);
        if (good && outcome.unmeasurable != NULL)
            report_skipped(t, outcome.unmeasurable);
        else
            good = good && add_to_series(t, &outcome) && report_point(t, &outcome);
    }
    close_lanes(t);
    return good;
}

static void label_point(const struct transfer_point *point, char *label, size_t size)
{
    const char *memory =
        point->memory == LAB_MEMORY_DEVICE ? "" : transfer_memories[point->memory - LAB_MEMORY_PAGEABLE];
    snprintf(label, size, "%s %s%s%zu B", point->aggregate ? "both directions" : transfer_directions[point->direction],
             memory, memory[0] != '\0' ? " " : "", point->bytes);
}

static bool visit_point(void *context, const struct transfer_point *point)
{
    struct transfer *t = context;
    if (lab_run_cancelled(t->run))
        return lab_error_set(&t->run->error, "cancelled", "", "the run was cancelled");
    if (!same_series(&t->point, point))
        finish_series(t);
    t->point = *point;

    char label[96];
    label_point(point, label, sizeof label);
    t->run->sink.progress(t->run->sink.context, t->done, t->points, label);
    if (!use_buffers(t, point->memory))
        return false;
    const char *reason = reason_to_skip(t);
    warn_of_cache(t);
    if (reason != NULL)
        report_skipped(t, reason);
    else if (!measure_point(t))
        return false;
    t->done++;
    return true;
}

static bool count_visit(void *context, const struct transfer_point *point)
{
    (void)point;
    ++*(size_t *)context;
    return true;
}

bool transfer_run(struct lab_run *run)
{
    struct transfer t = {.run = run, .device = run->devices[0], .runtime = run->devices[0]->runtime};
    transfer_each_point(run->parameters, count_visit, &t.points);
    bool good = false;
    t.measurer = lab_measurer_create(run, t.points);
    if (t.measurer == NULL)
        goto out;
    for (size_t i = 0; i < 2; i++)
        if ((t.streams[i] = t.runtime->stream_create(t.device)) == NULL) {
            run->error = t.device->error;
            goto out;
        }
    good = transfer_each_point(run->parameters, visit_point, &t);
    if (good) {
        finish_series(&t);
        run->sink.progress(run->sink.context, t.done, t.points, "done");
    }
out:
    release_buffers(&t);
    for (size_t i = 0; i < 2; i++)
        t.runtime->stream_release(t.device, t.streams[i]);
    lab_measurer_release(t.measurer);
    free(t.series.bytes);
    free(t.series.seconds);
    return good;
}
