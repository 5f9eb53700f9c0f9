/* Puts the text of a source together; finds sources and their axis. */
#include "experiment/source.h"
#include "experiment/source_lines.h"

#include "experiment/points.h"

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
    int expected = snprintf(text, sizeof text, "// %s %s", word, name != NULL ? name : "");
    if (expected < 0 || (size_t)expected >= sizeof text || strncmp(line, text, (size_t)expected) != 0)
        return false;
    return name == NULL || length == (size_t)expected;
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

static void write_line(FILE *out, const char *line, size_t length, const struct lab_source *source)
{
    if (!lab_line_marks(line, length, "region", NULL) && !lab_line_marks(line, length, "end", NULL) &&
        lab_line_includes(line, length, source) == NULL)
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
        if (part->region != NULL && lab_line_marks(text, length, "end", part->region))
            inside = false;
        if (inside)
            write_line(out, text, length, source);
        if (part->region != NULL && lab_line_marks(text, length, "region", part->region))
            inside = found = true;
        text += length + (text[length] == '\n');
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

/* Its first part is device code that is in an image of an experiment. */
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
        const char *const *choices;
        if (lab_axis_kind(experiment, axis, &choices) != LAB_AXIS_CHOICE)
            continue;
        for (*value = 0; choices[*value] != NULL; ++*value)
            if (strcmp(choices[*value], step) == 0)
                return axis;
    }
    return NULL;
}
