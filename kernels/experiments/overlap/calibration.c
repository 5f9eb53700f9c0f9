/* Measures the phases of a job and calibrates the kernel weight. */
#include "calibration.h"

#include "report.h"

#include <math.h>

/* --- one phase ---------------------------------------------------------------------------------------------------- */

/* The repeated measurement of one phase. Each repetition uses the next full-size chunk, as the job does, so that no
 * chunk stays in a cache. While the other direction is busy, copies in use the even chunks and copies out the odd ones,
 * so no two copies touch the same bytes. */
struct phase {
    struct overlap_job *job;
    enum lab_engine engine;
    size_t next; /* index of the next repetition, which selects its chunk */
    struct lab_lane lane;
    bool loaded;                 /* copies run in the other direction meanwhile */
    enum lab_engine load_engine; /* the engine of those copies */
    size_t next_load;            /* index of the next of those copies */
};

static size_t chunk_at(const struct phase *phase, enum lab_engine engine, size_t number)
{
    size_t whole = phase->job->workload.bytes / phase->job->chunk_bytes;
    if (whole < 2)
        return 0;
    return phase->loaded ? 2 * (number % (whole / 2)) + (engine == LAB_ENGINE_D2H) : number % whole;
}

static bool enqueue_one(const struct phase *phase, enum lab_engine engine, size_t number, struct lab_stream *stream)
{
    struct overlap_job *job = phase->job;
    size_t chunk = chunk_at(phase, engine, number);
    switch (engine) {
    case LAB_ENGINE_H2D:
        return overlap_enqueue_up(job, chunk, 0, stream);
    case LAB_ENGINE_D2H:
        return overlap_enqueue_down(job, chunk, stream);
    case LAB_ENGINE_COMPUTE:
        break;
    }
    return overlap_enqueue_kernel(job, chunk, stream);
}

static bool enqueue_phase(void *context)
{
    struct phase *phase = context;
    return enqueue_one(phase, phase->engine, phase->next++, phase->job->streams[0]);
}

static bool enqueue_load(void *context)
{
    struct phase *phase = context;
    return enqueue_one(phase, phase->load_engine, phase->next_load++, phase->job->streams[1]);
}

static struct lab_work work_of(struct phase *phase, bool loaded)
{
    const struct overlap_job *job = phase->job;
    phase->lane = (struct lab_lane){job->device, job->streams[0]};
    phase->loaded = loaded;
    phase->load_engine = phase->engine == LAB_ENGINE_H2D ? LAB_ENGINE_D2H : LAB_ENGINE_H2D;
    return (struct lab_work){
        .timing = job->workload.memory == LAB_MEMORY_PAGEABLE ? LAB_TIME_HOST_CLOCK : LAB_TIME_LATCHED,
        .lane_count = 1,
        .lanes = &phase->lane,
        .operations = 1,
        .context = phase,
        .enqueue = enqueue_phase,
        .background = loaded ? job->streams[1] : NULL,
        .load = loaded ? enqueue_load : NULL,
    };
}

static bool measure_phase(struct overlap_job *job, struct lab_measurer *measurer, enum lab_engine engine, bool loaded,
                          double *seconds)
{
    static const char *const names[] = {
        [LAB_ENGINE_H2D] = "up", [LAB_ENGINE_COMPUTE] = "kernel", [LAB_ENGINE_D2H] = "down"};
    struct phase phase = {.job = job, .engine = engine};
    struct lab_work work = work_of(&phase, loaded);
    struct lab_outcome outcome;
    if (!lab_measure(measurer, &work, &outcome))
        return false;
    struct lab_measurement measurement = {
        .metric = "phase_time", .unit = "s", .cache = "warm", .numa_node = job->run->numa_node};
    overlap_workload_axes(&measurement.axes, job);
    lab_axes_number(&measurement.axes, "chunks", (int64_t)job->point.chunks);
    lab_axes_text(&measurement.axes, "phase", names[engine]);
    lab_axes_flag(&measurement.axes, "opposing", loaded);
    *seconds = NAN;
    if (outcome.unmeasurable != NULL) {
        measurement.skipped = outcome.unmeasurable;
        lab_summarise(NULL, 0, &measurement.summary);
        job->run->sink.measurement(job->run->sink.context, &measurement);
        return true;
    }
    lab_measurement_from_outcome(&measurement, &outcome);
    if (!lab_report_outcome(job->run, &measurement, &outcome, "phase_time", "s", 0))
        return false;
    *seconds = measurement.summary.min; /* see struct overlap_phases */
    return true;
}

bool overlap_measure_phases(struct overlap_job *job, struct lab_measurer *measurer, struct overlap_phases *phases)
{
    return measure_phase(job, measurer, LAB_ENGINE_H2D, false, &phases->up) &&
           measure_phase(job, measurer, LAB_ENGINE_COMPUTE, false, &phases->kernel) &&
           measure_phase(job, measurer, LAB_ENGINE_D2H, false, &phases->down) &&
           measure_phase(job, measurer, LAB_ENGINE_H2D, true, &phases->up_contended) &&
           measure_phase(job, measurer, LAB_ENGINE_D2H, true, &phases->down_contended);
}

/* --- the kernel weight -------------------------------------------------------------------------------------------- */

static bool time_phase(struct overlap_job *job, struct lab_measurer *measurer, enum lab_engine engine, double *seconds)
{
    struct phase phase = {.job = job, .engine = engine};
    struct lab_work work = work_of(&phase, false);
    return lab_time_roughly(measurer, &work, seconds);
}

static bool time_kernel(struct overlap_job *job, struct lab_measurer *measurer, uint32_t weight, double *seconds)
{
    const struct overlap_point whole = {
        .workload = job->workload, .variant = OVERLAP_SEQUENTIAL, .chunks = 1, .streams = 1};
    job->weight = weight;
    return overlap_job_prepare(job, &whole) && time_phase(job, measurer, LAB_ENGINE_COMPUTE, seconds);
}

/* The kernel takes a + b * weight seconds. The times for two weights, LIGHT and HEAVY, determine a and b; HEAVY is
 * large enough that b * weight dominates. */
bool overlap_balance_weight(struct overlap_job *job, struct lab_measurer *measurer)
{
    enum { LIGHT = 1, HEAVY = 17, WEIGHT_MAX = 100000 };
    double copy, light, heavy;
    if (!time_kernel(job, measurer, LIGHT, &light) || !time_phase(job, measurer, LAB_ENGINE_H2D, &copy) ||
        !time_kernel(job, measurer, HEAVY, &heavy))
        return false;
    double slope = (heavy - light) / (HEAVY - LIGHT);
    double weight = slope > 0 ? LIGHT + (copy - light) / slope : LIGHT;
    job->weight = (uint32_t)fmin(fmax(round(weight), 1), WEIGHT_MAX);
    return true;
}
