/* Arrays, kernels, phases and verification of a job. */
#include "job.h"

#include "experiment/parameters.h"

#include <math.h>

/* The error of any part's device becomes that of the first, where lab_measure reads it. */
static bool forward_error(struct scaling_job *job, const struct scaling_part *part, bool good)
{
    return lab_device_forward_error(job->parts[0].device, part->device, good);
}

static bool each_part(struct scaling_job *job, bool (*step)(struct scaling_job *job, struct scaling_part *part))
{
    for (size_t i = 0; i < job->part_count; i++)
        if (!forward_error(job, &job->parts[i], step(job, &job->parts[i])))
            return false;
    return true;
}

static bool for_run(struct scaling_job *job, bool good)
{
    if (!good)
        job->run->error = job->parts[0].device->error;
    return good;
}

/* --- arrays and kernels ------------------------------------------------------------------------------------------- */

/* Sets sizes and contents of the arrays of part `index`. */
static void describe_part(struct scaling_job *job, size_t index)
{
    struct scaling_part *part = &job->parts[index];
    bool pairs = job->workload.kernel == SCALING_PAIRS;
    uint64_t seed = (uint64_t)lab_parameter_integer(job->run->parameters, "seed") * 2;
    size_t start = scaling_part_start(&job->workload, job->part_count, index);
    size_t bytes = scaling_part_start(&job->workload, job->part_count, index + 1) - start;
    struct lab_expectation holds = {
        .content = pairs ? LAB_CONTENT_WORDS : LAB_CONTENT_INTS, .seed = seed, .first = start / 4};

    part->inputs[0] = (struct scaling_array){.bytes = bytes, .holds = holds};
    part->inputs[1] = part->result = part->inputs[0];
    part->inputs[1].holds.seed = seed + 1;
    if (pairs) {
        /* The partners' seed differs from the elements' seed in a high bit, because seeds that differ only in low bits
         * give the same words in another order. */
        part->inputs[1].holds.seed = seed ^ UINT64_C(1) << 63;
        part->inputs[1].bytes = 4 * (size_t)job->weight;
        part->inputs[1].holds.first = 0; /* every device has all partners */
    } else {
        part->result.holds.content = LAB_CONTENT_AVERAGES;
    }
}

static bool allocate_array(struct scaling_job *job, struct scaling_part *part, struct scaling_array *array)
{
    return job->runtime->allocate(part->device, job->workload.memory, array->bytes, &array->host) &&
           job->runtime->allocate(part->device, LAB_MEMORY_DEVICE, array->bytes, &array->device);
}

static bool fill_array(struct scaling_job *job, const struct scaling_part *part, const struct scaling_array *array)
{
    return lab_verify_fill(part->device, part->stream, job->workload.memory, lab_region_of(array->host, array->bytes),
                           array->holds);
}

static bool make_part(struct scaling_job *job, struct scaling_part *part)
{
    part->stream = job->runtime->stream_create(part->device);
    if (part->stream == NULL)
        return false;
    for (size_t i = 0; i < SCALING_EVENTS; i++)
        if ((part->events[i] = job->runtime->event_create(part->device)) == NULL)
            return false;
    for (size_t i = 0; i < SCALING_INPUTS; i++)
        if (!allocate_array(job, part, &part->inputs[i]) || !fill_array(job, part, &part->inputs[i]))
            return false;
    return allocate_array(job, part, &part->result);
}

static bool prepare_kernel(struct scaling_job *job, struct scaling_part *part)
{
    const struct lab_operation operation = {
        .kind = job->workload.kernel == SCALING_PAIRS ? LAB_OPERATION_ALL_PAIRS : LAB_OPERATION_AVERAGE,
        .destination = lab_region_of(part->result.device, part->result.bytes),
        .source = lab_region_of(part->inputs[0].device, part->inputs[0].bytes),
        .source2 = lab_region_of(part->inputs[1].device, part->inputs[1].bytes),
        .first = part->inputs[0].holds.first,
        .weight = job->weight,
    };
    job->runtime->plan_release(part->device, part->kernel);
    part->kernel = job->runtime->prepare(part->device, &operation);
    return part->kernel != NULL;
}

