/* Prepares and reports the ceilings of the roofline. */
#include "ceilings.h"

#include "benchmark/benchmark.h"
#include "benchmark/streams.h"
#include "descriptor/parameters.h"
#include "experiments/memory/stream/stream.h"

#include <math.h>
#include <string.h>

/* --- open and close ----------------------------------------------------------------------------------------------- */

bool matmul_ceilings_open(struct matmul_ceilings *ceilings, struct lab_run *run)
{
    struct lab_device *device = run->devices[0];
    *ceilings = (struct matmul_ceilings){.run = run, .device = device};
    ceilings->stream = lab_run_stream(run, device);
    ceilings->lane = (struct lab_lane){device, ceilings->stream};
    if (ceilings->stream == NULL)
        run->error = device->error;
    return ceilings->stream != NULL;
}

void matmul_ceilings_close(struct matmul_ceilings *ceilings)
{
    lab_benchmark_close(ceilings->memory);
    lab_run_stream_return(ceilings->run, ceilings->device, ceilings->stream);
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

static bool begin_memory(struct matmul_ceilings *ceilings, const struct lab_point *point, struct lab_case *c)
{
    static const int64_t variants[] = {
        [MATMUL_READ] = STREAM_READ, [MATMUL_WRITE] = STREAM_WRITE, [MATMUL_COPY] = STREAM_COPY};
    const struct lab_point of_stream = {.values = {
                                            [STREAM_VARIANT] = variants[point->values[MATMUL_VARIANT]],
                                            [STREAM_BYTES] = (int64_t)matmul_ceiling_bytes(&ceilings->device->facts),
                                            [STREAM_GRID] = STREAM_PER_ELEMENT,
                                        }};
    if (ceilings->memory == NULL)
        ceilings->memory = lab_benchmark_open(ceilings->run, ceilings->run->devices[0], &lab_stream_benchmark);
    if (ceilings->memory == NULL || !lab_benchmark_begin(ceilings->memory, &of_stream, c))
        return false;
    ceilings->count = c->counts[LAB_COUNT_BYTES] / 1e9;
    c->counts[LAB_COUNT_BYTES] = 0; /* would be reported as `bandwidth`, which products have */
    c->metric = "memory_ceiling";
    c->peak = (struct lab_peak){ceilings->device->facts.memory_peak_bytes_per_s / 1e9, "device memory"};
    return true;
}

/* --- arithmetic --------------------------------------------------------------------------------------------------- */

static bool matmul_enqueue(void *context)
{
    struct matmul_ceilings *ceilings = context;
    return ceilings->device->runtime->enqueue(ceilings->device, ceilings->plan, ceilings->stream);
}

static bool begin_arithmetic(struct matmul_ceilings *ceilings, const struct lab_point *point, struct lab_case *c)
{
    struct lab_device *device = ceilings->device;
    struct lab_gemm_ceiling what = {.type = (enum lab_gemm_type)point->values[MATMUL_TYPE],
                                    .tensor = point->values[MATMUL_VARIANT] == MATMUL_TENSOR_CORES};
    c->metric = "compute_ceiling";
    ceilings->plan = device->runtime->gemm->prepare_ceiling(device, &what);
    if (ceilings->plan == NULL) {
        if (device->error.code == LAB_ERROR_UNSUPPORTED && !device->lost)
            memcpy(c->skipped, device->error.detail, sizeof c->skipped);
        else
            ceilings->run->error = device->error;
        return c->skipped[0] != '\0';
    }
    ceilings->count = what.operations / 1e9;
    c->peak = matmul_peak(&device->facts, what.tensor, what.type);
    c->work = (struct lab_work){.timing = LAB_TIME_LATCHED,
                                .lane_count = 1,
                                .lanes = &ceilings->lane,
                                .operations = 1,
                                .cacheless = true,
                                .compute = true,
                                .context = ceilings,
                                .enqueue = matmul_enqueue};
    return true;
}

/* --- a point ------------------------------------------------------------------------------------------------------ */

bool matmul_ceilings_begin(struct matmul_ceilings *ceilings, const struct lab_point *point, struct lab_case *c)
{
    bool memory = point->values[MATMUL_VARIANT] < MATMUL_CORES;
    return (memory ? begin_memory : begin_arithmetic)(ceilings, point, c);
}

bool matmul_ceilings_report(const struct matmul_ceilings *ceilings, const struct lab_case *c,
                            const struct lab_report *report)
{
    return lab_report_rate(report, c->metric, ceilings->count, &c->peak);
}

void matmul_ceilings_end(struct matmul_ceilings *ceilings)
{
    if (ceilings->memory != NULL)
        lab_benchmark_end(ceilings->memory);
    ceilings->device->runtime->plan_free(ceilings->device, ceilings->plan);
    ceilings->plan = NULL;
}

void matmul_ceilings_renew(struct matmul_ceilings *ceilings)
{
    if (ceilings->memory != NULL)
        lab_benchmark_renew(ceilings->memory);
}
