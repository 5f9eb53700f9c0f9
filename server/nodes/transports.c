/* The transports of a list of machines. */
#include "transport_state.h"

#include "core/text.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILE_MAX = 1 << 20 };

/* Reads the file; the caller frees it. */
static char *read_text(const char *path, struct lab_errors *errors)
{
    FILE *file = fopen(path, "re");
    char *text = malloc(FILE_MAX + 1);
    size_t size = file != NULL && text != NULL ? fread(text, 1, FILE_MAX + 1, file) : 0;
    if (file == NULL || text == NULL || ferror(file)) {
        lab_errors_add(errors, LAB_ERROR_NODE_LIST, "--nodes", "%.200s cannot be read: %s.", path,
                       strerrordesc_np(errno));
    } else if (size > FILE_MAX || memchr(text, '\0', size) != NULL || !lab_utf8_is_valid(text, size)) {
        lab_errors_add(errors, LAB_ERROR_NODE_LIST, "--nodes", "%.200s must be a text in UTF-8 of at most 1 MiB.",
                       path);
    } else {
        text[size] = '\0';
        fclose(file);
        return text;
    }
    if (file != NULL)
        fclose(file);
    free(text);
    return NULL;
}

/* The name of a lab's jobs in Slurm: a hash (FNV-1a) of this machine and the database. */
static void name_jobs(const char *database, char *name)
{
    char lab[4096 + 256];
    char host[256] = "";
    uint64_t hash = 0xcbf29ce484222325;
    gethostname(host, sizeof host - 1);
    snprintf(lab, sizeof lab, "%s:%s", host, database);
    for (const char *c = lab; *c != '\0'; c++)
        hash = (hash ^ (unsigned char)*c) * 0x100000001b3;
    snprintf(name, LAB_JOB_NAME_MAX, "gpulab-%016llx", (unsigned long long)hash);
}

static void free_list(struct lab_node_list *list)
{
    if (list != NULL)
        lab_node_list_release(list);
    free(list);
}

static bool add_transports(struct lab_node_list *list, struct lab_transport ***transports, size_t *count)
{
    bool good = true;
    for (size_t i = 0; good && i < list->count; i++) {
        const struct lab_node_entry *entry = &list->entries[i];
        good = entry->kind == LAB_TRANSPORT_SLURM ? lab_slurm_discover(entry, transports, count)
                                                  : lab_transport_add(entry, entry->name, transports, count) != NULL;
    }
    return good;
}

/* Reads the programs that are copied, where a line of the list says so. */
static bool read_package(const struct lab_node_list *list, const char *worker, struct lab_package **package,
                         struct lab_errors *errors)
{
    struct lab_error error;
    *package = NULL;
    for (size_t i = 0; i < list->count; i++)
        if (list->entries[i].copies) {
            *package = lab_package_read(worker, &error);
            return *package != NULL || lab_errors_add(errors, error.code, "--nodes", "%s", error.detail);
        }
    return true;
}

/* Makes the transports of a list, which they own from then on. */
static bool make_transports(struct lab_node_list *list, const char *path, const char *database,
                            struct lab_transport ***transports, size_t *count, struct lab_errors *errors)
{
    bool good = add_transports(list, transports, count);
    if (!good)
        lab_errors_add(errors, LAB_ERROR_OUT_OF_MEMORY, "--nodes", "No memory for the list of nodes.");
    else if (*count > LAB_NODES_MAX)
        good = lab_errors_add(errors, LAB_ERROR_NODE_LIST, "--nodes",
                              "%.100s has %zu nodes; at most %d are allowed. nodes=LIST selects some of a partition.",
                              path, *count, LAB_NODES_MAX);
    for (size_t i = 0; i < *count; i++) {
        (*transports)[i]->list = list;
        name_jobs(database, (*transports)[i]->job_name);
    }
    return good;
}

bool lab_transports_read(const char *path, const char *database, const char *worker, struct lab_transport ***transports,
                         size_t *count, struct lab_errors *errors)
{
    struct lab_package *package = NULL;
    *transports = NULL;
    *count = 0;
    char *text = read_text(path, errors);
    struct lab_node_list *list = calloc(1, sizeof *list);
    bool good = text != NULL && list != NULL && lab_node_list_parse(list, lab_utf8_after_mark(text), path, errors) &&
                read_package(list, worker, &package, errors) &&
                make_transports(list, path, database, transports, count, errors);
    free(text);
    for (size_t i = 0; i < *count; i++)
        (*transports)[i]->package = package;
    if (good)
        return true;
    if (*count == 0) {
        free_list(list);
        lab_package_free(package);
    }
    lab_transports_free(*transports, *count);
    *transports = NULL;
    *count = 0;
    return false;
}

void lab_transports_free(struct lab_transport **transports, size_t count)
{
    struct lab_node_list *list = count > 0 ? transports[0]->list : NULL;
    struct lab_package *package = count > 0 ? transports[0]->package : NULL;
    for (size_t i = 0; i < count; i++) {
        lab_transport_close(transports[i]);
        free(transports[i]);
    }
    free(transports);
    free_list(list);
    lab_package_free(package);
}

void lab_transports_cancel_leftovers(struct lab_transport *const *transports, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (transports[i]->entry->kind == LAB_TRANSPORT_SLURM) {
            lab_slurm_cancel_all(transports[i]->job_name);
            return; /* the name is the same for all */
        }
}
