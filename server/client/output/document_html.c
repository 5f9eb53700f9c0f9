/* A document as a page of HTML that needs no other file, and that a browser lets load none. */
#include "document_forms.h"

#include "core/json_members.h"
#include "core/xml_text.h"

#include <string.h>

static const char head[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>";
static const char style[] =
    "</title>\n<style>\n"
    ":root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }\n"
    "body { max-width: 75rem; margin: 2rem auto; padding: 0 1rem; }\n"
    "h1 { font-size: 1.5rem; }\n"
    "h2 { font-size: 1.15rem; }\n"
    "div { overflow-x: auto; }\n"
    "table { border-collapse: collapse; font-variant-numeric: tabular-nums; }\n"
    "th, td { padding: 0.25rem 0.75rem; border-bottom: 1px solid #8886; text-align: left; }\n"
    ".right { text-align: right; white-space: nowrap; }\n"
    "</style>\n</head>\n<body>\n<h1>";

static void write_text(FILE *out, const char *text)
{
    lab_xml_write(out, text, strlen(text));
}

static void write_element(FILE *out, const char *tag, const char *text)
{
    fprintf(out, "<%s>", tag);
    write_text(out, text);
    fprintf(out, "</%s>\n", tag);
}

static bool is_right(const json_t *columns, size_t index)
{
    return json_is_true(json_object_get(json_array_get(columns, index), "right"));
}

static void write_table(FILE *out, const json_t *table)
{
    const json_t *columns = json_object_get(table, "columns");
    size_t index, at;
    json_t *each, *cell;
    fputs("<div role=\"region\" aria-label=\"Table\" tabindex=\"0\"><table>\n<thead><tr>", out);
    json_array_foreach(columns, index, each)
    {
        fprintf(out, "<th scope=\"col\"%s>", is_right(columns, index) ? " class=\"right\"" : "");
        write_text(out, lab_text_of(each, "title"));
        fputs("</th>", out);
    }
    fputs("</tr></thead>\n<tbody>\n", out);
    json_array_foreach(json_object_get(table, "rows"), index, each)
    {
        fputs("<tr>", out);
        json_array_foreach(each, at, cell)
        {
            fputs(is_right(columns, at) ? "<td class=\"right\">" : "<td>", out);
            write_text(out, json_string_value(cell));
            fputs("</td>", out);
        }
        fputs("</tr>\n", out);
    }
    fputs("</tbody>\n</table></div>\n", out);
}

void lab_document_write_html(const struct lab_document *document, FILE *out)
{
    const char *title = json_string_value(document->title);
    size_t index;
    json_t *part;
    fputs(head, out);
    write_text(out, title);
    fputs(style, out);
    write_text(out, title);
    fputs("</h1>\n", out);
    json_array_foreach(document->parts, index, part)
    {
        const char *heading = lab_optional_text_of(part, "heading"), *sentence = lab_optional_text_of(part, "sentence");
        if (heading != NULL)
            write_element(out, "h2", heading);
        if (sentence != NULL)
            write_element(out, "p", sentence);
        if (json_object_get(part, "picture") != NULL) /* as an image, in which no script runs */
            fprintf(out, "<div><img alt=\"Chart\" src=\"data:image/svg+xml;base64,%s\"></div>\n",
                    lab_text_of(part, "picture"));
        if (json_object_get(part, "table") != NULL)
            write_table(out, json_object_get(part, "table"));
        if (json_object_get(part, "lines") != NULL)
            write_element(out, "pre", lab_text_of(part, "lines"));
    }
    fputs("</body>\n</html>\n", out);
}
