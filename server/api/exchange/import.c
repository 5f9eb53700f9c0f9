/* POST /api/v1/import: adds the runs and marks of an export, or the run of a document. Each run is added whole or not
 * at all; the answer names what is wrong, once for each run. Runs that the lab has are compared, so an import can be
 * repeated. With a format: import_file.c.
 */
#include "import.h"
#include "import_file.h"
#include "openapi/schemas.h"

#include "resources.h"

#include "core/json_text.h"
#include "http/gunzip.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* RUN_BYTES_MAX: of the lines of a run, without those of its samples, which have a limit of their own. The run is in
 * memory until it is stored, and other writers wait while it is. */
enum { ERRORS_MAX = 100, RUN_BYTES_MAX = 256 << 20 };

struct import {
    struct lab_store *store;
    const struct lab_error *unreadable;
    struct lab_import_text text;
    json_t *value; /* the current line as a JSON object; NULL: it is none */
    json_t *errors;
    json_int_t imported, completed, skipped, marks, runs; /* runs: lines of this type */
    struct lab_import_run run;
    int64_t run_line;    /* where the run begins */
    size_t run_bytes;    /* of the run's lines */
    bool is_wrong;       /* an error about the run was added: its other lines are left out */
    bool has_unreadable; /* a line was no JSON: it may have been a run */
    bool is_document;    /* the file is a document */
    bool ended;          /* the document, or the line of type end, was read */
    bool stopped;        /* nothing more is read, because of an error */
};

static void add_error_at(struct import *import, int64_t line, const char *detail)
{
    size_t count = json_array_size(import->errors);
    if (count == ERRORS_MAX)
        detail = "Further errors are left out: there are more than 100.";
    if (count <= ERRORS_MAX)
        json_array_append_new(import->errors, json_pack("{s:I, s:s}", "line", (json_int_t)line, "detail", detail));
}

static void add_error(struct import *import, const char *detail)
{
    add_error_at(import, import->text.number, detail);
}

/* Adds an error after which nothing more is read. */
static void stop(struct import *import, const char *detail)
{
    add_error_at(import, import->text.number > 0 ? import->text.number : 1, detail);
    import->stopped = import->is_wrong = true;
}

/* --- a run -------------------------------------------------------------------------------------------------------- */

/* Stores the current run, unless a line of it was wrong. */
static enum lab_store_result end_run(struct import *import)
{
    struct lab_error error = {0};
    enum lab_import_outcome outcome = LAB_IMPORT_REFUSED;
    enum lab_store_result result = LAB_STORE_OK;
    if (import->run.memory.failed)
        result = lab_store_no_memory();
    else if (import->run.row.run.id != NULL && !import->is_wrong) {
        result = lab_import_run_store(&import->run, import->store, &outcome, &error);
        if (result == LAB_STORE_OK && outcome == LAB_IMPORT_REFUSED)
            add_error_at(import, import->run_line, error.detail);
    }
    import->imported += outcome == LAB_IMPORT_ADDED;
    import->completed += outcome == LAB_IMPORT_COMPLETED;
    import->skipped += outcome == LAB_IMPORT_SKIPPED;
    lab_import_run_release(&import->run);
    import->is_wrong = false;
    return result;
}

static void begin_run(struct import *import)
{
    struct lab_error error = {0};
    import->runs++;
    import->run_line = import->text.number;
    import->run_bytes = 0;
    import->is_wrong = !lab_import_run_begin(&import->run, import->value, &error);
    if (import->is_wrong && !import->run.memory.failed)
        add_error(import, error.detail);
}

/* Adds a line that belongs to a run (measurement, samples, …) to the run that is being read; an error if it cannot. */
static void take_part(struct import *import, enum lab_import_type type)
{
    struct lab_error error = {0};
    if (import->is_wrong)
        return;
    if (import->run.row.run.id == NULL)
        lab_error_set(&error, LAB_ERROR_NO_RUN, "",
                      "The line belongs to no run: a line of type run must come before it.");
    else if (type != LAB_LINE_SAMPLES && (import->run_bytes += import->text.length) > RUN_BYTES_MAX)
        lab_error_set(&error, LAB_ERROR_OUT_OF_BOUNDS, "",
                      "The lines of the run, without those of samples, have more than 256 MiB.");
    else if (lab_import_run_add(&import->run, type, import->value, &error))
        return;
    import->is_wrong = true;
    if (!import->run.memory.failed)
        add_error(import, error.detail);
}

