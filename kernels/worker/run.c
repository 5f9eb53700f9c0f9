/* Executes one run in the worker, from its `run` operation to its `finished` event. */
#include "channel.h"
#include "device_lock.h"
#include "environment.h"
#include "experiment/parameters.h"
#include "outcome.h"
#include "placement.h"
#include "worker.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The current run and its resources. */
struct job {
    struct worker *worker;
    const char *id;
    struct lab_run run;
    struct lab_parameters *parameters;
    struct lab_estimate estimate;
    size_t ordinals[LAB_RUN_DEVICES_MAX]; /* ordinals of the run's devices, in the order of run.devices */
    int locks[LAB_RUN_DEVICES_MAX];       /* descriptors from lab_device_lock; lock_count of them are locked */
    size_t lock_count;
    bool lost; /* the context of a device is unusable */
};

/* --- the experiment's results, sent as events --------------------------------------------------------------------- */

static void send_measurement(void *context, const struct lab_measurement *measurement)
{
    const struct job *job = context;
    lab_channel_send(json_pack("{s:s, s:s, s:o}", "event", "measurement", "run", job->id, "measurement",
                               lab_measurement_to_json(measurement)));
}

static void send_span(void *context, const struct lab_span *span)
{
    const struct job *job = context;
    lab_channel_send(json_pack("{s:s, s:s, s:o}", "event", "span", "run", job->id, "span", lab_span_to_json(span)));
}

static void send_progress(void *context, size_t done, size_t total, const char *label)
{
    const struct job *job = context;
    lab_channel_send(json_pack("{s:s, s:s, s:I, s:I, s:s}", "event", "progress", "run", job->id, "done",
                               (json_int_t)done, "total", (json_int_t)total, "label", label));
}

static void send_warning(void *context, const char *text)
{
    const struct job *job = context;
    lab_channel_send(json_pack("{s:s, s:s, s:s}", "event", "warning", "run", job->id, "text", text));
}

static void send_note(void *context, const char *text)
{
    const struct job *job = context;
    lab_channel_send(json_pack("{s:s, s:s, s:s}", "event", "note", "run", job->id, "text", text));
}

