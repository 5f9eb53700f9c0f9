/* A document as Markdown, as GitHub and GitLab show it. */
#include "document_forms.h"

#include "core/json_members.h"

#include <string.h>

/* A text on one line, without markup. */
static void write_text(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '&' || *text == '<')
            fputs(*text == '&' ? "&amp;" : "&lt;", out);
        else if ((unsigned char)*text < ' ')
            fputc(' ', out);
        else
            fprintf(out, "%s%c", strchr("\\`*_[]#|~>", *text) != NULL ? "\\" : "", *text);
    }
}

/* A paragraph, which a text must not make a list or a heading. */
static void write_sentence(FILE *out, const char *text)
{
    size_t digits = strspn(text, "0123456789");
    fwrite(text, 1, digits, out);
    text += digits;
    if (*text != '\0' && strchr(digits > 0 ? ".)" : "-+=", *text) != NULL)
        fputc('\\', out);
    write_text(out, text);
    fputs("\n\n", out);
}

static void write_row(FILE *out, const json_t *cells, const char *member)
{
    size_t index;
    json_t *cell;
    fputc('|', out);
    json_array_foreach(cells, index, cell)
    {
        const char *text = member != NULL ? lab_text_of(cell, member) : json_string_value(cell);
        fputc(' ', out);
        write_text(out, text != NULL ? text : "");
        fputs(" |", out);
    }
    fputc('\n', out);
}

static void write_table(FILE *out, const json_t *table)
{
    size_t index;
    json_t *each;
    write_row(out, json_object_get(table, "columns"), "title");
    fputc('|', out);
    json_array_foreach(json_object_get(table, "columns"), index, each)
    {
        fputs(json_is_true(json_object_get(each, "right")) ? " ---: |" : " --- |", out);
    }
    fputc('\n', out);
    json_array_foreach(json_object_get(table, "rows"), index, each)
    {
        write_row(out, each, NULL);
    }
    fputc('\n', out);
}

/* Lines as code: their indentation makes them so, whatever they contain. */
static void write_lines(FILE *out, const char *text)
{
    fputs("    ", out);
    for (; *text != '\0'; text++) {
        if (*text == '\n')
            fputs("\n    ", out);
        else if ((unsigned char)*text >= ' ' || *text == '\t')
            fputc(*text, out);
    }
    fputs("\n\n", out);
}

void lab_document_write_markdown(const struct lab_document *document, FILE *out)
{
    size_t index;
    json_t *part;
    fputs("## ", out);
    write_text(out, json_string_value(document->title));
    fputs("\n\n", out);
    json_array_foreach(document->parts, index, part)
    {
        const char *heading = lab_optional_text_of(part, "heading"), *sentence = lab_optional_text_of(part, "sentence");
        if (heading != NULL) {
            fputs("### ", out);
            write_text(out, heading);
            fputs("\n\n", out);
        }
        if (sentence != NULL)
            write_sentence(out, sentence);
        if (json_object_get(part, "table") != NULL)
            write_table(out, json_object_get(part, "table"));
        if (json_object_get(part, "lines") != NULL)
            write_lines(out, lab_text_of(part, "lines"));
    }
}
