/* Computes the metrics of matmul from samples, and finds the theoretical peak of each point. */
#include "report.h"

#include <math.h>

/* --- the unit that a step computes on ----------------------------------------------------------------------------- */

/* Whether the step uses tensor cores: always for tf32, bf16 and fp16; for fp64 only cuBLAS, on devices with fp64 tensor
 * cores. */
static bool on_tensor_cores(const struct lab_device_facts *facts, enum lab_gemm_step step, enum lab_gemm_type type)
{
    if (type == LAB_GEMM_FP32)
        return false;
    if (type == LAB_GEMM_FP64)
        return step == LAB_GEMM_CUBLAS && isfinite(facts->tensor_fp64_peak_flops);
    return true;
}

static bool peak_of(const struct lab_device_facts *facts, bool tensor, enum lab_gemm_type type, struct lab_peak *peak)
{
    const struct {
        double flops;
        const char *what;
    } units[2][LAB_GEMM_TYPES] = {
        {[LAB_GEMM_FP32] = {facts->fp32_peak_flops, "fp32 cores"},
         [LAB_GEMM_FP64] = {facts->fp64_peak_flops, "fp64 cores"}},
        {[LAB_GEMM_FP64] = {facts->tensor_fp64_peak_flops, "fp64 tensor cores"},
         [LAB_GEMM_TF32] = {facts->tensor_tf32_peak_flops, "tf32 tensor cores, no sparsity"},
         [LAB_GEMM_BF16] = {facts->tensor_bf16_peak_flops, "bf16 tensor cores, no sparsity"},
         [LAB_GEMM_FP16] = {facts->tensor_fp16_peak_flops, "fp16 tensor cores, no sparsity"}},
    };
    *peak = (struct lab_peak){units[tensor][type].flops / 1e9, units[tensor][type].what};
    return peak->what != NULL && isfinite(peak->value) && peak->value > 0;
}

/* --- a point ------------------------------------------------------------------------------------------------------ */

static struct lab_measurement measurement_of(const struct matmul_problem *problem, enum lab_gemm_step step)
{
    struct lab_measurement measurement = {.cache = "warm", .numa_node = LAB_UNKNOWN};
    lab_axes_text(&measurement.axes, "type", matmul_types[problem->type]);
    lab_axes_text(&measurement.axes, "layout", matmul_layouts[problem->layout]);
    lab_axes_text(&measurement.axes, "step", matmul_steps[step]);
    lab_axes_number(&measurement.axes, "m", (int64_t)problem->m);
    lab_axes_number(&measurement.axes, "n", (int64_t)problem->n);
    lab_axes_number(&measurement.axes, "k", (int64_t)problem->k);
    return measurement;
}

static bool report_intensity(struct lab_run *run, const struct matmul_problem *problem, enum lab_gemm_step step)
{
    struct lab_measurement measurement = measurement_of(problem, step);
    double intensity = matmul_operations(problem) / matmul_bytes(problem);
    measurement.metric = "intensity";
    measurement.unit = "FLOP/B";
    measurement.cache = NULL;
    if (!lab_summarise(&intensity, 1, &measurement.summary))
        return lab_error_set(&run->error, "out-of-memory", "", "out of memory for a summary");
    run->sink.measurement(run->sink.context, &measurement);
    return true;
}

bool matmul_report_outcome(struct lab_run *run, const struct matmul_problem *problem, enum lab_gemm_step step,
                           const struct lab_outcome *outcome, double reference_s)
{
    const struct lab_device_facts *facts = &run->devices[0]->facts;
    struct lab_measurement measurement = measurement_of(problem, step);
    double gigaflops = matmul_operations(problem) / 1e9;
    struct lab_peak peak;
    bool has_peak = peak_of(facts, on_tensor_cores(facts, step, problem->type), problem->type, &peak);

    lab_measurement_from_outcome(&measurement, outcome);
    measurement.peak = has_peak ? &peak : NULL;
    if (!lab_report_outcome(run, &measurement, outcome, "throughput", "GFLOP/s", gigaflops))
        return false;
    if (has_peak && !lab_report_outcome(run, &measurement, outcome, "share_of_peak", "1", gigaflops / peak.value))
        return false;
    measurement.peak = NULL;
    return (!isfinite(reference_s) ||
            lab_report_outcome(run, &measurement, outcome, "share_of_reference", "1", reference_s)) &&
           lab_report_outcome(run, &measurement, outcome, "time", "s", 0) &&
           lab_report_outcome(run, &measurement, outcome, "bandwidth", "GB/s", matmul_bytes(problem) / 1e9) &&
           report_intensity(run, problem, step);
}

static void send_skipped(struct lab_run *run, struct lab_measurement *measurement, const char *metric, const char *unit,
                         const char *reason)
{
    measurement->metric = metric;
    measurement->unit = unit;
    measurement->skipped = reason;
    lab_summarise(NULL, 0, &measurement->summary);
    run->sink.measurement(run->sink.context, measurement);
}

void matmul_report_skipped(struct lab_run *run, const struct matmul_problem *problem, enum lab_gemm_step step,
                           const char *reason)
{
    struct lab_measurement measurement = measurement_of(problem, step);
    send_skipped(run, &measurement, "throughput", "GFLOP/s", reason);
}

/* --- the ceilings ------------------------------------------------------------------------------------------------- */

bool matmul_report_compute_ceiling(struct lab_run *run, enum lab_gemm_type type, const struct lab_outcome *outcome,
                                   double operations)
{
    const struct lab_device_facts *facts = &run->devices[0]->facts;
    struct lab_measurement measurement = {.numa_node = LAB_UNKNOWN};
    struct lab_peak peak;
    bool tensor = type != LAB_GEMM_FP32 && (type != LAB_GEMM_FP64 || isfinite(facts->tensor_fp64_peak_flops));
    lab_axes_text(&measurement.axes, "type", matmul_types[type]);
    lab_measurement_from_outcome(&measurement, outcome);
    measurement.peak = peak_of(facts, tensor, type, &peak) ? &peak : NULL;
    return lab_report_outcome(run, &measurement, outcome, "compute_ceiling", "GFLOP/s", operations / 1e9);
}

bool matmul_report_memory_ceiling(struct lab_run *run, const struct lab_outcome *outcome, double bytes)
{
    struct lab_measurement measurement = {.cache = "warm", .numa_node = LAB_UNKNOWN};
    struct lab_peak peak = {run->devices[0]->facts.memory_peak_bytes_per_s / 1e9, "device memory, read and write"};
    lab_measurement_from_outcome(&measurement, outcome);
    measurement.peak = isfinite(peak.value) && peak.value > 0 ? &peak : NULL;
    return lab_report_outcome(run, &measurement, outcome, "memory_ceiling", "GB/s", 2 * bytes / 1e9);
}

void matmul_report_no_ceiling(struct lab_run *run, const char *metric, const char *type, const char *reason)
{
    struct lab_measurement measurement = {.numa_node = LAB_UNKNOWN};
    if (type != NULL)
        lab_axes_text(&measurement.axes, "type", type);
    send_skipped(run, &measurement, metric, type != NULL ? "GFLOP/s" : "GB/s", reason);
}