bool scaling_job_open(struct scaling_job *job, struct lab_run *run, const struct scaling_workload *workload,
                      size_t device_count, uint32_t weight)
{
    *job = (struct scaling_job){.run = run,
                                .runtime = run->devices[0]->runtime,
                                .workload = *workload,
                                .weight = weight,
                                .part_count = device_count};
    for (size_t i = 0; i < device_count; i++) {
        job->parts[i].device = run->devices[i];
        describe_part(job, i);
    }
    job->partners = scaling_sum_partners(job->parts[0].inputs[1].holds.seed, weight);
    bool good = each_part(job, make_part) && each_part(job, prepare_kernel);
    for (size_t i = 0; i < device_count; i++)
        job->lanes[i] = (struct lab_lane){job->parts[i].device, job->parts[i].stream};
    return for_run(job, good);
}

static void release_array(const struct scaling_job *job, struct lab_device *device, const struct scaling_array *array)
{
    job->runtime->release(device, LAB_MEMORY_DEVICE, array->device);
    job->runtime->release(device, job->workload.memory, array->host);
}

void scaling_job_close(struct scaling_job *job)
{
    scaling_threads_stop(job->threads);
    for (size_t i = 0; i < job->part_count; i++) {
        struct scaling_part *part = &job->parts[i];
        if (part->stream != NULL)
            job->runtime->stream_synchronize(part->device, part->stream); /* a failed call may have left work in it */
        job->runtime->plan_release(part->device, part->kernel);
        for (size_t k = 0; k < SCALING_INPUTS; k++)
            release_array(job, part->device, &part->inputs[k]);
        release_array(job, part->device, &part->result);
        for (size_t k = 0; k < SCALING_EVENTS; k++)
            job->runtime->event_release(part->device, part->events[k]);
        job->runtime->stream_release(part->device, part->stream);
    }
    *job = (struct scaling_job){0};
}

bool scaling_job_set_weight(struct scaling_job *job, uint32_t weight)
{
    job->weight = weight;
    job->partners = scaling_sum_partners(job->parts[0].inputs[1].holds.seed, weight);
    for (size_t i = 0; i < job->part_count; i++)
        job->parts[i].inputs[1].bytes = 4 * (size_t)weight;
    return for_run(job, each_part(job, prepare_kernel));
}

/* --- operations on one device ------------------------------------------------------------------------------------- */

static bool record(struct scaling_job *job, struct scaling_part *part, enum scaling_event which)
{
    return job->runtime->event_record(part->device, part->events[which], part->stream);
}

static bool send_inputs(struct scaling_job *job, struct scaling_part *part)
{
    if (job->timing_phases && !record(job, part, SCALING_UP_BEGINS))
        return false;
    for (size_t i = 0; i < SCALING_INPUTS; i++)
        if (!job->runtime->copy(part->device, part->stream, part->inputs[i].device, part->inputs[i].host,
                                part->inputs[i].bytes, LAB_H2D))
            return false;
    return !job->timing_phases || record(job, part, SCALING_UP_ENDS);
}

static bool is_synchronous(const struct scaling_job *job)
{
    return job->variant == SCALING_ONE_THREAD_SYNCHRONOUS || job->variant == SCALING_THREAD_PER_DEVICE_SYNCHRONOUS;
}

static bool start_kernel(struct scaling_job *job, struct scaling_part *part)
{
    return (!job->timing_phases || record(job, part, SCALING_KERNEL_BEGINS)) &&
           job->runtime->enqueue(part->device, part->kernel, part->stream) &&
           (!(job->timing_phases || is_synchronous(job)) || record(job, part, SCALING_KERNEL_ENDS));
}

static bool wait_for_kernel(struct scaling_job *job, struct scaling_part *part)
{
    return job->runtime->event_synchronize(part->device, part->events[SCALING_KERNEL_ENDS]);
}

static bool fetch_result(struct scaling_job *job, struct scaling_part *part)
{
    return (!job->timing_phases || record(job, part, SCALING_DOWN_BEGINS)) &&
           job->runtime->copy(part->device, part->stream, part->result.host, part->result.device, part->result.bytes,
                              LAB_D2H) &&
           (!job->timing_phases || record(job, part, SCALING_DOWN_ENDS));
}

static bool synchronize_part(struct scaling_job *job, struct scaling_part *part)
{
    return job->runtime->stream_synchronize(part->device, part->stream);
}

/* A blocking copy of the result, as in the lecture that the experiment reproduces (scaling.c). */
static bool fetch_and_synchronize(struct scaling_job *job, struct scaling_part *part)
{
    return fetch_result(job, part) && synchronize_part(job, part);
}

