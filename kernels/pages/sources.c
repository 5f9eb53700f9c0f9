/* Finds the steps of an experiment in the markers of its files. */
#include "pages/sources.h"

#include "descriptor/experiment.h"

#include <glob.h>
#include <string.h>

enum { STEPS_MAX = 128 };

/* The parts of which a source consists. */
struct parts {
    size_t count;
    struct lab_source_part items[LAB_SOURCE_PARTS_MAX];
};

struct step {
    const char *name, *title, *explanation;
    const char *backend; /* "cuda", "host" */
    struct parts parts;
    const char *path; /* where its marker is */
    size_t line;
};

struct lab_page_sources {
    struct lab_source_files *files;
    const char *folder;
    size_t count;
    struct step steps[STEPS_MAX];
};

/* The line that is read, and what the lines before it say. */
struct reader {
    struct lab_page_sources *sources;
    const struct lab_source_file *file;
    const char *at; /* in the text of the file */
    size_t line;
    const char *region; /* the one that has begun; NULL: none */
    struct parts used;  /* by every step from here on */
};

/* --- markers ------------------------------------------------------------------------------------------------------ */

static size_t line_length(const struct reader *r)
{
    return strcspn(r->at, "\n");
}

static void next_line(struct reader *r)
{
    r->at += line_length(r);
    r->at += *r->at == '\n';
    r->line++;
}

/* What follows "// WORD " in the line; NULL if the line begins otherwise. */
static char *after(const struct reader *r, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(r->at, "// ", 3) != 0 || strncmp(r->at + 3, word, length) != 0 || r->at[3 + length] != ' ')
        return NULL;
    return lab_keep(r->at + 4 + length, line_length(r) - 4 - length);
}

/* Takes the word at *rest, which ends at a space or a comma; "" if there is none. */
static char *take_word(char **rest)
{
    *rest += strspn(*rest, " ");
    size_t length = strcspn(*rest, " ,");
    char *word = lab_keep(*rest, length);
    *rest += length;
    return word;
}

/* Takes the title at *rest, in quotes; NULL if there is none. */
static char *take_title(char **rest)
{
    *rest += strspn(*rest, " ");
    char *end = **rest == '"' ? strchr(*rest + 1, '"') : NULL;
    if (end == NULL)
        return NULL;
    char *title = lab_keep(*rest + 1, (size_t)(end - *rest - 1));
    *rest = end + 1;
    return title;
}

/* The text of the comment that follows the marker, or NULL. The lines of the comment begin with " * ". */
static char *read_comment(const struct reader *marker)
{
    struct reader r = *marker;
    next_line(&r);
    const char *end = strstr(r.at, "*/");
    if (strncmp(r.at, "/* ", 3) != 0 || end == NULL)
        return NULL;
    char *text = lab_keep("", 0);
    while (r.at < end) {
        size_t begin = strncmp(r.at, " *", 2) == 0 || strncmp(r.at, "/*", 2) == 0 ? 2 : 0;
        begin += begin > 0 && r.at[begin] == ' ';
        const char *stop = r.at + line_length(&r) < end ? r.at + line_length(&r) : end;
        size_t length = stop > r.at + begin ? (size_t)(stop - r.at) - begin : 0;
        text = lab_keep_format("%s%s%.*s", text, *text != '\0' ? "\n" : "", (int)length, r.at + begin);
        next_line(&r);
    }
    size_t length = strlen(text);
    while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\n'))
        text[--length] = '\0';
    return text;
}

/* --- parts -------------------------------------------------------------------------------------------------------- */

static void add_part(struct reader *r, struct parts *parts, const char *path, const char *region)
{
    if (parts->count == LAB_SOURCE_PARTS_MAX)
        lab_fail(r->file->path, r->line, "a source has at most %d parts", LAB_SOURCE_PARTS_MAX);
    struct lab_source_file *file = lab_source_file(r->sources->files, path);
    if (region != NULL && !lab_source_file_has(file, region))
        lab_fail(r->file->path, r->line, "%s has no region '%s'", path, region);
    file->shown = true;
    parts->items[parts->count++] = (struct lab_source_part){.file = file->path, .region = region};
}

