/* The messages of an answer, from those in the log. */
#include "messages.h"

#include "core/compiler_log.h"
#include "host_code.h"

#include <string.h>

/* Whether a message is about the entries of the request: NVRTC compiles them as a file of this name. */
static bool is_of_entry(const struct lab_message *message)
{
    static const char file[] = "__nv_name_map";
    return message->file.length == sizeof file - 1 && memcmp(message->file.text, file, sizeof file - 1) == 0;
}

static json_t *to_json(struct lab_message message)
{
    if (!is_of_entry(&message))
        return lab_message_to_json(&message, "");
    message.line = message.column = 0;
    return lab_message_to_json(&message, "In the name of the entry: ");
}

/* Appends the messages that are errors, or those that are not, until the list is full. */
static void append(json_t *list, const char *log, const char *name, bool errors)
{
    struct lab_message message;
    while (json_array_size(list) < LAB_MESSAGES_MAX && lab_message_next(&log, &message)) {
        bool is_error = strcmp(message.severity, "error") == 0;
        if (is_error == errors && (is_error || !lab_message_is_of_header(&message, name)) &&
            !lab_host_code_is_in(&message, name))
            json_array_append_new(list, to_json(message));
    }
}

json_t *lab_messages(const char *log, const char *name, json_t *host_code)
{
    json_t *list = json_array();
    if (host_code != NULL)
        json_array_append(list, host_code);
    append(list, log, name, true);
    append(list, log, name, false);
    return list;
}
