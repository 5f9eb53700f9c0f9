/* Parts, phases and calibration of a job. */
#include "job.h"

#include "descriptor/parameters.h"
#include "measure/clock.h"
#include "measure/placement.h"

#include <math.h>

/* The error of any part's device becomes that of the first, where lab_measure reads it. */
static bool each_part(struct scaling_job *job, bool (*step)(struct scaling_job *job, struct scaling_part *part))
{
    for (size_t i = 0; i < job->part_count; i++)
        if (!lab_device_forward_error(job->parts[0].device, job->parts[i].device, step(job, &job->parts[i])))
            return false;
    return true;
}

static bool for_run(struct scaling_job *job, bool good)
{
    if (!good)
        job->run->error = job->parts[0].device->error;
    return good;
}

/* --- parts -------------------------------------------------------------------------------------------------------- */

static bool open_part(struct scaling_job *job, size_t index)
{
    struct scaling_part *part = &job->parts[index];
    const struct lab_offload_shape shape = scaling_part_of(&job->workload, job->part_count, index);
    uint64_t seed = (uint64_t)lab_parameter_integer(job->run->parameters, "seed") * 2;
    part->device = job->run->devices[index];
    part->stream = lab_resources_stream(&job->resources, part->device);
    job->lanes[index] = (struct lab_lane){part->device, part->stream};
    if (part->stream == NULL)
        return false;
    for (size_t phase = 0; phase < SCALING_PHASES; phase++)
        for (size_t end = 0; end < 2; end++)
            if ((part->events[phase][end] = lab_resources_event(&job->resources, part->device)) == NULL)
                return false;
    int64_t node = lab_placement_bind(part->device->facts.numa_node);
    bool good = lab_run_forward_error(job->run, part->device,
                                      lab_offload_open(&part->arrays, part->device, part->stream, seed, &shape));
    lab_placement_return(job->run->numa_node);
    job->numa_node = index == 0 ? node : lab_placement_common(job->numa_node, node);
    return good;
}

static bool prepare_kernel(struct scaling_job *job, struct scaling_part *part)
{
    job->runtime->plan_free(part->device, part->kernel);
    part->kernel = lab_offload_prepare(&part->arrays, 0, part->arrays.shape.bytes, job->weight, LAB_OFFLOAD_BLOCK);
    return part->kernel != NULL;
}

bool scaling_job_open(struct scaling_job *job, struct lab_run *run, const struct scaling_workload *workload,
                      size_t device_count)
{
    *job = (struct scaling_job){.run = run,
                                .runtime = run->devices[0]->runtime,
                                .workload = *workload,
                                .weight = (uint32_t)workload->arrays.partners,
                                .resources = {.run = run},
                                .part_count = device_count};
    bool good = true;
    for (size_t i = 0; good && i < device_count; i++)
        good = open_part(job, i);
    good = good && for_run(job, each_part(job, prepare_kernel));
    if (!good)
        scaling_job_close(job);
    return good;
}

void scaling_job_close(struct scaling_job *job)
{
    scaling_threads_stop(job->threads);
    for (size_t i = 0; i < job->part_count; i++) {
        struct scaling_part *part = &job->parts[i];
        if (part->stream != NULL)
            job->runtime->stream_synchronize(part->device, part->stream); /* a failed call may have left work in it */
        if (part->kernel != NULL)
            job->runtime->plan_free(part->device, part->kernel);
        lab_offload_close(&part->arrays);
    }
    lab_resources_release(&job->resources, 0);
    *job = (struct scaling_job){0};
}

/* --- phases on one device ----------------------------------------------------------------------------------------- */

static bool copy_in(struct scaling_job *job, struct scaling_part *part)
{
    const struct lab_offload_shape *shape = &part->arrays.shape;
    size_t second = shape->kernel == &lab_offload_pairs ? 4 * (size_t)job->weight : shape->bytes;
    return lab_offload_copy_in(&part->arrays, part->stream, 0, 0, 0, shape->bytes) &&
           lab_offload_copy_in(&part->arrays, part->stream, 1, 0, 0, second);
}

static bool scaling_launch(struct scaling_job *job, struct scaling_part *part)
{
    return job->runtime->enqueue(part->device, part->kernel, part->stream);
}

