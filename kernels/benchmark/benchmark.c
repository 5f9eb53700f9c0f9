/* Runs a benchmark: prepares the workload of a point as a case of the loop. */
#include "benchmark/benchmark.h"

#include "benchmark/copies.h"
#include "benchmark/kernels.h"
#include "benchmark/loop.h"
#include "benchmark/streams.h"
#include "descriptor/parameters.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A workload with its memory and its kernels or copies. */
struct job {
    struct lab_workload workload;
    struct lab_buffers buffers;
    struct lab_kernels kernels;
    struct lab_copies copies;
    struct lab_lane lanes[LAB_STREAMS_MAX]; /* the streams of the steps */
    bool defaults;                          /* they are not all of the first kind */
};

struct lab_benchmark_state {
    struct lab_run *run;
    struct lab_device *device;
    const struct lab_benchmark *benchmark;
    size_t lane_count; /* streams that are created: those of copies, and as many as a workload has had */
    struct lab_lane lanes[LAB_STREAMS_MAX]; /* kernels run on the first one unless the workload has several */
    struct lab_fitting fitting;
    struct lab_medians medians;      /* of all points, if the benchmark summarises them */
    bool open;                       /* the jobs are: their kernels are loaded */
    struct job job;                  /* of the current point */
    const struct lab_metric *metric; /* its main metric */
    struct job baseline;             /* opened if the benchmark has baselines */
    struct lab_work baseline_work;   /* of the current point's baseline */
};

/* --- open and close ----------------------------------------------------------------------------------------------- */

static bool fail(struct lab_benchmark_state *s)
{
    s->run->error = s->device->error;
    return false;
}

/* Creates streams until there are `count` of them. */
static bool create_streams(struct lab_benchmark_state *s, size_t count)
{
    for (; s->lane_count < count; s->lane_count++) {
        struct lab_stream *stream = lab_run_stream(s->run, s->device);
        if (stream == NULL)
            return false;
        s->lanes[s->lane_count] = (struct lab_lane){s->device, stream};
    }
    return true;
}

/* A stream of a workload that is not of the first kind. Returns NULL with the device's error set. */
static struct lab_stream *special_stream(struct lab_device *device, enum lab_workload_stream kind)
{
    const struct lab_runtime_default_streams *table = device->runtime->default_streams;
    if (table != NULL)
        return kind == LAB_STREAM_LEGACY       ? table->legacy(device)
               : kind == LAB_STREAM_PER_THREAD ? table->per_thread(device)
                                               : table->create_blocking(device);
    lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "",
                  "this device has no default stream, and no stream waits for it");
    return NULL;
}

