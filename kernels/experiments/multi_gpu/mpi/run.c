/* Measures the points with ranks that are started for each number of ranks and transport. The ranks take the samples
 * (program/); how many there are, and when a point ends, is decided here as for all experiments.
 */
#include "benchmark/loop.h"
#include "benchmark/resources.h"
#include "descriptor/parameters.h"
#include "geometry.h"
#include "ranks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A sample begins with a barrier, which the ranks leave some microseconds apart (METHOD.md 18). */
static const double sample_s = 0.005;

struct mpi {
    struct lab_run *run;
    struct lab_resources resources;
    struct lab_lane lane; /* on which errors are reported */
    struct lab_mpi_ranks *ranks;
    int64_t started_ranks, started_transport; /* values of the point for which they were started, also in vain */
    struct lab_error refusal;                 /* why they could not be started; valid if `ranks` is NULL */
    bool cuda_aware, one_host;
    size_t job_count;
    struct job_time { /* of the first point of a job with such an array and that weight */
        double bytes, seconds;
        int64_t weight, devices;
    } * jobs;
};

/* --- starting the ranks ------------------------------------------------------------------------------------------- */

/* Whether two ranks are bound to the same core, or a machine has more ranks than CPUs. */
static bool share_cores(const json_t *ranks)
{
    for (size_t i = 0; i < json_array_size(ranks); i++) {
        const json_t *a = json_array_get(ranks, i);
        json_int_t cpus = json_integer_value(json_object_get(a, "cpus")), beside = 0;
        for (size_t k = 0; k < json_array_size(ranks); k++) {
            const json_t *b = json_array_get(ranks, k);
            beside += json_equal(json_object_get(a, "host"), json_object_get(b, "host")) &&
                      json_equal(json_object_get(a, "first_cpu"), json_object_get(b, "first_cpu"));
        }
        if (beside > cpus)
            return true;
    }
    return false;
}

static void append(char *text, size_t size, const char *more)
{
    size_t length = strlen(text);
    snprintf(text + length, size - length, "%s", more);
}

static bool share_host(const json_t *ranks)
{
    for (size_t i = 1; i < json_array_size(ranks); i++)
        if (!json_equal(json_object_get(json_array_get(ranks, i), "host"),
                        json_object_get(json_array_get(ranks, 0), "host")))
            return false;
    return true;
}

/* "Open MPI v4.1.4; 2 ranks by mpirun: 0 on node1 (CPU 0), 1 on node1 (CPU 1)". */
static void report_ranks(struct mpi *m, const struct lab_mpi_programs *programs, const json_t *greeting)
{
    const json_t *ranks = json_object_get(greeting, "ranks");
    const char *library = json_string_value(json_object_get(greeting, "library"));
    char text[512], one[128];
    snprintf(text, sizeof text, "%.*s; %zu ranks by %s:", library != NULL ? (int)strcspn(library, ",") : 0, library,
             json_array_size(ranks), programs->slurm ? "srun" : "mpirun");
    for (size_t i = 0; i < json_array_size(ranks) && i < 8; i++) {
        const json_t *rank = json_array_get(ranks, i);
        const char *host = json_string_value(json_object_get(rank, "host"));
        long long cpus = json_integer_value(json_object_get(rank, "cpus"));
        long long first = json_integer_value(json_object_get(rank, "first_cpu"));
        snprintf(one, sizeof one, "%s %zu on %s (CPU %lld%s)", i > 0 ? "," : "", i, host != NULL ? host : "?", first,
                 cpus > 1 ? " and others" : "");
        append(text, sizeof text, one);
    }
    append(text, sizeof text, json_array_size(ranks) > 8 ? ", …" : "");
    m->run->sink.note(m->run->sink.context, text);
    if (share_cores(ranks))
        lab_loop_warn_once(m->run,
                           "there are more ranks than cores: times contain those in which a rank waits for a core");
}

