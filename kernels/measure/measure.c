/* Creates measurers, and measures or times a single point. */
#include "measure/measuring.h"

#include <stdio.h>
#include <stdlib.h>

/* --- creating and releasing --------------------------------------------------------------------------------------- */

static struct lab_stopping_limits limits_of(const struct lab_parameters *parameters)
{
    return (struct lab_stopping_limits){
        .min_samples = (size_t)lab_parameter_integer(parameters, "min_samples"),
        .max_samples = (size_t)lab_parameter_integer(parameters, "max_samples"),
        .min_time_s = lab_parameter_number(parameters, "min_time_s"),
        .max_noise = lab_parameter_number(parameters, "max_noise"),
    };
}

struct lab_measurer *lab_measurer_create(struct lab_run *run, size_t points)
{
    struct lab_measurer *m = calloc(1, sizeof *m);
    if (m == NULL)
        goto fail;
    m->run = run;
    m->budget = &m->own_budget;
    m->own_budget = lab_budget_start(lab_parameter_number(run->parameters, "time_budget_s"), points, run->tracing);
    m->limits = limits_of(run->parameters);
    m->sample_s = lab_parameter_number(run->parameters, "sample_s");
    m->settle_s = lab_parameter_number(run->parameters, "settle_s");
    m->rest_s =
        lab_parameter_rest_s(run->parameters, lab_parameter_loads(run->parameters) != NULL ? LAB_BURST : LAB_NO_VALUE);
    m->samples = calloc(m->limits.max_samples, sizeof *m->samples);
    m->baseline_samples = calloc(m->limits.max_samples, sizeof *m->baseline_samples);
    m->round_ends = calloc(m->limits.max_samples, sizeof *m->round_ends);
    if (m->samples == NULL || m->baseline_samples == NULL || m->round_ends == NULL)
        goto fail;
    return m;
fail:
    lab_measurer_release(m);
    lab_error_set(&run->error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for the samples");
    return NULL;
}

struct lab_measurer *lab_measurer_create_beside(struct lab_run *run, struct lab_measurer *other)
{
    struct lab_measurer *m = lab_measurer_create(run, 1);
    if (m != NULL)
        m->budget = other->budget;
    return m;
}

void lab_measurer_release(struct lab_measurer *m)
{
    if (m == NULL)
        return;
    lab_timers_release(&m->timers);
    lab_timers_release(&m->baseline_timers);
    lab_flushes_release(&m->flushes);
    free(m->samples);
    free(m->baseline_samples);
    free(m->round_ends);
    free(m);
}

void lab_measurer_skip(struct lab_measurer *m)
{
    lab_budget_next_point(m->budget);
}

double lab_measurer_remaining_s(const struct lab_measurer *m)
{
    return lab_budget_remaining_s(m->budget);
}

const char *lab_measurer_used_up(struct lab_measurer *m)
{
    if (lab_measurer_remaining_s(m) > 0)
        return NULL;
    snprintf(m->reason, sizeof m->reason, "the time budget of the run (%g s) is used up; raise time_budget_s",
             m->budget->total_s);
    return m->reason;
}

/* --- a point ------------------------------------------------------------------------------------------------------ */

static bool sample(struct lab_measuring *p)
{
    struct lab_outcome *outcome = p->outcome;
    while (outcome->stop_reason == NULL && outcome->unmeasurable == NULL) {
        if (lab_run_cancelled(p->m->run))
            outcome->stop_reason = "cancelled";
        else if (!lab_measuring_take(p))
            return false;
    }
    return outcome->count > 0 || outcome->unmeasurable != NULL ||
           lab_error_set(&p->work->lanes[0].device->error, LAB_ERROR_CANCELLED, "", "the run was cancelled");
}

static bool settle(struct lab_measuring *p)
{
    return lab_measuring_settle(&p, 1);
}

static bool measure_point(struct lab_measuring *p)
{
    static bool (*const steps[])(struct lab_measuring *) = {lab_measuring_prepare,
                                                            settle,
                                                            lab_measuring_keep_energy,
                                                            lab_measuring_read_conditions,
                                                            sample,
                                                            lab_measuring_read_conditions,
                                                            lab_measuring_energy,
                                                            lab_measuring_verify};
    for (size_t i = 0; i < sizeof steps / sizeof *steps && p->outcome->unmeasurable == NULL; i++)
        if (!steps[i](p))
            return false;
    return true;
}

bool lab_measure(struct lab_measurer *m, const struct lab_work *work, struct lab_outcome *outcome)
{
    struct lab_measuring point = lab_measuring_begin(m, work, outcome, 1);
    bool good = measure_point(&point);
    lab_measuring_end(&point, good);
    return good;
}

/* --- calibration of an experiment --------------------------------------------------------------------------------- */

enum { ROUGH_SAMPLES = 5, ROUGH_INVALID_MAX = 20 };

/* Takes ROUGH_SAMPLES samples, fewer when the share of a point is used up. The calibration has taken the first. Returns
 * their number, 0 with the error of the first lane's device set. */
static size_t sample_roughly(struct lab_measuring *p, double samples[ROUGH_SAMPLES])
{
    struct lab_device *device = p->work->lanes[0].device;
    if (!lab_measuring_prepare(p))
        return 0;
    if (!(p->sampling.repetition_s > 0)) {
        lab_error_set(&device->error, LAB_ERROR_UNMEASURABLE, "", "calibration: %s", p->outcome->unmeasurable);
        return 0;
    }
    size_t taken = 0;
    samples[taken++] = p->sampling.repetition_s;
    for (size_t i = 0; i < ROUGH_INVALID_MAX && taken < ROUGH_SAMPLES && lab_now_s() < p->deadline_s; i++) {
        if (lab_run_cancelled(p->m->run)) {
            lab_error_set(&device->error, LAB_ERROR_CANCELLED, "", "the run was cancelled");
            return 0;
        }
        enum lab_sample_status result = lab_sample_take(&p->sampling, &samples[taken]);
        if (result == LAB_SAMPLE_FAILED)
            return 0;
        taken += result == LAB_SAMPLE_VALID;
    }
    return taken;
}

bool lab_time_roughly(struct lab_measurer *m, const struct lab_work *work, double *seconds)
{
    struct lab_work unverified = *work;
    struct lab_outcome outcome;
    double samples[ROUGH_SAMPLES];
    struct lab_summary summary;
    unverified.poison = NULL;
    unverified.verify = NULL;
    unverified.baseline = NULL;
    struct lab_measuring point = lab_measuring_begin(m, &unverified, &outcome, 1);
    size_t taken = sample_roughly(&point, samples);
    if (taken == 0) {
        lab_sampling_drain(&point.sampling);
        m->run->error = work->lanes[0].device->error;
        return false;
    }
    bool good = lab_summarise(samples, taken, &summary);
    *seconds = summary.median;
    return good || lab_error_set(&m->run->error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for a summary");
}

void lab_measurement_from_outcome(struct lab_measurement *measurement, const struct lab_outcome *outcome)
{
    measurement->stop_reason = outcome->stop_reason;
    measurement->verified_known = outcome->verified_known;
    measurement->verified = outcome->verified;
    measurement->wrong = outcome->wrong;
    measurement->cache = outcome->cache;
    measurement->conditions = &outcome->conditions;
}
