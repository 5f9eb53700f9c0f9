/* Makes the list of nodes. */
#include "node_service.h"

#include "core/text.h"
#include "core/user.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct lab_worker_options lab_worker_here(const struct lab_config *config)
{
    return (struct lab_worker_options){.path = config->worker_path,
                                       .runtime = config->runtime,
                                       .host_devices = config->host_devices,
                                       .lock_dir = config->lock_dir,
                                       .database = config->db_path,
                                       .programs = config->programs,
                                       .program_user = config->program_user};
}

/* Other machines have users of their own: their workers check the name. */
static bool check_user(const struct lab_config *config, struct lab_error *error)
{
    uid_t uid;
    gid_t gid;
    return config->program_user == NULL || lab_user_find(config->program_user, &uid, &gid, error);
}

static bool allocate(struct lab_node_service *service, size_t count, struct lab_error *error)
{
    service->nodes = calloc(count, sizeof *service->nodes);
    service->node_count = service->nodes != NULL ? count : 0;
    return service->nodes != NULL || lab_error_set(error, LAB_ERROR_OUT_OF_MEMORY, "", "Out of memory.");
}

static bool use_this_machine(struct lab_node_service *service, const struct lab_config *config, struct lab_error *error)
{
    if (!check_user(config, error) || !allocate(service, 1, error))
        return false;
    service->nodes[0] = (struct lab_node_options){
        .name = service->host, .transport = "local", .target = "", .worker = lab_worker_here(config)};
    return true;
}

static bool use_transports(struct lab_node_service *service, const struct lab_config *config,
                           const struct lab_serving *serving, struct lab_error *error)
{
    if (service->transport_count > LAB_QUEUE_NODES_MAX)
        return lab_error_set(error, LAB_ERROR_NODES, "--nodes", "%s names %zu machines; a lab has at most %d.",
                             serving->nodes, service->transport_count, LAB_QUEUE_NODES_MAX);
    if (!allocate(service, service->transport_count, error))
        return false;
    lab_transports_cancel_leftovers(service->transports, service->transport_count);
    for (size_t i = 0; i < service->node_count; i++) {
        struct lab_transport *transport = service->transports[i];
        struct lab_node_options *node = &service->nodes[i];
        *node = (struct lab_node_options){.name = lab_transport_name(transport),
                                          .transport = lab_transport_kind_name(lab_transport_kind(transport)),
                                          .target = lab_transport_target(transport),
                                          .worker = lab_worker_here(config)};
        node->worker.transport = transport;
        if (lab_transport_kind(transport) == LAB_TRANSPORT_LOCAL && !check_user(config, error))
            return false;
    }
    return true;
}

bool lab_node_service_init(struct lab_node_service *service, const struct lab_config *config,
                           const struct lab_serving *serving, struct lab_error *error)
{
    struct lab_errors errors = {0};
    if (gethostname(service->host, sizeof service->host - 1) != 0)
        snprintf(service->host, sizeof service->host, "unknown");
    lab_utf8_replace_invalid(service->host);
    if (serving->nodes == NULL)
        return use_this_machine(service, config, error);
    if (lab_transports_read(serving->nodes, config->db_path, config->worker_path, &service->transports,
                            &service->transport_count, &errors))
        return use_transports(service, config, serving, error);
    *error = errors.items[0];
    error->code = LAB_ERROR_NODES;
    return false;
}

void lab_node_service_release(struct lab_node_service *service)
{
    lab_transports_free(service->transports, service->transport_count);
    free(service->nodes);
    *service = (struct lab_node_service){0};
}