/* Starts ranks for the point. Returns NULL with m->refusal set. */
static struct lab_mpi_ranks *start_ranks(struct mpi *m, const struct lab_point *point)
{
    struct lab_run *run = m->run;
    const struct lab_mpi_job job = {.ranks = (size_t)point->values[LAB_MPI_AXIS_RANKS],
                                    .transport = (enum lab_mpi_transport)point->values[LAB_MPI_AXIS_TRANSPORT],
                                    .as_root = geteuid() == 0,
                                    .host_file = getenv("OMPI_MCA_orte_default_hostfile") != NULL,
                                    .device_count = run->device_count,
                                    .devices = run->devices};
    enum lab_mpi_launcher launcher = (enum lab_mpi_launcher)lab_parameter_integer(run->parameters, "launcher");
    struct lab_mpi_programs programs;
    struct lab_mpi_command command;
    json_t *greeting;
    if (!lab_mpi_find_programs(launcher, &programs, &m->refusal))
        return NULL;
    lab_mpi_command_write(&command, &programs, &job);
    struct lab_mpi_ranks *ranks = lab_mpi_ranks_start(&command, run->cancel, &greeting, &m->refusal);
    if (ranks == NULL)
        return NULL;
    m->cuda_aware = json_is_true(json_object_get(greeting, "cuda_aware"));
    m->one_host = share_host(json_object_get(greeting, "ranks"));
    report_ranks(m, &programs, greeting);
    json_decref(greeting);
    return ranks;
}

/* Makes m->ranks those of the point: consecutive points have the same. */
static bool need_ranks(struct mpi *m, const struct lab_point *point)
{
    if (m->started_ranks != point->values[LAB_MPI_AXIS_RANKS] ||
        m->started_transport != point->values[LAB_MPI_AXIS_TRANSPORT]) {
        lab_mpi_ranks_stop(m->ranks);
        m->started_ranks = point->values[LAB_MPI_AXIS_RANKS];
        m->started_transport = point->values[LAB_MPI_AXIS_TRANSPORT];
        m->ranks = start_ranks(m, point);
    }
    if (m->ranks == NULL)
        m->run->error = m->refusal;
    return m->ranks != NULL;
}

/* --- the work ----------------------------------------------------------------------------------------------------- */

/* Asks the ranks; takes over `request`. Sets *value to the member of the answer unless `member` is NULL. */
static bool ask(struct mpi *m, json_t *request, const char *member, double *value)
{
    json_t *answer = lab_mpi_ranks_ask(m->ranks, request, &m->lane.device->error);
    if (answer != NULL && member != NULL)
        *value = json_number_value(json_object_get(answer, member));
    json_decref(answer);
    return answer != NULL;
}

static bool mpi_sample(void *context, size_t repetitions, double *seconds)
{
    return ask(context, json_pack("{s:s, s:I}", "request", "sample", "repetitions", (json_int_t)repetitions), "seconds",
               seconds);
}

static bool mpi_repeat(void *context)
{
    double seconds;
    return mpi_sample(context, 1, &seconds);
}

static bool mpi_poison(void *context)
{
    return ask(context, json_pack("{s:s}", "request", "poison"), NULL, NULL);
}

static bool mpi_verify(void *context, uint64_t *wrong)
{
    double count = 0;
    bool good = ask(context, json_pack("{s:s}", "request", "verify"), "wrong", &count);
    *wrong = (uint64_t)count;
    return good;
}

/* --- a point ------------------------------------------------------------------------------------------------------ */

static bool prepare(struct mpi *m, const struct lab_point *point)
{
    bool is_job = point->values[LAB_MPI_AXIS_OPERATION] == LAB_MPI_JOB;
    json_t *request = json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I}", "request", "prepare", "operation",
                                (json_int_t)point->values[LAB_MPI_AXIS_OPERATION], "memory",
                                (json_int_t)point->values[LAB_MPI_AXIS_MEMORY], "bytes",
                                (json_int_t)point->values[LAB_MPI_AXIS_BYTES], "seed",
                                (json_int_t)lab_parameter_integer(m->run->parameters, "seed"), "devices",
                                (json_int_t)(is_job ? point->values[LAB_MPI_AXIS_RANK_DEVICES] : 1), "weight",
                                (json_int_t)(is_job ? point->values[LAB_MPI_AXIS_WEIGHT] : 0));
    return lab_run_forward_error(m->run, m->lane.device, ask(m, request, NULL, NULL));
}

/* Memory of a host device is host memory, which any MPI accepts. */
static bool refuses_device_memory(const struct mpi *m, const struct lab_point *point)
{
    return point->values[LAB_MPI_AXIS_MEMORY] == LAB_MPI_DEVICE && !m->cuda_aware &&
           strcmp(m->run->devices[0]->runtime->name, "cuda") == 0;
}

