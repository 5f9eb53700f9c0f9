/* Peer access between the devices of a run: allowed when a point needs it, denied again afterwards.
 */
#ifndef LAB_PEER_ACCESS_H
#define LAB_PEER_ACCESS_H

#include "measure/run.h"

/* The state is initially unknown, because an earlier run in the same process, or a library in it, may have left peer
 * access allowed. */
enum lab_peer_state { LAB_PEER_UNKNOWN, LAB_PEER_ALLOWED, LAB_PEER_DENIED };

/* Initialise with {.run = run}. */
struct lab_peer_access {
    struct lab_run *run;
    enum lab_peer_state states[LAB_RUN_DEVICES_MAX]
                              [LAB_RUN_DEVICES_MAX]; /* [accessing device][device whose memory is accessed] */
};

/* Returns false with run->error set, code "unsupported", if the runtime of the run's devices has no peer copies. */
bool lab_peer_access_check(struct lab_run *run);

/* Allows two devices of the run to access each other's memory, in both directions, so that either can perform a copy.
 * Returns false with run->error set; the code is "unsupported" if the hardware does not support peer access between
 * them. The runtime must have the peer table. */
bool lab_peer_access_allow(struct lab_peer_access *access, size_t one, size_t other);

/* Whether access in both directions is allowed at present. */
bool lab_peer_access_is_allowed(const struct lab_peer_access *access, size_t one, size_t other);

/* Allows and denies again what has been allowed and denied, because another run in the process may have changed it. The
 * argument is a struct lab_peer_access: for struct lab_work. Returns false with run->error set. */
bool lab_peer_access_restore(void *access);

/* Denies all peer access between the devices of the run. If that fails for a pair, continues with the other pairs and
 * returns false with the first error in run->error; an error that was set before stays. */
bool lab_peer_access_deny(struct lab_peer_access *access);

#endif
