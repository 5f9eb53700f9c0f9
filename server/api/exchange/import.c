/* POST /api/v1/import: adds the runs of an export. Each run is added whole or not at all; the answer lists every line that is
 * wrong. Runs that the lab has are skipped, so an import can be repeated.
 */
#include "import_line.h"
#include "resources.h"

#include "analysis/environment.h"
#include "jobs/run_json.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_BYTES = 1 << 20, ERRORS_MAX = 100 };

/* An id may be this much later than now, because clocks differ. */
static const int64_t future_us = INT64_C(86400) * 1000000;

struct import {
    struct lab_store *store;
    FILE *file;
    char *text;    /* the current line */
    int64_t line;  /* its number, from 1 */
    off_t start;   /* where it begins in the file */
    json_t *value; /* it as JSON; NULL: it is no JSON object */
    json_t *errors;
    json_int_t imported, skipped, runs; /* runs: lines of this type */
    bool ended;                         /* the line of type end was read */
    char run[LAB_RUN_ID_SIZE];          /* the run whose lines are being read, "" before the first */
    bool checks;                        /* of that run: its lines are checked, but not stored, because one was wrong */

    /* While a run is stored: */
    off_t first_part;
    int64_t first_line;
    size_t errors_before;
    int64_t measurements, expected;
    struct lab_import_memory memory; /* of the last part */
};

