/* The phases of a job: their times, the schedule simulated from them, and the weight at which copy and kernel take
 * equally long. */
#include "job.h"

#include "benchmark/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* --- times -------------------------------------------------------------------------------------------------------- */

/* The repeated measurement of one phase. Each repetition uses the next full-size chunk, as the job does, so that no
 * chunk stays in a cache. While the other direction is busy, copies in use the even chunks and copies out the odd ones,
 * so no two copies touch the same bytes. */
struct phase {
    const struct overlap_job *job;
    enum lab_engine engine;
    bool contended; /* copies run in the other direction meanwhile */
    size_t next[3]; /* by engine: index of the next repetition, which selects its chunk */
    struct lab_lane lane;
};

static bool enqueue(struct phase *phase, enum lab_engine engine, size_t stream)
{
    const struct overlap_workload *w = phase->job->workload;
    size_t whole = w->arrays.shape.bytes / phase->job->chunk_bytes, number = phase->next[engine]++;
    struct overlap_operation operation = {.engine = engine};
    if (whole >= 2 && phase->contended)
        operation.chunk = 2 * (number % (whole / 2)) + (engine == LAB_ENGINE_D2H);
    else if (whole >= 2)
        operation.chunk = number % whole;
    return overlap_enqueue(phase->job, &operation, w->streams[stream]);
}

static bool enqueue_phase(void *context)
{
    struct phase *phase = context;
    return enqueue(phase, phase->engine, 0);
}

static bool enqueue_load(void *context)
{
    struct phase *phase = context;
    return enqueue(phase, phase->engine == LAB_ENGINE_H2D ? LAB_ENGINE_D2H : LAB_ENGINE_H2D, 1);
}

static struct lab_work work_of(struct phase *phase)
{
    const struct overlap_workload *w = phase->job->workload;
    phase->lane = (struct lab_lane){w->device, w->streams[0]};
    return (struct lab_work){
        .timing = w->arrays.shape.memory == LAB_MEMORY_PAGEABLE ? LAB_TIME_HOST_CLOCK : LAB_TIME_LATCHED,
        .lane_count = 1,
        .lanes = &phase->lane,
        .operations = 1,
        .context = phase,
        .enqueue = enqueue_phase,
        .background = phase->contended ? w->streams[1] : NULL,
        .load = phase->contended ? enqueue_load : NULL,
    };
}

/* Sets *seconds to the fastest sample; see struct overlap_phases. */
static bool measure_phase(struct phase phase, const struct lab_point *point, struct lab_measurer *measurer,
                          double *seconds)
{
    struct lab_work work = work_of(&phase);
    struct lab_point of_phase = *point;
    struct lab_outcome outcome;
    of_phase.values[OVERLAP_AXIS_PHASE] = phase.engine;
    of_phase.values[OVERLAP_AXIS_OPPOSING] = phase.contended;
    for (enum overlap_axis axis = OVERLAP_AXIS_VARIANT; axis <= OVERLAP_AXIS_REPLAY; axis++)
        of_phase.values[axis] = LAB_NO_VALUE;
    const struct lab_report report = {phase.job->workload->run, &of_phase, &outcome,
                                      .numa_node = &phase.job->workload->run->numa_node};
    *seconds = NAN;
    if (!lab_measure(measurer, &work, &outcome))
        return false;
    if (outcome.unmeasurable != NULL) {
        lab_report_skipped(&report, "phase_time", outcome.unmeasurable);
        return true;
    }
    for (size_t i = 0; i < outcome.count; i++)
        *seconds = fmin(*seconds, outcome.samples[i]); /* ignores NAN */
    return lab_report_time(&report, "phase_time");
}

bool overlap_measure_phases(const struct overlap_job *job, const struct lab_point *point, struct lab_measurer *measurer,
                            struct overlap_phases *phases)
{
    for (int contended = 0; contended <= 1; contended++)
        for (enum lab_engine engine = LAB_ENGINE_H2D; engine <= LAB_ENGINE_D2H; engine++) {
            const struct phase phase = {.job = job, .engine = engine, .contended = contended != 0};
            double *seconds = contended != 0 ? phases->contended : phases->alone;
            if (contended != 0 && engine == LAB_ENGINE_COMPUTE)
                seconds[engine] = phases->alone[engine];
            else if (!measure_phase(phase, point, measurer, &seconds[engine]))
                return false;
        }
    return true;
}

