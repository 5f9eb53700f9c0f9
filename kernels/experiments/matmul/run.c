/* Measures the ceilings and then all points of a matmul run: problem by problem, the reference step first. */
#include "ceilings.h"
#include "experiment/parameters.h"
#include "job.h"
#include "report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Median time of a step at the last measured size, and the floating-point operations of that product. The time at the
 * next size is extrapolated from them. */
struct timed_step {
    double seconds, operations;
};

struct matmul {
    struct lab_run *run;
    struct lab_measurer *measurer;
    struct matmul_job job;
    double reference_s; /* median time of the problem's reference; NAN until it has been measured */
    struct timed_step last_times[LAB_GEMM_STEPS][LAB_GEMM_TYPES][LAB_GEMM_LAYOUTS];
    size_t points, done;
};

/* --- a point ------------------------------------------------------------------------------------------------------ */

/* The reason to skip a step that, extrapolated from the previous size, would take longer than the time budget of the
 * whole run; else NULL. */
static const char *too_slow(const struct matmul *m, const struct matmul_problem *problem, enum lab_gemm_step step,
                            char *reason, size_t size)
{
    const struct timed_step *last = &m->last_times[step][problem->type][problem->layout];
    double budget_s = lab_parameter_number(m->run->parameters, "time_budget_s");
    double samples = (double)lab_parameter_integer(m->run->parameters, "min_samples");
    if (!(last->operations > 0))
        return NULL;
    double seconds = (samples + 4) * last->seconds * matmul_operations(problem) / last->operations;
    if (seconds <= budget_s)
        return NULL;
    snprintf(
        reason, size,
        "extrapolated from the previous size, the point would take %.0f s, more than the time budget of the run (%g s)",
        seconds, budget_s);
    return reason;
}

static bool report(struct matmul *m, enum lab_gemm_step step, const struct lab_outcome *outcome)
{
    const struct matmul_problem *problem = &m->job.problem;
    struct lab_summary summary;
    if (!lab_summarise(outcome->samples, outcome->count, &summary))
        return lab_error_set(&m->run->error, "out-of-memory", "", "out of memory for a summary");
    m->last_times[step][problem->type][problem->layout] =
        (struct timed_step){summary.median, matmul_operations(problem)};
    bool is_reference = step == m->job.runtime->gemm->reference;
    if (!matmul_report_outcome(m->run, problem, step, outcome, is_reference ? NAN : m->reference_s))
        return false;
    if (is_reference)
        m->reference_s = summary.median;
    return true;
}

/* Reports a skipped point and divides its share of the time budget among the remaining points. */
static void skip(struct matmul *m, enum lab_gemm_step step, const char *reason)
{
    matmul_report_skipped(m->run, &m->job.problem, step, reason);
    lab_measurer_skip(m->measurer);
}

/* From 10^11 operations on, a product takes longer than queueing it, so no latch is needed. Waiting behind a latch
 * would let the device cool down and then run faster than in a loop. */
static enum lab_timing timing_of(const struct matmul_problem *problem)
{
    return matmul_operations(problem) >= 1e11 ? LAB_TIME_EVENTS : LAB_TIME_LATCHED;
}

static bool measure_point(struct matmul *m, enum lab_gemm_step step)
{
    struct matmul_job *job = &m->job;
    struct lab_outcome outcome;
    if (!matmul_job_prepare(job, step)) {
        if (job->device->lost || (strcmp(job->device->error.code, "unsupported") != 0 &&
                                  strcmp(job->device->error.code, "insufficient-memory") != 0)) {
            m->run->error = job->device->error;
            return false;
        }
        skip(m, step, job->device->error.detail);
        return true;
    }
    const struct lab_lane lane = {job->device, job->stream};
    struct lab_work work = {
        .timing = timing_of(&job->problem),
        .lane_count = 1,
        .lanes = &lane,
        .operations = 4, /* a library may launch several kernels per product */
        .compute = true,
        .context = job,
        .enqueue = matmul_job_enqueue,
        .poison = matmul_job_poison,
        .verify = matmul_job_verify,
    };
    if (!lab_measure(m->measurer, &work, &outcome))
        return false;
    if (outcome.unmeasurable != NULL) {
        matmul_report_skipped(m->run, &job->problem, step, outcome.unmeasurable);
        return true;
    }
    return report(m, step, &outcome);
}

static bool visit_step(struct matmul *m, enum lab_gemm_step step)
{
    const struct matmul_problem *problem = &m->job.problem;
    char label[96], reason[160];
    if (lab_run_cancelled(m->run))
        return lab_error_set(&m->run->error, "cancelled", "", "the run was cancelled");
    snprintf(label, sizeof label, "%s, %s %s, %zu x %zu x %zu", matmul_steps[step], matmul_types[problem->type],
             matmul_layouts[problem->layout], problem->m, problem->n, problem->k);
    m->run->sink.progress(m->run->sink.context, m->done++, m->points, label);
    if (too_slow(m, problem, step, reason, sizeof reason) != NULL) {
        skip(m, step, reason);
        return true;
    }
    return measure_point(m, step);
}

/* --- the steps of a problem --------------------------------------------------------------------------------------- */

/* Lists the steps to measure, the reference first. For "all" these are the steps that the runtime supports for the
 * type; otherwise all requested steps, so that an unsupported step is reported with its reason. Returns their
 * number. */
static size_t steps_of(const struct matmul *m, enum lab_gemm_type type, enum lab_gemm_step *steps)
{
    const struct lab_values *asked = lab_parameter_values(m->run->parameters, "step");
    const struct lab_runtime_gemm *gemm = m->run->devices[0]->runtime->gemm;
    bool all = matmul_all_steps(m->run->parameters);
    size_t count = 0;
    for (int round = 0; round < 2; round++)
        for (size_t s = 0; s < matmul_step_count(m->run->parameters); s++) {
            enum lab_gemm_step step = (enum lab_gemm_step)(all ? (int64_t)s : asked->items[s].integer);
            bool reference = step == gemm->reference;
            if (reference == (round == 0) && (!all || gemm->has(step, type)))
                steps[count++] = step;
        }
    return count;
}

static bool visit_problem(void *context, const struct matmul_problem *problem)
{
    struct matmul *m = context;
    enum lab_gemm_step steps[LAB_GEMM_STEPS];
    size_t count = steps_of(m, problem->type, steps);
    m->reference_s = NAN;
    if (count > 0 && !matmul_job_set(&m->job, problem))
        return false;
    for (size_t s = 0; s < count; s++)
        if (!visit_step(m, steps[s]))
            return false;
    return true;
}

static bool count_problem(void *context, const struct matmul_problem *problem)
{
    struct matmul *m = context;
    enum lab_gemm_step steps[LAB_GEMM_STEPS];
    m->points += steps_of(m, problem->type, steps);
    return true;
}

bool matmul_run(struct lab_run *run)
{
    struct matmul m = {.run = run, .points = matmul_ceiling_count(run)};
    if (run->devices[0]->runtime->gemm == NULL)
        return lab_error_set(&run->error, "unsupported", "",
                             "this device's runtime does not support matrix multiplication");
    matmul_each_problem(run->parameters, count_problem, &m);
    m.measurer = lab_measurer_create(run, m.points);
    bool good = m.measurer != NULL && matmul_job_open(&m.job, run) &&
                matmul_measure_ceilings(run, m.measurer, &m.done, m.points) &&
                matmul_each_problem(run->parameters, visit_problem, &m);
    if (good)
        run->sink.progress(run->sink.context, m.done, m.points, "done");
    matmul_job_close(&m.job);
    lab_measurer_release(m.measurer);
    return good;
}
