/* Reads a text byte by byte into a line that grows up to a limit. What other files begin with is recognised, because a
 * message for each of their lines would say nothing. */
#include "import_text.h"

#include "core/text.h"

#include <stdlib.h>
#include <string.h>

/* --- the beginning ------------------------------------------------------------------------------------------------ */

/* Files that begin with these bytes. Without a byte order mark, UTF-16 is known by the NUL beside its first
 * character. */
static const struct {
    const char *bytes;
    size_t length;
    const char *is;
} kinds[] = {
    {"\xff\xfe", 2, "is in UTF-16, which PowerShell writes with '>'; save it as UTF-8"},
    {"\xfe\xff", 2, "is in UTF-16; save it as UTF-8"},
    {"{\0", 2, "is in UTF-16; save it as UTF-8"},
    {"\0{", 2, "is in UTF-16; save it as UTF-8"},
    {"[\0", 2, "is in UTF-16; save it as UTF-8"},
    {"\0[", 2, "is in UTF-16; save it as UTF-8"},
    {"\0\0", 2, "is in UTF-32, or binary; save it as UTF-8"},
    {"\x1f\x8b", 2, "is gzip within gzip; decompress it once"},
    {"SQLite format 3", 16, "is a database, such as 'gpulab backup' writes; 'gpulab serve --db FILE' opens it"},
    {"PK\3\4", 4, "is a zip archive; extract it"},
    {"\x28\xb5\x2f\xfd", 4, "is compressed with zstd; decompress it"},
    {"\xfd"
     "7zXZ",
     5, "is compressed with xz; decompress it"},
    {"BZh", 3, "is compressed with bzip2; decompress it"},
};

static bool foreign(struct lab_error *error, const char *what)
{
    return lab_error_set(error, LAB_ERROR_NOT_AN_EXPORT, "", "The file %s. " LAB_IMPORT_EXPECTED, what);
}

/* Whether the text has a byte that no text has; `length` bytes may end within a character. */
static bool is_binary(const char *text, size_t length)
{
    for (size_t at = 0; at < length;) {
        size_t character = lab_utf8_length(text + at, length - at);
        if (character == 0)
            return length - at >= 4;
        if ((unsigned char)text[at] < ' ' && strchr("\t\n\r\f", text[at]) == NULL)
            return true;
        at += character;
    }
    return false;
}

/* Names a text that does not begin as JSON, by its first line. */
static bool refuse_text(const char *text, size_t length, struct lab_error *error)
{
    char what[LAB_DETAIL_MAX];
    size_t line = 0;
    while (line < length && text[line] != '\n' && text[line] != '\r')
        line++;
    if (line > 7 && memcmp(text, "run_id,", 7) == 0)
        return foreign(error, "is CSV, as 'gpulab export --csv' writes it, which lacks what a run needs");
    snprintf(what, sizeof what, "%s: it begins with '%.*s'",
             memchr(text, ',', line) != NULL ? "is not JSON, perhaps CSV" : "is not JSON", (int)(line < 24 ? line : 24),
             text);
    return foreign(error, what);
}

static bool check_head(const struct lab_import_text *text, struct lab_error *error)
{
    const char *head = text->head + text->head_next;
    size_t length = text->head_length - text->head_next, blank = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (length >= kinds[i].length && memcmp(head, kinds[i].bytes, kinds[i].length) == 0)
            return foreign(error, kinds[i].is);
    while (blank < length && strchr(" \t\r\n", head[blank]) != NULL && head[blank] != '\0')
        blank++;
    head += blank;
    length -= blank;
    if (length > 0 && head[0] == '[')
        return foreign(error, "is a JSON array");
    if (length == 0 || head[0] == '{')
        return true;
    return is_binary(head, length) ? foreign(error, "is binary, or text that is not in UTF-8")
                                   : refuse_text(head, length, error);
}

bool lab_import_text_init(struct lab_import_text *text, FILE *file, struct lab_error *error)
{
    static const char mark[] = "\xef\xbb\xbf";
    *text = (struct lab_import_text){.file = file};
    text->head_length = fread(text->head, 1, sizeof text->head, file);
    if (ferror(file))
        return true; /* the first line says so */
    if (text->head_length >= 3 && memcmp(text->head, mark, 3) == 0)
        text->head_next = 3;
    return check_head(text, error);
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

static int next_byte(struct lab_import_text *text)
{
    if (text->head_next < text->head_length)
        return (unsigned char)text->head[text->head_next++];
    return getc_unlocked(text->file);
}

/* Appends a byte, with a NUL behind it. False at the limit, or when out of memory. */
static bool append(struct lab_import_text *text, int byte, size_t max)
{
    if (text->length + 2 > text->capacity) {
        size_t capacity = text->capacity > 0 ? 2 * text->capacity : 4096;
        char *line = realloc(text->line, capacity);
        if (line == NULL)
            return !(text->is_out_of_memory = true);
        text->line = line;
        text->capacity = capacity;
    }
    if (text->length == max)
        return false;
    text->line[text->length++] = (char)byte;
    text->line[text->length] = '\0';
    return true;
}

/* Reads up to a line's end. False where nothing was left. */
static bool read_line(struct lab_import_text *text, size_t max)
{
    int byte = next_byte(text);
    text->length = 0;
    text->is_too_long = text->is_unended = false;
    if (byte == EOF)
        return false;
    for (; byte != EOF && byte != '\n'; byte = next_byte(text))
        if (!text->is_too_long && !append(text, byte, max))
            text->is_too_long = true;
    text->is_unended = byte == EOF;
    text->number++;
    return !ferror(text->file);
}

bool lab_import_text_next(struct lab_import_text *text, size_t max)
{
    while (read_line(text, max))
        if (text->length > 0 && strspn(text->line, " \t\r") < text->length)
            return true;
    return false;
}

bool lab_import_text_rest(struct lab_import_text *text)
{
    int byte = '\n';
    while (!text->is_unended && byte != EOF) {
        if (!append(text, byte, LAB_IMPORT_DOCUMENT_MAX)) {
            text->is_too_long = true;
            return true;
        }
        byte = next_byte(text);
    }
    return !ferror(text->file);
}

void lab_import_text_release(struct lab_import_text *text)
{
    free(text->line);
    *text = (struct lab_import_text){0};
}
