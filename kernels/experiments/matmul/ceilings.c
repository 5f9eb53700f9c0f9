/* Measures the ceilings of the roofline. */
#include "ceilings.h"

#include "experiment/parameters.h"
#include "measure/verify.h"
#include "report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The copied buffer has CACHES times the size of the last-level cache, at least COPY_BYTES_MIN, so that the copy
 * measures memory and not the cache. */
enum { COPY_BYTES_MIN = 64 << 20, CACHES = 4 };

struct ceiling {
    struct lab_device *device;
    const struct lab_runtime *runtime;
    struct lab_stream *stream;
    struct lab_lane lane;
    struct lab_plan *plan;
    void *source, *destination; /* buffers of the copy that measures memory bandwidth */
    size_t bytes;               /* size of each of the two buffers */
    uint64_t seed;
};

uint64_t matmul_ceiling_bytes(int64_t l2_bytes)
{
    return 2 * (uint64_t)(l2_bytes > COPY_BYTES_MIN / CACHES ? CACHES * l2_bytes : COPY_BYTES_MIN);
}

size_t matmul_ceiling_count(const struct lab_run *run)
{
    return 1 + lab_parameter_values(run->parameters, "type")->count;
}

static bool enqueue(void *context)
{
    struct ceiling *c = context;
    return c->runtime->enqueue(c->device, c->plan, c->stream);
}

static bool poison(void *context)
{
    struct ceiling *c = context;
    struct lab_expectation expected = {.seed = c->seed};
    return lab_verify_poison(c->device, c->stream, LAB_MEMORY_DEVICE, lab_region_of(c->destination, c->bytes),
                             expected);
}

static bool verify(void *context, uint64_t *wrong)
{
    struct ceiling *c = context;
    struct lab_expectation expected = {.seed = c->seed};
    struct lab_comparison comparison;
    bool good = lab_verify_check(c->device, c->stream, LAB_MEMORY_DEVICE, lab_region_of(c->destination, c->bytes),
                                 expected, &comparison);
    *wrong = comparison.wrong;
    return good;
}

static struct lab_work work_of(struct ceiling *c, bool verified)
{
    return (struct lab_work){.timing = LAB_TIME_LATCHED,
                             .lane_count = 1,
                             .lanes = &c->lane,
                             .operations = 1,
                             .compute = true,
                             .cacheless = !verified,
                             .context = c,
                             .enqueue = enqueue,
                             .poison = verified ? poison : NULL,
                             .verify = verified ? verify : NULL};
}

static bool measure_compute(struct lab_run *run, struct lab_measurer *measurer, struct ceiling *c,
                            enum lab_gemm_type type)
{
    struct lab_gemm_ceiling what = {.type = type};
    struct lab_outcome outcome;
    c->plan = c->runtime->gemm->prepare_ceiling(c->device, &what);
    if (c->plan == NULL && strcmp(c->device->error.code, "unsupported") == 0) {
        matmul_report_no_ceiling(run, "compute_ceiling", matmul_types[type], c->device->error.detail);
        lab_measurer_skip(measurer);
        return true;
    }
    if (c->plan == NULL) {
        run->error = c->device->error;
        return false;
    }
    struct lab_work work = work_of(c, false);
    bool good = lab_measure(measurer, &work, &outcome);
    if (good && outcome.unmeasurable != NULL)
        matmul_report_no_ceiling(run, "compute_ceiling", matmul_types[type], outcome.unmeasurable);
    else
        good = good && matmul_report_compute_ceiling(run, type, &outcome, what.operations);
    c->runtime->plan_release(c->device, c->plan);
    c->plan = NULL;
    return good;
}

static bool open_copy(struct ceiling *c)
{
    c->bytes = matmul_ceiling_bytes(c->device->facts.l2_bytes) / 2;
    if (!c->runtime->allocate(c->device, LAB_MEMORY_DEVICE, c->bytes, &c->source) ||
        !c->runtime->allocate(c->device, LAB_MEMORY_DEVICE, c->bytes, &c->destination))
        return false;
    const struct lab_operation operation = {.kind = LAB_OPERATION_COPY,
                                            .destination = lab_region_of(c->destination, c->bytes),
                                            .source = lab_region_of(c->source, c->bytes)};
    c->plan = c->runtime->prepare(c->device, &operation);
    return c->plan != NULL && lab_verify_fill(c->device, c->stream, LAB_MEMORY_DEVICE, operation.source,
                                              (struct lab_expectation){.seed = c->seed});
}

static bool measure_memory(struct lab_run *run, struct lab_measurer *measurer, struct ceiling *c)
{
    struct lab_outcome outcome;
    bool good = open_copy(c);
    if (!good)
        run->error = c->device->error;
    if (good) {
        struct lab_work work = work_of(c, true);
        good = lab_measure(measurer, &work, &outcome);
        if (good && outcome.unmeasurable != NULL)
            matmul_report_no_ceiling(run, "memory_ceiling", NULL, outcome.unmeasurable);
        else
            good = good && matmul_report_memory_ceiling(run, &outcome, (double)c->bytes);
    }
    c->runtime->plan_release(c->device, c->plan);
    c->runtime->release(c->device, LAB_MEMORY_DEVICE, c->source);
    c->runtime->release(c->device, LAB_MEMORY_DEVICE, c->destination);
    c->plan = NULL;
    return good;
}

bool matmul_measure_ceilings(struct lab_run *run, struct lab_measurer *measurer, size_t *done, size_t points)
{
    const struct lab_values *types = lab_parameter_values(run->parameters, "type");
    struct ceiling c = {.device = run->devices[0],
                        .runtime = run->devices[0]->runtime,
                        .seed = (uint64_t)lab_parameter_integer(run->parameters, "seed")};
    c.stream = c.runtime->stream_create(c.device);
    if (c.stream == NULL) {
        run->error = c.device->error;
        return false;
    }
    c.lane = (struct lab_lane){c.device, c.stream};
    run->sink.progress(run->sink.context, (*done)++, points, "memory ceiling");
    bool good = measure_memory(run, measurer, &c);
    for (size_t t = 0; good && t < types->count; t++) {
        enum lab_gemm_type type = (enum lab_gemm_type)types->items[t].integer;
        char label[64];
        snprintf(label, sizeof label, "compute ceiling, %s", matmul_types[type]);
        run->sink.progress(run->sink.context, (*done)++, points, label);
        good = measure_compute(run, measurer, &c, type);
    }
    c.runtime->stream_release(c.device, c.stream);
    return good;
}