/* Sets the streams of a workload's steps. */
static bool prepare_streams(struct lab_benchmark_state *s, struct job *job)
{
    size_t count = job->workload.stream_count > 0 ? job->workload.stream_count : 1;
    if (!create_streams(s, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        enum lab_workload_stream kind = job->workload.streams[i];
        job->lanes[i] = s->lanes[i];
        if (kind != LAB_STREAM_NON_BLOCKING && (job->lanes[i].stream = special_stream(s->device, kind)) == NULL)
            return false;
        job->defaults = job->defaults || kind != LAB_STREAM_NON_BLOCKING;
    }
    return true;
}

static void release_streams(struct job *job)
{
    for (size_t i = 0; i < job->workload.stream_count; i++)
        if (job->workload.streams[i] == LAB_STREAM_BLOCKING && job->lanes[i].stream != NULL)
            job->lanes[i].device->runtime->stream_free(job->lanes[i].device, job->lanes[i].stream);
    memset(job->lanes, 0, sizeof job->lanes);
    job->defaults = false;
}

/* The run's own kernels, which are those of its experiment and not of another benchmark that it measures too. */
static const struct lab_own_kernels *own_kernels_of(const struct lab_benchmark_state *s)
{
    return s->run->experiment->benchmark == s->benchmark ? s->run->own_kernels : NULL;
}

static bool open_job(struct lab_benchmark_state *s, struct job *job)
{
    job->buffers.device = job->copies.device = s->device;
    job->buffers.stream = s->lanes[0].stream;
    for (size_t i = 0; i < LAB_COPIES_MAX; i++)
        job->copies.streams[i] = s->lanes[i].stream;
    job->buffers.seed = (uint64_t)lab_parameter_integer(s->run->parameters, "seed");
    if (!lab_kernels_open(&job->kernels, s->device, s->benchmark->image, own_kernels_of(s)))
        return false;
    job->buffers.module = job->kernels.module;
    job->buffers.own = &job->kernels.own;
    return true;
}

static bool open_jobs(struct lab_benchmark_state *s)
{
    s->open = true;
    return open_job(s, &s->job) && (s->benchmark->baseline == NULL || open_job(s, &s->baseline));
}

static void close_job(struct job *job)
{
    lab_buffers_release(&job->buffers);
    lab_kernels_close(&job->kernels);
}

void lab_benchmark_renew(struct lab_benchmark_state *s)
{
    close_job(&s->job);
    close_job(&s->baseline);
    s->job = s->baseline = (struct job){0};
    s->open = false;
}

struct lab_benchmark_state *lab_benchmark_open(struct lab_run *run, struct lab_device *device,
                                               const struct lab_benchmark *benchmark)
{
    struct lab_benchmark_state *s = calloc(1, sizeof *s);
    if (s == NULL) {
        lab_error_set(&run->error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for the state of a benchmark");
        return NULL;
    }
    s->run = run;
    s->device = device;
    s->benchmark = benchmark;
    if (create_streams(s, LAB_COPIES_MAX) && open_jobs(s))
        return s;
    fail(s);
    lab_benchmark_close(s);
    return NULL;
}

void lab_benchmark_close(struct lab_benchmark_state *s)
{
    if (s == NULL)
        return;
    close_job(&s->job);
    close_job(&s->baseline);
    for (size_t i = 0; i < s->lane_count; i++)
        lab_run_stream_return(s->run, s->device, s->lanes[i].stream);
    free(s);
}

/* --- the work of a point ------------------------------------------------------------------------------------------ */

static bool enqueue_kernels(void *context)
{
    struct job *job = context;
    return lab_kernels_enqueue(&job->kernels, job->lanes);
}

static bool enqueue_copies(void *context)
{
    return lab_copies_enqueue(&((struct job *)context)->copies);
}

static bool enqueue_background(void *context)
{
    return lab_copies_enqueue_background(&((struct job *)context)->copies);
}

static bool benchmark_poison(void *context)
{
    return lab_buffers_poison(&((struct job *)context)->buffers);
}

static bool verify_kernels(void *context, uint64_t *wrong)
{
    struct job *job = context;
    return lab_kernels_check(&job->kernels, job->buffers.stream, wrong);
}

static bool verify_copies(void *context, uint64_t *wrong)
{
    return lab_copies_check(&((struct job *)context)->copies, wrong);
}

static struct lab_work kernel_work(struct job *job)
{
    size_t in_place = job->workload.repetitions_in_place, streams = job->workload.stream_count;
    return (struct lab_work){.timing = job->defaults ? LAB_TIME_HOST_CLOCK : LAB_TIME_LATCHED,
                             .lane_count = streams > 0 ? streams : 1,
                             .lanes = job->lanes,
                             .operations = job->workload.step_count,
                             .compute = !job->workload.waits,
                             .cacheless = job->workload.waits,
                             .context = job,
                             .enqueue = enqueue_kernels,
                             .poison = benchmark_poison,
                             .verify = job->workload.check.kernel != NULL ? verify_kernels : NULL,
                             .accumulates = job->workload.check.accumulates || in_place > 0,
                             .before_sample = in_place > 0 ? benchmark_poison : NULL,
                             .repetitions_max = in_place};
}

static struct lab_work copies_work(const struct lab_benchmark_state *s, struct job *job)
{
    size_t measured = lab_copies_measured(&job->workload);
    return (struct lab_work){.timing = lab_copies_timing(&job->workload),
                             .lane_count = measured,
                             .lanes = s->lanes,
                             .operations = measured,
                             .context = job,
                             .enqueue = enqueue_copies,
                             .poison = benchmark_poison,
                             .verify = verify_copies,
                             .background = job->workload.background ? s->lanes[1].stream : NULL,
                             .load = job->workload.background ? enqueue_background : NULL};
}

static struct lab_work work_of(const struct lab_benchmark_state *s, struct job *job)
{
    return job->workload.step_count > 0 ? kernel_work(job) : copies_work(s, job);
}

/* --- the case of a point ------------------------------------------------------------------------------------------ */

static bool counts_bytes(const struct lab_metric *metric)
{
    return metric->counter == LAB_COUNT_BYTES || metric->counter == LAB_COUNT_AGGREGATE_BYTES;
}

static const struct lab_metric *main_metric(const struct lab_experiment *experiment,
                                            const struct lab_workload *workload)
{
    for (const struct lab_metric *m = experiment->metrics; m->name != NULL; m++)
        if (workload->counts[m->counter] > 0)
            return m;
    return experiment->metrics;
}

/* Work on buffers that fit in the last-level cache is not compared with the peak of the memory (METHOD.md 7). */
static void set_memory_peak(const struct lab_benchmark_state *s, struct lab_case *c)
{
    const struct lab_device_facts *facts = &s->device->facts;
    size_t bytes = lab_workload_bytes(&s->job.workload, true);
    if (facts->l2_bytes != LAB_UNKNOWN && bytes <= (size_t)facts->l2_bytes)
        lab_loop_note_cache(s->run, s->device, bytes);
    else
        c->peak = (struct lab_peak){facts->memory_peak_bytes_per_s / 1e9, "device memory"};
}

static void set_peak(const struct lab_benchmark_state *s, struct lab_case *c)
{
    if (s->job.workload.peak.what != NULL)
        c->peak = s->job.workload.peak;
    else if (counts_bytes(s->metric) && c->numa_node != NULL)
        c->peak = lab_link_peak(&s->device->facts, lab_copies_measured(&s->job.workload) == 2, c->peak_text);
    else if (counts_bytes(s->metric))
        set_memory_peak(s, c);
}

static struct lab_workload describe_workload(const struct lab_benchmark_state *s, const struct lab_point *point)
{
    struct lab_workload workload = {0};
    s->benchmark->describe(s->run->parameters, &s->device->facts, point, &workload);
    return workload;
}

/* Describes the point, and sets all that its workload determines without the device. */
static void describe(struct lab_benchmark_state *s, const struct lab_point *point, struct lab_case *c)
{
    const struct job *job = &s->job;
    s->job.workload = describe_workload(s, point);
    s->metric = main_metric(s->run->experiment, &job->workload);
    c->metric = s->metric->name;
    c->numa_node = lab_workload_bytes(&job->workload, false) > 0 ? &s->run->numa_node : NULL;
    memcpy(c->counts, job->workload.counts, sizeof c->counts);
    bool refused = job->workload.step_count > 0 && job->kernels.module == NULL;
    snprintf(c->skipped, sizeof c->skipped, "%s",
             refused && job->workload.skipped[0] == '\0' ? job->kernels.refusal : job->workload.skipped);
}

static bool prepare(struct lab_benchmark_state *s, struct job *job)
{
    return prepare_streams(s, job) && lab_buffers_prepare(&job->buffers, &job->workload) &&
           (job->workload.step_count > 0 ? lab_kernels_begin(&job->kernels, &job->buffers)
                                         : lab_copies_begin(&job->copies, &job->buffers));
}

/* Prepares the baseline of a point, if it has one that is not skipped. */
static bool prepare_baseline(struct lab_benchmark_state *s, const struct lab_point *point, struct lab_work *work)
{
    struct lab_point baseline;
    if (s->benchmark->baseline == NULL || !s->benchmark->baseline(point, &baseline))
        return true;
    s->baseline.workload = describe_workload(s, &baseline);
    if (s->baseline.workload.skipped[0] != '\0')
        return true;
    if (!prepare(s, &s->baseline))
        return !s->device->lost && s->device->error.code == LAB_ERROR_UNSUPPORTED;
    s->baseline_work = work_of(s, &s->baseline);
    work->baseline = &s->baseline_work;
    return true;
}

static void end_job(struct job *job)
{
    lab_kernels_end(&job->kernels);
    lab_copies_end(&job->copies);
    release_streams(job);
}

static void skip_if_too_long(const struct lab_workload *workload, struct lab_case *c)
{
    double left_s = c->measurer != NULL ? lab_measurer_remaining_s(c->measurer) : (double)INFINITY;
    if (c->skipped[0] == '\0' && lab_workload_too_long(workload, left_s))
        snprintf(c->skipped, sizeof c->skipped,
                 "a repetition is expected to take %.3g s, too long for the %.3g s that the run has left: raise "
                 "time_budget_s",
                 workload->seconds, left_s);
}

/* Checks that a point that measures the edited source launches a kernel of it; otherwise its figures would be those of
 * the experiment's own text. */
static bool check_own_kernels(const struct lab_benchmark_state *s, const struct lab_point *point)
{
    const struct lab_own_kernels *own = own_kernels_of(s);
    return own == NULL || s->job.kernels.own_count > 0 || !lab_own_kernels_apply(own, s->run->experiment, point) ||
           lab_own_kernels_not_found(own, s->job.workload.steps[0].kernel, &s->run->error);
}

bool lab_benchmark_begin(struct lab_benchmark_state *s, const struct lab_point *point, struct lab_case *c)
{
    if (!s->open && !open_jobs(s))
        return fail(s);
    describe(s, point, c);
    skip_if_too_long(&s->job.workload, c);
    if (c->skipped[0] != '\0')
        return true;
    if (!prepare(s, &s->job))
        return fail(s);
    if (!check_own_kernels(s, point))
        return false;
    set_peak(s, c);
    c->kernel = s->job.kernels.record.name != NULL ? &s->job.kernels.record : NULL;
    c->work = work_of(s, &s->job);
    return prepare_baseline(s, point, &c->work) || fail(s);
}

void *lab_benchmark_buffer(const struct lab_benchmark_state *s, size_t buffer)
{
    return s->job.buffers.items[buffer].address;
}

void lab_benchmark_end(struct lab_benchmark_state *s)
{
    if (!s->open)
        return;
    end_job(&s->job);
    if (s->benchmark->baseline != NULL)
        end_job(&s->baseline);
}

/* --- the run ------------------------------------------------------------------------------------------------------ */

static bool benchmark_begin(void *context, struct lab_point *point, struct lab_case *c)
{
    struct lab_benchmark_state *s = context;
    lab_fitting_begin(&s->fitting, point);
    return lab_benchmark_begin(s, point, c);
}

/* Passes the records of the point's last repetition to the benchmark. */
static bool read_records(struct lab_benchmark_state *s, const struct lab_report *report)
{
    const struct lab_workload_records *wanted = &s->job.workload.records;
    const struct lab_runtime *runtime = s->device->runtime;
    struct lab_stream *stream = s->job.buffers.stream;
    if (wanted->bytes == 0)
        return true;
    void *records = malloc(wanted->bytes);
    if (records == NULL)
        return lab_error_set(&s->run->error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for the records of a kernel");
    bool copied = runtime->copy(s->device, stream, records, s->job.buffers.items[wanted->buffer].address, wanted->bytes,
                                LAB_D2H) &&
                  runtime->stream_synchronize(s->device, stream);
    bool good = copied ? s->benchmark->read(report, &s->job.workload, records) : fail(s);
    free(records);
    return good;
}

/* The local memory of a thread is known only from the compiled kernel. */
static bool report_local_traffic(const struct job *job, const struct lab_report *report)
{
    const struct lab_kernel_record *kernel = &job->kernels.record;
    return !(job->workload.local_accesses > 0) || kernel->name == NULL ||
           lab_report_value(report, "local_traffic", job->workload.local_accesses * (double)kernel->local_bytes);
}

/* Reports an error that the check has found; `metric` NULL: it looks for none. */
static bool report_error(const struct lab_report *report, const char *metric, double error)
{
    return metric == NULL || lab_report_value(report, metric, error);
}

static bool report_figures(const struct job *job, const struct lab_report *report)
{
    const struct lab_report computed = {.run = report->run, .point = report->point};
    return lab_workload_report_figures(&job->workload, report) && report_local_traffic(job, &computed) &&
           (!report->outcome->verified_known || (report_error(report, job->workload.check.error, job->kernels.error) &&
                                                 report_error(report, job->workload.check.rms, job->kernels.rms)));
}

/* Says of a wrong result which element is the first. Its type is not known, so both readings of its bits are given. */
static void warn_of_wrong(const struct lab_benchmark_state *s, const struct lab_report *report)
{
    const struct lab_wrong_element *first = &s->job.kernels.first_wrong;
    char label[96], text[320];
    float found, expected;
    if (!report->outcome->verified_known || report->outcome->verified || !first->known)
        return;
    memcpy(&found, &first->found, sizeof found);
    memcpy(&expected, &first->expected, sizeof expected);
    lab_point_label(s->run->experiment, report->point, label, sizeof label);
    snprintf(text, sizeof text,
             "%s: element %" PRIu64 " is the first that is wrong: 0x%08" PRIx32 " (float %.9g) instead of 0x%08" PRIx32
             " (float %.9g)",
             label, first->index, first->found, (double)found, first->expected, (double)expected);
    s->run->sink.warning(s->run->sink.context, text);
}

static bool benchmark_report(void *context, const struct lab_case *c, const struct lab_report *report)
{
    struct lab_benchmark_state *s = context;
    warn_of_wrong(s, report);
    double count = c->counts[s->metric->counter];
    return report_figures(&s->job, report) && (!report->outcome->verified || read_records(s, report)) &&
           lab_report_kernel(report) &&
           (s->benchmark->summarise == NULL || lab_medians_add(&s->medians, report, count, s->job.kernels.error)) &&
           lab_fitting_add(&s->fitting, report, count);
}

static void benchmark_end(void *context)
{
    lab_benchmark_end(context);
}

static bool benchmark_renew(void *context)
{
    lab_benchmark_renew(context);
    return true;
}

bool lab_benchmark_run(struct lab_run *run)
{
    static const struct lab_loop loop = {
        .begin = benchmark_begin, .report = benchmark_report, .end = benchmark_end, .renew = benchmark_renew};
    struct lab_benchmark_state *s = lab_benchmark_open(run, run->devices[0], run->experiment->benchmark);
    if (s == NULL)
        return false;
    s->fitting = lab_fitting_init(run, run->experiment->benchmark->fit);
    bool good = lab_loop_run(run, &loop, s);
    if (good)
        lab_fitting_end(&s->fitting);
    if (good && s->medians.count > 0)
        good = lab_medians_summarise(&s->medians, run, s->benchmark->summarise);
    lab_fitting_release(&s->fitting);
    lab_medians_release(&s->medians);
    lab_benchmark_close(s);
    return good;
}
