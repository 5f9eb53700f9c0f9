/* What `gpulab devices`, `gpulab nodes` and `gpulab experiments` have in common: each gets a list of the API and print
 * it, or one of its items, or either as JSON.
 */
#ifndef LAB_LISTING_H
#define LAB_LISTING_H

#include "lab/client.h"

#include "cli/command.h"

#include <jansson.h>

struct lab_listing {
    const char *usage, *item;   /* usage: the first lines of --help; item: "device", for messages */
    const char *path;           /* of the document in the API */
    const char *key;            /* the member of an item that people name it by: "id" */
    enum lab_exit_code missing; /* for an item that is not there */
    /* The item that the argument `word` names, borrowed; NULL if there is none. */
    json_t *(*find)(const json_t *document, const char *word);
    /* Whether `word` names an item that is in no list; NULL: there is none. */
    bool (*is_unlisted)(const char *word);
    /* All about the item of that name, a new reference; `client` is NULL when no lab serves the database. Returns NULL
     * with *error set on failure. NULL: the document has all. */
    json_t *(*details)(struct lab_client *client, const char *name, struct lab_error *error);
    void (*print_all)(const json_t *document);
    void (*print_one)(const json_t *item);
    /* Returns the document, a new reference, when no lab serves the database. NULL: a private lab is started
     * instead. */
    json_t *(*built_in)(void);
};

/* Runs the command; returns an exit code. */
int lab_listing_main(const struct lab_listing *listing, const struct lab_invocation *invocation);

#endif
