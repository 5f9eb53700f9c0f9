/* What `gpulab serve` can be told beyond what all commands share. A private lab has none of it: its struct lab_serving
 * is {0} but for worker_idle_s.
 */
#ifndef LAB_SERVING_H
#define LAB_SERVING_H

#include "cli/options.h"

#include <stdbool.h>

struct lab_serving {
    /* The options' values; NULL, 0 or false for an option without value and default. */
    const char *listen; /* NULL: no TCP address */
    double worker_idle_s;
    const char *nodes; /* the file that lists the machines; NULL: this machine only */
    struct lab_texts allow_hosts, frame_ancestors, cors_origins;
    const char *base_path; /* NULL: none */
    bool insecure;         /* allow a listen address that other machines can reach without tokens */
    bool anonymous;        /* everyone may read results without a token */
    bool allow_programs;   /* whoever has a token may have programs executed */
    unsigned program_limit;
    unsigned rate_limit;
    unsigned keep_samples_days; /* 0: all samples are kept */
    const char *tls_cert, *tls_key;
    const char *access_log, *audit_log, *log_format;

    bool loopback; /* `listen` is reachable from this machine only; set by the command serve */
};

extern const struct lab_option lab_serving_options[];

#endif
