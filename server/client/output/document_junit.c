/* The results of a document as test cases, in the XML that JUnit has made usual. */
#include "document_forms.h"

#include "core/json_members.h"
#include "core/xml_text.h"

#include <string.h>

static int count_of(const json_t *cases, enum lab_case_result outcome)
{
    size_t index;
    json_t *each;
    int count = 0;
    json_array_foreach(cases, index, each)
    {
        count += json_integer_value(json_object_get(each, "outcome")) == (json_int_t)outcome;
    }
    return count;
}

static void write_attribute(FILE *out, const char *name, const char *text)
{
    fprintf(out, " %s=\"", name);
    lab_xml_write(out, text, strlen(text));
    fputc('"', out);
}

static void write_case(FILE *out, const char *suite, const json_t *each)
{
    json_int_t outcome = json_integer_value(json_object_get(each, "outcome"));
    fputs("    <testcase", out);
    write_attribute(out, "classname", suite);
    write_attribute(out, "name", lab_text_of(each, "name"));
    if (outcome == LAB_CASE_PASSED) {
        fputs("/>\n", out);
        return;
    }
    fprintf(out, ">\n      <%s", outcome == LAB_CASE_FAILED ? "failure" : "skipped");
    write_attribute(out, "message", lab_text_of(each, "text"));
    fputs("/>\n    </testcase>\n", out);
}

void lab_document_write_junit(const struct lab_document *document, FILE *out)
{
    const char *name = json_string_value(document->name);
    size_t index;
    json_t *each;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite", out);
    write_attribute(out, "name", name);
    fprintf(out, " tests=\"%zu\" failures=\"%d\" skipped=\"%d\" errors=\"0\">\n", json_array_size(document->cases),
            count_of(document->cases, LAB_CASE_FAILED), count_of(document->cases, LAB_CASE_SKIPPED));
    json_array_foreach(document->cases, index, each)
    {
        write_case(out, name, each);
    }
    fputs("  </testsuite>\n</testsuites>\n", out);
}
