/* The forms of a document (document.h). */
#ifndef LAB_DOCUMENT_FORMS_H
#define LAB_DOCUMENT_FORMS_H

#include "document.h"

struct lab_document {
    json_t *name, *title;
    json_t *
        parts; /* [{"sentence"} or {"heading", "table": {"columns": [{"title", "right"}], "rows": [[text]]}} or {"heading", "lines"}] */
    json_t *cases; /* [{"name", "outcome", "text"}] */
};

void lab_document_write_markdown(const struct lab_document *document, FILE *out);
void lab_document_write_junit(const struct lab_document *document, FILE *out);
void lab_document_write_html(const struct lab_document *document, FILE *out);

/* Writes a text in which XML and HTML have no markup; characters that XML cannot have become U+FFFD. */
void lab_document_write_escaped(FILE *out, const char *text);

#endif
