/* The part of a lab that says on which machines runs are executed: this one, or those that the file of --nodes
 * lists. */
#ifndef LAB_NODE_SERVICE_H
#define LAB_NODE_SERVICE_H

#include "serving.h"

#include "cli/config.h"
#include "jobs/jobs.h"
#include "nodes/transport.h"

/* Starts as {0}. */
struct lab_node_service {
    char host[256]; /* name of this machine */
    struct lab_transport **transports;
    size_t transport_count;
    struct lab_node_options *nodes; /* for lab_jobs_start */
    size_t node_count;
};

/* A worker on this machine. The texts point into `config`. */
struct lab_worker_options lab_worker_here(const struct lab_config *config);

/* Fills `nodes`; with a file of nodes, asks Slurm for the machines of its partitions and cancels what an earlier server
 * of the same database left there. The texts point into `service`, `config` and `serving`, which must outlive their
 * use. False with *error, code "nodes" for a file that cannot be used. The caller releases the service in both
 * cases. */
bool lab_node_service_init(struct lab_node_service *service, const struct lab_config *config,
                           const struct lab_serving *serving, struct lab_error *error);
/* No worker may use a transport from then on. */
void lab_node_service_release(struct lab_node_service *service);

#endif
