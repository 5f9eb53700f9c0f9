/* What `sinfo` prints of the nodes of a partition. The text format is used, not --json, whose shape differs between
 * versions of Slurm.
 */
#ifndef LAB_SINFO_H
#define LAB_SINFO_H

#include <stdbool.h>
#include <stddef.h>

/* The format of one line for --format: name, state, generic resources, features, reason. */
#define LAB_SINFO_FORMAT "%N|%T|%G|%f|%E"

/* One node. The texts point into the line. */
struct lab_sinfo_node {
    const char *name;
    const char *state;    /* "idle", "mixed", "drained", "down*" */
    const char *features; /* separated by commas */
    const char *reason;   /* why it is drained or down; "" for none */
    unsigned gpus;
};

/* Cuts the next line off the output and reads it, in place. False at the end. Lines of another form are left out. */
bool lab_sinfo_next(char **output, struct lab_sinfo_node *node);

/* Whether the node has all features of a constraint, FEATURE[&FEATURE]…; NULL: none is demanded. */
bool lab_sinfo_has(const struct lab_sinfo_node *node, const char *constraint);

/* Writes why no allocation can be got on the node, a sentence; "" for a node that is idle or in use. */
void lab_sinfo_problem(const struct lab_sinfo_node *node, char *text, size_t size);

#endif
