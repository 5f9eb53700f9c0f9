/* Measures an own kernel, beside its reference. */
#include "run.h"

#include "host_check.h"
#include "job.h"
#include "judge.h"
#include "outputs.h"
#include "save.h"
#include "variant.h"
#include "wrong.h"

#include "benchmark/loop.h"
#include "benchmark/streams.h"
#include "descriptor/parameters.h"

#include <stdio.h>
#include <string.h>

LAB_IMAGE(kernel);

struct kernel_state {
    struct lab_run *run;
    struct lab_device *device;
    const struct kernel_definition *definition;
    struct lab_lane lane;
    struct lab_module *module; /* the kernels that fill and compare */
    void *found;               /* struct lab_check_result in device memory */
    struct kernel_job jobs[KERNEL_SIDES];
    struct kernel_check check;
    struct kernel_outputs outputs;
    struct lab_work reference_work;
    struct lab_point point;
    struct kernel_wrong wrong;
};

static bool fail(struct kernel_state *s)
{
    s->run->error = s->device->error;
    return false;
}

/* --- verification ------------------------------------------------------------------------------------------------- */

static struct lab_plan *prepare_comparison(struct kernel_state *s, const struct kernel_argument *argument,
                                           size_t buffer)
{
    const struct lab_runtime_module *table = s->device->runtime->module;
    const struct lab_launch launch = {.grid = {LAB_CHECK_BLOCKS}, .block = {LAB_CHECK_THREADS}};
    const struct lab_argument arguments[] = {
        lab_argument_pointer(s->jobs[KERNEL_OWN].buffers.items[buffer].address),
        lab_argument_pointer(s->jobs[KERNEL_REFERENCE].buffers.items[buffer].address),
        lab_argument_u64(kernel_count_of(argument, &s->point)),
        lab_argument_u64(argument->type),
        lab_argument_f64(kernel_tolerance_of(s->definition, argument)),
        lab_argument_pointer(s->found)};
    struct lab_kernel *kernel = table->kernel(s->device, s->module, "kernel_compare");
    return kernel != NULL ? table->prepare(s->device, kernel, &launch, arguments, sizeof arguments / sizeof *arguments)
                          : NULL;
}

/* Reads an element of a buffer of a side. */
static bool read_element(struct kernel_state *s, size_t side, size_t buffer, enum kernel_type type, uint64_t index,
                         uint64_t *bits)
{
    uint32_t bytes = kernel_type_bytes(type);
    *bits = 0;
    return kernel_job_get(&s->jobs[side], buffer, index * bytes, bits, bytes);
}

static bool note_wrong(struct kernel_state *s, const struct kernel_argument *argument, size_t buffer, uint64_t index)
{
    struct kernel_wrong wrong = {.argument = argument, .index = index};
    if (!read_element(s, KERNEL_OWN, buffer, argument->type, index, &wrong.found) ||
        !read_element(s, KERNEL_REFERENCE, buffer, argument->type, index, &wrong.expected))
        return false;
    s->wrong = wrong;
    return true;
}

/* Compares an output with that of the reference. Adds the number of wrong elements to *wrong. */
static bool compare(struct kernel_state *s, const struct kernel_argument *argument, size_t buffer, uint64_t *wrong)
{
    const struct lab_runtime *runtime = s->device->runtime;
    struct lab_stream *stream = s->lane.stream;
    struct lab_check_result result = {0};
    struct lab_plan *plan = prepare_comparison(s, argument, buffer);
    bool good = plan != NULL && runtime->copy(s->device, stream, s->found, &result, sizeof result, LAB_H2D) &&
                runtime->enqueue(s->device, plan, stream) &&
                runtime->copy(s->device, stream, &result, s->found, sizeof result, LAB_D2H) &&
                runtime->stream_synchronize(s->device, stream);
    runtime->plan_free(s->device, plan);
    *wrong += result.wrong;
    return good && (result.wrong == 0 || s->wrong.argument != NULL || note_wrong(s, argument, buffer, ~result.first));
}

/* Makes an output that is saved, or that the check has computed, that of the reference, and compares the two. */
static bool verify_output(struct kernel_state *s, const struct kernel_argument *argument, size_t buffer,
                          uint64_t *wrong)
{
    const unsigned char *given = s->check.outputs[buffer] != NULL ? s->check.outputs[buffer] : argument->saved;
    size_t bytes = (size_t)kernel_count_of(argument, &s->point) * kernel_type_bytes(argument->type);
    return (given == NULL || kernel_job_put(&s->jobs[KERNEL_REFERENCE], buffer, given, bytes)) &&
           compare(s, argument, buffer, wrong);
}