static bool mpi_begin(void *context, struct lab_point *point, struct lab_case *c)
{
    struct mpi *m = context;
    enum lab_mpi_operation operation = (enum lab_mpi_operation)point->values[LAB_MPI_AXIS_OPERATION];
    size_t ranks = (size_t)point->values[LAB_MPI_AXIS_RANKS], bytes = (size_t)point->values[LAB_MPI_AXIS_BYTES];
    if (!need_ranks(m, point))
        return false;
    if (refuses_device_memory(m, point)) {
        snprintf(c->skipped, sizeof c->skipped,
                 "this MPI is not CUDA-aware (MPIX_Query_cuda_support): it cannot send from device memory");
        return true;
    }
    if (!prepare(m, point))
        return false;
    c->work = (struct lab_work){.timing = LAB_TIME_BY_WORK,
                                .lane_count = 1,
                                .lanes = &m->lane,
                                .sample_s = sample_s,
                                .context = m,
                                .enqueue = mpi_repeat,
                                .sample = mpi_sample,
                                .poison = mpi_poison,
                                .verify = mpi_verify};
    c->counts[operation == LAB_MPI_ALL_REDUCE ? LAB_COUNT_AGGREGATE_BYTES : LAB_COUNT_BYTES] =
        lab_mpi_sent_bytes(operation, ranks, bytes);
    return true;
}

/* --- the prediction of a job -------------------------------------------------------------------------------------- */

/* Sizes are rounded to parts for all devices, so they are nearly the same. */
static const struct job_time *find_job(const struct mpi *m, const struct job_time *like)
{
    static const double nearly = 0.1;
    for (size_t i = 0; i < m->job_count; i++)
        if (m->jobs[i].weight == like->weight && fabs(like->bytes / m->jobs[i].bytes - 1) < nearly)
            return &m->jobs[i];
    return NULL;
}

static bool keep_job(struct mpi *m, struct job_time job)
{
    struct job_time *jobs = realloc(m->jobs, (m->job_count + 1) * sizeof *jobs);
    if (jobs == NULL)
        return lab_error_set(&m->run->error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for the times of jobs");
    m->jobs = jobs;
    m->jobs[m->job_count++] = job;
    return true;
}

/* The devices of other machines are not those of the run: how many are different is known on one machine only. */
static bool mpi_report(void *context, const struct lab_case *c, const struct lab_report *report)
{
    struct mpi *m = context;
    const struct lab_point *point = report->point;
    const struct lab_report besides = {.run = report->run, .point = point};
    struct lab_summary summary;
    (void)c;
    if (point->values[LAB_MPI_AXIS_OPERATION] != LAB_MPI_JOB || !m->one_host)
        return true;
    if (!lab_summarise(report->outcome->samples, report->outcome->count, &summary))
        return lab_error_set(&m->run->error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for a median");
    const struct job_time job = {
        .bytes = (double)point->values[LAB_MPI_AXIS_BYTES],
        .seconds = summary.median,
        .weight = point->values[LAB_MPI_AXIS_WEIGHT],
        .devices = (int64_t)lab_mpi_job_devices((size_t)point->values[LAB_MPI_AXIS_RANKS],
                                                (size_t)point->values[LAB_MPI_AXIS_RANK_DEVICES], m->run->device_count),
    };
    const struct job_time *first = find_job(m, &job);
    if (first == NULL)
        return keep_job(m, job);
    return lab_report_value(&besides, "predicted_time",
                            first->seconds * job.bytes / first->bytes * (double)first->devices / (double)job.devices);
}

bool mpi_run(struct lab_run *run)
{
    static const struct lab_loop loop = {.begin = mpi_begin, .report = mpi_report};
    struct mpi m = {.run = run, .resources = {.run = run}, .lane = {.device = run->devices[0]}};
    m.lane.stream = lab_resources_stream(&m.resources, m.lane.device);
    bool good = m.lane.stream != NULL && lab_loop_run(run, &loop, &m);
    lab_mpi_ranks_stop(m.ranks);
    free(m.jobs);
    lab_resources_release(&m.resources, 0);
    return good;
}
