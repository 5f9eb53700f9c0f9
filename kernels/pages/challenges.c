/* Joins the files of a ready challenge to its document. */
#include "pages/challenges.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Reads NAME.json: an object with score, shows, and a kernel whose reference is an object without source. */
static json_t *read_definition(const struct lab_source_file *file)
{
    json_error_t error;
    json_t *definition = json_loads(file->text, JSON_REJECT_DUPLICATES, &error);
    if (definition == NULL)
        lab_fail(file->path, (size_t)error.line, "%s", error.text);
    json_t *reference = json_object_get(json_object_get(definition, "kernel"), "reference");
    if (json_object_size(definition) != 3 || json_object_get(definition, "score") == NULL ||
        json_object_get(definition, "shows") == NULL || !json_is_object(reference) ||
        json_object_get(reference, "source") != NULL)
        lab_fail(file->path, 1,
                 "must be an object with 'score', 'shows' and 'kernel', whose 'reference' has no source: it is in "
                 "reference.cu");
    return definition;
}

/* Adds title and text, of which the file consists. */
static void add_text(json_t *document, const struct lab_source_file *file)
{
    const char *end = strstr(file->text, "\n\n");
    if (strncmp(file->text, "# ", 2) != 0 || end == NULL || memchr(file->text, '\n', (size_t)(end - file->text)) ||
        end[2] == '\0')
        lab_fail(file->path, 1, "the file begins with \"# TITLE\" and an empty line, and the text follows");
    json_object_set_new(document, "title", json_stringn(file->text + 2, (size_t)(end - file->text - 2)));
    json_object_set_new(document, "text", json_string(end + 2));
}

static const struct lab_source_file *file_of(struct lab_source_files *files, const char *folder, const char *name,
                                             const char *extension)
{
    return lab_source_file(files, lab_keep_format("%s/%s.%s", folder, name, extension));
}

void lab_challenge_write(struct lab_source_files *files, const char *folder, FILE *out)
{
    const char *slash = strrchr(folder, '/'), *name = slash != NULL ? slash + 1 : folder;
    json_t *definition = read_definition(file_of(files, folder, name, "json"));
    json_t *reference = json_object_get(json_object_get(definition, "kernel"), "reference");
    json_t *document = json_pack("{s:s}", "name", name);
    add_text(document, file_of(files, folder, name, "md"));
    json_object_set_new(document, "start", json_string(file_of(files, folder, "start", "cu")->text));
    json_object_set_new(reference, "source", json_string(file_of(files, folder, "reference", "cu")->text));
    json_object_update(document, definition);
    char *text = json_dumps(document, JSON_COMPACT);
    json_decref(definition);
    json_decref(document);
    if (text == NULL)
        lab_fail(folder, 0, "out of memory, or a file is not UTF-8");
    fprintf(out, "    {\"%s\",\n    ", name);
    lab_write_string(out, text);
    fputs("},\n", out);
    free(text);
}
