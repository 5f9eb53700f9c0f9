#include "facts/xids.h"

#include "facts/nvml_library.h"

#include <stdlib.h>

static const struct {
    unsigned number;
    bool of_program;
    const char *text;
} known[] = {
    {13, true, "graphics engine exception"},
    {31, true, "GPU memory page fault"},
    {43, true, "GPU stopped processing"},
    {45, true, "preemptive cleanup, due to previous errors"},
    {48, false, "double-bit ECC error"},
    {63, false, "row remapping or page retirement recorded"},
    {64, false, "row remapping or page retirement failed"},
    {69, true, "graphics engine class error"},
    {74, false, "NVLink error"},
    {79, false, "GPU has fallen off the bus"},
    {94, false, "contained memory error"},
    {95, false, "uncontained memory error"},
    {119, false, "GSP does not answer"},
    {120, false, "GSP error"},
};

struct lab_xid_watch {
    struct lab_nvml *nvml;
    nvml_event_set set;
};

const char *lab_xid_text(unsigned number)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].number == number)
            return known[i].text;
    return NULL;
}

bool lab_xid_is_of_program(unsigned number)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].number == number)
            return known[i].of_program;
    return false;
}

/* Registers the GPU of a device, which is the device itself unless that is a MIG instance. */
static bool add(const struct lab_xid_watch *watch, const char *uuid)
{
    struct lab_nvml *nvml = watch->nvml;
    nvml_handle device, gpu;
    if (nvml->handle_by_uuid(uuid, &device) != NVML_SUCCESS)
        return false;
    if (nvml->parent_of_mig == NULL || nvml->parent_of_mig(device, &gpu) != NVML_SUCCESS)
        gpu = device;
    return nvml->register_events(gpu, NVML_EVENT_XID, watch->set) == NVML_SUCCESS;
}

struct lab_xid_watch *lab_xids_begin(struct lab_nvml *nvml, const char *const *uuids, size_t count)
{
    if (nvml == NULL || nvml->event_set_create == NULL || nvml->register_events == NULL || nvml->event_wait == NULL ||
        nvml->event_set_free == NULL)
        return NULL;
    struct lab_xid_watch *watch = calloc(1, sizeof *watch);
    size_t added = 0;
    if (watch == NULL)
        return NULL;
    watch->nvml = nvml;
    if (nvml->event_set_create(&watch->set) != NVML_SUCCESS) {
        free(watch);
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        added += add(watch, uuids[i]);
    if (added > 0)
        return watch;
    nvml->event_set_free(watch->set);
    free(watch);
    return NULL;
}

static void keep(struct lab_xids *xids, unsigned number)
{
    for (size_t i = 0; i < xids->count; i++)
        if (xids->numbers[i] == number)
            return;
    if (xids->count < LAB_XIDS_MAX)
        xids->numbers[xids->count++] = number;
}

void lab_xids_end(struct lab_xid_watch *watch, unsigned wait_ms, struct lab_xids *xids)
{
    enum { EVENTS_MAX = 1000 };
    struct nvml_event event = {0};
    *xids = (struct lab_xids){0};
    if (watch == NULL)
        return;
    for (int i = 0; i < EVENTS_MAX && watch->nvml->event_wait(watch->set, &event, i == 0 ? wait_ms : 0) == NVML_SUCCESS;
         i++)
        keep(xids, (unsigned)event.data);
    watch->nvml->event_set_free(watch->set);
    free(watch);
}
