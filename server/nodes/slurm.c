/* A node of a Slurm cluster. Its workers are steps of one allocation, which has the whole node and is kept until
 * lab_transport_close. The allocations of a lab have a name of their own, by which they are found again. */
#include "sinfo.h"
#include "tool.h"
#include "transport_state.h"

#include "core/journal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double query_limit_s = 15;
/* How long Slurm may take to free the node. */
enum { ALLOCATION_LIMIT_S = 30 };

/* --- discovery ---------------------------------------------------------------------------------------------------- */

/* Runs sinfo for an entry's partition, or one node of it. */
static bool run_sinfo(const struct lab_node_entry *entry, const char *nodes, struct lab_tool_result *result)
{
    struct lab_argv argv = {0};
    lab_argv_add(&argv, "sinfo");
    lab_argv_add(&argv, "--noheader");
    lab_argv_add(&argv, "--Node");
    lab_argv_add(&argv, "--partition=%s", entry->target);
    lab_argv_add(&argv, "--format=%s", LAB_SINFO_FORMAT);
    if (nodes != NULL)
        lab_argv_add(&argv, "--nodes=%s", nodes);
    return lab_tool_run(&argv, query_limit_s, NULL, result);
}

/* Whether an earlier line of the list has a node of this name. */
static bool is_known(struct lab_transport *const *transports, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(transports[i]->name, name) == 0)
            return true;
    return false;
}

/* Adds a transport that stands for the partition. */
static bool add_problem(const struct lab_node_entry *entry, const char *reason, struct lab_transport ***transports,
                        size_t *count)
{
    struct lab_transport *transport = lab_transport_add(entry, entry->target, transports, count);
    if (transport != NULL)
        snprintf(transport->problem, sizeof transport->problem, "The nodes of the partition %.64s are not known: %s.",
                 entry->target, reason);
    return transport != NULL;
}

bool lab_slurm_discover(const struct lab_node_entry *entry, struct lab_transport ***transports, size_t *count)
{
    struct lab_tool_result result;
    size_t before = *count, found = 0;
    bool good = true;
    if (!run_sinfo(entry, entry->nodes, &result)) {
        free(result.output);
        return add_problem(entry, result.reason, transports, count);
    }
    struct lab_sinfo_node node;
    for (char *rest = result.output; good && lab_sinfo_next(&rest, &node);) {
        if (!lab_sinfo_has(&node, entry->constraint) || !lab_node_name_valid(node.name))
            continue;
        found++;
        if (is_known(*transports, *count, node.name))
            continue;
        struct lab_transport *transport = lab_transport_add(entry, node.name, transports, count);
        good = transport != NULL;
        if (good) {
            transport->is_node = true;
            transport->gpus = node.gpus;
        }
    }
    free(result.output);
    if (good && *count == before && found == 0)
        return add_problem(entry, "Slurm has no such node in this partition", transports, count);
    return good;
}

/* --- allocations -------------------------------------------------------------------------------------------------- */

/* Cancels this user's allocations of a name; those on one node if `node` is not NULL. */
static void cancel(const char *job_name, const char *node)
{
    struct lab_argv argv = {0};
    struct lab_tool_result result;
    lab_argv_add(&argv, "scancel");
    lab_argv_add(&argv, "--user=%ld", (long)geteuid());
    lab_argv_add(&argv, "--name=%s", job_name);
    if (node != NULL)
        lab_argv_add(&argv, "--nodelist=%s", node);
    if (!lab_tool_run(&argv, query_limit_s, NULL, &result))
        lab_journal(LAB_SEVERITY_WARNING, "scancel: the allocations %s may be left: %s.", job_name, result.reason);
    free(result.output);
}

void lab_slurm_cancel_all(const char *job_name)
{
    cancel(job_name, NULL);
}

static void slurm_close(struct lab_transport *transport)
{
    if (transport->job != 0)
        cancel(transport->job_name, transport->name);
    transport->job = 0;
}

