/* How workers are started on one machine of the lab: here, by ssh, or by srun in an allocation of Slurm. One transport
 * is one machine. All functions of one transport are called from one thread.
 *
 * The worker's lines travel through ssh or srun, which are children of this process. No exit code of these is trusted:
 * a run has ended when its worker sent `finished`, and a worker ends by itself when it hears nothing from the server
 * (core/protocol.h).
 */
#ifndef LAB_TRANSPORT_H
#define LAB_TRANSPORT_H

#include "core/errors.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum lab_transport_kind { LAB_TRANSPORT_LOCAL, LAB_TRANSPORT_SSH, LAB_TRANSPORT_SLURM };

/* "local", "ssh", "slurm" */
const char *lab_transport_kind_name(enum lab_transport_kind kind);

struct lab_transport;

/* Reads the list of machines in the file (README.md) and asks Slurm for the nodes of its partitions: an array of
 * transports, at least one, in the order of the file. `database` identifies this lab in Slurm; `worker` is the path of
 * the worker that is copied to machines whose lines say so. False with errors, whose pointer is "--nodes", when the
 * file, or that worker, cannot be used. A Slurm that does not answer is an error of lab_transport_open only. */
bool lab_transports_read(const char *path, const char *database, const char *worker, struct lab_transport ***transports,
                         size_t *count, struct lab_errors *errors);
/* Closes and frees them. */
void lab_transports_free(struct lab_transport **transports, size_t count);

/* Cancels the allocations in Slurm that a server of the same database left when it died. To be called before the first
 * lab_transport_open. Takes seconds when Slurm does not answer. */
void lab_transports_cancel_leftovers(struct lab_transport *const *transports, size_t count);

/* The node's name: unique in the lab. */
const char *lab_transport_name(const struct lab_transport *transport);
enum lab_transport_kind lab_transport_kind(const struct lab_transport *transport);
/* The host or the partition; "" for this machine. */
const char *lab_transport_target(const struct lab_transport *transport);

/* Prepares the machine for a worker: opens the shared connection of ssh, or gets an allocation from Slurm, unless there
 * is one, and copies the worker there where the file says so (node_copy.h). To be called before each start of a worker;
 * may take up to a minute, or as long as a copy does. False with *error, code "node-unreachable", "worker-start" when
 * the worker cannot be copied, or "cancelled" soon after *cancelled became true (NULL: never). */
bool lab_transport_open(struct lab_transport *transport, const atomic_bool *cancelled, struct lab_error *error);

/* Gives the allocation back, or closes the shared connection. Ends every worker that was started through it. Does
 * nothing when the transport is not open. */
void lab_transport_close(struct lab_transport *transport);

/* The command line that runs `words`, a program and its arguments that end with NULL, on the machine. NULL when out of
 * memory. The caller frees it with lab_argv_free. */
char **lab_transport_command(const struct lab_transport *transport, const char *const *words);
/* The worker's path on the machine, which of a worker that is copied is known after lab_transport_open; NULL: the same
 * as here. */
const char *lab_transport_worker(const struct lab_transport *transport);
/* Whether a worker is being copied there, how many bytes of it have been sent, and of how many. Any thread. */
bool lab_transport_copying(struct lab_transport *transport, size_t *sent, size_t *size);

#endif
