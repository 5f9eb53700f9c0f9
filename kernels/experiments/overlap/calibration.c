/* Measures the phases of a job and calibrates the kernel weight. */
#include "calibration.h"

#include "benchmark/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* --- one phase ---------------------------------------------------------------------------------------------------- */

/* The repeated measurement of one phase. Each repetition uses the next full-size chunk, as the job does, so that no
 * chunk stays in a cache. While the other direction is busy, copies in use the even chunks and copies out the odd ones,
 * so no two copies touch the same bytes. */
struct phase {
    const struct overlap_job *job;
    enum lab_engine engine;
    size_t next; /* index of the next repetition, which selects its chunk */
    struct lab_lane lane;
    bool loaded;                 /* copies run in the other direction meanwhile */
    enum lab_engine load_engine; /* the engine of those copies */
    size_t next_load;            /* index of the next of those copies */
};

static size_t chunk_at(const struct phase *phase, enum lab_engine engine, size_t number)
{
    size_t whole = phase->job->workload->bytes / phase->job->chunk_bytes;
    if (whole < 2)
        return 0;
    return phase->loaded ? 2 * (number % (whole / 2)) + (engine == LAB_ENGINE_D2H) : number % whole;
}

static bool enqueue_one(const struct phase *phase, enum lab_engine engine, size_t number, size_t stream)
{
    const struct overlap_operation operation = {.engine = engine, .chunk = chunk_at(phase, engine, number)};
    return overlap_enqueue(phase->job, &operation, phase->job->workload->streams[stream]);
}

static bool enqueue_phase(void *context)
{
    struct phase *phase = context;
    return enqueue_one(phase, phase->engine, phase->next++, 0);
}

static bool enqueue_load(void *context)
{
    struct phase *phase = context;
    return enqueue_one(phase, phase->load_engine, phase->next_load++, 1);
}

static struct lab_work work_of(struct phase *phase)
{
    const struct overlap_workload *w = phase->job->workload;
    phase->lane = (struct lab_lane){w->device, w->streams[0]};
    phase->load_engine = phase->engine == LAB_ENGINE_H2D ? LAB_ENGINE_D2H : LAB_ENGINE_H2D;
    return (struct lab_work){
        .timing = w->memory == LAB_MEMORY_PAGEABLE ? LAB_TIME_HOST_CLOCK : LAB_TIME_LATCHED,
        .lane_count = 1,
        .lanes = &phase->lane,
        .operations = 1,
        .context = phase,
        .enqueue = enqueue_phase,
        .background = phase->loaded ? w->streams[1] : NULL,
        .load = phase->loaded ? enqueue_load : NULL,
    };
}

/* Sets *seconds to the fastest sample; see struct overlap_phases. */
static bool measure_phase(const struct overlap_job *job, const struct lab_point *point, struct lab_measurer *measurer,
                          enum lab_engine engine, bool loaded, double *seconds)
{
    struct phase phase = {.job = job, .engine = engine, .loaded = loaded};
    struct lab_work work = work_of(&phase);
    struct lab_point of_phase = *point;
    struct lab_outcome outcome;
    of_phase.values[OVERLAP_AXIS_PHASE] = engine;
    of_phase.values[OVERLAP_AXIS_OPPOSING] = loaded;
    for (enum overlap_axis axis = OVERLAP_AXIS_VARIANT; axis <= OVERLAP_AXIS_REPLAY; axis++)
        of_phase.values[axis] = LAB_NO_VALUE;
    const struct lab_report report = {job->workload->run, &of_phase, &outcome, .host_memory = true};
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
    return measure_phase(job, point, measurer, LAB_ENGINE_H2D, false, &phases->up) &&
           measure_phase(job, point, measurer, LAB_ENGINE_COMPUTE, false, &phases->kernel) &&
           measure_phase(job, point, measurer, LAB_ENGINE_D2H, false, &phases->down) &&
           measure_phase(job, point, measurer, LAB_ENGINE_H2D, true, &phases->up_contended) &&
           measure_phase(job, point, measurer, LAB_ENGINE_D2H, true, &phases->down_contended);
}

/* --- the kernel weight -------------------------------------------------------------------------------------------- */

static bool time_phase(const struct overlap_workload *workload, struct lab_measurer *measurer, enum lab_engine engine,
                       double *seconds)
{
    struct overlap_job whole;
    bool good = overlap_job_prepare_sequential(&whole, workload, 0);
    if (good) {
        struct phase phase = {.job = &whole, .engine = engine};
        struct lab_work work = work_of(&phase);
        good = lab_time_roughly(measurer, &work, seconds);
    }
    overlap_job_release(&whole);
    return good;
}

/* The kernel takes a + b * weight seconds. The times for two weights, LIGHT and HEAVY, determine a and b; HEAVY is
 * large enough that b * weight dominates. A kernel that at LIGHT is slower than the copy is not timed with HEAVY, which
 * could take longer than the budget of the run. */
static bool search(struct overlap_workload *w, struct lab_measurer *measurer)
{
    enum { LIGHT = 1, HEAVY = 17, WEIGHT_MAX = 100000 };
    double copy, light, heavy;
    w->weight = LIGHT;
    if (!time_phase(w, measurer, LAB_ENGINE_H2D, &copy) || !time_phase(w, measurer, LAB_ENGINE_COMPUTE, &light))
        return false;
    if (light >= copy)
        return true;
    w->weight = HEAVY;
    if (!time_phase(w, measurer, LAB_ENGINE_COMPUTE, &heavy))
        return false;
    double slope = (heavy - light) / (HEAVY - LIGHT);
    double weight = slope > 0 ? LIGHT + (copy - light) / slope : LIGHT;
    w->weight = (uint32_t)fmin(fmax(round(weight), 1), WEIGHT_MAX);
    return true;
}

bool overlap_balance_weight(struct overlap_workload *w, struct lab_measurer *measurer)
{
    char name[64];
    int64_t weight;
    snprintf(name, sizeof name, "weight %zu %s", w->bytes, overlap_memories[w->memory == LAB_MEMORY_PINNED]);
    if (lab_run_find_calibrated(w->run, name, &weight) && weight >= 1 && weight <= UINT32_MAX) {
        w->weight = (uint32_t)weight;
        return true;
    }
    if (!search(w, measurer))
        return false;
    lab_run_keep_calibrated(w->run, name, w->weight);
    return true;
}
