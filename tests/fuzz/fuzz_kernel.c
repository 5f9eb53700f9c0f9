/* Fuzzes requests for runs of own kernels, as the server checks them. The first byte of an input selects what follows
 * as JSON text: 'K' the kernel of a run of `kernel`, 'E' an edited source of `transpose`, 'C' a kernel that is also the
 * base of a comparison, 'B' the whole body of POST /runs.
 *
 * What is accepted is stored, read back, and must then stand for the same run.
 */
#include "api/runs/fields.h"
#include "check.h"
#include "jobs/run_json.h"
#include "jobs/submission.h"

#include "core/json_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A CUDA device as a worker describes it. */
static struct lab_devices *make_devices(void)
{
    struct lab_device_facts facts;
    static const struct lab_devices_node here = {"here", true};
    struct lab_devices *devices = lab_devices_create(&here, 1);
    struct lab_error error = {0};
    lab_facts_clear(&facts);
    snprintf(facts.id, sizeof facts.id, "GPU-1");
    snprintf(facts.name, sizeof facts.name, "a device");
    snprintf(facts.backend, sizeof facts.backend, "cuda");
    facts.ordinal = 0;
    facts.total_memory_bytes = (int64_t)1 << 36;
    facts.max_threads_per_block = 1024;
    facts.shared_per_block_optin_bytes = 232448;
    memcpy(facts.max_block_dim, (int64_t[3]){1024, 1024, 64}, sizeof facts.max_block_dim);
    memcpy(facts.max_grid_dim, (int64_t[3]){2147483647, 65535, 65535}, sizeof facts.max_grid_dim);
    json_t *description = json_pack("{s:s, s:[o]}", "event", "description", "devices", lab_facts_to_json(&facts));
    must(devices != NULL && lab_devices_update(devices, 0, description, &error), "the device is accepted");
    json_decref(description);
    return devices;
}

/* The stored run as a request, a new reference. */
static json_t *request_of(const struct lab_submission_row *row, const char *experiment)
{
    json_t *request = json_pack("{s:s, s:o, s:o}", "experiment", experiment, "parameters",
                                json_loads(row->parameters, 0, NULL), "kernel", lab_kernel_json(row->kernel));
    if (row->compare_with != NULL)
        json_object_set_new(request, "compare_with", lab_compare_with_json(row->compare_with));
    must(request != NULL, "memory is sufficient");
    return request;
}

/* A run that was stored is accepted again, with the same plan. */
static void check_repeat(const struct lab_submission *submission, struct lab_devices *devices)
{
    struct lab_submission again;
    struct lab_submission_row row;
    struct lab_errors errors = {0};
    must(lab_submission_to_row(submission, &row), "memory is sufficient");
    json_t *request = request_of(&row, submission->sides[LAB_HEAD].experiment->name);
    must(lab_schema_check_members(lab_new_run_fields, request, "", &errors) &&
             lab_submission_check(&again, request, &(struct lab_submission_checks){devices, {.programs_allowed = true}},
                                  &errors),
         "a stored run is accepted again");
    must(again.estimate.points == submission->estimate.points &&
             again.estimate.device_bytes == submission->estimate.device_bytes,
         "a stored run means the same");
    lab_submission_release(&again);
    lab_submission_row_release(&row);
    json_decref(request);
}

static void check_body(const json_t *body)
{
    static struct lab_devices *devices; /* made once; it lives as long as the process */
    struct lab_submission submission;
    struct lab_errors errors = {0};
    if (devices == NULL)
        devices = make_devices();
    bool fields = lab_schema_check_members(lab_new_run_fields, body, "", &errors);
    bool accepted =
        lab_submission_check(&submission, body, &(struct lab_submission_checks){devices, {.programs_allowed = true}},
                             &errors) &&
        fields;
    check_errors(accepted, &errors);
    if (accepted && submission.sides[LAB_HEAD].kernel != NULL)
        check_repeat(&submission, devices);
    lab_submission_release(&submission);
}

/* The body of the request that an input stands for, a new reference. NULL: it is none. */
static json_t *body_of(char kind, json_t *value)
{
    const char *experiment = kind == 'E' ? "transpose" : "kernel";
    if (kind == 'B')
        return json_is_object(value) ? json_incref(value) : NULL;
    json_t *body = json_pack("{s:s, s:O}", "experiment", experiment, "kernel", value);
    if (kind == 'C')
        json_object_set_new(body, "compare_with", json_pack("{s:O}", "kernel", value));
    return body;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lab_json_fault fault;
    if (size == 0 || strchr("KECB", data[0]) == NULL || data[0] == '\0')
        return 0;
    json_t *value = lab_json_parse((const char *)data + 1, size - 1, &fault);
    json_t *body = value != NULL ? body_of((char)data[0], value) : NULL;
    if (body != NULL)
        check_body(body);
    json_decref(body);
    json_decref(value);
    return 0;
}
