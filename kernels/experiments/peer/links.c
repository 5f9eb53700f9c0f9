/* Peer access, on demand. */
#include "links.h"

#include <string.h>

static enum peer_link allow(struct peer_links *links, size_t who, size_t whose, struct lab_error *error)
{
    struct lab_device *device = links->devices[who];
    if (links->access[who][whose] == PEER_ACCESS_ALLOWED)
        return PEER_LINK_OPEN;
    if (device->runtime->peer->allow(device, links->devices[whose])) {
        links->access[who][whose] = PEER_ACCESS_ALLOWED;
        return PEER_LINK_OPEN;
    }
    *error = device->error;
    return strcmp(error->code, "unsupported") == 0 ? PEER_LINK_MISSING : PEER_LINK_FAILED;
}

enum peer_link peer_links_allow(struct peer_links *links, size_t one, size_t other, struct lab_error *error)
{
    enum peer_link link = allow(links, one, other, error);
    return link == PEER_LINK_OPEN ? allow(links, other, one, error) : link;
}

static bool deny(struct peer_links *links, size_t who, size_t whose, struct lab_error *error)
{
    struct lab_device *device = links->devices[who];
    if (who == whose || links->access[who][whose] == PEER_ACCESS_DENIED)
        return true;
    links->access[who][whose] = PEER_ACCESS_DENIED;
    if (device->runtime->peer->deny(device, links->devices[whose]))
        return true;
    *error = device->error;
    return false;
}

bool peer_links_deny(struct peer_links *links, struct lab_error *error)
{
    struct lab_error latest;
    bool good = true;
    if (links->count == 0 || links->devices[0]->runtime->peer == NULL)
        return true;
    for (size_t who = 0; who < links->count; who++)
        for (size_t whose = 0; whose < links->count; whose++) {
            if (deny(links, who, whose, &latest))
                continue;
            if (good)
                *error = latest;
            good = false;
        }
    return good;
}
