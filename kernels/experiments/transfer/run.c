/* transfer, measured: buffers, and the work of each point. */
#include "report.h"
#include "transfer.h"

#include "measure/measure.h"
#include "measure/verify.h"

#include <stdio.h>
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
    size_t bytes;                 /* bytes of each; 0: not made */
    char refusal[LAB_DETAIL_MAX]; /* why this kind of host memory cannot be had; "" */
    void *host_source, *host_destination, *device_source, *device_destination;
};

struct transfer {
    struct lab_run *run;
    struct lab_device *device;
    const struct lab_runtime *runtime;
    struct lab_measurer *measurer;
    struct lab_stream *streams[2];
    struct buffers buffers;
    struct transfer_report report;
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

/* Makes buffers for a point, unless those at hand will do. They grow with the sizes, so that the first point need not wait
 * until the memory of the last is there. A kind that the device does not have is remembered as a refusal, so that its
 * points are skipped. */
static bool use_buffers(struct transfer *t, enum lab_memory host_kind, size_t bytes)
{
    struct buffers *b = &t->buffers;
    const struct lab_runtime *runtime = t->runtime;
    size_t extent = transfer_buffer_bytes(t->run->parameters, bytes);
    if (b->bytes >= extent && b->host_kind == host_kind)
        return true;
    release_buffers(t);
    b->host_kind = host_kind;
    b->bytes = extent;
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
        if (!lab_verify_poison(t->device, lane->stream, lane->destination_kind, lane->destination,
                               (struct lab_expectation){.seed = lane->seed}))
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
        struct lab_comparison comparison;
        if (!lab_verify_check(t->device, lane->stream, lane->destination_kind, lane->destination,
                              (struct lab_expectation){.seed = lane->seed}, &comparison))
            return false;
        *wrong += comparison.wrong;
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
    if (!lab_verify_fill(t->device, lane->stream, lane->source_kind, lane->source,
                         (struct lab_expectation){.seed = lane->seed}))
        return false;
    if (t->point.engine != TRANSFER_SM)
        return true;
    struct lab_operation problem = {
        .kind = LAB_OPERATION_COPY, .destination = lane->destination, .source = lane->source};
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
        const struct lab_lane both[] = {{t->device, t->streams[0]}, {t->device, t->streams[1]}};
        struct lab_work work = {
            .timing = timing_of(point),
            .lane_count = point->aggregate ? 2 : 1,
            .lanes = both,
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
            transfer_report_skipped(&t->report, point, outcome.unmeasurable);
        else
            good = good && transfer_report_outcome(&t->report, point, &outcome);
    }
    close_lanes(t);
    return good;
}

/* "4 MiB" where that is what it is. */
static void write_size(size_t bytes, char *text, size_t size)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    size_t unit = 0;
    for (; unit < 3 && bytes >= 1024 && bytes % 1024 == 0; bytes /= 1024)
        unit++;
    snprintf(text, size, "%zu %s", bytes, units[unit]);
}

static void label_point(const struct transfer_point *point, char *label, size_t size)
{
    const char *memory = point->direction == LAB_D2D ? "" : transfer_memories[point->memory - LAB_MEMORY_PAGEABLE];
    char bytes[32];
    write_size(point->bytes, bytes, sizeof bytes);
    snprintf(label, size, "%s %s%s%s", point->aggregate ? "both directions" : transfer_directions[point->direction],
             memory, memory[0] != '\0' ? " " : "", bytes);
}

static bool visit_point(void *context, const struct transfer_point *point)
{
    struct transfer *t = context;
    if (lab_run_cancelled(t->run))
        return lab_error_set(&t->run->error, "cancelled", "", "the run was cancelled");
    transfer_report_begin(&t->report, point);
    t->point = *point;

    char label[96];
    label_point(point, label, sizeof label);
    t->run->sink.progress(t->run->sink.context, t->done, t->points, label);
    if (!use_buffers(t, point->memory, point->bytes))
        return false;
    const char *reason = reason_to_skip(t);
    warn_of_cache(t);
    if (reason != NULL)
        transfer_report_skipped(&t->report, point, reason);
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
    struct transfer t = {
        .run = run, .device = run->devices[0], .runtime = run->devices[0]->runtime, .report = {.run = run}};
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
        transfer_report_end(&t.report);
        run->sink.progress(run->sink.context, t.done, t.points, "done");
    }
out:
    release_buffers(&t);
    for (size_t i = 0; i < 2; i++)
        t.runtime->stream_release(t.device, t.streams[i]);
    lab_measurer_release(t.measurer);
    transfer_report_release(&t.report);
    return good;
}
