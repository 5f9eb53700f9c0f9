/* Fuzzes the parsers of untrusted input. The first byte of an input selects one: 'Q' a request target with its query,
 * filters and cursor, 'B' a body of POST /runs, 'C' a cursor, 'A' a key=value of the command line.
 *
 * Also checks that every refusal has an error, in valid UTF-8: a problem document cannot be sent with other text.
 */
#include "api/runs/cursor.h"
#include "api/runs/fields.h"
#include "api/runs/query.h"
#include "check.h"
#include "http/work/field.h"
#include "jobs/submission.h"

#include "core/json_text.h"
#include "descriptor/parameters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* --- 'Q': a request target -------------------------------------------------------------------------------------------
 */

static const char *query_of(const struct lab_target *target, const char *name)
{
    for (size_t i = 0; i < target->query_count; i++)
        if (strcmp(target->queries[i].name, name) == 0)
            return target->queries[i].value;
    return NULL;
}

/* The next page's cursor reads back with the same query. */
static void check_cursor_of(const struct lab_run_query *query)
{
    static const char id[] = "0190b6a2-7c1e-7d0a-8f00-0123456789ab";
    char cursor[LAB_CURSOR_SIZE], back[LAB_RUN_ID_SIZE];
    must(lab_cursor_write(query->scope, id, cursor), "a cursor can be written");
    must(lab_cursor_read(query->scope, cursor, back) == LAB_CURSOR_OK && strcmp(back, id) == 0, "a cursor reads back");
}

static void fuzz_target(const char *text)
{
    struct lab_target target = {0};
    struct lab_error error = {0};
    struct lab_errors errors = {0};
    struct lab_run_query query;
    const char *texts[LAB_QUERY_COUNT];
    must(lab_target_set(&target, text), "memory is sufficient");
    if (!lab_target_parse(&target, &error)) {
        check_error(&error);
    } else {
        for (size_t i = 0; i < LAB_QUERY_COUNT; i++)
            texts[i] = query_of(&target, lab_run_query_fields[i].name);
        bool accepted = lab_query_check(lab_run_query_fields, target.queries, target.query_count, &errors) &&
                        lab_run_query_read(texts, &query, &errors);
        check_errors(accepted, &errors);
        if (accepted) {
            must(query.filter.limit >= 1 && query.filter.limit <= LAB_LIST_MAX, "a page has a limit");
            check_cursor_of(&query);
        }
    }
    lab_target_release(&target);
}

/* --- 'B': a body -----------------------------------------------------------------------------------------------------
 */

/* Builds the JSON pointer for the place where a body is not JSON. */
static void check_place(const char *text, size_t length, const struct lab_json_fault *fault)
{
    char pointer[LAB_POINTER_MAX] = "";
    struct lab_errors errors = {0};
    must(fault->line >= 0 && fault->offset <= length, "a fault has a place");
    check_text(fault->text, "a fault's text is valid UTF-8");
    lab_json_pointer_at(text, length, fault->offset, pointer, sizeof pointer);
    lab_errors_add(&errors, fault->code, pointer, "%s", fault->text);
    check_errors(false, &errors);
}

/* One device as a worker describes it, so that devices and plans are checked too. */
static struct lab_devices *make_devices(void)
{
    struct lab_device_facts facts;
    static const struct lab_devices_node here = {"here", true};
    struct lab_devices *devices = lab_devices_create(&here, 1);
    struct lab_error error = {0};
    lab_facts_clear(&facts);
    snprintf(facts.id, sizeof facts.id, "host-0");
    snprintf(facts.name, sizeof facts.name, "a device");
    facts.ordinal = 0;
    facts.total_memory_bytes = (int64_t)1 << 30;
    json_t *description = json_pack("{s:s, s:[o]}", "event", "description", "devices", lab_facts_to_json(&facts));
    must(devices != NULL && lab_devices_update(devices, 0, description, &error), "the device is accepted");
    json_decref(description);
    return devices;
}

static void fuzz_body(const char *text, size_t length)
{
    static struct lab_devices *devices; /* made once; it lives as long as the process */
    struct lab_submission submission;
    struct lab_errors errors = {0};
    struct lab_json_fault fault;
    if (devices == NULL)
        devices = make_devices();
    json_t *body = lab_json_parse(text, length, &fault);
    if (body == NULL) {
        check_place(text, length, &fault);
        return;
    }
    bool fields = json_is_object(body) && lab_schema_check_members(lab_new_run_fields, body, "", &errors);
    bool accepted =
        lab_submission_check(&submission, body, &(struct lab_submission_checks){devices, {.programs_allowed = true}},
                             &errors) &&
        fields;
    if (json_is_object(body))
        check_errors(accepted, &errors);
    if (accepted) {
        json_t *resolved = lab_parameters_to_json(submission.sides[LAB_HEAD].parameters);
        struct lab_parameters *again = lab_parameters_parse(submission.sides[LAB_HEAD].experiment, resolved, &errors);
        must(again != NULL, "the worker accepts resolved parameters");
        lab_parameters_free(again);
        json_decref(resolved);
    }
    lab_submission_release(&submission);
    json_decref(body);
}

/* --- 'C' and 'A' -----------------------------------------------------------------------------------------------------
 */

static void fuzz_cursor(const char *text)
{
    char id[LAB_RUN_ID_SIZE], made[LAB_CURSOR_SIZE];
    if (lab_cursor_read("", text, id) == LAB_CURSOR_OK)
        must(lab_cursor_write("", id, made) && strcmp(made, text) == 0, "a cursor has one form only");
}

static void fuzz_assignment(const char *text)
{
    json_t *object = json_object();
    struct lab_error error = {0};
    if (!lab_parameter_assign(object, NULL, text, &error))
        must(error.code != LAB_ERROR_NONE && error.detail[0] != '\0', "a refusal has an error");
    json_decref(object);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    char *text = malloc(size);
    must(text != NULL, "memory is sufficient");
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    switch (data[0]) {
    case 'Q':
        fuzz_target(text);
        break;
    case 'B':
        fuzz_body(text, size - 1);
        break;
    case 'C':
        fuzz_cursor(text);
        break;
    case 'A':
        fuzz_assignment(text);
        break;
    default:
        break;
    }
    free(text);
    return 0;
}