/* --- one host thread, or one per device --------------------------------------------------------------------------- */

/* Queues the job from one host thread, phase by phase over all devices, so that no device waits until all operations of
 * another device have been queued. */
static bool serve_all(struct scaling_job *job)
{
    if (!each_part(job, send_inputs) || !each_part(job, start_kernel))
        return false;
    if (is_synchronous(job))
        return each_part(job, wait_for_kernel) && each_part(job, fetch_and_synchronize);
    return each_part(job, fetch_result);
}

/* Queues and completes the part of one device, in the thread of that device. A thread that failed also enters the
 * barrier; otherwise the other threads would wait forever. */
static void serve_part(void *context, size_t index)
{
    struct scaling_job *job = context;
    struct scaling_part *part = &job->parts[index];
    bool good = send_inputs(job, part) && start_kernel(job, part);
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
           lab_error_set(&job->run->error, "out-of-memory", "", "cannot start %zu threads", job->part_count);
}

bool scaling_job_run(void *context)
{
    struct scaling_job *job = context;
    return scaling_job_enqueue(job) && each_part(job, synchronize_part);
}

bool scaling_job_run_timed(struct scaling_job *job, double seconds[][SCALING_PHASES])
{
    static const enum scaling_event ends[SCALING_PHASES][2] = {
        [SCALING_UP] = {SCALING_UP_BEGINS, SCALING_UP_ENDS},
        [SCALING_KERNEL] = {SCALING_KERNEL_BEGINS, SCALING_KERNEL_ENDS},
        [SCALING_DOWN] = {SCALING_DOWN_BEGINS, SCALING_DOWN_ENDS},
    };
    job->timing_phases = true;
    bool good = scaling_job_run(job);
    job->timing_phases = false;
    for (size_t i = 0; good && i < job->part_count; i++) {
        struct scaling_part *part = &job->parts[i];
        for (size_t phase = 0; good && phase < SCALING_PHASES; phase++)
            good = forward_error(job, part,
                                 job->runtime->event_elapsed(part->device, part->events[ends[phase][0]],
                                                             part->events[ends[phase][1]], &seconds[i][phase]));
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

/* Fills a device input with other values of the same kind, which are valid input for the kernel. */
static bool poison_input(struct scaling_part *part, const struct scaling_array *input)
{
    struct lab_expectation other = input->holds;
    other.seed = ~other.seed;
    return lab_verify_fill(part->device, part->stream, LAB_MEMORY_DEVICE, lab_region_of(input->device, input->bytes),
                           other);
}

static bool poison_part(struct scaling_job *job, struct scaling_part *part)
{
    const struct scaling_array *result = &part->result;
    for (size_t i = 0; i < SCALING_INPUTS; i++)
        if (!poison_input(part, &part->inputs[i]))
            return false;
    return lab_verify_poison(part->device, part->stream, LAB_MEMORY_DEVICE,
                             lab_region_of(result->device, result->bytes), result->holds) &&
           lab_verify_poison(part->device, part->stream, job->workload.memory,
                             lab_region_of(result->host, result->bytes), result->holds);
}

/* Also poisons the device arrays, so that leftovers of an earlier job cannot pass verification. */
bool scaling_job_poison(void *context)
{
    struct scaling_job *job = context;
    return each_part(job, poison_part);
}

static bool check_part(struct scaling_job *job, const struct scaling_part *part, uint64_t *wrong)
{
    const struct scaling_array *result = &part->result;
    struct lab_comparison comparison;
    if (job->workload.kernel == SCALING_PAIRS) {
        *wrong += scaling_count_wrong_pairs(result->host, result->bytes / 4, result->holds.seed, result->holds.first,
                                            job->partners);
        return true;
    }
    bool good = lab_verify_check(part->device, part->stream, job->workload.memory,
                                 lab_region_of(result->host, result->bytes), result->holds, &comparison);
    *wrong += comparison.wrong;
    return good;
}

bool scaling_job_verify(void *context, uint64_t *wrong)
{
    struct scaling_job *job = context;
    *wrong = 0;
    for (size_t i = 0; i < job->part_count; i++)
        if (!forward_error(job, &job->parts[i], check_part(job, &job->parts[i], wrong)))
            return false;
    return true;
}
