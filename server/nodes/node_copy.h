/* Copies the lab's programs (node_package.h) to another machine, by the commands that start workers there. The machine
 * needs a POSIX shell and the GNU coreutils; node_files.sh says what is done there. */
#ifndef LAB_NODE_COPY_H
#define LAB_NODE_COPY_H

#include "core/errors.h"

#include <stdatomic.h>

struct lab_transport;

/* Makes sure that the machine of an open transport has the programs, unchanged, and notes the path of its worker:
 * verifies them there, which reads them, and copies them where they are missing or damaged. Architecture and C library
 * are compared before anything is written. False with *error, code "worker-start", or "cancelled" soon after *cancelled
 * became true (NULL: never). */
bool lab_node_copy(struct lab_transport *transport, const atomic_bool *cancelled, struct lab_error *error);

#endif
