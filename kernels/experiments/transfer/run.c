/* Measures all points of a transfer run. */
#include "job.h"
#include "report.h"

#include "experiment/parameters.h"

#include <stdio.h>
#include <string.h>

struct transfer {
    struct lab_run *run;
    struct lab_measurer *measurer;
    struct transfer_job job;
    struct transfer_report report;
    size_t points, done;
    bool warned_of_cache;
};

/* --- one point ---------------------------------------------------------------------------------------------------- */

/* Why the point cannot be measured; NULL if it can. */
static const char *skip_reason(const struct transfer *t)
{
    const struct transfer_point *point = &t->job.point;
    bool rows = point->pattern == TRANSFER_PITCHED || point->pattern == TRANSFER_ROWS;
    if (t->job.buffers.refusal[0] != '\0')
        return t->job.buffers.refusal;
    if (point->engine == TRANSFER_SM && point->memory == LAB_MEMORY_PAGEABLE)
        return "a kernel can access only page-locked host memory";
    if (point->engine == TRANSFER_SM && (point->pattern == TRANSFER_PIECES || point->pattern == TRANSFER_ROWS))
        return "a kernel copies all pieces in one launch: use the pattern contiguous or pitched";
    if (point->opposing && point->memory == LAB_MEMORY_PAGEABLE)
        return "copies of pageable memory block the calling thread, so the two directions cannot run at once";
    if (rows && point->bytes % (size_t)lab_parameter_integer(t->run->parameters, "row_bytes") != 0)
        return "the size is not a multiple of row_bytes";
    if (point->pattern == TRANSFER_PITCHED && point->engine == TRANSFER_COPY_ENGINE && t->job.runtime->copy2d == NULL)
        return "the device does not support two-dimensional copies";
    return NULL;
}

static void warn_of_cache(struct transfer *t)
{
    const struct transfer_point *point = &t->job.point;
    int64_t cache = t->job.device->facts.l2_bytes;
    if (point->direction != LAB_D2D || t->warned_of_cache || cache == LAB_UNKNOWN || 2 * point->bytes > (size_t)cache)
        return;
    char text[192];
    snprintf(
        text, sizeof text,
        "d2d copies whose source and destination fit in the last-level cache (%.0f MiB) measure the cache, not the "
        "memory",
        (double)cache / 1048576);
    t->run->sink.warning(t->run->sink.context, text);
    t->warned_of_cache = true;
}

static bool measure_point(struct transfer *t)
{
    const struct transfer_point *point = &t->job.point;
    struct lab_outcome outcome;
    bool good = transfer_job_begin(&t->job);
    if (good) {
        const struct lab_work work = transfer_job_work(&t->job);
        good = lab_measure(t->measurer, &work, &outcome);
        if (good && outcome.unmeasurable != NULL)
            transfer_report_skipped(&t->report, point, outcome.unmeasurable);
        else
            good = good && transfer_report_outcome(&t->report, point, &outcome);
    }
    transfer_job_end(&t->job);
    return good;
}

/* Writes the size in the largest unit of which it is a multiple, for example "4 MiB". */
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

/* --- all points --------------------------------------------------------------------------------------------------- */

static bool visit_point(void *context, const struct transfer_point *point)
{
    struct transfer *t = context;
    if (lab_run_cancelled(t->run))
        return lab_error_set(&t->run->error, "cancelled", "", "the run was cancelled");
    transfer_report_begin(&t->report, point);
    t->job.point = *point;

    char label[96];
    label_point(point, label, sizeof label);
    t->run->sink.progress(t->run->sink.context, t->done, t->points, label);
    if (!transfer_job_use_buffers(&t->job))
        return false;
    const char *reason = skip_reason(t);
    warn_of_cache(t);
    if (reason != NULL)
        transfer_report_skipped(&t->report, point, reason);
    else if (!measure_point(t))
        return false;
    t->done++;
    return true;
}

static bool count_point(void *context, const struct transfer_point *point)
{
    (void)point;
    ++*(size_t *)context;
    return true;
}

bool transfer_run(struct lab_run *run)
{
    struct transfer t = {.run = run, .report = {.run = run}};
    transfer_each_point(run->parameters, count_point, &t.points);
    t.measurer = lab_measurer_create(run, t.points);
    bool good =
        t.measurer != NULL && transfer_job_open(&t.job, run) && transfer_each_point(run->parameters, visit_point, &t);
    if (good) {
        transfer_report_end(&t.report);
        run->sink.progress(run->sink.context, t.done, t.points, "done");
    }
    transfer_job_close(&t.job);
    lab_measurer_release(t.measurer);
    transfer_report_release(&t.report);
    return good;
}
