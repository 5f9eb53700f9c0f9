/* The forms of a document (document.h). */
#ifndef LAB_DOCUMENT_FORMS_H
#define LAB_DOCUMENT_FORMS_H

#include "document.h"

struct lab_document {
    json_t *name, *title;
    json_t *
        parts; /* [{"sentence"} or {"heading", "table": {"columns": [{"title", "right"}], "rows": [[text]]}} or {"heading", "lines"} or {"picture": Base64 of SVG}] */
    json_t *cases; /* [{"name", "outcome", "text"}] */
};

void lab_document_write_markdown(const struct lab_document *document, FILE *out);
void lab_document_write_junit(const struct lab_document *document, FILE *out);
void lab_document_write_html(const struct lab_document *document, FILE *out);

#endif
