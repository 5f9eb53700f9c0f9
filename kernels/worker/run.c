/* Executes one run in the worker, from its `run` operation to its `finished` event. */
#include "job.h"

#include "channel.h"
#include "core/error_json.h"
#include "core/run_status.h"
#include "descriptor/parameters.h"
#include "environment.h"
#include "measure/placement.h"
#include "outcome.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* After a program that has failed, until the driver has reported why. */
enum { XID_WAIT_MS = 100 };

/* --- reading the operation ---------------------------------------------------------------------------------------- */

static bool find_device(const struct worker_job *job, const char *id, size_t *ordinal)
{
    for (size_t i = 0; id != NULL && i < job->worker->device_count; i++)
        if (strcmp(job->worker->runtime->facts(i)->id, id) == 0) {
            *ordinal = i;
            return true;
        }
    return false;
}

/* Adds an ordinal, unless the set has it. Returns whether it was added. */
static bool add_ordinal(struct worker_ordinals *set, size_t ordinal)
{
    for (size_t i = 0; i < set->count; i++)
        if (set->items[i] == ordinal)
            return false;
    set->items[set->count++] = ordinal;
    return true;
}

static bool read_devices(struct worker_side *side, const json_t *ids)
{
    const struct lab_experiment *experiment = side->run.experiment;
    struct lab_error *error = &side->run.error;
    char wanted[LAB_DEVICES_TEXT_SIZE];
    size_t count = json_array_size(ids), ordinal, all = side->run.group != NULL ? side->run.group->ranks : count;
    if (count == 0 || all < experiment->devices_min || all > experiment->devices_max || all > LAB_RUN_DEVICES_MAX)
        return lab_error_set(error, LAB_ERROR_INVALID_REQUEST, "/devices", "%s needs %s, not %zu", experiment->name,
                             lab_experiment_devices_text(experiment, wanted), all);
    for (size_t i = 0; i < count; i++) {
        const char *id = json_string_value(json_array_get(ids, i));
        if (!find_device(side->job, id, &ordinal))
            return lab_error_set(error, LAB_ERROR_DEVICE_UNAVAILABLE, "", "device not found: %.64s",
                                 id != NULL ? id : "(not a string)");
        if (!add_ordinal(&side->ordinals, ordinal))
            return lab_error_set(error, LAB_ERROR_INVALID_REQUEST, "/devices", "device %.64s is listed twice", id);
        add_ordinal(&side->job->ordinals, ordinal);
    }
    side->run.device_count = count;
    return true;
}

static bool read_own_kernels(struct worker_side *side, const json_t *kernel)
{
    if (!json_is_object(kernel))
        return true;
    side->run.own_kernels = &side->own_kernels.kernels;
    if (!worker_own_kernels_read(&side->own_kernels, kernel, &side->run.error))
        return false;
    if (side->run.experiment->define == NULL)
        return true;
    struct lab_errors errors = {0};
    side->run.experiment = side->defined = side->run.experiment->define(kernel, &errors);
    if (side->defined == NULL)
        side->run.error = errors.items[0];
    return side->defined != NULL;
}

/* Reads a side: experiment, devices, parameters and own kernels. */
static bool read_side(struct worker_side *side, const json_t *request)
{
    const char *name = json_string_value(json_object_get(request, "experiment"));
    struct lab_errors errors = {0};
    side->run.experiment = name != NULL ? lab_experiment_find(name) : NULL;
    if (side->run.experiment == NULL)
        return lab_error_set(&side->run.error, LAB_ERROR_INVALID_REQUEST, "/experiment",
                             "experiment not found: \"%.64s\"", name != NULL ? name : "");
    const json_t *devices = json_object_get(request, "devices");
    if (!worker_group_read(&side->job->group, request, json_array_size(devices), &side->run) ||
        !read_devices(side, devices) || !read_own_kernels(side, json_object_get(request, "kernel")))
        return false;
    side->parameters = lab_parameters_parse(side->run.experiment, json_object_get(request, "parameters"), &errors);
    side->run.parameters = side->parameters;
    side->run.program = json_object_get(request, "program");
    if (side->parameters == NULL)
        side->run.error = errors.items[0];
    return side->parameters != NULL;
}

/* The request of a side for plans. `facts` must outlast it. */
static struct lab_points_request request_of(const struct worker_side *side,
                                            const struct lab_device_facts *facts[LAB_RUN_DEVICES_MAX])
{
    size_t ranks = lab_run_ranks(&side->run);
    for (size_t i = 0; i < ranks; i++) /* the first device stands for those of other processes */
        facts[i] = side->job->worker->runtime->facts(side->ordinals.items[i < side->ordinals.count ? i : 0]);
    return (struct lab_points_request){side->parameters, facts, ranks};
}

static bool plan(struct worker_job *job)
{
    const struct lab_device_facts *base_facts[LAB_RUN_DEVICES_MAX], *head_facts[LAB_RUN_DEVICES_MAX];
    struct worker_side *head = &job->sides[LAB_HEAD];
    struct lab_errors errors = {0};
    struct lab_points_request of_base, of_head = request_of(head, head_facts);
    if (job->compares)
        of_base = request_of(&job->sides[LAB_BASE], base_facts);
    if (job->compares ? lab_comparison_plan(&of_base, &of_head, &job->estimate, &errors)
                      : head->run.experiment->plan(of_head.parameters, of_head.devices, of_head.device_count,
                                                   &job->estimate, &errors))
        return true;
    head->run.error = errors.items[0];
    return false;
}

