/* Measures or times a single point. */
#include "measure/measuring.h"

#include <math.h>

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
    return lab_measuring_settle(&p, 1, (double)INFINITY);
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
                                                            lab_measuring_count,
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