static bool add_error(struct import *import, const char *format, const char *detail)
{
    if (json_array_size(import->errors) < ERRORS_MAX)
        json_array_append_new(import->errors, json_pack("{s:I, s:o}", "line", (json_int_t)import->line, "detail",
                                                        json_sprintf(format, detail)));
    return false;
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

/* Reads the rest of a line that is too long. */
static void skip_line(const struct import *import)
{
    int character;
    do {
        character = getc_unlocked(import->file);
    } while (character != '\n' && character != EOF);
}

/* Reads the next line; false at the end of the file. A line that is not a JSON object is an error, and `value` is NULL. */
static bool read_line(struct import *import)
{
    json_error_t reason;
    json_decref(import->value);
    import->value = NULL;
    import->start = ftello(import->file);
    if (fgets(import->text, LINE_MAX_BYTES + 2, import->file) == NULL)
        return false;
    import->line++;
    size_t length = strlen(import->text);
    if (length == LINE_MAX_BYTES + 1 && import->text[length - 1] != '\n') {
        skip_line(import);
        add_error(import, "%s", "The line is longer than 1 MiB.");
        return true;
    }
    import->value = json_loadb(import->text, length, JSON_REJECT_DUPLICATES, &reason);
    if (import->value == NULL) {
        add_error(import, "The line is not JSON: %s.", reason.text);
    } else if (!json_is_object(import->value)) {
        add_error(import, "%s", "The line is not a JSON object.");
        json_decref(import->value);
        import->value = NULL;
    }
    return true;
}

/* Goes back, so that the current line is read again. */
static void unread_line(struct import *import)
{
    fseeko(import->file, import->start, SEEK_SET);
    import->line--;
}

/* Reads the part of a run that the line has. False with an error. */
static bool read_part(struct import *import, struct lab_import_part *part)
{
    struct lab_error error = {0};
    lab_import_memory_free(&import->memory);
    if (import->value == NULL)
        return false;
    const char *run = json_string_value(json_object_get(import->value, "run"));
    if (!lab_import_read_part(import->value, part, &import->memory, &error))
        return add_error(import, "%s", error.detail);
    return strcmp(run, import->run) == 0 || add_error(import, "'run' must be that of the run before: %s.", import->run);
}

/* --- storing a run ------------------------------------------------------------------------------------------------ */

static bool restart(void *context)
{
    struct import *import = context;
    while (json_array_size(import->errors) > import->errors_before)
        json_array_remove(import->errors, import->errors_before);
    import->line = import->first_line;
    import->measurements = 0;
    return fseeko(import->file, import->first_part, SEEK_SET) == 0;
}

static bool end_run(struct import *import, struct lab_import_part *part)
{
    part->kind = LAB_IMPORT_END;
    if (import->measurements == import->expected)
        return true;
    return add_error(import, "%s", "The run that ends with this line has fewer or more measurements than 'measurement_count'.");
}

static bool next(void *context, struct lab_import_part *part)
{
    struct import *import = context;
    if (!read_line(import))
        return end_run(import, part);
    enum lab_import_type type = import->value != NULL ? lab_import_type(import->value) : LAB_LINE_UNKNOWN;
    if (type == LAB_LINE_RUN || type == LAB_LINE_END) {
        unread_line(import);
        return end_run(import, part);
    }
    import->measurements += type == LAB_LINE_MEASUREMENT;
    return read_part(import, part);
}

/* Stores the run of the current line. Returns LAB_STORE_OK also if its lines are wrong. */
static enum lab_store_result store_run(struct import *import, const struct lab_run_row *row, const json_t *environment)
{
    char *key = environment != NULL ? lab_environment_key(environment) : NULL;
    const struct lab_imported_run run = {row, key, restart, next, import};
    import->first_part = ftello(import->file);
    import->first_line = import->line;
    import->errors_before = json_array_size(import->errors);
    import->expected = row->measurement_count;
    enum lab_store_result result = lab_store_import_run(import->store, &run);
    free(key);
    lab_import_memory_free(&import->memory);
    import->imported += result == LAB_STORE_OK;
    import->checks = result == LAB_STORE_CONFLICT;
    if (result == LAB_STORE_CONFLICT && json_array_size(import->errors) == import->errors_before)
        add_error(import, "%s", lab_store_message(import->store));
    return result == LAB_STORE_CONFLICT ? LAB_STORE_OK : result;
}

static void ignore_run(void *context, const struct lab_run_row *row)
{
    (void)context;
    (void)row;
}

/* Checks what the store relies on beside the types of the members. */
static bool check_run(struct import *import, const struct lab_run_row *row)
{
    int64_t at = 0, latest = lab_time_now() + future_us;
    if (!lab_run_id_time(row->id, &at))
        return add_error(import, "'id' must be a UUID of version 7; it is '%s'.", row->id);
    if (at > latest || row->created_at > latest)
        return add_error(import, "%s", "'id' and 'created_at' must not be in the future.");
    return true;
}

/* Takes a line of type run. */
static enum lab_store_result take_run(struct import *import)
{
    struct lab_import_memory memory = {0};
    struct lab_error error = {0};
    struct lab_run_row row;
    json_t *line = json_incref(import->value);
    enum lab_store_result result = LAB_STORE_OK;
    import->runs++;
    import->checks = true;
    snprintf(import->run, sizeof import->run, "%s", "");
    if (!lab_import_read_run(line, &row, &memory, &error)) {
        add_error(import, "%s", error.detail);
    } else if (check_run(import, &row)) {
        snprintf(import->run, sizeof import->run, "%s", row.id);
        result = lab_store_get_run(import->store, row.id, ignore_run, NULL);
        import->skipped += result == LAB_STORE_OK;
        import->checks = false;
        if (result == LAB_STORE_NOT_FOUND)
            result = store_run(import, &row, json_object_get(line, "environment"));
    }
    lab_import_memory_free(&memory);
    json_decref(line);
    return result;
}

/* --- the file ----------------------------------------------------------------------------------------------------- */

static void take_end(struct import *import)
{
    const json_t *runs = json_object_get(import->value, "runs");
    import->ended = true;
    if (!json_is_integer(runs) || json_integer_value(runs) != import->runs)
        add_error(import, "%s", "'runs' is not the number of runs before this line: the file is incomplete.");
}

/* Takes a line that does not begin a run: of a run that was skipped, or that had a wrong line before. */
static void take_part(struct import *import)
{
    struct lab_import_part part;
    if (import->runs == 0)
        add_error(import, "%s", "The line belongs to no run: a line of type run must come before it.");
    else if (import->checks && import->run[0] != '\0')
        read_part(import, &part);
    lab_import_memory_free(&import->memory);
}

static enum lab_store_result read_file(struct import *import)
{
    enum lab_store_result result = LAB_STORE_OK;
    while (result == LAB_STORE_OK && read_line(import)) {
        if (import->value == NULL)
            continue;
        enum lab_import_type type = lab_import_type(import->value);
        if (import->ended)
            add_error(import, "%s", "The line comes after the line of type end.");
        else if (type == LAB_LINE_RUN)
            result = take_run(import);
        else if (type == LAB_LINE_END)
            take_end(import);
        else
            take_part(import);
    }
    if (result == LAB_STORE_OK && !import->ended)
        add_error(import, "%s", "The file has no line of type end: it is incomplete.");
    return result;
}

void lab_api_import(const struct lab_request *request, struct lab_response *response)
{
    struct import import = {.store = lab_api_of(request)->store,
                            .file = lab_request_body_file(request),
                            .text = malloc(LINE_MAX_BYTES + 2),
                            .errors = json_array()};
    enum lab_store_result result = import.text != NULL ? read_file(&import) : LAB_STORE_FAILED;
    if (result == LAB_STORE_OK)
        lab_respond_json(response, 200,
                         json_pack("{s:I, s:I, s:O}", "imported", import.imported, "skipped", import.skipped, "errors",
                                   import.errors));
    else
        lab_reply_store_error(request, response, result);
    json_decref(import.value);
    json_decref(import.errors);
    free(import.text);
}