/* Reads and checks the operation. The server has checked it too, but possibly with older facts of the devices. */
static bool read_operation(struct worker_job *job, const json_t *operation)
{
    struct worker_side *head = &job->sides[LAB_HEAD], *base = &job->sides[LAB_BASE];
    const json_t *compare_with = json_object_get(operation, "compare_with");
    job->compares = compare_with != NULL;
    if (!read_side(head, operation))
        return false;
    if (job->compares && !read_side(base, compare_with)) {
        head->run.error = base->run.error;
        return false;
    }
    if (job->compares) {
        head->run.base = &base->run;
        head->run.side = "head";
        base->run.side = "base";
        head->run.streams = base->run.streams = &job->streams;
    }
    return plan(job);
}

/* --- the run ------------------------------------------------------------------------------------------------------ */

static bool execute(struct worker_job *job, const json_t *operation, bool *was_contended)
{
    struct worker_side *head = &job->sides[LAB_HEAD];
    struct lab_run *run = &head->run;
    struct lab_xids xids;
    if (!read_operation(job, operation) || !worker_job_lock_devices(job) || !worker_job_open_devices(job))
        return false;
    *was_contended = worker_job_is_contended(job);
    lab_channel_send(
        json_pack("{s:s, s:s, s:o}", "event", "started", "run", job->id, "environment",
                  lab_environment(run, job->worker->runtime->name, job->worker->fallback, job->worker->variables)));
    struct lab_xid_watch *watch = run->experiment->programs ? worker_job_watch_devices(job) : NULL;
    bool completed = run->experiment->run(run);
    lab_xids_end(watch, completed ? 0 : XID_WAIT_MS, &xids);
    worker_job_report_xids(job, &xids);
    if (run->experiment->programs && !completed)
        worker_job_check_devices(job);
    lab_streams_release(&job->streams);
    for (size_t i = 0; i < job->ordinals.count; i++) {
        const struct lab_device *device = job->worker->devices[job->ordinals.items[i]].device;
        if (device != NULL && device->caveat[0] != '\0')
            head->run.sink.warning(head, device->caveat);
    }
    *was_contended = worker_job_is_contended(job) || *was_contended;
    return lab_run_succeeded(run, completed);
}

static void send_finished(const struct worker_job *job, bool good, bool was_contended)
{
    const struct lab_run *run = &job->sides[LAB_HEAD].run;
    const struct lab_error *error = &run->error;
    bool cancelled = !good && error->code == LAB_ERROR_CANCELLED;
    enum lab_status status = good ? LAB_STATUS_SUCCEEDED : cancelled ? LAB_STATUS_CANCELLED : LAB_STATUS_FAILED;
    json_t *problem = good ? json_null() : lab_error_problem(error->code);
    if (!good)
        json_object_set_new(problem, "detail", json_string(error->detail));
    lab_channel_send(json_pack("{s:s, s:s, s:s, s:b, s:b, s:o, s:O, s:o}", "event", "finished", "run", job->id,
                               "status", lab_status_name(status), "contended", was_contended, "lost", job->lost,
                               "error", problem, "calibrated", run->calibrated, "libraries",
                               lab_environment_libraries(job->worker->runtime->name)));
}

/* Sets what does not depend on the operation's experiment. Both sides share the calibrated values, so that they do the
 * same work. */
static void prepare_side(struct worker_job *job, size_t index, json_t *calibrated, const json_t *operation)
{
    struct worker_side *side = &job->sides[index];
    side->job = job;
    worker_side_set_sink(side);
    worker_side_set_monitor(side);
    side->run.cancel = &job->worker->cancel;
    side->run.tracing = json_is_true(json_object_get(operation, "trace"));
    side->run.owner = json_string_value(json_object_get(operation, "owner"));
    side->run.outputs = json_string_value(json_object_get(operation, "outputs"));
    side->run.judges = side->run.outputs != NULL && json_is_true(json_object_get(operation, "judges"));
    side->run.programs = job->worker->programs;
    side->run.program_user = job->worker->program_user;
    side->run.numa_node = LAB_UNKNOWN;
    side->run.calibrated = calibrated;
}

bool worker_run(struct worker *worker, const json_t *operation)
{
    const char *id = json_string_value(json_object_get(operation, "run"));
    struct worker_job job = {.worker = worker, .id = id != NULL ? id : ""};
    json_t *given = json_object_get(operation, "calibrated");
    json_t *calibrated = json_is_object(given) ? json_copy(given) : json_object();
    for (size_t i = 0; i < LAB_SIDES; i++)
        prepare_side(&job, i, calibrated, operation);

    lab_channel_set_run(job.id);
    bool was_contended = false;
    bool good = execute(&job, operation, &was_contended);
    job.lost = job.lost || worker_job_is_lost(&job);
    lab_placement_release();
    worker_job_unlock_devices(&job);
    lab_channel_set_run(NULL);
    fflush(stdout); /* what kernels have printed; the server has it then before the run ends */
    send_finished(&job, good, was_contended);
    json_decref(calibrated);
    for (size_t i = 0; i < LAB_SIDES; i++) {
        lab_parameters_free(job.sides[i].parameters);
        json_decref(job.sides[i].run.sandbox);
        worker_own_kernels_release(&job.sides[i].own_kernels);
        if (job.sides[i].defined != NULL)
            job.sides[i].defined->undefine(job.sides[i].defined);
    }
    return !job.lost;
}