/* Adds a part: REGION of this file, FILE of this folder, FILE:REGION, or a path in the repository in place of FILE. */
static void add_named(struct reader *r, struct parts *parts, char *part)
{
    char *colon = strchr(part, ':');
    if (colon == NULL && strpbrk(part, "./") == NULL) {
        add_part(r, parts, r->file->path, part);
        return;
    }
    if (colon != NULL)
        *colon = '\0';
    const char *path = strchr(part, '/') != NULL ? part : lab_keep_format("%s/%s", r->sources->folder, part);
    add_part(r, parts, path, colon != NULL ? colon + 1 : NULL);
}

/* Reads a list of parts, separated by commas, to the end of the line. */
static void read_parts(struct reader *r, char *rest, struct parts *parts)
{
    do {
        char *part = take_word(&rest);
        if (*part == '\0')
            lab_fail(r->file->path, r->line, "a part is missing: REGION, FILE or FILE:REGION");
        add_named(r, parts, part);
        rest += strspn(rest, " ");
    } while (*rest++ == ',');
    if (rest[-1] != '\0')
        lab_fail(r->file->path, r->line, "parts are separated by commas; found '%s'", rest - 1);
}

/* --- steps -------------------------------------------------------------------------------------------------------- */

static struct step *find_step(struct lab_page_sources *sources, const char *name, const char *backend)
{
    for (size_t i = 0; i < sources->count; i++)
        if (strcmp(sources->steps[i].name, name) == 0 && strcmp(sources->steps[i].backend, backend) == 0)
            return &sources->steps[i];
    return NULL;
}

static bool is_of_host(const char *path)
{
    static const char folder[] = "kernels/host/", suffix[] = "_host.c";
    size_t length = strlen(path);
    return strncmp(path, folder, strlen(folder)) == 0 ||
           (length > strlen(suffix) && strcmp(path + length - strlen(suffix), suffix) == 0);
}

/* The runtime of a source: that of host devices if a part is. */
static const char *backend_of(const struct parts *parts)
{
    for (size_t i = 0; i < parts->count; i++)
        if (is_of_host(parts->items[i].file))
            return "host";
    return "cuda";
}

static void add_step(struct reader *r, const struct step *step)
{
    const struct step *other = find_step(r->sources, step->name, step->backend);
    if (other != NULL)
        lab_fail(step->path, step->line, "the step '%s' of %s is also at %s:%zu", step->name, step->backend,
                 other->path, other->line);
    if (r->sources->count == STEPS_MAX)
        lab_fail(step->path, step->line, "an experiment has at most %d sources", STEPS_MAX);
    r->sources->steps[r->sources->count++] = *step;
}

static struct step new_step(const struct reader *r, const char *name, const char *title)
{
    struct step step = {.name = name, .title = title, .path = r->file->path, .line = r->line};
    if (title != NULL && (step.explanation = read_comment(r)) == NULL)
        lab_fail(r->file->path, r->line,
                 "the step '%s' has a title, so the next line must begin a comment that explains it", name);
    return step;
}

/* "// region NAME", "// region NAME "TITLE"": the region is a step if it has a title, or is of the host and has the
 * name of a step of a GPU. */
static void read_region(struct reader *r, char *rest)
{
    char *name = take_word(&rest), *title = take_title(&rest);
    if (r->region != NULL)
        lab_fail(r->file->path, r->line, "the region '%s' has not ended", r->region);
    if (*name == '\0' || *rest != '\0')
        lab_fail(r->file->path, r->line, "a region begins with: // region NAME, or // region NAME \"TITLE\"");
    r->region = name;
    if (title == NULL && (!is_of_host(r->file->path) || find_step(r->sources, name, "cuda") == NULL))
        return;
    struct step step = new_step(r, name, title);
    step.parts = r->used;
    add_part(r, &step.parts, r->file->path, name);
    step.backend = backend_of(&step.parts);
    add_step(r, &step);
}

static void read_end(struct reader *r)
{
    if (r->region == NULL)
        lab_fail(r->file->path, r->line, "no region has begun");
    r->region = NULL;
}

/* "// step NAME, NAME "TITLE" shows PART, PART": a source that is no region of its own. Without a title it has that of
 * the step of a GPU. */
