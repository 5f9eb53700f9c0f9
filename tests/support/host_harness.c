#include "support/host_harness.h"

struct lab_device *open_with(size_t host_devices, const char *host_fault)
{
    struct lab_error error = {0};
    if (!runtime->start(&(struct lab_runtime_options){.host_devices = host_devices, .host_fault = host_fault}, &error))
        fail_msg("start: %s", error.detail);
    struct lab_device *device = runtime->open(0, &error);
    if (device == NULL)
        fail_msg("open: %s", error.detail);
    return device;
}

void close_and_stop(struct lab_device *device)
{
    runtime->close(device);
    runtime->stop();
}

int open_one(void **state)
{
    *state = open_with(0, NULL);
    return 0;
}

int close_one(void **state)
{
    close_and_stop(*state);
    return 0;
}

void succeed(struct lab_device *device, bool result)
{
    if (!result)
        fail_msg("%s: %s", lab_error_name(device->error.code), device->error.detail);
}

void *allocate(struct lab_device *device, enum lab_memory kind, size_t bytes)
{
    void *address = NULL;
    succeed(device, runtime->allocate(device, kind, bytes, &address));
    assert_non_null(address);
    return address;
}

struct lab_plan *prepare(struct lab_device *device, struct lab_operation operation)
{
    struct lab_plan *plan = runtime->prepare(device, &operation);
    succeed(device, plan != NULL);
    return plan;
}

void run_operation(struct lab_device *device, struct lab_stream *stream, struct lab_operation operation)
{
    struct lab_plan *plan = prepare(device, operation);
    succeed(device, runtime->enqueue(device, plan, stream));
    succeed(device, runtime->stream_synchronize(device, stream));
    runtime->plan_free(device, plan);
}

void fill(struct lab_device *device, struct lab_stream *stream, struct lab_region region, uint64_t seed)
{
    run_operation(device, stream, (struct lab_operation){LAB_OPERATION_FILL, .destination = region, .seed = seed});
}

uint64_t count_wrong(struct lab_device *device, struct lab_stream *stream, struct lab_region region, uint64_t seed)
{
    uint64_t wrong = UINT64_MAX;
    run_operation(device, stream,
                  (struct lab_operation){LAB_OPERATION_CHECK, .destination = region, .seed = seed, .wrong = &wrong});
    return wrong;
}
