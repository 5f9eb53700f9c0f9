/* Finds the kernel weight at which a job takes one device half a second. */
#include "job.h"

#include "measure/sampling.h"

#include <math.h>

static const double target_s = 0.5;   /* duration of a calibrated job */
static const double trusted_s = 0.05; /* the weight is extrapolated only from kernel times of at least this */

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

static bool search(struct scaling_job *job, uint32_t *found)
{
    double weight = 64, kernel_s, other_s;
    for (;;) {
        if (lab_run_cancelled(job->run))
            return lab_error_set(&job->run->error, "cancelled", "", "the run was cancelled");
        if (!time_jobs(job, (uint32_t)weight, &kernel_s, &other_s))
            return false;
        if (kernel_s >= trusted_s || weight >= SCALING_WEIGHT_MAX)
            break;
        weight = fmin(floor(weight * fmin(fmax(2 * trusted_s / fmax(kernel_s, 1e-9), 2), 64)), SCALING_WEIGHT_MAX);
    }
    *found = rounded(fmax(weight * (target_s - other_s) / fmax(kernel_s, 1e-9), 1));
    return true;
}

bool scaling_find_weight(struct lab_run *run, const struct scaling_workload *workload, uint32_t *weight)
{
    struct scaling_job job;
    bool good = scaling_job_open(&job, run, workload, 1, SCALING_WEIGHT_MAX) && search(&job, weight);
    scaling_job_close(&job);
    return good;
}
