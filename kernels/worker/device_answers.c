#include "device_answers.h"

enum { BYTES = 1 << 20 };

/* Prepares an operation, executes it, and waits for its end. */
static bool execute(struct lab_device *device, struct lab_stream *stream, const struct lab_operation *operation)
{
    const struct lab_runtime *runtime = device->runtime;
    struct lab_plan *plan = runtime->prepare(device, operation);
    bool good = plan != NULL && runtime->enqueue(device, plan, stream) && runtime->stream_synchronize(device, stream);
    if (plan != NULL)
        runtime->plan_free(device, plan);
    return good;
}

static bool compute(struct lab_device *device, struct lab_stream *stream, void *memory, uint64_t *wrong)
{
    const struct lab_region region = lab_region_of(memory, BYTES);
    const struct lab_operation fill = {
        .kind = LAB_OPERATION_FILL, .destination = region, .seed = 1, .content = LAB_CONTENT_WORDS};
    const struct lab_operation check = {
        .kind = LAB_OPERATION_CHECK, .destination = region, .seed = 1, .content = LAB_CONTENT_WORDS, .wrong = wrong};
    return execute(device, stream, &fill) && execute(device, stream, &check);
}

bool worker_device_answers(struct lab_device *device, struct lab_error *error)
{
    const struct lab_runtime *runtime = device->runtime;
    struct lab_stream *stream = runtime->stream_create(device);
    void *memory = NULL;
    uint64_t wrong = 0;
    bool allocated = stream != NULL && runtime->allocate(device, LAB_MEMORY_DEVICE, BYTES, &memory);
    bool good = allocated ? compute(device, stream, memory, &wrong)
                          : stream != NULL && device->error.code == LAB_ERROR_INSUFFICIENT_MEMORY && !device->lost;
    if (!good)
        *error = device->error;
    else if (wrong > 0)
        lab_error_set(error, LAB_ERROR_WRONG_RESULT, "", "%ju of %d words that it has written are wrong",
                      (uintmax_t)wrong, BYTES / 4);
    if (allocated)
        runtime->free(device, LAB_MEMORY_DEVICE, memory);
    if (stream != NULL)
        runtime->stream_free(device, stream);
    return good && wrong == 0;
}
