/* Creates, queues and releases plans. */
#include "plan.h"

#include "scheduler.h"

#include <stdlib.h>

struct lab_plan *lab_host_plan_create(struct lab_device *device, size_t bytes, void (*run)(struct lab_plan *plan),
                                      void (*release)(struct lab_plan *plan))
{
    struct lab_plan *plan = calloc(1, bytes);
    if (plan == NULL) {
        lab_error_set(&device->error, LAB_ERROR_INSUFFICIENT_MEMORY, "", "out of memory for a prepared operation");
        return NULL;
    }
    plan->device = lab_host_device(device);
    plan->run = run;
    plan->release = release;
    return plan;
}

static void run_plan(struct host_device *device, struct host_task *task)
{
    struct lab_plan *plan = task->plan;
    plan->run(plan);
    if (plan->result.height > 0)
        lab_host_fault_corrupt(&device->machine->fault, task->fault == HOST_FAULT_WRONG_RESULT, &plan->result);
}

static const struct host_task_kind plan_kind = {.name = "operation", .run = run_plan};

bool lab_host_enqueue(struct lab_device *device, struct lab_plan *plan, struct lab_stream *stream)
{
    struct host_device *host = lab_host_device(device);
    struct host_fault *fault = &host->machine->fault;
    if (!lab_host_alive(device))
        return false;
    if (lab_host_fault_due(fault, HOST_FAULT_LAUNCH))
        return lab_host_mark_lost(device, "an operation failed (injected fault)");
    const struct host_task task = {.kind = &plan_kind,
                                   .engine = &host->engines[HOST_ENGINE_COMPUTE],
                                   .fault = lab_host_fault_for_work(fault, plan->result.height > 0),
                                   .plan = plan};
    return lab_host_submit(stream, &task);
}

void lab_host_plan_free(struct lab_device *device, struct lab_plan *plan)
{
    if (plan == NULL)
        return;
    lab_host_drain(lab_host_device(device));
    plan->release(plan);
}
