#include "support/fake_collective.h"

struct fake fake;

static struct lab_collective *fake_open(struct lab_device *const *devices, size_t count, bool multicast)
{
    if (fake.refuses) {
        lab_error_set(&devices[0]->error, LAB_ERROR_UNSUPPORTED, "", "no library for collectives was found");
        return NULL;
    }
    fake.opened++;
    fake.multicast = multicast;
    fake.collective.count = count;
    return &fake.collective;
}

static void fake_close(struct lab_collective *collective, bool abandoned)
{
    assert_false(abandoned);
    assert_ptr_equal(collective, &fake.collective);
    fake.closed++;
}

static const char *fake_library(const struct lab_collective *collective)
{
    (void)collective;
    return "FAKE 1.2.3";
}

/* Queues a short copy on the lane, so that time passes between the events. */
static bool pass_time(const struct lab_lane *lane, const struct lab_collective_buffers *buffers)
{
    float *element = buffers->receive;
    return lane->device->runtime->copy(lane->device, lane->stream, element, element, sizeof *element, LAB_D2D);
}

bool fake_enqueue(struct lab_collective *collective, enum lab_collective_operation operation, size_t count,
                  const struct lab_lane *lanes, const struct lab_collective_buffers *buffers)
{
    float *inputs[LAB_RUN_DEVICES_MAX] = {NULL};
    size_t devices = collective->count;
    size_t sent = sent_elements(operation, devices, count), received = received_elements(operation, devices, count);
    fake.count = fake.calls == 0 || fake.count == count ? count : 0;
    fake.calls++;
    fake.calls_of[operation]++;
    if (fake.breaks)
        return lab_error_set(&lanes[0].device->error, LAB_ERROR_NCCL_ERROR, "", "failure requested by the test");
    for (size_t r = 0; r < devices; r++) {
        inputs[r] = malloc(sent * sizeof(float));
        assert_non_null(inputs[r]);
        memcpy(inputs[r], buffers[r].send, sent * sizeof(float));
        assert_true(isfinite(inputs[r][0]));
    }
    if (fake.mixes)
        memcpy(inputs[0], inputs[devices - 1], sent * sizeof(float));
    for (size_t r = 0; r < devices && !fake.idles; r++)
        for (size_t i = 0; i < received; i++)
            buffers[r].receive[i] = element_of(operation, devices, count, (const float *const *)inputs, r, i);
    if (fake.plants)
        buffers[devices - 1].receive[2] += 1;
    bool good = true;
    for (size_t r = 0; r < devices; r++) {
        free(inputs[r]);
        good = good && pass_time(&lanes[r], &buffers[r]);
    }
    return good;
}

const struct lab_runtime_collective fake_collective = {
    .open = fake_open, .close = fake_close, .enqueue = fake_enqueue, .library = fake_library};
