#include "messages.h"

#include "core/compiler_log.h"
#include "core/text.h"

#include <string.h>

/* Line `number` of a text, without its end; text NULL: there is none. */
static struct lab_text_span line_of(const char *text, long number)
{
    for (; text != NULL && number > 1; number--)
        text = (text = strchr(text, '\n')) != NULL ? text + 1 : NULL;
    return (struct lab_text_span){text, text != NULL ? strcspn(text, "\r\n") : 0};
}

/* The column of a message in the file itself. nvcc shows lines whose macros are replaced, such as __global__, so that a
 * place in such a line is found by what follows; 0: it is not. */
static long column_in_file(const struct lab_message *message, const json_t *files)
{
    char name[LAB_MESSAGE_FILE_MAX];
    lab_message_file(message, name);
    struct lab_text_span line = line_of(json_string_value(json_object_get(files, name)), message->line);
    struct lab_text_span rest = message->source;
    if (line.text == NULL || line.length < rest.length)
        return 0;
    size_t before = line.length - rest.length;
    return memcmp(line.text + before, rest.text, rest.length) == 0 ? (long)lab_utf8_count(line.text, before) + 1 : 0;
}

/* Appends the messages that are errors, or those that are not, until the list is full. */
static void append(json_t *list, const char *log, const json_t *files, bool errors)
{
    struct lab_message message;
    while (json_array_size(list) < LAB_MESSAGES_MAX && lab_message_next(&log, &message)) {
        if (message.source.text != NULL)
            message.column = column_in_file(&message, files);
        if ((strcmp(message.severity, "error") == 0) == errors)
            json_array_append_new(list, lab_message_to_json(&message, ""));
    }
}

json_t *program_messages_read(char *log, const json_t *files)
{
    json_t *list = json_array();
    lab_utf8_replace_invalid(log);
    append(list, log, files, true);
    append(list, log, files, false);
    return list;
}
