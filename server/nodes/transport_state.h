/* The state of a transport, and what each kind implements. Included by node_copy.c, transport.c, transports.c, ssh.c
 * and slurm.c only. */
#ifndef LAB_TRANSPORT_STATE_H
#define LAB_TRANSPORT_STATE_H

#include "argv.h"
#include "node_list.h"
#include "node_package.h"
#include "transport.h"

#include <limits.h>

/* See transport.h. */
struct lab_transport_operations {
    bool (*open)(struct lab_transport *transport, const atomic_bool *cancelled, struct lab_error *error);
    void (*close)(struct lab_transport *transport);
    /* Adds what precedes the words on the command line, and the words as the other machine needs them. */
    void (*command)(const struct lab_transport *transport, struct lab_argv *argv, const char *const *words);
};

enum { LAB_SOCKET_MAX = 96, LAB_JOB_NAME_MAX = 32 };

struct lab_transport {
    const struct lab_transport_operations *operations;
    struct lab_node_list *list;         /* shared by all transports of a file */
    struct lab_package *package;        /* likewise; NULL: no line has worker=auto */
    const struct lab_node_entry *entry; /* of the list */
    char name[LAB_NODE_NAME_MAX + 1];

    char copied[PATH_MAX]; /* path of the worker that was copied; "": it was not */
    atomic_bool copying;   /* the package is being sent */
    atomic_size_t sent;    /* bytes of it */

    char socket[LAB_SOCKET_MAX]; /* ssh: of the shared connection, in a folder of its own; "": not open */

    char job_name[LAB_JOB_NAME_MAX]; /* identifies this lab; slurm: of its allocations */
    bool is_node;                 /* slurm: the name is that of a node; else it stands for a partition without nodes */
    char problem[LAB_DETAIL_MAX]; /* slurm: why the partition has no nodes, a sentence */
    unsigned gpus;                /* slurm: of the node */
    long job;                     /* slurm: the allocation; 0: none */
};

extern const struct lab_transport_operations lab_ssh_operations, lab_slurm_operations;

/* Adds a transport of this name to the array; NULL when out of memory. */
struct lab_transport *lab_transport_add(const struct lab_node_entry *entry, const char *name,
                                        struct lab_transport ***transports, size_t *count);

/* The nodes of an entry's partition as they are now: adds a transport for each to the array, or one with a problem when
 * there is none. False when out of memory. */
bool lab_slurm_discover(const struct lab_node_entry *entry, struct lab_transport ***transports, size_t *count);
/* Cancels all allocations of that name. */
void lab_slurm_cancel_all(const char *job_name);

#endif
