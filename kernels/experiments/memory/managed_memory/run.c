/* Measures accesses of managed memory, whose pages are brought to their place before each sample. */
#include "managed_memory.h"

#include "benchmark/benchmark.h"
#include "benchmark/loop.h"
#include "descriptor/parameters.h"
#include "measure/verify.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

struct run {
    struct lab_run *run;
    struct lab_device *device;
    struct lab_benchmark_state *benchmark;
    size_t page_bytes; /* of the host */
    /* of the current point */
    struct lab_point point;
    const struct managed_memory_variant *variant;
    struct lab_work kernel;
    struct lab_stream *stream;
    struct lab_region pages;
    uint64_t wrong; /* words that the host has read */
};

static struct lab_expectation content_of(const struct run *r)
{
    return (struct lab_expectation){.seed = (uint64_t)lab_parameter_integer(r->run->parameters, "seed")};
}

static bool synchronize(const struct run *r)
{
    return r->device->runtime->stream_synchronize(r->device, r->stream);
}

static bool launch(const struct run *r)
{
    return r->kernel.enqueue(r->kernel.context);
}

/* --- the accesses ------------------------------------------------------------------------------------------------- */

// region copy
static bool copy_and_launch(void *context)
{
    const struct run *r = context;
    void *copy = lab_benchmark_buffer(r->benchmark, MANAGED_MEMORY_COPY);
    return r->device->runtime->copy(r->device, r->stream, copy, r->pages.address, r->pages.width, LAB_H2D) && launch(r);
}
// end

// region kernel
static bool access_by_kernel(void *context)
{
    const struct run *r = context;
    return (!r->variant->prefetched || r->device->runtime->managed->prefetch(r->device, r->stream, r->pages, false)) &&
           launch(r);
}
// end

// region host
/* Reads one word of each page, or writes its index if the page is untouched. */
static bool access_by_host(void *context)
{
    struct run *r = context;
    volatile uint32_t *words = r->pages.address;
    uint64_t seed = content_of(r).seed;
    if (r->variant->prefetched &&
        !(r->device->runtime->managed->prefetch(r->device, r->stream, r->pages, true) && synchronize(r)))
        return false;
    for (size_t i = 0; i < r->pages.width / sizeof *words; i += r->page_bytes / sizeof *words)
        if (r->variant->before == MANAGED_MEMORY_UNTOUCHED)
            words[i] = (uint32_t)i;
        else
            r->wrong += words[i] != lab_pattern_word(i, seed);
    return true;
}
// end

/* --- where the pages are before a sample -------------------------------------------------------------------------- */

/* Prepares the kernel of the point and its memory. */
static bool prepare(struct run *r, struct lab_case *c)
{
    if (!lab_benchmark_begin(r->benchmark, &r->point, c))
        return false;
    r->kernel = c->work;
    if (c->skipped[0] != '\0')
        return true;
    r->stream = c->work.lanes[0].stream;
    r->pages = lab_region_of(lab_benchmark_buffer(r->benchmark, MANAGED_MEMORY_PAGES),
                             (size_t)r->point.values[MANAGED_MEMORY_AXIS_BYTES]);
    return true;
}

// region untouched
/* Releases the memory and allocates other memory, and prepares the kernel again, because the memory is its argument. */
static bool make_untouched(void *context)
{
    struct run *r = context;
    struct lab_case again = {0};
    lab_benchmark_end(r->benchmark);
    lab_benchmark_renew(r->benchmark);
    return prepare(r, &again);
}
// end

// region at-host
/* The write ends copies of the pages that the device may have. */
static bool bring_to_host(void *context)
{
    const struct run *r = context;
    volatile uint32_t *words = r->pages.address;
    if (!r->device->runtime->managed->prefetch(r->device, r->stream, r->pages, true) || !synchronize(r))
        return false;
    for (size_t i = 0; i < r->pages.width / sizeof *words; i += r->page_bytes / sizeof *words) {
        uint32_t word = words[i];
        words[i] = word;
    }
    return true;
}
// end

// region at-device
/* The kernel reads the pages, as in a program whose host needs them afterwards. */
static bool bring_to_device(void *context)
{
    const struct run *r = context;
    return bring_to_host(context) && r->device->runtime->managed->prefetch(r->device, r->stream, r->pages, false) &&
           launch(r) && synchronize(r);
}
// end

/* --- checking ----------------------------------------------------------------------------------------------------- */

static bool poison(void *context)
{
    struct run *r = context;
    struct lab_region out = lab_region_of(lab_benchmark_buffer(r->benchmark, MANAGED_MEMORY_OUT), r->pages.width);
    r->wrong = 0;
    if (r->variant->before == MANAGED_MEMORY_UNTOUCHED)
        return make_untouched(r);
    return lab_verify_poison(r->device, r->stream, LAB_MEMORY_DEVICE, out, content_of(r));
}

