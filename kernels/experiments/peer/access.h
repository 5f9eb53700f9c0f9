/* Peer access between the devices of a run: allowed when a point needs it, denied again afterwards. Used by peer and by
 * peer_transpose.
 */
#ifndef LAB_PEER_ACCESS_H
#define LAB_PEER_ACCESS_H

#include "measure/run.h"

/* Initially unknown: an earlier run in the same process may have left access allowed, as libraries do. */
enum peer_access_state { PEER_ACCESS_UNKNOWN, PEER_ACCESS_ALLOWED, PEER_ACCESS_DENIED };

/* Initialise with {.devices, .count}. */
struct peer_access {
    struct lab_device *const *devices;
    size_t count;
    enum peer_access_state states[LAB_RUN_DEVICES_MAX]
                                 [LAB_RUN_DEVICES_MAX]; /* [accessing device][device whose memory is accessed] */
};

enum peer_access_result { PEER_ACCESS_GRANTED, PEER_ACCESS_UNSUPPORTED, PEER_ACCESS_FAILED };

/* Allows two devices to access each other's memory, in both directions, so that either can perform the copy.
 * UNSUPPORTED with the reason in *error if the hardware cannot; FAILED with *error set. The runtime must have the peer
 * table. */
enum peer_access_result peer_access_allow(struct peer_access *access, size_t one, size_t other,
                                          struct lab_error *error);

/* Denies all access between the devices. On a failure it continues with the others and returns false with the first
 * *error. */
bool peer_access_deny(struct peer_access *access, struct lab_error *error);

#endif
