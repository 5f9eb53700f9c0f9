/* Reads the first comment of a sample program. */
#include "pages/programs.h"

#include "descriptor/sample_programs.h"

#include <stdlib.h>
#include <string.h>

enum { LINES_MAX = 90 };

/* The line that is read next. */
struct reader {
    const char *path, *at;
    size_t line;
};

/* The text of the next line. */
static char *take_line(struct reader *r)
{
    size_t length = strcspn(r->at, "\n");
    char *text = lab_keep(r->at, length);
    r->at += length + (r->at[length] == '\n');
    r->line++;
    return text;
}

/* The title, with which the file begins. */
static const char *read_title(struct reader *r)
{
    const char *line = take_line(r);
    size_t length = strlen(line);
    if (strncmp(line, "/* ", 3) != 0 || length == 3 || strchr("./", line[length - 1]) != NULL)
        lab_fail(r->path, 1, "the file begins with \"/* TITLE\", and the title has no full stop");
    return line + 3;
}

/* A line of the comment without what begins it; NULL: the comment has ended. */
static const char *read_line(struct reader *r)
{
    const char *line = take_line(r);
    if (strcmp(line, " */") == 0)
        return NULL;
    if (strncmp(line, " * ", 3) != 0 && strcmp(line, " *") != 0)
        lab_fail(r->path, r->line - 1,
                 "a line of the first comment begins with \" * \"; the comment ends with \" */\"");
    return line + 2 + (line[2] == ' ');
}

/* "NAME, NAME". Whether these are experiments is checked where the experiments are known (check.h). */
static void read_lessons(const struct reader *r, const char *names, const char *lessons[LAB_SAMPLE_LESSONS_MAX])
{
    for (size_t count = 0;; count++) {
        size_t length = strcspn(names, ", ");
        if (length == 0 || count == LAB_SAMPLE_LESSONS_MAX)
            break;
        lessons[count] = lab_keep(names, length);
        names += length;
        if (*names == '\0')
            return;
        names += strncmp(names, ", ", 2) == 0 ? 2 : 0;
    }
    lab_fail(r->path, r->line - 1, "must be \"Lessons: NAME, NAME\", at most %d", LAB_SAMPLE_LESSONS_MAX);
}

/* Reads the rest of the comment: *text and the lessons, which are in its last line if there are any. */
static void read_comment(struct reader *r, char **text, const char *lessons[LAB_SAMPLE_LESSONS_MAX])
{
    static const char word[] = "Lessons: ";
    const char *line;
    size_t size;
    FILE *out = open_memstream(text, &size);
    if (out == NULL)
        lab_fail(r->path, 0, "out of memory");
    while ((line = read_line(r)) != NULL) {
        if (lessons[0] != NULL)
            lab_fail(r->path, r->line - 1, "the comment ends after its lessons");
        if (strncmp(line, word, strlen(word)) == 0)
            read_lessons(r, line + strlen(word), lessons);
        else if (*line != '\0' || ftell(out) > 0)
            fprintf(out, "%s\n", line);
    }
    fclose(out);
    while (size > 0 && (*text)[size - 1] == '\n')
        (*text)[--size] = '\0';
    if (size == 0)
        lab_fail(r->path, r->line - 1, "the comment says what the program shows");
}

static void check_length(const struct lab_source_file *file)
{
    size_t lines = 0;
    for (const char *at = file->text; *at != '\0'; at++)
        lines += *at == '\n';
    if (lines > LINES_MAX)
        lab_fail(file->path, LINES_MAX + 1, "a program has at most %d lines", LINES_MAX);
}

void lab_program_write(const struct lab_source_file *file, FILE *out)
{
    struct reader r = {.path = file->path, .at = file->text, .line = 1};
    const char *slash = strrchr(file->path, '/'), *base = slash != NULL ? slash + 1 : file->path;
    const char *lessons[LAB_SAMPLE_LESSONS_MAX + 1] = {NULL};
    char *text;
    const char *title = read_title(&r);
    read_comment(&r, &text, lessons);
    check_length(file);
    fprintf(out, "    {\"%.*s\", ", (int)strcspn(base, "."), base);
    lab_write_string(out, title);
    fputs(",\n    ", out);
    lab_write_string(out, text);
    fputs(",\n    {", out);
    for (const char *const *lesson = lessons; *lesson != NULL; lesson++) {
        lab_write_string(out, *lesson);
        fputs(", ", out);
    }
    fprintf(out, "NULL}, \"%s\",\n    ", base);
    lab_write_string(out, file->text);
    fputs("},\n", out);
    free(text);
}
