/* Keeps the parts of a document, and writes them in a form. */
#include "document.h"

#include "document_forms.h"

#include "core/base64.h"

#include <stdlib.h>
#include <string.h>

const char *const lab_document_forms[] = {LAB_DOCUMENT_FORMS, NULL};

static void (*const writers[])(const struct lab_document *document, FILE *out) = {
    lab_document_write_markdown, lab_document_write_junit, lab_document_write_html};

void lab_document_check(bool json, const char *format, struct lab_errors *errors)
{
    if (json && format != NULL)
        lab_errors_add(errors, LAB_ERROR_USAGE, "--format", "cannot be combined with --json");
}

struct lab_document *lab_document_create(const char *name, const char *title)
{
    struct lab_document *document = calloc(1, sizeof *document);
    if (document == NULL)
        return NULL;
    document->name = json_string(name);
    document->title = json_string(title);
    document->parts = json_array();
    document->cases = json_array();
    return document;
}

void lab_document_free(struct lab_document *document)
{
    if (document == NULL)
        return;
    json_decref(document->name);
    json_decref(document->title);
    json_decref(document->parts);
    json_decref(document->cases);
    free(document);
}

void lab_document_sentences(struct lab_document *document, const char *text)
{
    while (document != NULL && text != NULL && *text != '\0') {
        size_t length = strcspn(text, "\n");
        if (length > 0)
            json_array_append_new(document->parts, json_pack("{s:s%}", "sentence", text, length));
        text += length + (text[length] == '\n');
    }
}

void lab_document_table(struct lab_document *document, const char *heading, const struct lab_table *table)
{
    if (document != NULL && table != NULL)
        json_array_append_new(document->parts,
                              json_pack("{s:s?, s:o}", "heading", heading, "table", lab_table_to_json(table)));
}

void lab_document_lines(struct lab_document *document, const char *heading, const char *text)
{
    if (document != NULL)
        json_array_append_new(document->parts, json_pack("{s:s?, s:s}", "heading", heading, "lines", text));
}

void lab_document_picture(struct lab_document *document, const char *svg, size_t size)
{
    char *text = document != NULL ? lab_base64_encode(svg, size) : NULL;
    if (text != NULL)
        json_array_append_new(document->parts, json_pack("{s:s}", "picture", text));
    free(text);
}

void lab_document_case(struct lab_document *document, const char *name, enum lab_case_result outcome, const char *text)
{
    if (document != NULL)
        json_array_append_new(document->cases,
                              json_pack("{s:s, s:i, s:s}", "name", name, "outcome", outcome, "text", text));
}

void lab_document_write(const struct lab_document *document, const char *form, FILE *out)
{
    for (size_t i = 0; document != NULL && lab_document_forms[i] != NULL; i++)
        if (strcmp(lab_document_forms[i], form) == 0)
            writers[i](document, out);
}
