/* Executes one run in the worker, from its `run` operation to its `finished` event. */
#include "benchmark/streams.h"
#include "channel.h"
#include "core/error_json.h"
#include "core/run_status.h"
#include "descriptor/parameters.h"
#include "device_answers.h"
#include "device_lock.h"
#include "environment.h"
#include "experiments/program/execute.h"
#include "facts/xids.h"
#include "group.h"
#include "measure/placement.h"
#include "outcome.h"
#include "own_kernels.h"
#include "worker.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* XID_WAIT_MS: after a program that has failed, until the driver has reported why. */
enum { DEVICES_MAX = LAB_SIDES * LAB_RUN_DEVICES_MAX, XID_WAIT_MS = 100 };

/* A set of devices, by their ordinals. */
struct ordinals {
    size_t count;
    size_t items[DEVICES_MAX];
};

/* The request itself, or what it is compared with. */
struct side {
    struct job *job;
    struct lab_run run;
    struct lab_parameters *parameters;
    struct worker_own_kernels own_kernels;
    const struct lab_experiment *defined; /* made of the own kernel; NULL: none */
    struct ordinals ordinals;             /* in the order of run.devices */
};

/* The current run and its resources. */
struct job {
    struct worker *worker;
    const char *id;
    bool compares;              /* there is a base */
    struct lab_streams streams; /* of both sides then */
    struct worker_group group;
    struct side sides[LAB_SIDES];
    struct lab_estimate estimate; /* of both sides together */
    struct ordinals ordinals;     /* of the devices of both sides */
    int locks[DEVICES_MAX];       /* descriptors from lab_device_lock; lock_count of them are locked */
    size_t lock_count;
    bool lost; /* the context of a device is unusable */
};

/* --- the experiment's results, sent as events --------------------------------------------------------------------- */

/* The context is a struct side. */

static void send_measurement(void *context, const struct lab_measurement *measurement)
{
    const struct side *side = context;
    lab_channel_send(json_pack("{s:s, s:s, s:o}", "event", "measurement", "run", side->job->id, "measurement",
                               lab_measurement_to_json(measurement)));
}

static void send_span(void *context, const struct lab_span *span)
{
    const struct side *side = context;
    lab_channel_send(
        json_pack("{s:s, s:s, s:o}", "event", "span", "run", side->job->id, "span", lab_span_to_json(span)));
}

static void send_field(void *context, const struct lab_field *field)
{
    const struct side *side = context;
    lab_channel_send(
        json_pack("{s:s, s:s, s:o}", "event", "field", "run", side->job->id, "field", lab_field_to_json(field)));
}

/* The timeline with its findings, the fields, and what compilers say are those of the head. */
static void drop_field(void *context, const struct lab_field *field)
{
    (void)context;
    (void)field;
}

static void drop_span(void *context, const struct lab_span *span)
{
    (void)context;
    (void)span;
}

static void send_progress(void *context, size_t done, size_t total, const char *label)
{
    const struct side *side = context;
    lab_channel_send(json_pack("{s:s, s:s, s:I, s:I, s:s}", "event", "progress", "run", side->job->id, "done",
                               (json_int_t)done, "total", (json_int_t)total, "label", label));
}

/* Sends an event with a text, which says if it is about the base. */
static void send_text(const struct side *side, const char *event, const char *text)
{
    bool base = side == &side->job->sides[LAB_BASE];
    lab_channel_send(
        json_pack("{s:s, s:s, s:s+}", "event", event, "run", side->job->id, "text", base ? "base: " : "", text));
}

static void send_warning(void *context, const char *text)
{
    send_text(context, "warning", text);
}

static void send_note(void *context, const char *text)
{
    send_text(context, "note", text);
}

/* The output is that of both sides, in the order in which they print. */
static void send_output(void *context, const char *stream, const char *text)
{
    const struct side *side = context;
    lab_channel_send(
        json_pack("{s:s, s:s, s:s, s:s}", "event", "output", "run", side->job->id, "stream", stream, "text", text));
}

