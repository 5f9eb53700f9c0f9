/* Reads the messages in the logs of NVRTC, nvcc, gcc and clang, and of the assembler and linkers that they call. A
 * message begins with a line such as
 *
 *     transpose.cu(12): warning #177-D: variable "i" was declared but never referenced
 *     src/sum.c:7:12: error: 'x' undeclared (first use in this function)
 *     ptxas error   : Entry function 'k' uses too much shared data (0x61a80 bytes, 0xc000 max)
 *     sum.c:(.text+0xa): undefined reference to `f'
 *
 * and ends at a blank line or where the next one begins. Between them are more lines of text, the line of source, and a
 * line with a caret below the place.
 */
#include "core/compiler_log.h"

#include "core/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool lab_text_span_starts(struct lab_text_span span, const char *prefix)
{
    size_t length = strlen(prefix);
    return span.length >= length && memcmp(span.text, prefix, length) == 0;
}

static struct lab_text_span after(struct lab_text_span span, size_t count)
{
    return (struct lab_text_span){span.text + count, span.length - count};
}

static struct lab_text_span trim(struct lab_text_span span)
{
    while (span.length > 0 && strchr(" \t:", span.text[0]) != NULL)
        span = after(span, 1);
    return span;
}

/* Takes the next line from *log, which is NULL after the last. */
static struct lab_text_span next_line(const char **log)
{
    const char *line = *log;
    size_t length = strcspn(line, "\n");
    *log = line[length] == '\n' ? line + length + 1 : NULL;
    return (struct lab_text_span){line, length};
}

/* Reads "error: TEXT", "warning #177-D: TEXT", "catastrophic error: TEXT", "fatal   : TEXT". */
static bool read_severity(struct lab_text_span line, struct lab_message *message)
{
    static const struct {
        const char *word, *severity;
    } words[] = {{"error", "error"}, {"catastrophic error", "error"}, {"internal error", "error"},
                 {"fatal", "error"}, {"warning", "warning"},          {"remark", "note"},
                 {"note", "note"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!lab_text_span_starts(line, words[i].word))
            continue;
        struct lab_text_span rest = after(line, strlen(words[i].word));
        const char *colon = memchr(rest.text, ':', rest.length);
        if (colon == NULL)
            return false;
        message->severity = words[i].severity;
        message->text = trim(after(rest, (size_t)(colon - rest.text)));
        return true;
    }
    return false;
}

/* The name of a file in a place; the compilers of whole programs know it as "./NAME". */
static struct lab_text_span file_of(const char *text, size_t length)
{
    struct lab_text_span file = {text, length};
    return lab_text_span_starts(file, "./") ? after(file, 2) : file;
}

/* Reads "FILE(LINE): " before the severity. */
static bool read_place_in_brackets(struct lab_text_span line, struct lab_message *message)
{
    const char *end = memmem(line.text, line.length, "): ", 3);
    const char *open = end != NULL ? memrchr(line.text, '(', (size_t)(end - line.text)) : NULL;
    if (open == NULL)
        return false;
    char *after_number;
    message->line = strtol(open + 1, &after_number, 10);
    message->file = file_of(line.text, (size_t)(open - line.text));
    return message->line > 0 && after_number == end &&
           read_severity(after(line, (size_t)(end + 3 - line.text)), message);
}

/* Reads ":NUMBER" at the beginning of *rest, and moves *rest behind it; 0: there is none. */
static long read_number(struct lab_text_span *rest)
{
    if (rest->length < 2 || rest->text[0] != ':' || !isdigit((unsigned char)rest->text[1]))
        return 0;
    char *end;
    long number = strtol(rest->text + 1, &end, 10);
    *rest = after(*rest, (size_t)(end - rest->text));
    return number;
}

/* Reads "FILE:LINE: " or "FILE:LINE:COLUMN: " before the severity. */
static bool read_place_with_colons(struct lab_text_span line, struct lab_message *message)
{
    const char *colon = memchr(line.text, ':', line.length);
    if (colon == NULL || colon == line.text || line.text[0] == ' ')
        return false;
    struct lab_text_span rest = after(line, (size_t)(colon - line.text));
    message->file = file_of(line.text, (size_t)(colon - line.text));
    message->line = read_number(&rest);
    message->column = read_number(&rest);
    return message->line > 0 && lab_text_span_starts(rest, ": ") && read_severity(after(rest, 2), message);
}

/* Reads what a tool says of no line: "At end of source: error: TEXT", "nvcc fatal : TEXT", "ptxas PLACE; error : TEXT",
 * "collect2: error: TEXT". */
static bool read_tool(struct lab_text_span line, struct lab_message *message)
{
    static const char *const tools[] = {"At end of source: ", "nvrtc: ",    "ptxas ", "nvlink ", "nvcc ", "cc1: ",
                                        "cc1plus: ",          "collect2: ", "cc: ",   "c++: ",   "gcc: ", "g++: "};
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
        if (!lab_text_span_starts(line, tools[i]))
            continue;
        const char *place = strcmp(tools[i], "ptxas ") == 0 ? memchr(line.text, ';', line.length) : NULL;
        return read_severity(trim(after(line, place != NULL ? (size_t)(place + 1 - line.text) : strlen(tools[i]))),
                             message);
    }
    return false;
}

/* Reads what the linker of the host says: "PLACE: undefined reference to `f'". It names no severity. */
static bool read_linker(struct lab_text_span line, struct lab_message *message)
{
    static const char *const texts[] = {": undefined reference to ", ": multiple definition of ", "ld: cannot find "};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *at = memmem(line.text, line.length, texts[i], strlen(texts[i]));
        if (at == NULL)
            continue;
        at = strchr(at, ' ') + 1;
        message->severity = "error";
        message->text = after(line, (size_t)(at - line.text));
        return true;
    }
    return false;
}

