/* For the tests of peer and peer-transpose: runs on two or three devices of the host runtime and keeps what they
 * report, and watches the calls to the peer table. */
#ifndef LAB_PEER_HARNESS_H
#define LAB_PEER_HARNESS_H

#include "support/plan_harness.h"
#include "support/three_devices.h"

#include <math.h>

enum { REPORTED_MAX = 1024 };

extern int64_t run_node; /* NUMA node of the following runs */

/* --- plans -------------------------------------------------------------------------------------------------------- */

/* Expects that the estimated duration on two devices is from `least` to `most` seconds. */
void expect_duration(const char *experiment, const char *text, double least, double most);

/* Expects that the plan refuses the request and that its first error has this code and pointer. */
void expect_refusal_on(const char *experiment, const char *text, size_t count, const char *code, const char *pointer);

/* --- collected reports -------------------------------------------------------------------------------------------- */

struct reported {
    char metric[32], pattern[16], variant[16], engine[8], access[8], skipped[128];
    int64_t bytes, n, devices; /* devices: the axis device_count */
    int64_t numa_node;
    int peer_access;    /* -1: not an axis of the measurement */
    int source, target; /* indices in `devices`; -1: not an axis */
    bool verified_known, verified;
    bool nameless_kernel; /* it has a kernel's record without a name, of which no JSON can be made */
    uint64_t wrong;
    struct lab_summary summary;
};

extern struct reported reported[REPORTED_MAX];
extern size_t reported_count, warnings, notes, last_done, last_total;
extern size_t cancel_at; /* progress at which the run is cancelled; 0: never */

/* The spans of a traced run. */
struct seen_span {
    char lane[32], kind[16], label[96], variant[16];
    int peer_access;
    int64_t start_ns, end_ns;
};

extern struct seen_span spans[REPORTED_MAX];
extern size_t span_count;
extern bool tracing; /* the following runs are traced */

/* Clears the collected reports and runs the experiment on the first `count` devices; returns what run() returned. */
bool run_on(const char *experiment, const char *text, size_t count, struct lab_run *result);

/* Like run_on, but fails the test if the run does not complete; returns the run. */
struct lab_run run_to_end(const char *experiment, const char *text, size_t count);

/* --- devices ------------------------------------------------------------------------------------------------------ */

/* The peer table of `changed`, a copy of that of the host runtime. */
extern struct lab_runtime_peer changed_peer;

/* Opens the three devices, without a cache that data could fit in; teardown: close_devices. */
test_fixture open_peers;

size_t place_of_device(const struct lab_device *device);

/* The calls to the peer table so far, and which of the calls shall fail. */
typedef bool peer_copy(const struct lab_lane *lane, struct lab_device *target, void *destination,
                       struct lab_device *source, const void *from, size_t bytes);

extern struct watch {
    bool allowed[DEVICES][DEVICES]; /* [accessing device][device whose memory is accessed] */
    size_t allowances, copies;
    size_t from[REPORTED_MAX], to[REPORTED_MAX]; /* devices of the first REPORTED_MAX copies */
    int missing_one;                             /* the device without peer access to and from others; -1: none */
    bool all_missing;
    size_t failing;  /* the copy, counted from 1, that fails; 0: none */
    peer_copy *copy; /* replaces the copy; NULL: the original one */
} watch;

/* Starts to watch: the devices have `changed` from now on. */
void watch_peers(void);

/* Sets the size of the last-level cache of all devices. */
void set_cache(int64_t bytes);
void expect_nothing_allowed(void);

#endif
