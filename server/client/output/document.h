/* A report for those who do not read a terminal: what a command prints, as Markdown, as JUnit XML or as a page of HTML.
 * A command adds the parts in their order, and writes the document once. All texts are escaped: text of a tag, a note
 * or a device cannot become markup.
 */
#ifndef LAB_DOCUMENT_H
#define LAB_DOCUMENT_H

#include "table.h"

#include "cli/options.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct lab_document;

enum lab_case_result { LAB_CASE_PASSED, LAB_CASE_FAILED, LAB_CASE_SKIPPED };

/* The names of the forms, for an option; ends with NULL. */
extern const char *const lab_document_forms[];
#define LAB_DOCUMENT_FORMS "markdown", "junit", "html"

/* The option --format of a command whose values are of the type `options` and have a member `format`, a const char
 * *. */
#define LAB_DOCUMENT_OPTION(options)                                                                                        \
    {                                                                                                                       \
        .name = "--format", .value = "FORMAT",                                                                              \
        .help =                                                                                                             \
            "Print a report as markdown, as junit (XML with a test case for each result) or as html, a page without other " \
            "files.",                                                                                                       \
        .accepts = {.type = LAB_TYPE_CHOICE, .choices = lab_document_forms}, .offset = offsetof(options, format)            \
    }

/* Adds an error where both --json and --format are given; `format` may be NULL. */
void lab_document_check(bool json, const char *format, struct lab_errors *errors);

/* `name` is that of the test suite, which stays from run to run. Returns NULL when out of memory; the functions below
 * accept NULL and then do nothing. */
struct lab_document *lab_document_create(const char *name, const char *title);
void lab_document_free(struct lab_document *document);

/* Each line of a text, as commands print it, as a sentence; empty lines are left out. */
void lab_document_sentences(struct lab_document *document, const char *text);
/* A table with a heading, which may be NULL. The table stays the caller's. */
void lab_document_table(struct lab_document *document, const char *heading, const struct lab_table *table);
/* Text whose lines are kept, such as the output of a program. */
void lab_document_lines(struct lab_document *document, const char *heading, const char *text);
/* A picture as SVG, which only HTML has. */
void lab_document_picture(struct lab_document *document, const char *svg, size_t size);
/* A result as a test case; `text` says why it failed or was skipped. Only JUnit has them. */
void lab_document_case(struct lab_document *document, const char *name, enum lab_case_result outcome, const char *text);

/* Writes the document in the form of that name, one of lab_document_forms. */
void lab_document_write(const struct lab_document *document, const char *form, FILE *out);

#endif
