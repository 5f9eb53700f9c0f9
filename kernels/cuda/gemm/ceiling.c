/* The plan of an arithmetic ceiling: finds how many rounds of multiply-adds take about 5 ms on this device. The kernels
 * are in ceiling.cu.
 */
#include "gemm.h"

#include "../entries.h"
#include "plans.h"

#include <math.h>
#include <string.h>

enum { TRIES = 8, FACTOR_MAX = 64, ROUNDS_MAX = 1 << 28, SINK_BYTES = 256 };

static const double target_s = 5e-3;  /* duration of a launch */
static const double tolerance = 0.05; /* relative deviation from target_s that find_rounds accepts */

struct ceiling_plan {
    struct lab_plan plan;
    enum lab_gemm_type type;
    bool tensor;       /* the tensor cores' ceiling */
    int capability;    /* compute capability as major * 10 + minor */
    uint32_t rounds;   /* rounds of multiply-adds per launch */
    void *sink;        /* device memory that the kernel may write to; see lab_cuda_launch_gemm_ceiling */
    double operations; /* arithmetic operations of the last launch */
};

static cudaError_t launch(const struct cuda_device *device, struct lab_plan *base, cudaStream_t stream)
{
    struct ceiling_plan *plan = (struct ceiling_plan *)base;
    return lab_cuda_launch_gemm_ceiling(stream, plan->type, plan->tensor, plan->capability,
                                        (int)device->base.facts.multiprocessors, plan->rounds, plan->sink,
                                        &plan->operations);
}

static void cuda_ceiling_discard(struct lab_device *device, struct lab_plan *base)
{
    lab_cuda_free(device, LAB_MEMORY_DEVICE, ((struct ceiling_plan *)base)->sink);
}

/* Runs the plan once and measures its time. */
static bool time_once(struct lab_device *device, struct ceiling_plan *plan, struct lab_event *start,
                      struct lab_event *stop, double *seconds)
{
    struct lab_stream *service = (struct lab_stream *)cuda_device_of(device)->service;
    return lab_cuda_event_record(device, start, service) && lab_cuda_enqueue(device, &plan->plan, service) &&
           lab_cuda_event_record(device, stop, service) && lab_cuda_event_synchronize(device, stop) &&
           lab_cuda_event_elapsed(device, start, stop, seconds);
}

/* Finds the number of rounds that take target_s by measuring, because the clock rate under load is not known
 * beforehand. Starts with one round, which takes as long as loading the kernel, and repeats while the clock rises. */
static bool find_rounds(struct lab_device *device, struct ceiling_plan *plan)
{
    struct lab_event *start = lab_cuda_event_create(device), *stop = lab_cuda_event_create(device);
    bool ok = start != NULL && stop != NULL;
    plan->rounds = 1;
    for (int i = 0; i < TRIES && ok; i++) {
        double seconds = 0;
        ok = time_once(device, plan, start, stop, &seconds);
        double factor = seconds > 0 ? fmin(target_s / seconds, FACTOR_MAX) : FACTOR_MAX;
        if (!ok || fabs(factor - 1) < tolerance)
            break;
        plan->rounds = (uint32_t)fmin(fmax(plan->rounds * factor, 1), ROUNDS_MAX);
    }
    lab_cuda_event_free(device, stop);
    lab_cuda_event_free(device, start);
    return ok;
}

/* Replaces CUDA's text for cudaErrorNotSupported by one that names the supported compute capabilities. */
static void explain(struct lab_device *device, enum lab_gemm_type type)
{
#if GPULAB_HAVE_WGMMA
    const char *supported = type == LAB_GEMM_FP8 ? "9.0" : "8.x, 9.0 and 12.x";
#else
    const char *supported = type == LAB_GEMM_FP8 ? "9.0 by a program built with nvcc 12.0 or later" : "8.x and 12.x";
#endif
    if (device->error.code == LAB_ERROR_UNSUPPORTED)
        lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "",
                      "the ceiling of this type can be measured only on compute capability %s; this device has %s",
                      supported, device->facts.compute_capability);
}

struct lab_plan *lab_cuda_gemm_prepare_ceiling(struct lab_device *device, struct lab_gemm_ceiling *ceiling)
{
    static const struct cuda_operation operation = {"multiplying and adding in registers", launch,
                                                    cuda_ceiling_discard};
    if (!lab_cuda_make_current(device) || !lab_cuda_gemm_check_type(device, ceiling->type))
        return NULL;
    struct ceiling_plan *plan = lab_cuda_plan_create(device, sizeof *plan, &operation);
    if (plan == NULL)
        return NULL;
    plan->type = ceiling->type;
    plan->tensor = ceiling->tensor;
    plan->capability = lab_cuda_compute_capability(device);
    if (!lab_cuda_allocate(device, LAB_MEMORY_DEVICE, SINK_BYTES, &plan->sink) || !find_rounds(device, plan)) {
        explain(device, ceiling->type);
        lab_cuda_plan_free(device, &plan->plan);
        return NULL;
    }
    /* Preloading calls `launch`, which also sets plan->operations. */
    struct lab_plan *ready = lab_cuda_plan_preload(device, &plan->plan);
    if (ready != NULL)
        ceiling->operations = plan->operations;
    return ready;
}
