/* The table of formats, and what is done with each file: its bounds, its JSON. */
#include "formats/formats.h"

#include "formats/cells.h"
#include "formats/readers.h"

#include "core/clock.h"
#include "core/text.h"

#include <stdio.h>
#include <string.h>

const struct lab_result_format lab_result_formats[] = {
    {.name = "gpulab", .title = "gpulab.h", .made = "by programs that include gpulab.h", LAB_TEXT_READER(gpulab)},
    {.name = "nvbench", .title = "NVBench", .made = "--json FILE", LAB_DOCUMENT_READER(nvbench)},
    {.name = "google-benchmark",
     .title = "Google Benchmark",
     .made = "--benchmark_out=FILE --benchmark_out_format=json",
     LAB_DOCUMENT_READER(google_benchmark)},
    {.name = "nvbandwidth", .title = "nvbandwidth", .made = "--json > FILE", LAB_DOCUMENT_READER(nvbandwidth)},
    {.name = "nccl-tests",
     .title = "NCCL tests",
     .made = "-J FILE, or > FILE for the table",
     LAB_DOCUMENT_READER(nccl_tests),
     LAB_TEXT_READER(nccl_tests)},
    {.name = "hyperfine", .title = "hyperfine", .made = "--export-json FILE", LAB_DOCUMENT_READER(hyperfine)},
    {.name = "babelstream", .title = "BabelStream", .made = "--csv > FILE", LAB_TEXT_READER(babelstream)},
    {.name = "csv",
     .title = "CSV",
     .made = "columns 'NAME [UNIT]', or 'metric', 'value' and 'unit'; the others are axes",
     LAB_TEXT_READER(csv)},
    {0},
};

const struct lab_result_format *lab_result_format_find(const char *name)
{
    for (const struct lab_result_format *format = lab_result_formats; format->name != NULL; format++)
        if (strcmp(format->name, name) == 0)
            return format;
    return NULL;
}

bool lab_result_format_refuse(const char *name, enum lab_error_code code, const char *pointer, struct lab_error *error)
{
    char names[LAB_DETAIL_MAX / 2] = "";
    for (const struct lab_result_format *known = lab_result_formats; known->name != NULL; known++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", names[0] != '\0' ? ", " : "",
                 known->name);
    return lab_error_set(error, code, pointer, "There is no format of results \"%.64s\"; the formats are: %s.", name,
                         names);
}

/* --- the text ----------------------------------------------------------------------------------------------------- */

/* Sets *text to the file without a byte order mark. */
static bool check_text(const char *file, size_t size, struct lab_result_text *text, struct lab_errors *errors)
{
    static const char mark[] = "\xEF\xBB\xBF";
    *text = (struct lab_result_text){file, file + size};
    if (size > LAB_RESULT_SIZE_MAX)
        return lab_errors_add(errors, LAB_ERROR_TOO_LONG, "", "The file has %zu bytes; it must have at most %d.", size,
                              LAB_RESULT_SIZE_MAX);
    if (!lab_utf8_is_valid(file, size))
        return lab_errors_add(errors, LAB_ERROR_NOT_UTF_8, "", "The file must be text in UTF-8.");
    if (size > 0 && memchr(file, '\0', size) != NULL)
        return lab_errors_add(errors, LAB_ERROR_NOT_UTF_8, "", "The file must be text without NUL characters.");
    if (size >= strlen(mark) && memcmp(file, mark, strlen(mark)) == 0)
        text->at += strlen(mark);
    return true;
}

/* Whether the text can be a JSON document: it begins with a bracket. */
static bool begins_document(const struct lab_result_text *text)
{
    const char *at = text->at;
    while (at < text->end && strchr(" \t\r\n", *at) != NULL)
        at++;
    return at < text->end && (*at == '{' || *at == '[');
}

static json_t *parse_document(struct lab_reader *reader, const struct lab_result_text *text)
{
    return lab_reader_parse(reader, &(struct lab_place){"", 0}, "The file must be a JSON document", text->at,
                            (size_t)(text->end - text->at));
}

/* --- formats ------------------------------------------------------------------------------------------------------ */

static bool has_required(const struct lab_schema *members, const json_t *document)
{
    for (; members->name != NULL; members++)
        if (members->required && json_object_get(document, members->name) == NULL)
            return false;
    return true;
}

const struct lab_result_format *lab_result_format_guess(const char *text, size_t size)
{
    struct lab_errors errors = {0};
    struct lab_reader reader = {.errors = &errors};
    struct lab_result_text all;
    if (!check_text(text, size, &all, &errors))
        return NULL;
    json_t *document = begins_document(&all) ? parse_document(&reader, &all) : NULL;
    const struct lab_result_format *format = lab_result_formats;
    while (format->name != NULL && !(format->members != NULL && has_required(format->members, document)) &&
           !(format->recognises != NULL && format->recognises(&all)))
        format++;
    json_decref(document);
    return format->name != NULL ? format : NULL;
}

static void read_document(const struct lab_result_format *format, const struct lab_result_text *text,
                          struct lab_reader *reader)
{
    const struct lab_schema row = {
        .name = "The document", .type = LAB_TYPE_OBJECT, .members = format->members, .open = true};
    json_t *document = parse_document(reader, text);
    if (document != NULL && lab_schema_check_value(&row, document, "", reader->errors))
        format->read_document(reader, document);
    json_decref(document);
}

static void read_text(const struct lab_result_format *format, const struct lab_result_text *text,
                      struct lab_reader *reader)
{
    if (format->read_document != NULL && (format->read_text == NULL || begins_document(text)))
        read_document(format, text, reader);
    else
        format->read_text(reader, text);
}

bool lab_result_format_read(const struct lab_result_format *format, const char *text, size_t size,
                            struct lab_result_file *file, struct lab_errors *errors)
{
    struct lab_result_text all;
    struct lab_errors found = {0};
    struct lab_reader reader = {.file = file, .errors = &found, .known = json_object()};
    *file = (struct lab_result_file){
        .at = LAB_NO_TIME, .hosts = json_array(), .devices = json_array(), .versions = json_object()};
    if (check_text(text, size, &all, &found))
        read_text(format, &all, &reader);
    json_decref(reader.known);
    if (file->date != NULL)
        lab_time_parse(file->date, &file->at);
    if (found.count == 0 && file->count == 0 && file->note_count == 0)
        lab_errors_add(&found, LAB_ERROR_NO_RESULT, "", "The file has no results of %s.", format->title);
    lab_errors_append(errors, &found, "");
    return found.count == 0;
}
