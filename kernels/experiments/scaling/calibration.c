/* Finds the kernel weight at which a job takes one device a given time. */
#include "job.h"

#include "measure/clock.h"

#include <math.h>
#include <stdio.h>

/* The weight is extrapolated only from kernel times of at least this, or of half the time that is aimed at. */
static const double trusted_s = 0.05;

/* Rounds to the nearest of 1, 2, 3, 4, 6, 8, 12, … by ratio. */
static uint32_t rounded(double weight)
{
    double power = exp2(floor(log2(weight)));
    double ratio = weight / power;
    double nearest = ratio < sqrt(1.5) ? 1 : ratio < sqrt(3) ? 1.5 : 2;
    return (uint32_t)fmin(fmax(floor(nearest * power), 1), SCALING_WEIGHT_MAX);
}

/* Measures the kernel time and the remaining time of jobs with this weight. Takes the smallest of three jobs, because
 * the first job includes start-up costs and other load on the machine only adds time. */
static bool time_jobs(struct scaling_job *job, uint32_t weight, double *kernel_s, double *other_s)
{
    enum { JOBS = 3 };
    double phases[LAB_RUN_DEVICES_MAX][SCALING_PHASES];
    *kernel_s = *other_s = INFINITY;
    if (!scaling_job_set_weight(job, weight))
        return false;
    for (int i = 0; i < JOBS; i++) {
        double start_s = lab_now_s();
        if (!scaling_job_run_timed(job, phases))
            return false;
        *other_s = fmin(*other_s, fmax(lab_now_s() - start_s - phases[0][SCALING_KERNEL], 0));
        *kernel_s = fmin(*kernel_s, phases[0][SCALING_KERNEL]);
    }
    return true;
}

static bool search(struct scaling_job *job, double target_s, uint32_t *found)
{
    double weight = 1, kernel_s, other_s, least_s = fmin(trusted_s, target_s / 2);
    for (;;) {
        if (lab_run_cancelled(job->run))
            return lab_error_set(&job->run->error, "cancelled", "", "the run was cancelled");
        if (!time_jobs(job, (uint32_t)weight, &kernel_s, &other_s))
            return false;
        if (kernel_s >= least_s || weight >= SCALING_WEIGHT_MAX)
            break;
        weight = fmin(floor(weight * fmin(fmax(2 * least_s / fmax(kernel_s, 1e-9), 2), 64)), SCALING_WEIGHT_MAX);
    }
    *found = rounded(fmax(weight * (target_s - other_s) / fmax(kernel_s, 1e-9), 1));
    return true;
}

bool scaling_find_weight(struct lab_run *run, const struct scaling_workload *workload, double target_s,
                         uint32_t *weight)
{
    struct scaling_job job;
    char name[64];
    int64_t known;
    snprintf(name, sizeof name, "weight %zu %s", workload->bytes,
             scaling_memories[workload->memory == LAB_MEMORY_PINNED]);
    if (lab_run_find_calibrated(run, name, &known) && known >= 1 && known <= SCALING_WEIGHT_MAX) {
        *weight = (uint32_t)known;
        return true;
    }
    bool good = scaling_job_open(&job, run, workload, 1, SCALING_WEIGHT_MAX) && search(&job, target_s, weight);
    scaling_job_close(&job);
    if (good)
        lab_run_keep_calibrated(run, name, *weight);
    return good;
}