/* Reads the first line of a message. */
static bool read_beginning(struct lab_text_span line, struct lab_message *message)
{
    static bool (*const forms[])(struct lab_text_span, struct lab_message *) = {
        read_place_in_brackets, read_place_with_colons, read_tool, read_linker};
    bool found = false;
    for (size_t i = 0; i < sizeof forms / sizeof *forms && !found; i++) {
        *message = (struct lab_message){0};
        found = forms[i](line, message);
    }
    return found;
}

static bool is_caret(struct lab_text_span line)
{
    size_t blanks = 0;
    while (blanks < line.length && (line.text[blanks] == ' ' || line.text[blanks] == '\t'))
        blanks++;
    return blanks >= 2 && blanks + 1 == line.length && line.text[blanks] == '^';
}

/* The column of the caret, which stands below the line of source in bytes; both are indented by two characters. */
static long column_of(struct lab_text_span source, struct lab_text_span caret)
{
    size_t bytes = caret.length - 3;
    if (source.length < 2 + bytes)
        return (long)bytes + 1;
    return (long)lab_utf8_count(source.text + 2, bytes) + 1;
}

/* Reads the lines that follow the first one of a message: of text, until the line of source before the caret. Stops
 * before the next message. Where the first line has the column, there is no more text. */
static void read_rest(const char **log, struct lab_message *message)
{
    struct lab_text_span source = {0}, line;
    struct lab_message other;
    for (const char *next = *log; next != NULL; *log = next, source = line) {
        line = next_line(&next);
        if (line.length == 0 || read_beginning(line, &other))
            return;
        if (message->column == 0 && is_caret(line) && source.text != NULL) {
            size_t bytes = line.length - 1 < source.length ? line.length - 1 : source.length;
            message->column = column_of(source, line);
            message->source = after(source, bytes);
            message->text.length = (size_t)(source.text - 1 - message->text.text);
            *log = next;
            return;
        }
    }
}

bool lab_message_next(const char **log, struct lab_message *message)
{
    while (*log != NULL) {
        if (read_beginning(next_line(log), message)) {
            read_rest(log, message);
            return true;
        }
    }
    return false;
}

bool lab_message_is_of_header(const struct lab_message *message, const char *name)
{
    return message->file.text != NULL &&
           (message->file.length != strlen(name) || memcmp(message->file.text, name, message->file.length) != 0);
}

/* --- as JSON ------------------------------------------------------------------------------------------------------ */

/* Copies a span of at most `size` bytes with the NUL: characters that were cut are removed, control characters become
 * blanks, because the text is shown on terminals. */
static void copy_shown(struct lab_text_span span, char *text, size_t size)
{
    size_t length = span.length < size - 1 ? span.length : size - 1;
    memcpy(text, span.text, length);
    text[length] = '\0';
    lab_utf8_drop_invalid(text);
    for (char *line = text, *end; line != NULL; line = end != NULL ? end + 1 : NULL) {
        if ((end = strchr(line, '\n')) != NULL)
            *end = '\0';
        lab_utf8_replace_control(line, ' ');
        if (end != NULL)
            *end = '\n';
    }
}

void lab_message_file(const struct lab_message *message, char name[LAB_MESSAGE_FILE_MAX])
{
    name[0] = '\0';
    if (message->file.text != NULL)
        copy_shown(message->file, name, LAB_MESSAGE_FILE_MAX);
}

json_t *lab_message_to_json(const struct lab_message *message, const char *before)
{
    char text[LAB_MESSAGE_BYTES_MAX + 1], file[LAB_MESSAGE_FILE_MAX];
    copy_shown(message->text, text, sizeof text);
    lab_message_file(message, file);
    json_t *json = json_pack("{s:s, s:o}", "severity", message->severity, "text", json_sprintf("%s%s", before, text));
    if (message->line > 0) {
        json_object_set_new(json, "file", json_string(file));
        json_object_set_new(json, "line", json_integer(message->line));
    }
    if (message->column > 0)
        json_object_set_new(json, "column", json_integer(message->column));
    return json;
}

/* Writes "Line 3, column 5", or "In FILE, line 3" where the file is not `name`. */
static void write_place(const json_t *message, const char *name, char *place, size_t size)
{
    json_int_t line = json_integer_value(json_object_get(message, "line"));
    json_int_t column = json_integer_value(json_object_get(message, "column"));
    const char *file = json_string_value(json_object_get(message, "file"));
    char column_text[32] = "";
    bool is_other = file != NULL && (name == NULL || strcmp(file, name) != 0);
    if (column > 0)
        snprintf(column_text, sizeof column_text, ", column %" JSON_INTEGER_FORMAT, column);
    snprintf(place, size, "%s%.120s%s %" JSON_INTEGER_FORMAT "%s", is_other ? "In " : "", is_other ? file : "",
             is_other ? ", line" : "Line", line, column_text);
}

void lab_messages_first_error(const json_t *messages, const char *name, char *detail, size_t size)
{
    size_t index;
    json_t *message;
    snprintf(detail, size, "The compiler rejected the source without a message.");
    json_array_foreach(messages, index, message)
    {
        const char *severity = json_string_value(json_object_get(message, "severity"));
        const char *text = json_string_value(json_object_get(message, "text"));
        char place[256] = "";
        if (severity == NULL || text == NULL || strcmp(severity, "error") != 0)
            continue;
        if (json_object_get(message, "line") != NULL)
            write_place(message, name, place, sizeof place);
        snprintf(detail, size, "%s%s%s", place, place[0] != '\0' ? ": " : "", text);
        lab_utf8_drop_invalid(detail);
        return;
    }
}
