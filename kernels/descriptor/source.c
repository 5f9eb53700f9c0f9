/* Puts the text of a source together; finds sources and their axis. */
#include "descriptor/source.h"
#include "descriptor/source_lines.h"

#include "descriptor/points.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *lab_shown_text(const char *path)
{
    for (const struct lab_shown_file *file = lab_shown_files; file->path != NULL; file++)
        if (strcmp(file->path, path) == 0)
            return file->text;
    return NULL;
}

bool lab_line_marks(const char *line, size_t length, const char *word, const char *name)
{
    char text[128];
    int expected = snprintf(text, sizeof text, "// %s%s%s", word, name != NULL ? " " : "", name != NULL ? name : "");
    if (expected < 0 || (size_t)expected >= sizeof text || strncmp(line, text, (size_t)expected) != 0)
        return false;
    return length == (size_t)expected || line[expected] == ' ';
}

const char *lab_line_after_explanation(const char *line)
{
    bool titled = memchr(line, '"', strcspn(line, "\n")) != NULL,
         step = lab_line_marks(line, strcspn(line, "\n"), "step", NULL);
    const char *end = titled ? strstr(line, "*/") : NULL;
    line = end != NULL ? end : line;
    line += strcspn(line, "\n");
    line += *line == '\n';
    return line + (step && *line == '\n');
}

const char *lab_line_includes(const char *line, size_t length, const struct lab_source *source)
{
    for (size_t i = 0; i < LAB_SOURCE_PARTS_MAX && source->parts[i].file != NULL; i++) {
        const char *slash = strrchr(source->parts[i].file, '/');
        char text[128];
        int expected = snprintf(text, sizeof text, "#include \"%s\"", slash + 1);
        if ((size_t)expected == length && strncmp(line, text, length) == 0)
            return source->parts[i].file;
    }
    return NULL;
}

/* Whether the line is one that gpulab-pages reads (kernels/pages/README.md). */
static bool is_marker(const char *line, size_t length)
{
    static const char *const words[] = {"region", "end", "step", "steps use", NULL};
    for (const char *const *word = words; *word != NULL; word++)
        if (lab_line_marks(line, length, *word, NULL))
            return true;
    return false;
}

static void write_line(FILE *out, const char *line, size_t length, const struct lab_source *source)
{
    if (!is_marker(line, length) && lab_line_includes(line, length, source) == NULL)
        fprintf(out, "%.*s\n", (int)length, line);
}

/* Writes a part. Returns false if its file or its region does not exist. */
static bool write_part(FILE *out, const struct lab_source *source, const struct lab_source_part *part)
{
    const char *text = lab_shown_text(part->file);
    bool inside = part->region == NULL, found = inside;
    if (text == NULL)
        return false;
    fprintf(out, "// %s\n", part->file);
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        const char *next =
            is_marker(text, length) ? lab_line_after_explanation(text) : text + length + (text[length] == '\n');
        if (part->region != NULL && lab_line_marks(text, length, "end", NULL))
            inside = false;
        if (inside)
            write_line(out, text, length, source);
        if (part->region != NULL && lab_line_marks(text, length, "region", part->region))
            inside = found = true;
        text = next;
    }
    return found;
}

char *lab_source_text(const struct lab_source *source)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    bool good = out != NULL;
    for (size_t i = 0; good && i < LAB_SOURCE_PARTS_MAX && source->parts[i].file != NULL; i++) {
        if (i > 0)
            fputc('\n', out);
        good = write_part(out, source, &source->parts[i]);
    }
    if (out != NULL)
        good = fclose(out) == 0 && good;
    if (!good) {
        free(text);
        return NULL;
    }
    return text;
}

/* --- the sources of an experiment --------------------------------------------------------------------------------- */

/* A source is editable if its first part is device code of an image of the experiment. */
bool lab_source_is_editable(const struct lab_experiment *experiment, const struct lab_source *source)
{
    static const char folder[] = "kernels/experiments/";
    const char *file = source->parts[0].file, *suffix = strrchr(file, '.');
    return (experiment->benchmark != NULL || experiment->edits) && strcmp(source->backend, "cuda") == 0 &&
           strncmp(file, folder, strlen(folder)) == 0 && strcmp(suffix, ".c") != 0;
}

const struct lab_source *lab_source_find_editable(const struct lab_experiment *experiment, const char *step)
{
    for (const struct lab_source *s = experiment->sources; s != NULL && s->step != NULL; s++)
        if (strcmp(s->step, step) == 0 && lab_source_is_editable(experiment, s))
            return s;
    return NULL;
}

const struct lab_source *lab_source_find_edited(const char *edits)
{
    for (size_t i = 0; lab_experiments[i] != NULL; i++) {
        size_t length = strlen(lab_experiments[i]->name);
        if (strncmp(edits, lab_experiments[i]->name, length) == 0 && edits[length] == '/')
            return lab_source_find_editable(lab_experiments[i], edits + length + 1);
    }
    return NULL;
}

const struct lab_axis *lab_source_axis(const struct lab_experiment *experiment, const char *step, int64_t *value)
{
    for (const struct lab_axis *axis = experiment->axes; axis->name != NULL; axis++) {
        struct lab_choices choices;
        if (lab_axis_kind(experiment, axis, &choices) != LAB_AXIS_CHOICE)
            continue;
        *value = (int64_t)lab_choice_find(choices, step);
        if (lab_choice_text(choices, (size_t)*value) != NULL)
            return axis;
    }
    return NULL;
}

static bool precedes(const struct lab_experiment *experiment, const struct lab_source *one,
                     const struct lab_source *other)
{
    int64_t first = 0, second = 0;
    lab_source_axis(experiment, one->step, &first);
    lab_source_axis(experiment, other->step, &second);
    return first != second ? first < second : one < other;
}

const struct lab_source *lab_source_next(const struct lab_experiment *experiment, const struct lab_source *source)
{
    const struct lab_source *next = NULL;
    for (const struct lab_source *s = experiment->sources; s != NULL && s->step != NULL; s++)
        if ((source == NULL || precedes(experiment, source, s)) && (next == NULL || precedes(experiment, s, next)))
            next = s;
    return next;
}