/* Adds a mark, which belongs to no run, unless the lab has it. */
static enum lab_store_result take_mark(struct import *import)
{
    struct lab_import_memory memory = {0};
    struct lab_comment_row mark;
    struct lab_error error = {0};
    enum lab_store_result result = end_run(import);
    int64_t id = 0;
    if (result == LAB_STORE_OK && !lab_import_read_mark(import->value, &mark, &memory, &error))
        add_error(import, error.detail);
    else if (result == LAB_STORE_OK)
        result = memory.failed ? lab_store_no_memory() : lab_store_import_mark(import->store, &mark, &id);
    lab_import_memory_release(&memory);
    import->marks += id != 0;
    if (result != LAB_STORE_CONFLICT)
        return result;
    char detail[64];
    snprintf(detail, sizeof detail, "The lab has %d marks already: delete some first.", LAB_COMMENTS_MAX);
    add_error(import, detail);
    return LAB_STORE_OK;
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

static void take_end(struct import *import)
{
    const json_t *runs = json_object_get(import->value, "runs");
    import->ended = true;
    if (!import->has_unreadable && (!json_is_integer(runs) || json_integer_value(runs) != import->runs))
        add_error(import, "'runs' is not the number of runs before this line: the file is incomplete.");
}

/* Takes the current line, `value`, which is a JSON object. */
static enum lab_store_result take_value(struct import *import)
{
    enum lab_import_type type = lab_import_type(import->value);
    if (import->ended) {
        stop(import, import->is_document ? "Nothing may follow the document of a run: import one document at a time."
                                         : "The line comes after the line of type end.");
        return LAB_STORE_OK;
    }
    if (type == LAB_LINE_MARK)
        return take_mark(import);
    if (type != LAB_LINE_RUN && type != LAB_LINE_END) {
        take_part(import, type);
        return LAB_STORE_OK;
    }
    enum lab_store_result result = end_run(import);
    if (result == LAB_STORE_OK && type == LAB_LINE_RUN)
        begin_run(import);
    else if (result == LAB_STORE_OK)
        take_end(import);
    return result;
}

/* Whether a line that is no JSON was meant as the line of a run. */
static bool looks_like_run(const char *line)
{
    const char *type = strstr(line, "\"type\"");
    if (type == NULL)
        return false;
    type += strlen("\"type\"");
    type += strspn(type, " \t:");
    return strncmp(type, "\"run\"", strlen("\"run\"")) == 0;
}

/* Says why the current line cannot be taken. The run to which it belongs is not stored. */
static enum lab_store_result refuse_line(struct import *import, const char *detail)
{
    enum lab_store_result result = LAB_STORE_OK;
    if (looks_like_run(import->text.line))
        result = end_run(import);
    if (!import->is_wrong)
        add_error(import, detail);
    import->is_wrong = import->has_unreadable = true;
    import->stopped = import->text.is_unended; /* the file has no line of type end either: one error is enough */
    return result;
}

static enum lab_store_result take_line(struct import *import)
{
    struct lab_json_fault fault;
    struct lab_error error;
    json_decref(import->value);
    import->value = NULL;
    if (import->text.is_too_long || import->text.length > LAB_IMPORT_LINE_MAX)
        return refuse_line(import, "The line is longer than 1 MiB.");
    import->value = lab_json_parse(import->text.line, import->text.length, &fault);
    if (json_is_object(import->value))
        return take_value(import);
    if (import->value != NULL)
        return refuse_line(import, "The line is not a JSON object.");
    if (import->text.is_unended && fault.ends_early) {
        stop(import, "The file is cut within this line: it is incomplete.");
        return LAB_STORE_OK;
    }
    lab_error_set(&error, fault.code, "", "The line is not JSON that can be imported: column %d: %s.", fault.column,
                  fault.text);
    return refuse_line(import, error.detail);
}

/* --- the file ----------------------------------------------------------------------------------------------------- */

/* Stores the run of a document, `value`. */
static enum lab_store_result take_document(struct import *import)
{
    struct lab_error error = {0};
    import->run_line = 1;
    import->is_document = import->ended = true;
    if (!lab_import_run_read_document(&import->run, import->value, &error) && !import->run.memory.failed)
        stop(import, error.detail);
    return end_run(import);
}

/* Parses the file as one document. NULL with an error. */
static json_t *parse_document(struct import *import)
{
    struct lab_import_text *text = &import->text;
    struct lab_json_fault fault = {.text = "it is longer than 32 MiB"};
    struct lab_error error;
    if (!lab_import_text_rest(text))
        return NULL;
    json_t *value = text->is_too_long ? NULL : lab_json_parse(text->line, text->length, &fault);
    if (value != NULL)
        return value;
    text->number += fault.line > 1 ? fault.line - 1 : 0;
    lab_error_set(&error, LAB_ERROR_NOT_AN_EXPORT, "", "The file is neither JSON lines nor one JSON document: %s. %s",
                  fault.text, LAB_IMPORT_EXPECTED);
    stop(import, error.detail);
    return NULL;
}

/* Takes the first line, which shows whether the file has lines or is a document on one line or on several. */
static enum lab_store_result take_first(struct import *import)
{
    struct lab_import_text *text = &import->text;
    struct lab_json_fault fault;
    if (text->is_too_long)
        return take_line(import);
    import->value = lab_json_parse(text->line, text->length, &fault);
    if (import->value == NULL && fault.ends_early && !text->is_unended && strstr(text->line, "\"type\"") == NULL) {
        import->value = parse_document(import);
        if (import->value == NULL)
            return LAB_STORE_OK;
    }
    if (import->value == NULL || lab_import_type(import->value) != LAB_LINE_UNKNOWN)
        return take_line(import);
    if (lab_import_is_document(import->value))
        return take_document(import);
    stop(import,
         "The file is JSON, but not of gpulab: it has no 'type' of a line, and is not a run. " LAB_IMPORT_EXPECTED);
    return LAB_STORE_OK;
}

/* Adds an error if the file ends where an import must go on. */
static void check_file_end(struct import *import)
{
    if (import->stopped)
        return;
    if (ferror(import->text.file))
        stop(import, import->unreadable->detail[0] != '\0' ? import->unreadable->detail : "The file cannot be read.");
    else if (!import->ended)
        add_error(import, "The file has no line of type end: it is incomplete.");
}

static enum lab_store_result read_file(struct import *import, FILE *file)
{
    enum lab_store_result result = LAB_STORE_OK;
    struct lab_error error = {0};
    if (!lab_import_text_init(&import->text, file, &error)) {
        stop(import, error.detail);
        return result;
    }
    if (lab_import_text_next(&import->text, LAB_IMPORT_DOCUMENT_MAX))
        result = take_first(import);
    else if (!ferror(file))
        stop(import, "The file is empty. " LAB_IMPORT_EXPECTED);
    while (result == LAB_STORE_OK && !import->stopped && lab_import_text_next(&import->text, LAB_IMPORT_LINE_MAX))
        result = take_line(import);
    check_file_end(import);
    enum lab_store_result last = import->text.is_out_of_memory ? lab_store_no_memory() : end_run(import);
    return result == LAB_STORE_OK ? last : result;
}

enum lab_store_result lab_import(struct lab_store *store, FILE *file, const struct lab_error *unreadable,
                                 json_t **answer)
{
    struct import import = {.store = store, .unreadable = unreadable, .errors = json_array()};
    enum lab_store_result result = read_file(&import, file);
    lab_import_run_release(&import.run);
    lab_import_text_release(&import.text);
    json_decref(import.value);
    *answer = result == LAB_STORE_OK ? json_pack("{s:I, s:I, s:I, s:O}", "imported", import.imported, "completed",
                                                 import.completed, "skipped", import.skipped, "errors", import.errors)
                                     : NULL;
    if (import.marks > 0)
        json_object_set_new(*answer, "marks", json_integer(import.marks));
    json_decref(import.errors);
    return result;
}

/* --- the request -------------------------------------------------------------------------------------------------- */

/* Reads what the query says of a result file. False with errors. */
static bool read_origin(const struct lab_request *request, struct lab_import_origin *origin, struct lab_errors *errors)
{
    static const char *const names[] = {"host", "device", "at"};
    const char *format = lab_request_query(request, "format");
    struct lab_error error;
    *origin = (struct lab_import_origin){.format = format != NULL ? lab_result_format_find(format) : NULL,
                                         .host = lab_request_query(request, "host"),
                                         .device = lab_request_query(request, "device"),
                                         .requested_by = lab_requested_by(request),
                                         .at = LAB_NO_TIME};
    lab_request_time(request, "at", &origin->at);
    if (format != NULL && origin->format == NULL) {
        lab_result_format_refuse(format, LAB_ERROR_OUT_OF_BOUNDS, "/query/format", &error);
        return lab_errors_add(errors, error.code, error.pointer, "%s", error.detail);
    }
    for (size_t i = 0; format == NULL && i < sizeof names / sizeof *names; i++) {
        char pointer[LAB_POINTER_MAX];
        snprintf(pointer, sizeof pointer, "/query/%s", names[i]);
        if (lab_request_query(request, names[i]) != NULL)
            lab_errors_add(errors, LAB_ERROR_OUT_OF_BOUNDS, pointer,
                           "Only files with a 'format' take it: the runs of an export have their own.");
    }
    return errors->count == 0;
}

void lab_api_import(const struct lab_request *request, struct lab_response *response)
{
    static const struct lab_gunzip_limits limits = {
        .size_max = LAB_IMPORT_MAX, .free_bytes = 64 << 20, .ratio_max = 250};
    const char *coding = lab_request_header(request, "Content-Encoding");
    struct lab_error unreadable = {0};
    struct lab_errors errors = {0};
    struct lab_import_origin origin;
    FILE *body = lab_request_body_file(request), *text = body;
    json_t *answer = NULL;
    enum lab_store_result result = LAB_STORE_FAILED;
    if (!read_origin(request, &origin, &errors)) {
        lab_reply_invalid(response, &errors);
        return;
    }
    if (lab_is_gzip(body) || (coding != NULL && strcasecmp(coding, "gzip") == 0))
        text = lab_gunzip_open(body, &limits, &unreadable);
    if (text != NULL && origin.format != NULL)
        result = lab_import_file(lab_api_of(request)->store, text, &unreadable, &origin, &answer, &errors);
    else if (text != NULL)
        result = lab_import(lab_api_of(request)->store, text, &unreadable, &answer);
    if (text != NULL && text != body)
        fclose(text);
    if (result == LAB_STORE_OK && errors.count > 0)
        lab_reply_invalid(response, &errors);
    else if (result == LAB_STORE_OK)
        lab_respond_json(response, 200, answer);
    else
        lab_reply_store_error(request, response, result);
}

/* --- what is answered --------------------------------------------------------------------------------------------- */

static const struct lab_schema import_errors_members[] = {
    {LAB_GIVEN(INTEGER, "line"), .text = "From 1."},
    {LAB_GIVEN(STRING, "detail")},
    {0},
};

static const struct lab_schema import_members[] = {
    {LAB_GIVEN(INTEGER, "imported"), .text = "Runs that were added."},
    {LAB_GIVEN(INTEGER, "completed"), .text = "Runs that the lab had without samples, which were added."},
    {LAB_GIVEN(INTEGER, "skipped"), .text = "Runs that the lab has already."},
    {.name = "marks",
     .type = LAB_TYPE_INTEGER,
     .maximum = INFINITY,
     .text = "Marks that were added, if any; the lab has the others already."},
    {LAB_GIVEN(OBJECT, "errors"), .count = LAB_LIST, .members = import_errors_members,
     .text =
         "What is wrong, once for each run that was not added, at most 100; one more says that others are left out."},
    {.name = "runs",
     .type = LAB_TYPE_STRING,
     .count = LAB_LIST,
     .text = "With `format`: the id of the run of the file."},
    {0},
};

const struct lab_schema lab_import_documents[] = {
    {.name = "Import", .type = LAB_TYPE_OBJECT, .members = import_members},
    {0},
};
