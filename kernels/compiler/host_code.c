/* Finds host code in NVRTC's log, and makes one sentence of it. */
#include "host_code.h"

#include "core/text.h"

#include <stdio.h>
#include <string.h>

/* Whether a message is about a host function or variable: "... not allowed in JIT mode. Consider using -default-device
 * ...". */
static bool is_declaration(const struct lab_message *message)
{
    return memmem(message->text.text, message->text.length, "JIT mode", 8) != NULL;
}

static bool is_launch_in_kernel(const struct lab_message *message)
{
    return lab_text_span_starts(message->text, "device-side kernel launch could not be processed");
}

bool lab_missing_header(const struct lab_message *message, char name[LAB_INCLUDE_NAME_MAX])
{
    static const char words[] = "open source file \"";
    const char *at = memmem(message->text.text, message->text.length, words, sizeof words - 1);
    if (at == NULL)
        return false;
    at += sizeof words - 1;
    size_t length = strcspn(at, "\"\n");
    if (length == 0 || length >= LAB_INCLUDE_NAME_MAX)
        return false;
    memcpy(name, at, length);
    name[length] = '\0';
    return true;
}

bool lab_host_code_is_in(const struct lab_message *message, const char *name)
{
    char missing[LAB_INCLUDE_NAME_MAX];
    return is_declaration(message) || is_launch_in_kernel(message) ||
           (lab_message_is_of_header(message, name) && lab_missing_header(message, missing));
}

/* --- the sentence ------------------------------------------------------------------------------------------------- */

/* Things and their lines, as words of the sentence. */
struct list {
    char text[1024];
    size_t count;
};

/* Appends "BEFORE NAME (line N)", NAME cut to 60 bytes; without the line if it is 0. */
static void list_add(struct list *list, const char *before, const char *name, size_t length, long line)
{
    enum { LISTED_MAX = 8, NAME_BYTES_MAX = 60 };
    size_t used = strlen(list->text);
    char place[32] = "";
    if (line > 0)
        snprintf(place, sizeof place, " (line %ld)", line);
    if (list->count++ < LISTED_MAX)
        snprintf(list->text + used, sizeof list->text - used, "%s%s%.*s%s", used > 0 ? ", " : "", before,
                 (int)(length < NAME_BYTES_MAX ? length : NAME_BYTES_MAX), name, place);
    else if (list->count == LISTED_MAX + 1)
        snprintf(list->text + used, sizeof list->text - used, ", …");
}

/* The length of the name at the beginning of a text, such as that of a function at its place in the source. */
static size_t name_length(struct lab_text_span source)
{
    static const char characters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_~";
    size_t length = 0;
    while (length < source.length && source.text[length] != '\0' && strchr(characters, source.text[length]) != NULL)
        length++;
    return length;
}

/* What has to go, and what may also become device code. */
struct host_code {
    struct list removed, changed;
    long line;                /* the first of them in the source; 0: none */
    struct lab_message inner; /* the first one in a header; severity NULL: none */
};

static void add_line(struct host_code *code, long line)
{
    code->line = code->line == 0 || line < code->line ? line : code->line;
}

static void add_message(struct host_code *code, const struct lab_message *message)
{
    struct lab_text_span source = message->source;
    size_t length = name_length(source);
    bool launches = is_launch_in_kernel(message) || /* outside functions, a launch looks like a variable */
                    (source.length > 0 && memmem(source.text, source.length, "<<<", 3) == source.text + length);
    bool is_main = length == 4 && memcmp(source.text, "main", 4) == 0;
    struct list *list = is_main || launches ? &code->removed : &code->changed;
    add_line(code, message->line);
    if (launches)
        list_add(list, "the launch <<<…>>>", "", 0, message->line);
    else
        list_add(list, length > 0 ? "" : "a declaration", source.text, length, message->line);
}

static void read_log(struct host_code *code, const char *log, const char *name)
{
    struct lab_message message;
    while (lab_message_next(&log, &message)) {
        if (!lab_host_code_is_in(&message, name))
            continue;
        if (!lab_message_is_of_header(&message, name)) {
            add_message(code, &message);
        } else if (code->inner.severity == NULL) {
            code->inner = message;
            list_add(&code->removed, "the #include that leads to ", message.file.text, message.file.length, 0);
        }
    }
}

static json_t *make_error(const struct host_code *code, const char *name, const char *headers)
{
    bool removed = code->removed.count > 0, changed = code->changed.count > 0;
    char text[LAB_MESSAGE_BYTES_MAX + 512];
    snprintf(text, sizeof text, "gpulab takes kernels only: %s%s%s%s%s.%s", removed ? "remove " : "",
             code->removed.text, removed && changed ? "; " : "", changed ? "remove, or declare as __device__: " : "",
             code->changed.text, headers);
    lab_utf8_drop_invalid(text); /* names that were cut */
    json_t *error = json_pack("{s:s, s:s}", "severity", "error", "text", text);
    json_object_set_new(error, "file",
                        code->line > 0 ? json_string(name)
                                       : json_stringn(code->inner.file.text, code->inner.file.length));
    json_object_set_new(error, "line", json_integer(code->line > 0 ? code->line : code->inner.line));
    return error;
}

json_t *lab_host_code_error(const char *log, const char *name, const json_t *missing, bool has_toolkit)
{
    struct host_code code = {0};
    json_t *header;
    size_t index;
    json_array_foreach(missing, index, header)
    {
        const json_t *header_name = json_object_get(header, "name");
        long line = (long)json_integer_value(json_object_get(header, "line"));
        add_line(&code, line);
        list_add(&code.removed, "the #include of ", json_string_value(header_name), json_string_length(header_name),
                 line);
    }
    read_log(&code, log, name);
    if (code.line == 0 && code.inner.severity == NULL)
        return NULL;
    return make_error(
        &code, name,
        json_array_size(missing) == 0 ? ""
        : has_toolkit
            ? " Headers are those of the CUDA toolkit and of gpulab; files of your own are given with the source."
            : " Headers are those of gpulab, because those of the CUDA toolkit are not installed.");
}