/* Whether the allocation still exists: its time limit may be over, or somebody has cancelled it. */
static bool is_running(const struct lab_transport *transport, const atomic_bool *cancelled)
{
    struct lab_argv argv = {0};
    struct lab_tool_result result;
    if (transport->job == 0)
        return false;
    lab_argv_add(&argv, "squeue");
    lab_argv_add(&argv, "--noheader");
    lab_argv_add(&argv, "--format=%s", "%T");
    lab_argv_add(&argv, "--jobs=%ld", transport->job);
    bool running = lab_tool_run(&argv, query_limit_s, cancelled, &result) && result.output != NULL &&
                   strncmp(result.output, "RUNNING", strlen("RUNNING")) == 0;
    free(result.output);
    return running;
}

static void add_salloc(const struct lab_transport *transport, struct lab_argv *argv)
{
    lab_argv_add(argv, "salloc");
    lab_argv_add(argv, "--no-shell");
    lab_argv_add(argv, "--immediate=%d", ALLOCATION_LIMIT_S);
    lab_argv_add(argv, "--job-name=%s", transport->job_name);
    lab_argv_add(argv, "--partition=%s", transport->entry->target);
    lab_argv_add(argv, "--nodes=1");
    lab_argv_add(argv, "--nodelist=%s", transport->name);
    lab_argv_add(argv, "--exclusive");
    lab_argv_add(argv, "--mem=0");
    if (transport->entry->constraint != NULL)
        lab_argv_add(argv, "--constraint=%s", transport->entry->constraint);
    if (transport->gpus > 0)
        lab_argv_add(argv, "--gres=gpu:%u", transport->gpus);
    /* The last value counts for salloc, so those of the list replace the ones above. */
    lab_argv_add_all(argv, (const char *const *)transport->entry->options);
}

/* Explains why there is no allocation: by the state of the node, else by what salloc said. */
static bool explain(const struct lab_transport *transport, const struct lab_tool_result *allocation,
                    struct lab_error *error)
{
    struct lab_tool_result result = {0};
    struct lab_sinfo_node node;
    char problem[LAB_DETAIL_MAX] = "";
    if (allocation->cancelled)
        return lab_error_set(error, LAB_ERROR_CANCELLED, "", "The wait for an allocation of %s was cancelled.",
                             transport->name);
    char *rest = run_sinfo(transport->entry, transport->name, &result) ? result.output : NULL;
    if (lab_sinfo_next(&rest, &node))
        lab_sinfo_problem(&node, problem, sizeof problem);
    free(result.output);
    return problem[0] != '\0'
               ? lab_error_set(error, LAB_ERROR_NODE_UNREACHABLE, "", "%s", problem)
               : lab_error_set(error, LAB_ERROR_NODE_UNREACHABLE, "", "Slurm gave no allocation of %s: %s.",
                               transport->name, allocation->reason);
}

static bool slurm_open(struct lab_transport *transport, const atomic_bool *cancelled, struct lab_error *error)
{
    if (!transport->is_node)
        return lab_error_set(error, LAB_ERROR_NODE_UNREACHABLE, "", "%s", transport->problem);
    if (is_running(transport, cancelled))
        return true;
    cancel(transport->job_name, transport->name);
    struct lab_argv argv = {0};
    struct lab_tool_result result;
    add_salloc(transport, &argv);
    bool good = lab_tool_run(&argv, 2 * ALLOCATION_LIMIT_S, cancelled, &result);
    const char *granted = strstr(result.errors, "Granted job allocation ");
    transport->job = good && granted != NULL ? strtol(granted + strlen("Granted job allocation "), NULL, 10) : 0;
    free(result.output);
    return transport->job > 0 || explain(transport, &result, error);
}

/* --- workers ------------------------------------------------------------------------------------------------------ */

static void slurm_command(const struct lab_transport *transport, struct lab_argv *argv, const char *const *words)
{
    lab_argv_add(argv, "srun");
    lab_argv_add(argv, "--jobid=%ld", transport->job);
    lab_argv_add(argv, "--overlap"); /* with a worker that has not ended yet */
    lab_argv_add(argv, "--nodes=1");
    lab_argv_add(argv, "--ntasks=1");
    lab_argv_add(argv, "--nodelist=%s", transport->name);
    lab_argv_add(argv, "--cpu-bind=none"); /* the worker uses every core of the node */
    lab_argv_add_all(argv, words);
}

const struct lab_transport_operations lab_slurm_operations = {slurm_open, slurm_close, slurm_command};
