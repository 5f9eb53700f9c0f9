/* What all kinds of transports have in common. */
#include "node_copy.h"
#include "transport_state.h"

#include <stdio.h>
#include <stdlib.h>

/* --- this machine ------------------------------------------------------------------------------------------------- */

static bool local_open(struct lab_transport *transport, const atomic_bool *cancelled, struct lab_error *error)
{
    (void)transport;
    (void)cancelled;
    (void)error;
    return true;
}

static void local_close(struct lab_transport *transport)
{
    (void)transport;
}

static void local_command(const struct lab_transport *transport, struct lab_argv *argv, const char *const *words)
{
    (void)transport;
    lab_argv_add_all(argv, words);
}

static const struct lab_transport_operations local_operations = {local_open, local_close, local_command};

/* --- the kinds ---------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    const struct lab_transport_operations *operations;
} kinds[] = {
    [LAB_TRANSPORT_LOCAL] = {"local", &local_operations},
    [LAB_TRANSPORT_SSH] = {"ssh", &lab_ssh_operations},
    [LAB_TRANSPORT_SLURM] = {"slurm", &lab_slurm_operations},
};

const char *lab_transport_kind_name(enum lab_transport_kind kind)
{
    return kinds[kind].name;
}

struct lab_transport *lab_transport_add(const struct lab_node_entry *entry, const char *name,
                                        struct lab_transport ***transports, size_t *count)
{
    struct lab_transport **more = realloc(*transports, (*count + 1) * sizeof **transports);
    struct lab_transport *transport = calloc(1, sizeof *transport);
    if (more != NULL)
        *transports = more;
    if (more == NULL || transport == NULL) {
        free(transport);
        return NULL;
    }
    transport->operations = kinds[entry->kind].operations;
    transport->entry = entry;
    snprintf(transport->name, sizeof transport->name, "%s", name);
    more[(*count)++] = transport;
    return transport;
}

/* --- one transport ------------------------------------------------------------------------------------------------ */

const char *lab_transport_name(const struct lab_transport *transport)
{
    return transport->name;
}

enum lab_transport_kind lab_transport_kind(const struct lab_transport *transport)
{
    return transport->entry->kind;
}

const char *lab_transport_target(const struct lab_transport *transport)
{
    return transport->entry->target;
}

const char *lab_transport_worker(const struct lab_transport *transport)
{
    return transport->entry->copies ? transport->copied : transport->entry->worker;
}

bool lab_transport_open(struct lab_transport *transport, const atomic_bool *cancelled, struct lab_error *error)
{
    if (!transport->operations->open(transport, cancelled, error))
        return false;
    if (!transport->entry->copies || lab_node_copy(transport, cancelled, error))
        return true;
    lab_transport_close(transport);
    return false;
}

bool lab_transport_copying(struct lab_transport *transport, size_t *sent, size_t *size)
{
    bool copying = atomic_load(&transport->copying);
    *sent = copying ? atomic_load(&transport->sent) : 0;
    *size = copying ? transport->package->size : 0;
    return copying;
}

void lab_transport_close(struct lab_transport *transport)
{
    transport->operations->close(transport);
}

char **lab_transport_command(const struct lab_transport *transport, const char *const *words)
{
    struct lab_argv argv = {0};
    transport->operations->command(transport, &argv, words);
    return lab_argv_take(&argv);
}
