/* The devices of a run: their locks, opening and closing them, what is read of them while it measures, and what a
 * program has left. */
#include "job.h"

#include "device_answers.h"
#include "device_lock.h"
#include "environment.h"
#include "experiments/program/execute.h"
#include "measure/placement.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- locking and opening the devices ------------------------------------------------------------------------------ */

static void report_waiting(void *context)
{
    struct worker_job *job = context;
    struct worker_side *head = &job->sides[LAB_HEAD];
    head->run.sink.progress(head, 0, job->estimate.points, "waiting: another process is measuring on this device");
}

static int compare_texts(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Locks the devices in the order of their ids, not in the order in which the run names them. All workers of the machine
 * use the same order, so two workers cannot deadlock by each waiting for a device that the other has locked. */
bool worker_job_lock_devices(struct worker_job *job)
{
    const char *ids[WORKER_DEVICES_MAX] = {NULL};
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

void worker_job_unlock_devices(const struct worker_job *job)
{
    for (size_t i = 0; i < job->lock_count; i++)
        lab_device_unlock(job->locks[i]);
}

/* The compute processes on a device; -1: unknown. */
static int process_count(const struct worker *worker, size_t ordinal)
{
    return worker->nvml != NULL ? lab_nvml_process_count(worker->nvml, worker->runtime->facts(ordinal)->uuid) : -1;
}

/* Closes the devices, so that a program has their memory to itself, and notes how many processes still use them. */
static void close_devices(struct worker_job *job)
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

static bool check_memory(struct worker_job *job)
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

/* Binds the thread to the NUMA node of the first device before the contexts are created, so that they and later the
 * host buffers are allocated on that node. */
static bool open_side(struct worker_side *side)
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
static void prepare_program(struct worker_side *side)
{
    for (size_t i = 0; i < side->ordinals.count; i++)
        side->run.facts[i] = side->job->worker->runtime->facts(side->ordinals.items[i]);
}

bool worker_job_open_devices(struct worker_job *job)
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

bool worker_job_is_contended(const struct worker_job *job)
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

/* --- devices after a program -------------------------------------------------------------------------------------- */

struct lab_xid_watch *worker_job_watch_devices(const struct worker_job *job)
{
    const char *uuids[WORKER_DEVICES_MAX];
    for (size_t i = 0; i < job->ordinals.count; i++)
        uuids[i] = job->worker->runtime->facts(job->ordinals.items[i])->uuid;
    return lab_xids_begin(job->worker->nvml, uuids, job->ordinals.count);
}

void worker_job_report_xids(struct worker_job *job, const struct lab_xids *xids)
{
    for (size_t i = 0; i < xids->count; i++) {
        const char *what = lab_xid_text(xids->numbers[i]);
        bool of_program = lab_xid_is_of_program(xids->numbers[i]);
        char text[200];
        snprintf(text, sizeof text, "the driver reported Xid %u%s%s%s while the program ran%s", xids->numbers[i],
                 what != NULL ? " (" : "", what != NULL ? what : "", what != NULL ? ")" : "",
                 of_program ? "" : ". The next run on the device begins with a health check");
        job->lost = job->lost || !of_program;
        job->sides[LAB_HEAD].run.sink.warning(&job->sides[LAB_HEAD], text);
    }
}

void worker_job_check_devices(struct worker_job *job)
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
        job->sides[LAB_HEAD].run.sink.warning(&job->sides[LAB_HEAD], text);
    }
}

/* --- what is read of them while the run measures ------------------------------------------------------------------ */

/* The context is a struct worker_side. */

static void read_conditions(void *context, struct lab_device *device, struct lab_conditions *conditions)
{
    const struct worker *worker = ((const struct worker_side *)context)->job->worker;
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
    lab_nvml_readings(((const struct worker_side *)context)->job->worker->nvml, device->facts.uuid, readings);
}

static bool read_energy(void *context, struct lab_device *device, double *joules)
{
    return lab_nvml_energy(((const struct worker_side *)context)->job->worker->nvml, device->facts.uuid, joules);
}

void worker_side_set_monitor(struct worker_side *side)
{
    side->run.monitor = (struct lab_monitor){side, read_conditions, read_readings, read_energy};
}

bool worker_job_is_lost(const struct worker_job *job)
{
    for (size_t i = 0; i < job->ordinals.count; i++) {
        const struct lab_device *device = job->worker->devices[job->ordinals.items[i]].device;
        if (device != NULL && device->lost)
            return true;
    }
    return false;
}
