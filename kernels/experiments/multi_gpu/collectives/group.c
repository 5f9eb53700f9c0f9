/* Passes on commands and answers: an all-gather of the messages of all processes, as bytes that are moved like
 * numbers. */
#include "group.h"

#include <string.h>

_Static_assert(sizeof(struct collectives_command) % sizeof(float) == 0, "commands are moved as numbers");
_Static_assert(sizeof(struct collectives_answer) % sizeof(float) == 0, "answers are moved as numbers");

static const struct lab_runtime *runtime_of(const struct collectives_group *group)
{
    return group->run->devices[0]->runtime;
}

static bool create_resources(struct collectives_group *group)
{
    struct lab_run *run = group->run;
    struct lab_resources *resources = &group->resources;
    struct lab_device *device = run->devices[0];
    size_t command = sizeof(struct collectives_command), answer = sizeof(struct collectives_answer);
    size_t bytes = (1 + run->group->size) * (command > answer ? command : answer);
    *resources = (struct lab_resources){.run = run};
    group->lane = (struct lab_lane){device, lab_resources_stream(resources, device)};
    return group->lane.stream != NULL &&
           (group->buffer = lab_resources_memory(resources, device, LAB_MEMORY_DEVICE, bytes)) != NULL &&
           (group->staged = lab_resources_memory(resources, device, LAB_MEMORY_PINNED, bytes)) != NULL;
}

bool collectives_group_open(struct collectives_group *group, bool multicast)
{
    struct lab_run *run = group->run;
    if (run->group == NULL)
        return true;
    struct lab_device *device = run->devices[0];
    const struct lab_runtime_collective *table = runtime_of(group)->collective;
    struct lab_collective_place place = {.first = run->group->index, .ranks = run->group->size};
    if (table == NULL)
        return lab_error_set(&run->error, LAB_ERROR_UNSUPPORTED, "", "the runtime of these devices has no collectives");
    if (!lab_run_forward_error(run, device, table->load(run->devices, run->device_count, multicast)) ||
        !create_resources(group) ||
        (run->group->index == 0 && !lab_run_forward_error(run, device, table->make_id(device, &place.id))) ||
        !run->group->exchange(run->group->context, run, &place.id, sizeof place.id))
        return false;
    group->collective = table->join(run->devices, 1, &place, multicast);
    return lab_run_forward_error(run, device, group->collective != NULL);
}

void collectives_group_close(struct collectives_group *group, bool abandoned)
{
    if (group->collective != NULL)
        runtime_of(group)->collective->close(group->collective, abandoned);
    group->collective = NULL;
    lab_resources_release(&group->resources, 0);
}

/* Gives a message to all processes, and returns those of all, one behind the other. NULL with run->error set. */
static const unsigned char *gather(struct collectives_group *group, const void *message, size_t bytes)
{
    const struct lab_runtime *runtime = runtime_of(group);
    struct lab_device *device = group->lane.device;
    struct lab_stream *stream = group->lane.stream;
    unsigned char *received = group->buffer + bytes, *all = group->staged + bytes;
    size_t all_bytes = group->run->group->size * bytes;
    const struct lab_collective_buffers buffers = {(const float *)(void *)group->buffer, (float *)(void *)received};
    memcpy(group->staged, message, bytes);
    bool good = runtime->copy(device, stream, group->buffer, group->staged, bytes, LAB_H2D) &&
                runtime->collective->enqueue(group->collective, LAB_ALL_GATHER, bytes / sizeof(float), &group->lane,
                                             &buffers) &&
                runtime->copy(device, stream, all, received, all_bytes, LAB_D2H) &&
                runtime->stream_synchronize(device, stream);
    return lab_run_forward_error(group->run, device, good) ? all : NULL;
}

bool collectives_group_command(struct collectives_group *group, struct collectives_command *command)
{
    if (group->run->group == NULL)
        return true;
    const unsigned char *all = gather(group, command, sizeof *command);
    if (all != NULL)
        memcpy(command, all, sizeof *command);
    return all != NULL;
}

bool collectives_group_answer(struct collectives_group *group, struct collectives_answer *answer)
{
    struct collectives_answer worst = {.status = COLLECTIVES_GOOD}, one;
    uint64_t wrong = 0;
    if (group->run->group == NULL)
        return true;
    const unsigned char *all = gather(group, answer, sizeof *answer);
    if (all == NULL)
        return false;
    for (size_t i = 0; i < group->run->group->size; i++) {
        memcpy(&one, all + i * sizeof one, sizeof one);
        wrong += one.wrong;
        if (one.status > worst.status)
            worst = one;
    }
    *answer = worst;
    answer->wrong = wrong;
    return true;
}