/* --- the bound ---------------------------------------------------------------------------------------------------- */

static struct lab_scheduled_operation schedule_one(const struct overlap_job *job,
                                                   const struct overlap_operation *operation,
                                                   const struct overlap_phases *phases)
{
    double fraction = (double)overlap_job_chunk(job, operation->chunk) / (double)job->chunk_bytes;
    return (struct lab_scheduled_operation){
        .stream = operation->stream,
        .engine = operation->engine,
        .alone = fraction * phases->alone[operation->engine],
        .contended = fraction * phases->contended[operation->engine],
        .event_after = operation->event_after,
    };
}

struct lab_scheduled_operation *overlap_scheduled(const struct overlap_job *job, const struct overlap_phases *phases)
{
    struct lab_scheduled_operation *operations = calloc(job->operation_count, sizeof *operations);
    for (size_t i = 0; operations != NULL && i < job->operation_count; i++)
        operations[i] = schedule_one(job, &job->operations[i], phases);
    return operations;
}

/* Devices before compute capability 3.5 have one hardware queue per engine, which executes operations in the order of
 * issue. Later devices and the host runtime have many queues, so an engine may start any operation that is ready. */
static bool has_one_queue(const struct lab_device_facts *facts)
{
    int major, minor;
    return sscanf(facts->compute_capability, "%d.%d", &major, &minor) == 2 && (major < 3 || (major == 3 && minor < 5));
}

/* The order in which a device with many queues starts operations is not documented. So the bound is the shortest of the
 * simulated times, over the orders of enum lab_schedule_order. */
double overlap_bound(const struct overlap_job *job, const struct overlap_phases *phases, size_t copy_engines)
{
    enum lab_schedule_order end = has_one_queue(&job->workload->device->facts) ? LAB_ORDER_READY : LAB_ORDERS;
    struct lab_scheduled_operation *operations = overlap_scheduled(job, phases);
    double best = INFINITY;
    if (operations == NULL)
        return -1;
    for (enum lab_schedule_order order = LAB_ORDER_ISSUED; order < end; order++) {
        const struct lab_schedule_device device = {.copy_engines = copy_engines, .order = order};
        best = fmin(best, lab_schedule_simulate(operations, job->operation_count, &device));
    }
    free(operations);
    return best;
}

/* --- the weight --------------------------------------------------------------------------------------------------- */

struct balance {
    struct overlap_workload *workload;
    struct lab_measurer *measurer;
    double copy_s; /* of the copy in; 0 if not yet known */
};

static bool time_phase(const struct balance *balance, enum lab_engine engine, double *seconds)
{
    struct overlap_job whole;
    bool good = overlap_job_prepare_sequential(&whole, balance->workload, 0);
    if (good) {
        struct phase phase = {.job = &whole, .engine = engine};
        struct lab_work work = work_of(&phase);
        good = lab_time_roughly(balance->measurer, &work, seconds);
    }
    overlap_job_release(&whole);
    return good;
}

static bool time_kernel(void *context, uint32_t weight, double *kernel_s, double *wanted_s)
{
    struct balance *balance = context;
    balance->workload->weight = weight;
    if (balance->copy_s == 0 && !time_phase(balance, LAB_ENGINE_H2D, &balance->copy_s))
        return false;
    *wanted_s = balance->copy_s;
    return time_phase(balance, LAB_ENGINE_COMPUTE, kernel_s);
}

bool overlap_balance_weight(struct overlap_workload *w, struct lab_measurer *measurer)
{
    struct balance balance = {w, measurer, 0};
    const struct lab_offload_search search = {
        .weight_max = OVERLAP_WEIGHT_MAX, .context = &balance, .time = time_kernel};
    return lab_offload_find_weight(w->run, &w->arrays.shape, &search, &w->weight);
}