/* Runs the reference once on fresh buffers, and compares all outputs. */
static bool kernel_verify(void *context, uint64_t *wrong)
{
    struct kernel_state *s = context;
    struct kernel_job *reference = &s->jobs[KERNEL_REFERENCE];
    *wrong = 0;
    if (!kernel_job_reset(reference) || !lab_kernels_enqueue(&reference->kernels, &s->lane) ||
        !s->device->runtime->stream_synchronize(s->device, s->lane.stream) || !kernel_job_collect(reference) ||
        !kernel_job_collect(&s->jobs[KERNEL_OWN]))
        return false;
    for (size_t i = 0, buffer = 0; i < s->definition->argument_count; i++) {
        const struct kernel_argument *argument = &s->definition->arguments[i];
        if (kernel_is_output(argument) && !verify_output(s, argument, buffer, wrong))
            return false;
        buffer += kernel_has_elements(argument);
    }
    return true;
}

static void warn_of_wrong(const struct kernel_state *s)
{
    char text[LAB_DETAIL_MAX];
    kernel_wrong_text(s->definition, &s->point, s->jobs[KERNEL_OWN].buffers.seed, &s->wrong, text, sizeof text);
    s->run->sink.warning(s->run->sink.context, text);
}

/* --- the work ----------------------------------------------------------------------------------------------------- */

static bool enqueue_own(void *context)
{
    struct kernel_state *s = context;
    return lab_kernels_enqueue(&s->jobs[KERNEL_OWN].kernels, &s->lane);
}

static bool enqueue_reference(void *context)
{
    struct kernel_state *s = context;
    return lab_kernels_enqueue(&s->jobs[KERNEL_REFERENCE].kernels, &s->lane);
}

static bool kernel_poison(void *context)
{
    struct kernel_state *s = context;
    return kernel_job_reset(&s->jobs[KERNEL_OWN]);
}

static bool renew_inputs(void *context)
{
    struct kernel_state *s = context;
    return kernel_outputs_renew(&s->jobs[KERNEL_OWN]);
}

static bool keep_outputs(void *context)
{
    struct kernel_state *s = context;
    return kernel_outputs_keep(&s->outputs, &s->jobs[KERNEL_OWN]);
}

/* Whether a repetition reads what the previous repetition has written. */
static bool accumulates(const struct kernel_definition *definition)
{
    for (size_t i = 0; i < definition->argument_count; i++)
        if (kernel_is_output(&definition->arguments[i]) && definition->arguments[i].direction == KERNEL_INOUT)
            return true;
    return false;
}

static struct lab_work work_of(struct kernel_state *s)
{
    struct lab_work work = {.timing = LAB_TIME_LATCHED,
                            .lane_count = 1,
                            .lanes = &s->lane,
                            .operations = 1,
                            .compute = true,
                            .context = s,
                            .enqueue = enqueue_own,
                            .poison = kernel_poison};
    if (s->outputs.file != NULL) {
        work.before_sample = renew_inputs;
        work.keep = keep_outputs;
        work.cold = true;
    }
    if (!s->definition->has_reference)
        return work;
    s->reference_work = work;
    s->reference_work.enqueue = enqueue_reference;
    work.verify = kernel_verify;
    work.accumulates = accumulates(s->definition);
    work.baseline = s->definition->is_measured ? &s->reference_work : NULL;
    return work;
}

/* Buffers that fit in the last-level cache are not compared with the peak of the memory (METHOD.md 7). */
static void set_peak(const struct kernel_state *s, struct lab_case *c)
{
    const struct lab_device_facts *facts = &s->device->facts;
    size_t bytes = lab_workload_bytes(&s->jobs[KERNEL_OWN].workload, true);
    if (facts->l2_bytes != LAB_UNKNOWN && bytes <= (size_t)facts->l2_bytes)
        lab_loop_note_cache(s->run, s->device, bytes);
    else
        c->peak = (struct lab_peak){facts->memory_peak_bytes_per_s / 1e9, "device memory"};
}

/* --- the loop ----------------------------------------------------------------------------------------------------- */

static size_t side_count(const struct kernel_state *s)
{
    return s->definition->has_reference ? KERNEL_SIDES : 1;
}

/* The metric that stands for the point: the first of the table that is reported. */
static const char *main_metric(const struct lab_workload *workload)
{
    return workload->counts[LAB_COUNT_BYTES] > 0        ? "bandwidth"
           : workload->counts[LAB_COUNT_OPERATIONS] > 0 ? "throughput"
                                                        : "time";
}

