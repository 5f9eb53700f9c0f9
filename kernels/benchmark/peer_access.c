/* Allows and denies peer access, and remembers the state of each pair. */
#include "benchmark/peer_access.h"

bool lab_peer_access_check(struct lab_run *run)
{
    return run->devices[0]->runtime->peer != NULL ||
           lab_error_set(&run->error, LAB_ERROR_UNSUPPORTED, "",
                         "the runtime of these devices does not support peer copies");
}

static bool allow(struct lab_peer_access *access, size_t who, size_t whose)
{
    struct lab_device *device = access->run->devices[who], *other = access->run->devices[whose];
    enum lab_peer_state *state = &access->states[who][whose];
    if (*state != LAB_PEER_ALLOWED &&
        !lab_run_forward_error(access->run, device, device->runtime->peer->allow(device, other)))
        return false;
    *state = LAB_PEER_ALLOWED;
    return true;
}

bool lab_peer_access_allow(struct lab_peer_access *access, size_t one, size_t other)
{
    return allow(access, one, other) && allow(access, other, one);
}

bool lab_peer_access_is_allowed(const struct lab_peer_access *access, size_t one, size_t other)
{
    return access->states[one][other] == LAB_PEER_ALLOWED && access->states[other][one] == LAB_PEER_ALLOWED;
}

static bool deny(struct lab_peer_access *access, size_t who, size_t whose)
{
    struct lab_run *run = access->run;
    struct lab_device *device = run->devices[who];
    if (who == whose || access->states[who][whose] == LAB_PEER_DENIED)
        return true;
    access->states[who][whose] = LAB_PEER_DENIED;
    if (device->runtime->peer->deny(device, run->devices[whose]))
        return true;
    if (run->error.code == LAB_ERROR_NONE)
        run->error = device->error;
    return false;
}

bool lab_peer_access_deny(struct lab_peer_access *access)
{
    const struct lab_run *run = access->run;
    bool good = true;
    for (size_t who = 0; run->devices[0]->runtime->peer != NULL && who < run->device_count; who++)
        for (size_t whose = 0; whose < run->device_count; whose++)
            good = deny(access, who, whose) && good;
    return good;
}

bool lab_peer_access_restore(void *access)
{
    const struct lab_peer_access *restored = access;
    struct lab_run *run = restored->run;
    for (size_t who = 0; who < run->device_count; who++)
        for (size_t whose = 0; whose < run->device_count; whose++) {
            enum lab_peer_state state = restored->states[who][whose];
            struct lab_device *device = run->devices[who], *other = run->devices[whose];
            if ((state == LAB_PEER_ALLOWED && !device->runtime->peer->allow(device, other)) ||
                (state == LAB_PEER_DENIED && !device->runtime->peer->deny(device, other)))
                return lab_run_forward_error(run, device, false);
        }
    return true;
}
