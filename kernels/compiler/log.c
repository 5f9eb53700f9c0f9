/* Reads the messages in NVRTC's log. A message begins with a line such as
 *
 *     transpose.cu(12): warning #177-D: variable "i" was declared but never referenced
 *     ptxas error   : Entry function 'k' uses too much shared data (0x61a80 bytes, 0xc000 max)
 *
 * and ends at a blank line or where the next one begins. Between them are more lines of text, the line of source, and a
 * line with a caret below the place.
 */
#include "log.h"

#include "core/text.h"

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

/* Reads "error: TEXT", "warning #177-D: TEXT", "catastrophic error: TEXT". */
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

/* Reads "FILE(LINE): " before the severity. */
static bool read_place(struct lab_text_span line, struct lab_message *message)
{
    const char *end = memmem(line.text, line.length, "): ", 3);
    const char *open = end != NULL ? memrchr(line.text, '(', (size_t)(end - line.text)) : NULL;
    if (open == NULL)
        return false;
    char *after_number;
    message->line = strtol(open + 1, &after_number, 10);
    message->file = (struct lab_text_span){line.text, (size_t)(open - line.text)};
    return message->line > 0 && after_number == end &&
           read_severity(after(line, (size_t)(end + 3 - line.text)), message);
}

/* Reads the first line of a message. */
static bool read_beginning(struct lab_text_span line, struct lab_message *message)
{
    *message = (struct lab_message){0};
    if (read_place(line, message))
        return true;
    *message = (struct lab_message){0};
    if (lab_text_span_starts(line, "At end of source: "))
        return read_severity(after(line, 18), message);
    if (lab_text_span_starts(line, "nvrtc: "))
        return read_severity(after(line, 7), message);
    if (!lab_text_span_starts(line, "ptxas "))
        return false;
    /* "ptxas error   : TEXT" or "ptxas application ptx input, line 23; error   : TEXT" */
    const char *place = memchr(line.text, ';', line.length);
    struct lab_text_span rest = after(line, place != NULL ? (size_t)(place + 1 - line.text) : 6);
    return read_severity(trim(rest), message);
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

/* Reads the lines that follow the first one of a message: of text, until the line of source before the caret. Stops before
 * the next message. */
static void read_rest(const char **log, struct lab_message *message)
{
    struct lab_text_span source = {0}, line;
    struct lab_message other;
    for (const char *next = *log; next != NULL; *log = next, source = line) {
        line = next_line(&next);
        if (line.length == 0 || read_beginning(line, &other))
            return;
        if (is_caret(line) && source.text != NULL) {
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