static bool kernel_begin(void *context, struct lab_point *point, struct lab_case *c)
{
    struct kernel_state *s = context;
    struct lab_errors errors = {0};
    s->point = *point;
    s->wrong.argument = NULL;
    const struct lab_own_variant *variant = kernel_variant_at(s->run, point);
    if (variant == NULL)
        return false;
    if (variant->refusal != NULL) {
        c->metric = "time";
        snprintf(c->skipped, sizeof c->skipped, "%s", variant->refusal);
        return true;
    }
    for (size_t side = 0; side < side_count(s); side++) {
        struct kernel_job *job = &s->jobs[side];
        if (!kernel_describe(s->definition, &s->device->facts, point, side, &job->workload, &errors)) {
            s->run->error = errors.items[0];
            return false;
        }
        if (!kernel_job_begin(job, point, side == KERNEL_OWN ? &variant->own : &variant->reference))
            return fail(s);
    }
    const struct kernel_job *own = &s->jobs[KERNEL_OWN];
    if (!kernel_check_compute(&s->check, s->run, point, own->buffers.seed))
        return false;
    kernel_outputs_begin(&s->outputs);
    memcpy(c->counts, own->workload.counts, sizeof c->counts);
    c->metric = main_metric(&own->workload);
    c->kernel = own->kernels.record.name != NULL ? &own->kernels.record : NULL;
    c->work = work_of(s);
    if (c->counts[LAB_COUNT_BYTES] > 0)
        set_peak(s, c);
    return true;
}

static bool kernel_report(void *context, const struct lab_case *c, const struct lab_report *report)
{
    struct kernel_state *s = context;
    const struct lab_workload *workload = &s->jobs[KERNEL_OWN].workload;
    (void)c;
    if (report->outcome->verified_known && !report->outcome->verified)
        warn_of_wrong(s);
    if (s->outputs.file != NULL && !kernel_outputs_write(&s->outputs, &s->jobs[KERNEL_OWN], &s->lane))
        return fail(s);
    return lab_report_kernel(report) && lab_workload_report_figures(workload, report) &&
           kernel_save_outputs(&s->jobs[KERNEL_OWN], &s->lane, report);
}

static void kernel_end(void *context)
{
    struct kernel_state *s = context;
    for (size_t side = 0; side < side_count(s); side++)
        kernel_job_end(&s->jobs[side]);
}

static bool kernel_renew(void *context)
{
    struct kernel_state *s = context;
    for (size_t side = 0; side < side_count(s); side++)
        lab_buffers_release(&s->jobs[side].buffers);
    return true;
}

/* --- the run ------------------------------------------------------------------------------------------------------ */

static bool open_state(struct kernel_state *s)
{
    const struct lab_runtime *runtime = s->device->runtime;
    uint64_t seed = (uint64_t)lab_parameter_integer(s->run->parameters, "seed");
    s->lane = (struct lab_lane){s->device, lab_run_stream(s->run, s->device)};
    if (s->lane.stream == NULL ||
        !runtime->allocate(s->device, LAB_MEMORY_DEVICE, sizeof(struct lab_check_result), &s->found))
        return false;
    s->module = runtime->module->load(s->device, &image);
    for (size_t side = 0; s->module != NULL && side < side_count(s); side++)
        if (!kernel_job_open(&s->jobs[side], s->device, s->lane.stream, s->module, s->definition, seed))
            return false;
    return s->module != NULL;
}

static void close_state(struct kernel_state *s)
{
    const struct lab_runtime *runtime = s->device->runtime;
    for (size_t side = 0; side < KERNEL_SIDES; side++)
        kernel_job_close(&s->jobs[side]);
    if (s->module != NULL)
        runtime->module->unload(s->device, s->module);
    runtime->free(s->device, LAB_MEMORY_DEVICE, s->found);
    lab_run_stream_return(s->run, s->device, s->lane.stream);
}

bool kernel_run(struct lab_run *run)
{
    static const struct lab_loop loop = {
        .begin = kernel_begin, .report = kernel_report, .end = kernel_end, .renew = kernel_renew};
    struct kernel_state s = {
        .run = run, .device = run->devices[0], .definition = kernel_definition_of(run->experiment)};
    if (run->own_kernels == NULL || s.device->runtime->module == NULL)
        return lab_error_set(&run->error, LAB_ERROR_UNSUPPORTED, "", LAB_MODULES_MISSING);
    if (run->judges)
        return kernel_judge(run);
    bool good = kernel_outputs_open(&s.outputs, run) && kernel_check_open(&s.check, run, s.definition);
    if (good) {
        good = open_state(&s) ? lab_loop_run(run, &loop, &s) : fail(&s);
        close_state(&s);
    }
    kernel_check_close(&s.check);
    kernel_outputs_close(&s.outputs);
    return good;
}
