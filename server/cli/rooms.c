/* Opening and closing the rooms. */
#include "rooms.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { EVENTS_KEPT = 4096, QUEUE_LIMIT = 1000 };

static enum lab_exit_code open_jobs(struct lab_rooms *rooms, const struct lab_config *config, struct lab_error *error)
{
    if (gethostname(rooms->host, sizeof rooms->host - 1) != 0)
        snprintf(rooms->host, sizeof rooms->host, "unknown");
    const struct lab_jobs_options options = {
        .worker = {.path = config->worker_path,
                   .runtime = config->runtime,
                   .host_devices = config->host_devices,
                   .lock_dir = config->lock_dir},
        .worker_idle_s = config->worker_idle_s,
        .queue_limit = QUEUE_LIMIT,
        .host = rooms->host,
    };
    rooms->jobs = lab_jobs_start(&options, rooms->store, rooms->events, error);
    if (rooms->jobs != NULL)
        return LAB_EXIT_OK;
    return strcmp(error->code, "store") == 0 ? LAB_EXIT_ERROR : LAB_EXIT_NO_DEVICE;
}

enum lab_exit_code lab_rooms_open(struct lab_rooms *rooms, const struct lab_config *config, const char *db_path,
                                  struct lab_error *error)
{
    char message[LAB_DETAIL_MAX];
    rooms->store = lab_store_open(db_path, message, sizeof message);
    if (rooms->store == NULL) {
        lab_error_set(error, "store", "", "%s", message);
        return LAB_EXIT_ERROR;
    }
    rooms->events = lab_events_create(EVENTS_KEPT);
    if (rooms->events == NULL) {
        lab_error_set(error, "out-of-memory", "", "No memory for the event stream.");
        return LAB_EXIT_ERROR;
    }
    return open_jobs(rooms, config, error);
}

void lab_rooms_close(struct lab_rooms *rooms, double grace_s)
{
    if (rooms->jobs != NULL)
        lab_jobs_stop(rooms->jobs, grace_s);
    lab_events_free(rooms->events);
    if (rooms->store != NULL)
        lab_store_close(rooms->store);
    *rooms = (struct lab_rooms){0};
}
