/* Peer access between the devices of a run: allowed when a point needs it, denied again afterwards. Used by peer and by
 * peer_transpose.
 */
#ifndef LAB_PEER_ACCESS_H
#define LAB_PEER_ACCESS_H

#include "measure/run.h"

/* The state is initially unknown, because an earlier run in the same process, or a library in it, may have left peer
 * access allowed. */
enum peer_access_state { PEER_ACCESS_UNKNOWN, PEER_ACCESS_ALLOWED, PEER_ACCESS_DENIED };

/* Peer access between the devices of a run. Initialise `devices` and `count`, the other members with 0. */
struct peer_access {
    struct lab_device *const *devices;
    size_t count;
    enum peer_access_state states[LAB_RUN_DEVICES_MAX]
                                 [LAB_RUN_DEVICES_MAX]; /* [accessing device][device whose memory is accessed] */
};

enum peer_access_result { PEER_ACCESS_GRANTED, PEER_ACCESS_UNSUPPORTED, PEER_ACCESS_FAILED };

/* Allows two of the devices to access each other's memory, in both directions, so that either can perform the copy. Returns
 * PEER_ACCESS_UNSUPPORTED with the reason in *error if the hardware does not support peer access between them,
 * PEER_ACCESS_FAILED with *error set on another error. The runtime must have the peer table. */
enum peer_access_result peer_access_allow(struct peer_access *access, struct lab_device *one, struct lab_device *other,
                                          struct lab_error *error);

/* Whether access in both directions is allowed at present. */
bool peer_access_is_allowed(const struct peer_access *access, const struct lab_device *one,
                            const struct lab_device *other);

/* Denies all peer access between the devices. If that fails for a pair, continues with the other pairs and returns
 * false with the first error in *error. */
bool peer_access_deny(struct peer_access *access, struct lab_error *error);

#endif
