/* Reads the pages and the terms of the guide. */
#include "pages/guide.h"

#include <jansson.h>
#include <string.h>
#include <strings.h>

/* --- pages -------------------------------------------------------------------------------------------------------- */

/* Takes the text up to the first empty line, and moves behind it. NULL: there is none, or nothing is before or behind
 * it. */
static char *take_paragraph(const char **at)
{
    const char *begin = *at, *end = strstr(begin, "\n\n");
    if (end == NULL || end == begin || end[2] == '\0' || end[2] == '\n')
        return NULL;
    *at = end + 2;
    return lab_keep(begin, (size_t)(end - begin));
}

void lab_guide_page_write(const struct lab_source_file *file, FILE *out)
{
    const char *at = file->text, *base = strrchr(file->path, '/');
    const char *title = take_paragraph(&at), *summary = title != NULL ? take_paragraph(&at) : NULL;
    if (summary == NULL || strncmp(title, "# ", 2) != 0 || strchr(title, '\n') != NULL)
        lab_fail(file->path, 1,
                 "the file begins with \"# TITLE\", a paragraph that says what the page is about, and the text");
    fprintf(out, "    {\"%.*s\", ", (int)strcspn(base + 1, "."), base + 1);
    lab_write_string(out, title + 2);
    fputs(",\n    ", out);
    lab_write_string(out, summary);
    fputs(",\n    ", out);
    lab_write_string(out, at);
    fputs("},\n", out);
}

/* --- terms -------------------------------------------------------------------------------------------------------- */

/* The members of a term that are texts, in the order of struct lab_term. */
static const char *const texts[] = {"term", "text", "see", "ru", "sk", "zh"};

enum { TEXT_COUNT = sizeof texts / sizeof *texts };

/* The text of a member; ends the program if the member is not a text. */
static const char *text_in(const struct lab_source_file *file, size_t number, const char *member, const json_t *value)
{
    if (json_string_length(value) == 0)
        lab_fail(file->path, 0, "term %zu: '%s' must be a text", number, member);
    return json_string_value(value);
}

static void write_term(const struct lab_source_file *file, size_t number, const json_t *term, FILE *out)
{
    const json_t *also = json_object_get(term, "also"), *name;
    size_t i;
    if (json_object_size(term) != TEXT_COUNT + 1 || !json_is_array(also))
        lab_fail(file->path, 0,
                 "term %zu must have the members term, text, see, ru, sk, zh and the list also, no others", number);
    fputs("    {", out);
    for (i = 0; i < TEXT_COUNT; i++) {
        lab_write_string(out, text_in(file, number, texts[i], json_object_get(term, texts[i])));
        fputs(", ", out);
    }
    fputs("(const char *const[]){", out);
    json_array_foreach(also, i, name)
    {
        lab_write_string(out, text_in(file, number, "also", name));
        fputs(", ", out);
    }
    fputs("NULL}},\n", out);
}

/* The list that a file contains; ends the program where it contains none. */
static json_t *read_list(const struct lab_source_file *file)
{
    json_error_t error;
    json_t *list = json_loads(file->text, JSON_REJECT_DUPLICATES, &error);
    if (list == NULL)
        lab_fail(file->path, (size_t)error.line, "%s", error.text);
    if (!json_is_array(list))
        lab_fail(file->path, 1, "must be a list");
    return list;
}

void lab_cards_write(const struct lab_source_file *file, FILE *out)
{
    json_decref(read_list(file));
    lab_write_string(out, file->text);
}

void lab_terms_write(const struct lab_source_file *file, FILE *out)
{
    json_t *terms = read_list(file), *term;
    const char *before = "";
    size_t i;
    json_array_foreach(terms, i, term)
    {
        write_term(file, i + 1, term, out);
        const char *name = json_string_value(json_object_get(term, "term"));
        if (strcasecmp(before, name) >= 0)
            lab_fail(file->path, 0, "'%s' must stand before '%s': terms are in the order of their names", name, before);
        before = name;
    }
    json_decref(terms);
}