static bool copy_out(struct scaling_job *job, struct scaling_part *part)
{
    (void)job;
    return lab_offload_copy_out(&part->arrays, part->stream, 0, part->arrays.shape.bytes);
}

static bool is_synchronous(const struct scaling_job *job)
{
    return job->variant == SCALING_ONE_THREAD_SYNCHRONOUS || job->variant == SCALING_THREAD_PER_DEVICE_SYNCHRONOUS;
}

/* Queues a phase, with the events that are timed or waited for. */
static bool queue(struct scaling_job *job, struct scaling_part *part, enum scaling_phase phase)
{
    static bool (*const steps[])(struct scaling_job * job, struct scaling_part * part) = {copy_in, scaling_launch,
                                                                                          copy_out};
    struct lab_event *const *events = part->events[phase];
    bool awaited = phase == SCALING_KERNEL && is_synchronous(job);
    return (!job->timing_phases || job->runtime->event_record(part->device, events[0], part->stream)) &&
           steps[phase](job, part) &&
           (!(job->timing_phases || awaited) || job->runtime->event_record(part->device, events[1], part->stream));
}

/* Queues a phase on all devices. */
static bool queue_all(struct scaling_job *job, enum scaling_phase phase)
{
    for (size_t i = 0; i < job->part_count; i++)
        if (!lab_device_forward_error(job->parts[0].device, job->parts[i].device, queue(job, &job->parts[i], phase)))
            return false;
    return true;
}

static bool wait_for_kernel(struct scaling_job *job, struct scaling_part *part)
{
    return job->runtime->event_synchronize(part->device, part->events[SCALING_KERNEL][1]);
}

static bool synchronize_part(struct scaling_job *job, struct scaling_part *part)
{
    return job->runtime->stream_synchronize(part->device, part->stream);
}

/* A blocking copy of the result, as in the lecture that the experiment reproduces (scaling.c). */
static bool fetch_and_synchronize(struct scaling_job *job, struct scaling_part *part)
{
    return queue(job, part, SCALING_DOWN) && synchronize_part(job, part);
}

/* --- one host thread, or one per device --------------------------------------------------------------------------- */

/* Queues the job from one host thread, phase by phase over all devices, so that no device waits until all operations of
 * another device have been queued. */
static bool serve_all(struct scaling_job *job)
{
    if (!queue_all(job, SCALING_UP) || !queue_all(job, SCALING_KERNEL))
        return false;
    if (is_synchronous(job))
        return each_part(job, wait_for_kernel) && each_part(job, fetch_and_synchronize);
    return queue_all(job, SCALING_DOWN);
}

/* Queues and completes the part of one device, in the thread of that device, on its NUMA node. A thread that failed
 * also enters the barrier; otherwise the other threads would wait forever. */
static void serve_part(void *context, size_t index)
{
    struct scaling_job *job = context;
    struct scaling_part *part = &job->parts[index];
    lab_placement_bind(part->device->facts.numa_node); /* does nothing from the second job on */
    bool good = queue(job, part, SCALING_UP) && queue(job, part, SCALING_KERNEL);
    if (is_synchronous(job)) {
        good = good && wait_for_kernel(job, part);
        scaling_threads_barrier(job->threads);
    }
    part->failed = !(good && fetch_and_synchronize(job, part));
}

static bool has_not_failed(struct scaling_job *job, struct scaling_part *part)
{
    (void)job;
    return !part->failed;
}

bool scaling_job_enqueue(void *context)
{
    struct scaling_job *job = context;
    if (job->threads == NULL)
        return serve_all(job);
    scaling_threads_run(job->threads);
    return each_part(job, has_not_failed);
}

bool scaling_job_set_variant(struct scaling_job *job, enum scaling_variant variant)
{
    bool one_thread = variant == SCALING_ONE_THREAD || variant == SCALING_ONE_THREAD_SYNCHRONOUS;
    job->variant = variant;
    if (one_thread) {
        scaling_threads_stop(job->threads);
        job->threads = NULL;
    } else if (job->threads == NULL) {
        job->threads = scaling_threads_start(job->part_count, serve_part, job);
    }
    return one_thread || job->threads != NULL ||
           lab_error_set(&job->run->error, LAB_ERROR_OUT_OF_MEMORY, "", "cannot start %zu threads", job->part_count);
}

