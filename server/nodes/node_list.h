/* The file of `--nodes`: the machines of the lab, one on each line.
 *
 *   local [name=NAME]
 *   ssh HOST [name=NAME] [worker=PATH|auto [cache=FOLDER]] [option=OPTION]…
 *   slurm PARTITION [nodes=LIST] [constraint=FEATURE[&FEATURE]…] [account=] [qos=] [reservation=] [time=] [comment=]
 *                   [worker=PATH|auto [cache=FOLDER]] [option=OPTION]…
 *
 * Words are separated by blanks; blanks between double quotes belong to the word. `#` at the beginning of a word begins
 * a comment.
 */
#ifndef LAB_NODE_LIST_H
#define LAB_NODE_LIST_H

#include "core/errors.h"
#include "transport.h"

enum { LAB_NODE_NAME_MAX = 64, LAB_NODES_MAX = 256 };

/* One line. Texts that were not given are NULL. */
struct lab_node_entry {
    enum lab_transport_kind kind;
    char *target;     /* host or partition; "" for local */
    char *name;       /* of the node; NULL for slurm, whose nodes have names */
    char *worker;     /* path of the worker there */
    bool copies;      /* worker=auto: the worker is copied there (node_copy.h); `worker` is NULL */
    char *cache;      /* of copied workers, in place of ~/.cache */
    char *nodes;      /* slurm: only these nodes, as sinfo takes them */
    char *constraint; /* slurm: only nodes with all these features, joined by '&' */
    char **options;   /* for ssh or salloc, complete words, end with NULL; NULL: none */
    unsigned line;    /* counted from 1 */
};

struct lab_node_list {
    struct lab_node_entry *entries;
    size_t count;
};

/* Reads the text of the file; `path` is for the errors, whose pointer is "--nodes". False when there is an error; the
 * list is to be released all the same. */
bool lab_node_list_parse(struct lab_node_list *list, const char *text, const char *path, struct lab_errors *errors);
void lab_node_list_release(struct lab_node_list *list);

/* Whether a text may be a node's name: 1 to LAB_NODE_NAME_MAX letters, digits, '.', '-' and '_', the first no '-' or
 * '.'. */
bool lab_node_name_valid(const char *name);

#endif
