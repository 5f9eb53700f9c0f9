/* Puts the text together that is compiled for an edited source. */
#include "core/errors.h"
#include "core/text.h"
#include "descriptor/source.h"
#include "descriptor/source_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The lines of the edited text that belong to a part of the source. */
struct edited_part {
    const char *begin, *end;
    size_t line; /* number of the first */
    bool written;
};

struct unit {
    FILE *out;
    const struct lab_source *source;
    const char *name;
    struct edited_part parts[LAB_SOURCE_PARTS_MAX];
};

static size_t line_length(const char *text)
{
    return strcspn(text, "\n");
}

static const char *next_line(const char *text)
{
    text += line_length(text);
    return text + (*text == '\n');
}

/* Finds where the parts begin in the edited text. Returns the index of a part whose comment is missing, else -1. */
static int split(struct unit *unit, const char *text)
{
    size_t line = 1, found = 0;
    for (const char *at = text; *at != '\0'; at = next_line(at), line++) {
        const char *file = found < LAB_SOURCE_PARTS_MAX ? unit->source->parts[found].file : NULL;
        if (file == NULL || line_length(at) != strlen(file) + 3 || strncmp(at, "// ", 3) != 0 ||
            strncmp(at + 3, file, strlen(file)) != 0)
            continue;
        if (found > 0)
            unit->parts[found - 1].end = at;
        unit->parts[found++] = (struct edited_part){.begin = next_line(at), .end = at + strlen(at), .line = line + 1};
    }
    return found < LAB_SOURCE_PARTS_MAX && unit->source->parts[found].file != NULL ? (int)found : -1;
}

/* The part of the source that begins with this line of `file`: an index, or -1. */
static int part_at(const struct unit *unit, const char *file, const char *line)
{
    for (int i = 0; i < LAB_SOURCE_PARTS_MAX && unit->source->parts[i].file != NULL; i++) {
        const struct lab_source_part *part = &unit->source->parts[i];
        if (strcmp(part->file, file) == 0 && part->region != NULL &&
            lab_line_marks(line, line_length(line), "region", part->region))
            return i;
    }
    return -1;
}

/* Writes a part of the edited text, unless a region of the same name had it before. */
static void write_part(struct unit *unit, struct edited_part *part)
{
    if (!part->written)
        fprintf(unit->out, "#line %zu \"%s\"\n%.*s\n", part->line, unit->name, (int)(part->end - part->begin),
                part->begin);
    part->written = true;
}

static const char *skip_region(const char *at, size_t *line)
{
    while (*at != '\0' && !lab_line_marks(at, line_length(at), "end", NULL)) {
        at = next_line(at);
        ++*line;
    }
    return at;
}

/* Writes a file with the edited parts in place of its regions, and the files of other parts where it includes them. */
static void write_file(struct unit *unit, const char *file)
{
    size_t line = 1;
    bool in_place = false; /* the compiler knows the number of the next line */
    for (const char *at = lab_shown_text(file); at != NULL && *at != '\0'; at = next_line(at), line++) {
        const char *included = lab_line_includes(at, line_length(at), unit->source);
        int part = part_at(unit, file, at);
        if (part >= 0) {
            write_part(unit, &unit->parts[part]);
            at = skip_region(at, &line);
        } else if (included != NULL) {
            write_file(unit, included);
        } else {
            if (!in_place)
                fprintf(unit->out, "#line %zu \"%s\"\n", line, file);
            fprintf(unit->out, "%.*s\n", (int)line_length(at), at);
        }
        in_place = part < 0 && included == NULL;
    }
}

/* The file that has the kernels: the first one that is no header. NULL if all of it is in the text. */
static const char *main_file(const struct lab_source *source)
{
    for (size_t i = 0; i < LAB_SOURCE_PARTS_MAX && source->parts[i].file != NULL; i++)
        if (strcmp(strrchr(source->parts[i].file, '.'), ".cu") == 0)
            return source->parts[i].region != NULL ? source->parts[i].file : NULL;
    return NULL;
}

/* A copy of a text as editors on Windows save it, without the byte order mark and the carriage returns at the ends of
 * lines. The caller frees it. */
static char *clean(const char *text)
{
    char *copy = strdup(lab_utf8_after_mark(text)), *to = copy;
    for (const char *from = copy; from != NULL && (*to = *from) != '\0'; from++)
        to += *from != '\r' || from[1] != '\n';
    return copy;
}

/* Writes what is compiled for a text that is whole, or the edited parts of `file`. NULL when out of memory. */
static char *write_unit(struct unit *unit, const char *text, const char *file)
{
    char *whole = NULL;
    size_t size;
    unit->out = open_memstream(&whole, &size);
    if (unit->out != NULL && file == NULL) {
        fputs(text, unit->out);
    } else if (unit->out != NULL) {
        size_t before = (size_t)(unit->parts[0].begin - text);
        fprintf(unit->out, "#line 1 \"%s\"\n%.*s", unit->name, (int)before, text);
        write_file(unit, file);
    }
    if (unit->out != NULL && fclose(unit->out) == 0)
        return whole;
    free(whole);
    return NULL;
}

char *lab_source_complete(const struct lab_source *source, const char *text, const char *name, struct lab_error *error)
{
    struct unit unit = {.source = source, .name = name};
    const char *file = source != NULL ? main_file(source) : NULL;
    char *cleaned = clean(text), *whole = NULL;
    int missing = cleaned != NULL && file != NULL ? split(&unit, cleaned) : -1;
    if (missing >= 0)
        lab_error_set(error, LAB_ERROR_MISSING_PART, "",
                      "The source must keep the line \"// %s\", after which its part of that file begins.",
                      source->parts[missing].file);
    else if (cleaned == NULL || (whole = write_unit(&unit, cleaned, file)) == NULL)
        lab_error_set(error, LAB_ERROR_OUT_OF_MEMORY, "", "Out of memory.");
    free(cleaned);
    return whole;
}