static void send_findings(void *context, const json_t *findings)
{
    const struct side *side = context;
    lab_channel_send(json_pack("{s:s, s:s, s:O}", "event", "findings", "run", side->job->id, "findings", findings));
}

static void send_messages(void *context, const json_t *messages)
{
    const struct side *side = context;
    lab_channel_send(json_pack("{s:s, s:s, s:O}", "event", "messages", "run", side->job->id, "messages", messages));
}

static void drop_list(void *context, const json_t *list)
{
    (void)context;
    (void)list;
}

static void read_conditions(void *context, struct lab_device *device, struct lab_conditions *conditions)
{
    const struct worker *worker = ((const struct side *)context)->job->worker;
    lab_conditions_clear(conditions);
    if (worker->nvml != NULL)
        lab_nvml_conditions(worker->nvml, device->facts.uuid, conditions);
    double hz;
    if (!isfinite(conditions->sm_clock_mhz) && device->runtime->clock != NULL &&
        device->runtime->clock->measure(device, &hz))
        conditions->sm_clock_mhz = hz / 1e6;
}

static void read_readings(void *context, struct lab_device *device, int64_t readings[LAB_READINGS])
{
    lab_nvml_readings(((const struct side *)context)->job->worker->nvml, device->facts.uuid, readings);
}

static bool read_energy(void *context, struct lab_device *device, double *joules)
{
    return lab_nvml_energy(((const struct side *)context)->job->worker->nvml, device->facts.uuid, joules);
}

/* --- reading the operation ---------------------------------------------------------------------------------------- */

static bool find_device(const struct job *job, const char *id, size_t *ordinal)
{
    for (size_t i = 0; id != NULL && i < job->worker->device_count; i++)
        if (strcmp(job->worker->runtime->facts(i)->id, id) == 0) {
            *ordinal = i;
            return true;
        }
    return false;
}

/* Adds an ordinal, unless the set has it. Returns whether it was added. */
static bool add_ordinal(struct ordinals *set, size_t ordinal)
{
    for (size_t i = 0; i < set->count; i++)
        if (set->items[i] == ordinal)
            return false;
    set->items[set->count++] = ordinal;
    return true;
}

