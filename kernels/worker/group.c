/* Reads the group of an operation, and exchanges the id by which its workers find each other. */
#include "group.h"

#include "channel.h"
#include "core/base64.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_SIZE = 512 };

/* Sends this worker's event `group`; only that of index 0 has an id. */
static bool send_id(const struct worker_group *group, const void *bytes, size_t size)
{
    char *text = group->group.index == 0 ? lab_base64_encode(bytes, size) : NULL;
    bool good = text != NULL || group->group.index != 0;
    if (good)
        lab_channel_send(json_pack("{s:s, s:s, s:s?}", "event", "group", "run", group->run, "id", text));
    free(text);
    return good;
}

static bool exchange(void *context, struct lab_run *run, void *bytes, size_t size)
{
    const struct worker_group *group = context;
    char text[TEXT_SIZE];
    unsigned char *received = NULL;
    size_t received_size = 0;
    if (!send_id(group, bytes, size))
        return lab_error_set(&run->error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for the id of the group");
    if (!lab_channel_await_group(text, sizeof text))
        return lab_error_set(&run->error, LAB_ERROR_CANCELLED, "", "the run was cancelled");
    bool good = lab_base64_decode(text, strlen(text), &received, &received_size) && received_size == size;
    if (good)
        memcpy(bytes, received, size);
    free(received);
    return good || lab_error_set(&run->error, LAB_ERROR_INVALID_REQUEST, "",
                                 "the id of the group is not %zu bytes in Base64", size);
}

bool worker_group_read(struct worker_group *group, const json_t *operation, size_t device_count, struct lab_run *run)
{
    const json_t *given = json_object_get(operation, "group");
    json_int_t size = json_integer_value(json_object_get(given, "size"));
    json_int_t index = json_integer_value(json_object_get(given, "index"));
    json_int_t ranks = json_integer_value(json_object_get(given, "ranks"));
    json_int_t first = json_integer_value(json_object_get(given, "first_rank"));
    if (given == NULL)
        return true;
    if (!run->experiment->spans_nodes)
        return lab_error_set(&run->error, LAB_ERROR_INVALID_REQUEST, "/group", "%s runs in one process",
                             run->experiment->name);
    if (index < 0 || index >= size || ranks > LAB_RUN_DEVICES_MAX || size > ranks || first < 0 ||
        first + (json_int_t)device_count > ranks || (index == 0) != (first == 0))
        return lab_error_set(&run->error, LAB_ERROR_INVALID_REQUEST, "/group",
                             "index, ranks and devices do not fit together");
    *group = (struct worker_group){.group = {.size = (size_t)size,
                                             .index = (size_t)index,
                                             .ranks = (size_t)ranks,
                                             .first_rank = (size_t)first,
                                             .context = group,
                                             .exchange = exchange},
                                   .run = json_string_value(json_object_get(operation, "run"))};
    run->group = &group->group;
    return true;
}