static void read_conditions(void *context, struct lab_device *device, struct lab_conditions *conditions)
{
    const struct job *job = context;
    lab_conditions_clear(conditions);
    if (job->worker->nvml != NULL)
        lab_nvml_conditions(job->worker->nvml, device->facts.uuid, conditions);
    double hz;
    if (!isfinite(conditions->sm_clock_hz) && device->runtime->clock != NULL &&
        device->runtime->clock->measure(device, &hz))
        conditions->sm_clock_hz = hz;
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

static bool read_devices(struct job *job, const json_t *ids)
{
    const struct lab_experiment *experiment = job->run.experiment;
    size_t count = json_array_size(ids);
    if (count < experiment->devices_min || count > experiment->devices_max || count > LAB_RUN_DEVICES_MAX)
        return lab_error_set(&job->run.error, "invalid-request", "/devices", "%s needs %zu to %zu devices, not %zu",
                             experiment->name, experiment->devices_min, experiment->devices_max, count);
    for (size_t i = 0; i < count; i++) {
        const char *id = json_string_value(json_array_get(ids, i));
        if (!find_device(job, id, &job->ordinals[i]))
            return lab_error_set(&job->run.error, "device-unavailable", "", "device not found: %.64s",
                                 id != NULL ? id : "(not a string)");
        for (size_t k = 0; k < i; k++)
            if (job->ordinals[k] == job->ordinals[i])
                return lab_error_set(&job->run.error, "invalid-request", "/devices", "device %.64s is listed twice",
                                     id);
    }
    job->run.device_count = count;
    return true;
}

/* Reads and checks the operation. The server has checked it too, but possibly with older facts of the devices. */
static bool read_operation(struct job *job, const json_t *operation)
{
    const char *name = json_string_value(json_object_get(operation, "experiment"));
    const struct lab_device_facts *facts[LAB_RUN_DEVICES_MAX];
    struct lab_errors errors = {0};
    job->run.experiment = name != NULL ? lab_experiment_find(name) : NULL;
    if (job->run.experiment == NULL)
        return lab_error_set(&job->run.error, "invalid-request", "/experiment", "experiment not found: \"%.64s\"",
                             name != NULL ? name : "");
    if (!read_devices(job, json_object_get(operation, "devices")))
        return false;
    for (size_t i = 0; i < job->run.device_count; i++)
        facts[i] = job->worker->runtime->facts(job->ordinals[i]);
    job->parameters = lab_parameters_parse(job->run.experiment, json_object_get(operation, "parameters"), &errors);
    job->run.parameters = job->parameters;
    if (job->parameters == NULL ||
        !job->run.experiment->plan(job->parameters, facts, job->run.device_count, &job->estimate, &errors)) {
        job->run.error = errors.items[0];
        return false;
    }
    return true;
}

/* --- locking and opening the devices ------------------------------------------------------------------------------ */

static void report_waiting(void *context)
{
    const struct job *job = context;
    send_progress(context, 0, job->estimate.points, "waiting: another process is measuring on this device");
}

static int compare_texts(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Locks the devices in the order of their ids, not in the order in which the run names them. All workers of the machine use
 * the same order, so two workers cannot deadlock by each waiting for a device that the other has locked. */
static bool lock_devices(struct job *job)
{
    const char *ids[LAB_RUN_DEVICES_MAX] = {NULL};
    for (size_t i = 0; i < job->run.device_count; i++)
        ids[i] = job->worker->runtime->facts(job->ordinals[i])->id;
    qsort(ids, job->run.device_count, sizeof *ids, compare_texts);
    for (size_t i = 0; i < job->run.device_count; i++) {
        int lock =
            lab_device_lock(job->worker->lock_dir, ids[i], &job->worker->cancel, report_waiting, job, &job->run.error);
        if (lock < 0)
            return false;
        job->locks[job->lock_count++] = lock;
    }
    return true;
}

static bool open_device(struct job *job, size_t index)
{
    struct worker *worker = job->worker;
    size_t ordinal = job->ordinals[index];
    struct worker_device *entry = &worker->devices[ordinal];
    if (entry->device == NULL) {
        const struct lab_device_facts *facts = worker->runtime->facts(ordinal);
        entry->processes_before = worker->nvml != NULL ? lab_nvml_process_count(worker->nvml, facts->uuid) : -1;
        entry->device = worker->runtime->open(ordinal, &job->run.error);
        if (entry->device == NULL)
            return false;
        if (worker->nvml != NULL)
            lab_nvml_complete(worker->nvml, &entry->device->facts);
    }
    job->run.devices[index] = entry->device;
    return true;
}

static bool check_memory(struct job *job)
{
    const struct lab_estimate *estimate = &job->estimate;
    for (size_t i = 0; i < job->run.device_count; i++) {
        struct lab_device *device = job->run.devices[i];
        size_t available, total;
        if (!device->runtime->memory_info(device, &available, &total)) {
            job->run.error = device->error;
            return false;
        }
        if (estimate->device_bytes > available)
            return lab_error_set(&job->run.error, "insufficient-memory", "",
                                 "the run needs %" PRIu64 " bytes on %s, of which %zu are free", estimate->device_bytes,
                                 device->facts.name, available);
    }
    uint64_t available = lab_environment_available_memory();
    if (available != 0 && estimate->host_bytes > available)
        return lab_error_set(&job->run.error, "insufficient-memory", "",
                             "the run needs %" PRIu64 " bytes of host memory, of which %" PRIu64 " are available",
                             estimate->host_bytes, available);
    return true;
}

/* Binds the thread to the NUMA node of the first device before the context is created, so that the context and later the
 * host buffers are allocated on that node. */
static bool open_devices(struct job *job)
{
    job->run.numa_node = lab_placement_bind(job->worker->runtime->facts(job->ordinals[0])->numa_node);
    for (size_t i = 0; i < job->run.device_count; i++)
        if (!open_device(job, i))
            return false;
    return check_memory(job);
}

/* Whether other processes have started to use the run's devices: whether a device has more processes than before this
 * process opened it, plus this process. */
static bool contended(const struct job *job)
{
    for (size_t i = 0; i < job->run.device_count && job->run.devices[i] != NULL; i++) {
        const struct worker_device *entry = &job->worker->devices[job->ordinals[i]];
        int count =
            job->worker->nvml != NULL ? lab_nvml_process_count(job->worker->nvml, entry->device->facts.uuid) : -1;
        if (count >= 0 && entry->processes_before >= 0 && count > entry->processes_before + 1)
            return true;
    }
    return false;
}

/* --- the run ------------------------------------------------------------------------------------------------------ */

static bool execute(struct job *job, const json_t *operation, bool *was_contended)
{
    struct lab_run *run = &job->run;
    if (!read_operation(job, operation) || !lock_devices(job) || !open_devices(job))
        return false;
    *was_contended = contended(job);
    lab_channel_send(json_pack("{s:s, s:s, s:o}", "event", "started", "run", job->id, "environment",
                               lab_environment(run, job->worker->variables)));
    bool completed = run->experiment->run(run);
    for (size_t i = 0; i < run->device_count; i++)
        if (run->devices[i]->caveat[0] != '\0')
            send_warning(job, run->devices[i]->caveat);
    *was_contended = contended(job) || *was_contended;
    return lab_run_succeeded(run, completed);
}

static void send_finished(const struct job *job, bool good, bool was_contended)
{
    const struct lab_error *error = &job->run.error;
    bool cancelled = !good && strcmp(error->code, "cancelled") == 0;
    const char *status = good ? "succeeded" : cancelled ? "cancelled" : "failed";
    json_t *problem = json_null();
    if (!good) {
        char type[80], title[64];
        snprintf(type, sizeof type, "/problems/%s", error->code);
        snprintf(title, sizeof title, "%s", error->code);
        for (char *c = title; *c != '\0'; c++)
            *c = *c == '-' ? ' ' : *c;
        title[0] = (char)(title[0] - 'a' + 'A');
        problem = json_pack("{s:s, s:s, s:s}", "type", type, "title", title, "detail", error->detail);
    }
    lab_channel_send(json_pack("{s:s, s:s, s:s, s:b, s:b, s:o, s:O, s:o}", "event", "finished", "run", job->id,
                               "status", status, "contended", was_contended, "lost", job->lost, "error", problem,
                               "calibrated", job->run.calibrated, "libraries",
                               lab_environment_libraries(job->worker->runtime)));
}

bool worker_run(struct worker *worker, const json_t *operation)
{
    const char *id = json_string_value(json_object_get(operation, "run"));
    struct job job = {.worker = worker, .id = id != NULL ? id : ""};
    job.run.sink = (struct lab_sink){&job, send_measurement, send_span, send_progress, send_warning, send_note};
    job.run.monitor = (struct lab_monitor){&job, read_conditions};
    job.run.cancel = &worker->cancel;
    job.run.tracing = json_is_true(json_object_get(operation, "trace"));
    job.run.numa_node = LAB_UNKNOWN;
    json_t *calibrated = json_object_get(operation, "calibrated");
    job.run.calibrated = json_is_object(calibrated) ? json_copy(calibrated) : json_object();

    lab_channel_set_run(job.id);
    bool was_contended = false;
    bool good = execute(&job, operation, &was_contended);
    for (size_t i = 0; i < job.run.device_count; i++)
        job.lost = job.lost || (job.run.devices[i] != NULL && job.run.devices[i]->lost);
    lab_placement_release();
    for (size_t i = 0; i < job.lock_count; i++)
        lab_device_unlock(job.locks[i]);
    lab_channel_set_run(NULL);
    send_finished(&job, good, was_contended);
    json_decref(job.run.calibrated);
    lab_parameters_free(job.parameters);
    return !job.lost;
}