bool scaling_job_run(void *context)
{
    struct scaling_job *job = context;
    return scaling_job_enqueue(job) && each_part(job, synchronize_part);
}

bool scaling_job_run_timed(struct scaling_job *job, double seconds[][SCALING_PHASES])
{
    job->timing_phases = true;
    bool good = scaling_job_run(job);
    job->timing_phases = false;
    for (size_t i = 0; good && i < job->part_count; i++) {
        struct scaling_part *part = &job->parts[i];
        for (size_t phase = 0; good && phase < SCALING_PHASES; phase++)
            good = job->runtime->event_elapsed(part->device, part->events[phase][0], part->events[phase][1],
                                               &seconds[i][phase]);
        lab_device_forward_error(job->parts[0].device, part->device, good);
    }
    return for_run(job, good);
}

double scaling_imbalance(const double seconds[][SCALING_PHASES], size_t device_count)
{
    double longest = 0, sum = 0;
    for (size_t i = 0; i < device_count; i++) {
        double busy = seconds[i][SCALING_UP] + seconds[i][SCALING_KERNEL] + seconds[i][SCALING_DOWN];
        longest = fmax(longest, busy);
        sum += busy;
    }
    return longest / (sum / (double)device_count) - 1;
}

/* --- verification ------------------------------------------------------------------------------------------------- */

static bool poison_part(struct scaling_job *job, struct scaling_part *part)
{
    (void)job;
    return lab_offload_poison(&part->arrays);
}

bool scaling_job_poison(void *context)
{
    return each_part(context, poison_part);
}

bool scaling_job_verify(void *context, uint64_t *wrong)
{
    struct scaling_job *job = context;
    *wrong = 0;
    for (size_t i = 0; i < job->part_count; i++) {
        struct lab_mismatch comparison;
        bool good = lab_offload_verify(&job->parts[i].arrays, &comparison);
        if (!lab_device_forward_error(job->parts[0].device, job->parts[i].device, good))
            return false;
        *wrong += comparison.wrong;
    }
    return true;
}

/* --- calibration -------------------------------------------------------------------------------------------------- */

struct calibration {
    struct lab_run *run;
    struct scaling_workload widest; /* with as many partners as there can be */
    struct scaling_job job;
    double target_s;
};

/* Takes the smallest times of three jobs, because the first job includes start-up costs and other load on the machine
 * only adds time. The kernel should take what the rest of the job leaves of the target. */
static bool time_kernel(void *context, uint32_t weight, double *kernel_s, double *wanted_s)
{
    enum { JOBS = 3 };
    struct calibration *c = context;
    struct scaling_job *job = &c->job;
    double phases[LAB_RUN_DEVICES_MAX][SCALING_PHASES] = {{0}}, other_s = INFINITY;
    if (job->part_count == 0 && !scaling_job_open(job, c->run, &c->widest, 1))
        return false;
    job->weight = weight;
    if (!for_run(job, each_part(job, prepare_kernel)))
        return false;
    *kernel_s = INFINITY;
    for (int i = 0; i < JOBS; i++) {
        double start_s = lab_now_s();
        if (!scaling_job_run_timed(job, phases))
            return false;
        other_s = fmin(other_s, fmax(lab_now_s() - start_s - phases[0][SCALING_KERNEL], 0));
        *kernel_s = fmin(*kernel_s, phases[0][SCALING_KERNEL]);
    }
    *wanted_s = fmax(c->target_s - other_s, 0);
    return true;
}

bool scaling_find_weight(struct lab_run *run, const struct scaling_workload *workload, double target_s,
                         uint32_t *weight)
{
    struct calibration c = {.run = run, .widest = *workload, .target_s = target_s};
    const struct lab_offload_search search = {
        .weight_max = SCALING_WEIGHT_MAX, .coarse = true, .context = &c, .time = time_kernel};
    c.widest.arrays.partners = SCALING_WEIGHT_MAX;
    bool good = lab_offload_find_weight(run, &workload->arrays, &search, weight);
    scaling_job_close(&c.job);
    return good;
}
