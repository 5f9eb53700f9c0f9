/* Peer access among the devices of a run: allowed where a point asks for it, denied again behind it. Of peer and of
 * peer_transpose.
 */
#ifndef LAB_PEER_ACCESS_H
#define LAB_PEER_ACCESS_H

#include "measure/run.h"

/* A process that has run something else before may have left access allowed: libraries do. */
enum peer_access_state { PEER_ACCESS_UNKNOWN, PEER_ACCESS_ALLOWED, PEER_ACCESS_DENIED };

/* Starts as {devices, count}. */
struct peer_access {
    struct lab_device *const *devices;
    size_t count;
    enum peer_access_state states[LAB_RUN_DEVICES_MAX][LAB_RUN_DEVICES_MAX]; /* [who reaches][whose memory] */
};

enum peer_access_result { PEER_ACCESS_GRANTED, PEER_ACCESS_UNSUPPORTED, PEER_ACCESS_FAILED };

/* Lets two devices reach each other's memory, both ways: which of them does the copy is then open. Missing, with a
 * sentence in *error, where the hardware has no way. The runtime has the peer table. */
enum peer_access_result peer_access_allow(struct peer_access *access, size_t one, size_t other,
                                          struct lab_error *error);

/* Denies all access among the devices. False with the first *error, having denied all that could be. */
bool peer_access_deny(struct peer_access *access, struct lab_error *error);

#endif
