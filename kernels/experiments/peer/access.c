/* Allows and denies peer access, and remembers the state of each pair. */
#include "access.h"

#include <string.h>

static size_t index_of(const struct peer_access *access, const struct lab_device *device)
{
    size_t i = 0;
    while (access->devices[i] != device)
        i++;
    return i;
}

static enum peer_access_result allow(struct peer_access *access, struct lab_device *device, struct lab_device *other,
                                     struct lab_error *error)
{
    enum peer_access_state *state = &access->states[index_of(access, device)][index_of(access, other)];
    if (*state != PEER_ACCESS_ALLOWED && !device->runtime->peer->allow(device, other)) {
        *error = device->error;
        return strcmp(error->code, "unsupported") == 0 ? PEER_ACCESS_UNSUPPORTED : PEER_ACCESS_FAILED;
    }
    *state = PEER_ACCESS_ALLOWED;
    return PEER_ACCESS_GRANTED;
}

enum peer_access_result peer_access_allow(struct peer_access *access, struct lab_device *one, struct lab_device *other,
                                          struct lab_error *error)
{
    enum peer_access_result link = allow(access, one, other, error);
    return link == PEER_ACCESS_GRANTED ? allow(access, other, one, error) : link;
}

bool peer_access_is_allowed(const struct peer_access *access, const struct lab_device *one,
                            const struct lab_device *other)
{
    size_t i = index_of(access, one), k = index_of(access, other);
    return access->states[i][k] == PEER_ACCESS_ALLOWED && access->states[k][i] == PEER_ACCESS_ALLOWED;
}

static bool deny(struct peer_access *access, size_t who, size_t whose, struct lab_error *error)
{
    struct lab_device *device = access->devices[who];
    if (who == whose || access->states[who][whose] == PEER_ACCESS_DENIED)
        return true;
    access->states[who][whose] = PEER_ACCESS_DENIED;
    if (device->runtime->peer->deny(device, access->devices[whose]))
        return true;
    *error = device->error;
    return false;
}

bool peer_access_deny(struct peer_access *access, struct lab_error *error)
{
    struct lab_error latest;
    bool good = true;
    if (access->count == 0 || access->devices[0]->runtime->peer == NULL)
        return true;
    for (size_t who = 0; who < access->count; who++)
        for (size_t whose = 0; whose < access->count; whose++) {
            if (deny(access, who, whose, &latest))
                continue;
            if (good)
                *error = latest;
            good = false;
        }
    return good;
}