static bool read_devices(struct side *side, const json_t *ids)
{
    const struct lab_experiment *experiment = side->run.experiment;
    struct lab_error *error = &side->run.error;
    size_t count = json_array_size(ids), ordinal, all = side->run.group != NULL ? side->run.group->ranks : count;
    if (count == 0 || all < experiment->devices_min || all > experiment->devices_max || all > LAB_RUN_DEVICES_MAX)
        return lab_error_set(error, LAB_ERROR_INVALID_REQUEST, "/devices", "%s needs %zu to %zu devices, not %zu",
                             experiment->name, experiment->devices_min, experiment->devices_max, all);
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

static bool read_own_kernels(struct side *side, const json_t *kernel)
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
static bool read_side(struct side *side, const json_t *request)
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
static struct lab_points_request request_of(const struct side *side,
                                            const struct lab_device_facts *facts[LAB_RUN_DEVICES_MAX])
{
    size_t ranks = lab_run_ranks(&side->run);
    for (size_t i = 0; i < ranks; i++) /* the first device stands for those of other processes */
        facts[i] = side->job->worker->runtime->facts(side->ordinals.items[i < side->ordinals.count ? i : 0]);
    return (struct lab_points_request){side->parameters, facts, ranks};
}

static bool plan(struct job *job)
{
    const struct lab_device_facts *base_facts[LAB_RUN_DEVICES_MAX], *head_facts[LAB_RUN_DEVICES_MAX];
    struct side *head = &job->sides[LAB_HEAD];
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
static bool read_operation(struct job *job, const json_t *operation)
{
    struct side *head = &job->sides[LAB_HEAD], *base = &job->sides[LAB_BASE];
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

/* --- locking and opening the devices ------------------------------------------------------------------------------ */

static void report_waiting(void *context)
{
    struct job *job = context;
    send_progress(&job->sides[LAB_HEAD], 0, job->estimate.points,
                  "waiting: another process is measuring on this device");
}

static int compare_texts(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Locks the devices in the order of their ids, not in the order in which the run names them. All workers of the machine use
 * the same order, so two workers cannot deadlock by each waiting for a device that the other has locked. */
static bool lock_devices(struct job *job)
{
    const char *ids[DEVICES_MAX] = {NULL};
    for (size_t i = 0; i < job->ordinals.count; i++)
        ids[i] = job->worker->runtime->facts(job->ordinals.items[i])->id;
    qsort(ids, job->ordinals.count, sizeof *ids, compare_texts);
    for (size_t i = 0; i < job->ordinals.count; i++) {
        int lock = lab_device_lock(job->worker->lock_dir, ids[i], &job->worker->cancel, report_waiting, job,
                                   &job->sides[LAB_HEAD].run.error);
        if (lock < 0)
            return false;
        job->locks[job->lock_count++] = lock;
    }
    return true;
}

/* The compute processes on a device; -1: unknown. */
static int process_count(const struct worker *worker, size_t ordinal)
{
    return worker->nvml != NULL ? lab_nvml_process_count(worker->nvml, worker->runtime->facts(ordinal)->uuid) : -1;
}

/* Closes the devices, so that a program has their memory to itself, and notes how many processes still use them. */
static void close_devices(struct job *job)
{
    for (size_t i = 0; i < job->ordinals.count; i++) {
        struct worker *worker = job->worker;
        struct worker_device *entry = &worker->devices[job->ordinals.items[i]];
        if (entry->device != NULL)
            worker->runtime->close(entry->device);
        entry->device = NULL;
        entry->processes_before = process_count(worker, job->ordinals.items[i]);
    }
}

static bool open_device(struct worker *worker, size_t ordinal, struct lab_error *error)
{
    struct worker_device *entry = &worker->devices[ordinal];
    if (entry->device != NULL)
        return true;
    entry->processes_before = process_count(worker, ordinal);
    entry->device = worker->runtime->open(ordinal, error);
    if (entry->device != NULL && worker->nvml != NULL)
        lab_nvml_complete(worker->nvml, &entry->device->facts);
    return entry->device != NULL;
}

static bool check_memory(struct job *job)
{
    const struct lab_estimate *estimate = &job->estimate;
    struct lab_error *error = &job->sides[LAB_HEAD].run.error;
    for (size_t i = 0; i < job->ordinals.count; i++) {
        struct lab_device *device = job->worker->devices[job->ordinals.items[i]].device;
        size_t available, total;
        if (!device->runtime->memory_info(device, &available, &total)) {
            *error = device->error;
            return false;
        }
        if (estimate->device_bytes > available)
            return lab_error_set(error, LAB_ERROR_INSUFFICIENT_MEMORY, "",
                                 "the run needs %" PRIu64 " bytes on %s, of which %zu are free", estimate->device_bytes,
                                 device->facts.name, available);
    }
    uint64_t available = lab_environment_available_memory();
    if (available != 0 && estimate->host_bytes > available)
        return lab_error_set(error, LAB_ERROR_INSUFFICIENT_MEMORY, "",
                             "the run needs %" PRIu64 " bytes of host memory, of which %" PRIu64 " are available",
                             estimate->host_bytes, available);
    return true;
}

/* Binds the thread to the NUMA node of the first device before the contexts are created, so that they and later the host
 * buffers are allocated on that node. */
static bool open_side(struct side *side)
{
    const struct worker *worker = side->job->worker;
    side->run.numa_node = lab_placement_bind(worker->runtime->facts(side->ordinals.items[0])->numa_node);
    for (size_t i = 0; i < side->ordinals.count; i++) {
        if (!open_device(side->job->worker, side->ordinals.items[i], &side->job->sides[LAB_HEAD].run.error))
            return false;
        side->run.devices[i] = worker->devices[side->ordinals.items[i]].device;
        side->run.facts[i] = &side->run.devices[i]->facts;
    }
    return true;
}

/* A program opens the devices itself. */
static void prepare_program(struct side *side)
{
    for (size_t i = 0; i < side->ordinals.count; i++)
        side->run.facts[i] = side->job->worker->runtime->facts(side->ordinals.items[i]);
}

static bool open_devices(struct job *job)
{
    struct lab_run *run = &job->sides[LAB_HEAD].run;
    if (run->experiment->programs) {
        run->sandbox = program_sandbox(run->program_user, &run->error);
        if (run->sandbox == NULL)
            return false;
        close_devices(job);
        for (size_t i = 0; i < LAB_SIDES; i++)
            prepare_program(&job->sides[i]);
        return true;
    }
    return (!job->compares || open_side(&job->sides[LAB_BASE])) && open_side(&job->sides[LAB_HEAD]) &&
           check_memory(job);
}

/* Whether other processes have started to use the run's devices: whether a device has more processes than before this
 * process opened it, plus this process. A program has a device closed, and ended before this is asked: any process is another. */
static bool contended(const struct job *job)
{
    for (size_t i = 0; i < job->ordinals.count; i++) {
        const struct worker_device *entry = &job->worker->devices[job->ordinals.items[i]];
        int count = process_count(job->worker, job->ordinals.items[i]), own = entry->device != NULL;
        int before = entry->device != NULL ? entry->processes_before : 0;
        if (count >= 0 && before >= 0 && count > before + own)
            return true;
    }
    return false;
}

/* --- devices after a program ---------------------------------------------------------------------------------------- */

/* Begins to watch for Xid errors of the run's devices; NULL: they cannot be seen here. */
static struct lab_xid_watch *watch_devices(const struct job *job)
{
    const char *uuids[DEVICES_MAX];
    for (size_t i = 0; i < job->ordinals.count; i++)
        uuids[i] = job->worker->runtime->facts(job->ordinals.items[i])->uuid;
    return lab_xids_begin(job->worker->nvml, uuids, job->ordinals.count);
}

/* Says which Xid errors came while the program ran. Those of the device itself make it suspect. */
static void report_xids(struct job *job, const struct lab_xids *xids)
{
    for (size_t i = 0; i < xids->count; i++) {
        const char *what = lab_xid_text(xids->numbers[i]);
        bool of_program = lab_xid_is_of_program(xids->numbers[i]);
        char text[200];
        snprintf(text, sizeof text, "the driver reported Xid %u%s%s%s while the program ran%s", xids->numbers[i],
                 what != NULL ? " (" : "", what != NULL ? what : "", what != NULL ? ")" : "",
                 of_program ? "" : ". The next run on the device begins with a health check");
        job->lost = job->lost || !of_program;
        send_warning(&job->sides[LAB_HEAD], text);
    }
}

/* Opens the devices that a program had, after it has failed, and lets each compute something. What does not answer as it should is
 * lost. */
static void check_devices(struct job *job)
{
    for (size_t i = 0; i < job->ordinals.count; i++) {
        struct lab_error error = {0};
        size_t ordinal = job->ordinals.items[i];
        struct lab_device *device =
            open_device(job->worker, ordinal, &error) ? job->worker->devices[ordinal].device : NULL;
        char text[LAB_DETAIL_MAX + 256];
        if (device != NULL ? worker_device_answers(device, &error) : error.code == LAB_ERROR_INSUFFICIENT_MEMORY)
            continue;
        job->lost = true;
        snprintf(text, sizeof text,
                 "after the program, %.64s does not answer as it should: %s. The next run on it begins with a health "
                 "check",
                 job->worker->runtime->facts(ordinal)->name, error.detail);
        send_warning(&job->sides[LAB_HEAD], text);
    }
}

/* --- the run ------------------------------------------------------------------------------------------------------ */

static bool execute(struct job *job, const json_t *operation, bool *was_contended)
{
    struct side *head = &job->sides[LAB_HEAD];
    struct lab_run *run = &head->run;
    struct lab_xids xids;
    if (!read_operation(job, operation) || !lock_devices(job) || !open_devices(job))
        return false;
    *was_contended = contended(job);
    lab_channel_send(
        json_pack("{s:s, s:s, s:o}", "event", "started", "run", job->id, "environment",
                  lab_environment(run, job->worker->runtime->name, job->worker->fallback, job->worker->variables)));
    struct lab_xid_watch *watch = run->experiment->programs ? watch_devices(job) : NULL;
    bool completed = run->experiment->run(run);
    lab_xids_end(watch, completed ? 0 : XID_WAIT_MS, &xids);
    report_xids(job, &xids);
    if (run->experiment->programs && !completed)
        check_devices(job);
    lab_streams_release(&job->streams);
    for (size_t i = 0; i < job->ordinals.count; i++) {
        const struct lab_device *device = job->worker->devices[job->ordinals.items[i]].device;
        if (device != NULL && device->caveat[0] != '\0')
            send_warning(head, device->caveat);
    }
    *was_contended = contended(job) || *was_contended;
    return lab_run_succeeded(run, completed);
}

static void send_finished(const struct job *job, bool good, bool was_contended)
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
                               lab_environment_libraries(job->worker->runtime)));
}

/* Sets what does not depend on the operation's experiment. Both sides share the calibrated values, so that they do the same
 * work. */
static void prepare_side(struct job *job, size_t index, json_t *calibrated, const json_t *operation)
{
    struct side *side = &job->sides[index];
    side->job = job;
    bool is_head = index == LAB_HEAD;
    side->run.sink = (struct lab_sink){
        .context = side,
        .measurement = send_measurement,
        .span = is_head ? send_span : drop_span,
        .progress = send_progress,
        .warning = send_warning,
        .note = send_note,
        .field = is_head ? send_field : drop_field,
        .messages = is_head ? send_messages : drop_list,
        .findings = is_head ? send_findings : drop_list,
        .output = send_output,
    };
    side->run.monitor = (struct lab_monitor){side, read_conditions, read_readings, read_energy};
    side->run.cancel = &job->worker->cancel;
    side->run.tracing = json_is_true(json_object_get(operation, "trace"));
    side->run.owner = json_string_value(json_object_get(operation, "owner"));
    side->run.programs = job->worker->programs;
    side->run.program_user = job->worker->program_user;
    side->run.numa_node = LAB_UNKNOWN;
    side->run.calibrated = calibrated;
}

static bool is_lost(const struct job *job)
{
    for (size_t i = 0; i < job->ordinals.count; i++) {
        const struct lab_device *device = job->worker->devices[job->ordinals.items[i]].device;
        if (device != NULL && device->lost)
            return true;
    }
    return false;
}

bool worker_run(struct worker *worker, const json_t *operation)
{
    const char *id = json_string_value(json_object_get(operation, "run"));
    struct job job = {.worker = worker, .id = id != NULL ? id : ""};
    json_t *given = json_object_get(operation, "calibrated");
    json_t *calibrated = json_is_object(given) ? json_copy(given) : json_object();
    for (size_t i = 0; i < LAB_SIDES; i++)
        prepare_side(&job, i, calibrated, operation);

    lab_channel_set_run(job.id);
    bool was_contended = false;
    bool good = execute(&job, operation, &was_contended);
    job.lost = job.lost || is_lost(&job);
    lab_placement_release();
    for (size_t i = 0; i < job.lock_count; i++)
        lab_device_unlock(job.locks[i]);
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