static bool verify_by_device(void *context, uint64_t *wrong)
{
    const struct run *r = context;
    return r->kernel.verify(r->kernel.context, wrong);
}

static bool verify_by_host(void *context, uint64_t *wrong)
{
    const struct run *r = context;
    const uint32_t *words = r->pages.address;
    struct lab_mismatch found = {0};
    if (r->variant->before == MANAGED_MEMORY_UNTOUCHED)
        for (size_t i = 0; i < r->pages.width / sizeof *words; i += r->page_bytes / sizeof *words)
            found.wrong += words[i] != (uint32_t)i;
    else if (!lab_verify_check(r->device, r->stream, LAB_MEMORY_PAGEABLE, r->pages, content_of(r), &found))
        return false;
    *wrong = r->wrong + found.wrong;
    return true;
}

/* --- the case of a point ------------------------------------------------------------------------------------------ */

/* Pages are filled by the host, which touches them first. */
static bool fill(const struct run *r)
{
    const struct managed_memory_variant *variant = r->variant;
    return variant->copied || variant->before == MANAGED_MEMORY_UNTOUCHED ||
           ((variant->advice == LAB_ADVICE_NONE ||
             r->device->runtime->managed->advise(r->device, r->pages, variant->advice)) &&
            lab_verify_fill(r->device, r->stream, LAB_MEMORY_PAGEABLE, r->pages, content_of(r)));
}

static struct lab_work work_of(struct run *r)
{
    static bool (*const bring[])(void *context) = {[MANAGED_MEMORY_UNTOUCHED] = make_untouched,
                                                   [MANAGED_MEMORY_AT_HOST] = bring_to_host,
                                                   [MANAGED_MEMORY_AT_DEVICE] = bring_to_device};
    const struct managed_memory_variant *variant = r->variant;
    return (struct lab_work){.timing = LAB_TIME_HOST_CLOCK,
                             .lane_count = 1,
                             .lanes = r->kernel.lanes,
                             .context = r,
                             .enqueue = variant->copied    ? copy_and_launch
                                        : variant->by_host ? access_by_host
                                                           : access_by_kernel,
                             .poison = poison,
                             .verify = variant->by_host ? verify_by_host : verify_by_device,
                             .before_sample = bring[variant->before],
                             .cacheless = true};
}

static const char *shared(const struct run *r)
{
    int64_t readings[LAB_READINGS];
    if (r->run->monitor.readings == NULL)
        return managed_memory_shared(&r->device->facts, LAB_UNKNOWN);
    r->run->monitor.readings(r->run->monitor.context, r->device, readings);
    return managed_memory_shared(&r->device->facts, readings[LAB_READING_PROCESSES]);
}

static bool begin(void *context, struct lab_point *point, struct lab_case *c)
{
    struct run *r = context;
    r->point = *point;
    r->variant = &managed_memory_variants[point->values[MANAGED_MEMORY_AXIS_VARIANT]];
    r->wrong = 0;
    const char *reason = r->variant->copied ? NULL : shared(r);
    if (reason != NULL) {
        snprintf(c->skipped, sizeof c->skipped, "%s", reason);
        return true;
    }
    if (!prepare(r, c))
        return false;
    if (c->skipped[0] != '\0')
        return true;
    if (!lab_run_forward_error(r->run, r->device, fill(r)))
        return false;
    c->work = work_of(r);
    c->peak = (struct lab_peak){0};
    if (r->variant->by_host)
        c->kernel = NULL;
    return true;
}

static bool report(void *context, const struct lab_case *c, const struct lab_report *report)
{
    const struct run *r = context;
    const struct lab_report besides = {.run = report->run, .point = report->point};
    double predicted_s =
        managed_memory_predict(&r->device->facts, r->variant, (double)r->pages.width, (double)r->page_bytes);
    (void)c;
    return !isfinite(predicted_s) || lab_report_value(&besides, "predicted_time", predicted_s);
}

/* Memory is not kept: advice and places of pages are of one point. */
static void end(void *context)
{
    const struct run *r = context;
    lab_benchmark_end(r->benchmark);
    lab_benchmark_renew(r->benchmark);
}

bool managed_memory_run(struct lab_run *run)
{
    static const struct lab_loop loop = {.begin = begin, .report = report, .end = end};
    struct run r = {.run = run, .device = run->devices[0], .page_bytes = (size_t)sysconf(_SC_PAGESIZE)};
    r.benchmark = lab_benchmark_open(run, r.device, run->experiment->benchmark);
    bool good = r.benchmark != NULL && lab_loop_run(run, &loop, &r);
    lab_benchmark_close(r.benchmark);
    return good;
}
