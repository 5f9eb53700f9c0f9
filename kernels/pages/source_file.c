/* Reads source files, and keeps them and all texts until the program ends. */
#include "pages/source_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void lab_fail(const char *path, size_t line, const char *format, ...)
{
    va_list arguments;
    fprintf(stderr, "%s:", path);
    if (line > 0)
        fprintf(stderr, "%zu:", line);
    fputc(' ', stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

void *lab_keep_bytes(size_t size)
{
    static struct kept {
        struct kept *before;
        max_align_t bytes[];
    } * last;
    struct kept *kept = calloc(1, sizeof *kept + size);
    if (kept == NULL)
        lab_fail("gpulab-pages", 0, "out of memory");
    kept->before = last;
    last = kept;
    return kept->bytes;
}

char *lab_keep(const char *text, size_t length)
{
    return memcpy(lab_keep_bytes(length + 1), text, length);
}

char *lab_keep_format(const char *format, ...)
{
    char *text;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0)
        lab_fail("gpulab-pages", 0, "out of memory");
    char *copy = lab_keep(text, (size_t)length);
    free(text);
    return copy;
}

static const char *read_text(const char *path)
{
    char *text = NULL;
    size_t size = 0;
    FILE *in = fopen(path, "r");
    if (in == NULL || (getdelim(&text, &size, '\0', in) < 0 && ferror(in)))
        lab_fail(path, 0, "%s", strerror(errno));
    fclose(in);
    const char *copy = text != NULL ? lab_keep(text, strlen(text)) : "";
    free(text);
    return copy;
}

struct lab_source_file *lab_source_file(struct lab_source_files *files, const char *path)
{
    struct lab_source_file *file = files->first;
    while (file != NULL && strcmp(file->path, path) != 0)
        file = file->next;
    if (file != NULL)
        return file;
    file = lab_keep_bytes(sizeof *file);
    file->path = lab_keep(path, strlen(path));
    file->text = read_text(path);
    file->next = files->first;
    files->first = file;
    return file;
}

bool lab_source_file_has(const struct lab_source_file *file, const char *region)
{
    const char *marker = lab_keep_format("// region %s", region);
    size_t length = strlen(marker);
    for (const char *at = file->text; at != NULL; at = strchr(at, '\n')) {
        at += *at == '\n';
        if (strncmp(at, marker, length) == 0 && (at[length] == '\n' || at[length] == ' '))
            return true;
    }
    return false;
}

void lab_write_string(FILE *out, const char *text)
{
    if (text == NULL) {
        fputs("NULL", out);
        return;
    }
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '\n')
            fputs(text[1] == '\0' ? "\\n" : "\\n\"\n    \"", out);
        else if (*text == '"' || *text == '\\' || *text == '?')
            fprintf(out, "\\%c", *text);
        else if ((unsigned char)*text < ' ')
            fprintf(out, "\\%03o", (unsigned)*text);
        else
            fputc(*text, out);
    }
    fputc('"', out);
}
