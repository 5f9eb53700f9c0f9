#include "messages.h"

#include "core/json_members.h"

#include <string.h>

/* Prints "FILE:LINE:COLUMN: ", of which parts may be missing. */
static void print_place(FILE *out, const json_t *message, const char *path)
{
    const char *file = json_string_value(json_object_get(message, "file"));
    const char *shown = file == NULL || strcmp(file, "kernel.cu") == 0 ? path : file;
    if (shown != NULL)
        fprintf(out, "%s:", shown);
    if (json_object_get(message, "line") != NULL)
        fprintf(out, "%.0f:", lab_number_of(message, "line"));
    if (json_object_get(message, "column") != NULL)
        fprintf(out, "%.0f:", lab_number_of(message, "column"));
    if (shown != NULL || json_object_get(message, "line") != NULL)
        fputc(' ', out);
}

void lab_messages_print(FILE *out, const json_t *messages, const char *path)
{
    size_t index;
    json_t *message;
    json_array_foreach(messages, index, message)
    {
        print_place(out, message, path);
        fprintf(out, "%s: %s\n", lab_text_of(message, "severity"), lab_text_of(message, "text"));
    }
}