static void read_step(struct reader *r, char *rest)
{
    char *names[STEPS_MAX];
    size_t count = 0;
    do {
        names[count++] = take_word(&rest);
        rest += strspn(rest, " ");
    } while (count < STEPS_MAX && *rest == ',' && *rest++ != '\0');
    char *title = take_title(&rest), *shows = take_word(&rest);
    if (*names[0] == '\0' || strcmp(shows, "shows") != 0)
        lab_fail(r->file->path, r->line, "a step is: // step NAME \"TITLE\" shows PART, PART");
    struct step step = new_step(r, names[0], title);
    read_parts(r, rest, &step.parts);
    step.backend = backend_of(&step.parts);
    for (size_t i = 0; i < count; i++) {
        step.name = names[i];
        add_step(r, &step);
    }
}

static void read_marker(struct reader *r)
{
    char *rest;
    if ((rest = after(r, "steps use")) != NULL) {
        r->used = (struct parts){0};
        if (strcmp(rest, "nothing") != 0)
            read_parts(r, rest, &r->used);
    } else if ((rest = after(r, "region")) != NULL)
        read_region(r, rest);
    else if (strncmp(r->at, "// end", line_length(r)) == 0 && line_length(r) == strlen("// end"))
        read_end(r);
    else if ((rest = after(r, "step")) != NULL)
        read_step(r, rest);
}

static void read_file(struct lab_page_sources *sources, const char *path)
{
    const struct lab_source_file *file = lab_source_file(sources->files, path);
    struct reader r = {.sources = sources, .file = file, .at = file->text, .line = 1};
    for (; *r.at != '\0'; next_line(&r))
        read_marker(&r);
    if (r.region != NULL)
        lab_fail(path, r.line, "the region '%s' does not end", r.region);
}

/* Reads the files of the folder whose names end so, in the order of their names. */
static void read_files(struct lab_page_sources *sources, const char *suffix)
{
    glob_t found;
    if (glob(lab_keep_format("%s/*%s", sources->folder, suffix), 0, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i++)
        read_file(sources, found.gl_pathv[i]);
    globfree(&found);
}

/* A step without a title has that of the step of a GPU with its name. */
static void complete(struct lab_page_sources *sources)
{
    for (size_t i = 0; i < sources->count; i++) {
        struct step *step = &sources->steps[i];
        const struct step *titled = find_step(sources, step->name, "cuda");
        if (step->title == NULL && (titled == NULL || titled->title == NULL))
            lab_fail(step->path, step->line, "the step '%s' has no title", step->name);
        if (step->title == NULL) {
            step->title = titled->title;
            step->explanation = titled->explanation;
        }
    }
}

struct lab_page_sources *lab_page_sources_read(struct lab_source_files *files, const char *folder)
{
    struct lab_page_sources *sources = lab_keep_bytes(sizeof *sources);
    sources->files = files;
    sources->folder = folder;
    read_files(sources, ".cu"); /* before those of the host, which have names of these steps */
    read_files(sources, ".cuh");
    read_files(sources, ".h");
    read_files(sources, ".c");
    complete(sources);
    return sources;
}

/* --- the table ---------------------------------------------------------------------------------------------------- */

static void write_step(const struct step *step, FILE *out)
{
    fprintf(out, "    {\"%s\", \"%s\", ", step->name, step->backend);
    lab_write_string(out, step->title);
    fputs(",\n    ", out);
    lab_write_string(out, step->explanation);
    fputs(",\n     {", out);
    for (size_t i = 0; i < step->parts.count; i++) {
        const struct lab_source_part *part = &step->parts.items[i];
        fprintf(out, part->region != NULL ? "{\"%s\", \"%s\"}, " : "{\"%s\", NULL}, ", part->file, part->region);
    }
    fputs("}},\n", out);
}

void lab_page_sources_write(const struct lab_page_sources *sources, const char *name, FILE *out)
{
    fprintf(out, "const struct lab_source lab_%s_sources[] = {\n", name);
    for (size_t i = 0; i < sources->count; i++)
        write_step(&sources->steps[i], out);
    fputs("    {0},\n};\n\n", out);
}
