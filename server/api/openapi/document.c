/* GET /api/v1/openapi.json: the routes as an OpenAPI 3.1 document, made from their rows, those of answers and the
 * tables of the experiments. */
#include "schemas.h"

#include "core/build.h"
#include "descriptor/experiment.h"
#include "descriptor/parameters.h"
#include "resources.h"
#include "runs/fields.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "descriptor/results.h"

/* --- operations --------------------------------------------------------------------------------------------------- */

static json_t *parameter(const struct lab_schema *field, const char *in)
{
    json_t *schema = lab_schema_to_json(field);
    json_object_del(schema, "description"); /* it is the parameter's */
    return json_pack("{s:s, s:s, s:s, s:b, s:o}", "name", field->name, "in", in, "description", field->text, "required",
                     field->required, "schema", schema);
}

/* Adds the {parts} of the pattern. */
static void add_parts(json_t *list, const char *pattern)
{
    for (const char *open = strchr(pattern, '{'); open != NULL; open = strchr(open + 1, '{')) {
        json_t *name = json_stringn(open + 1, strcspn(open + 1, "}"));
        json_array_append_new(list, json_pack("{s:o, s:s, s:b, s:{s:s, s:i}}", "name", name, "in", "path", "required",
                                              1, "schema", "type", "string", "minLength", 1));
    }
}

static void add_parameters(json_t *list, const struct lab_schema *fields, const char *in)
{
    for (; fields != NULL && fields->name != NULL; fields++)
        json_array_append_new(list, parameter(fields, in));
}

/* The path below "/api/v1"; the whole path of a route that is not below it. */
static const char *short_path(const struct lab_route *route)
{
    static const char prefix[] = "/api/v1";
    return route->pattern + (strncmp(route->pattern, prefix, sizeof prefix - 1) == 0 ? sizeof prefix - 1 : 0);
}

/* "get_runs_id_measurements_csv", from the method and the short path. */
static json_t *operation_id(const struct lab_route *route)
{
    const char *path = short_path(route);
    char text[128];
    size_t used = (size_t)snprintf(text, sizeof text, "%s", route->method);
    for (; *path != '\0' && used + 2 < sizeof text; path++) {
        if (isalnum((unsigned char)*path))
            text[used++] = *path;
        else if (text[used - 1] != '_' && path[1] != '\0' && *path != '}')
            text[used++] = '_';
    }
    text[used] = '\0';
    for (char *c = text; *c != '\0'; c++)
        *c = (char)tolower((unsigned char)*c);
    return json_string(text);
}

/* "runs", the first word of the short path; "server" for routes outside "/api/v1". */
static json_t *tag_of(const struct lab_route *route)
{
    const char *path = short_path(route);
    return path == route->pattern ? json_string("server") : json_stringn(path + 1, strcspn(path + 1, "/."));
}

static json_t *request_body(const struct lab_route *route)
{
    if (route->body == lab_raw_body)
        return json_pack("{s:b, s:{s:{s:{s:s}}}}", "required", 1, "content", route->body_type, "schema", "type",
                         "string");
    json_t *schema = route->body == lab_new_run_fields ? lab_component("schemas", "NewRun")
                                                       : lab_schema_members_to_json(route->body);
    return json_pack("{s:b, s:{s:{s:o}}}", "required", lab_schema_has_required(route->body), "content",
                     "application/json", "schema", schema);
}

/* {} stands for no token: a lab that has no tokens needs none. */
static json_t *security(const struct lab_route *route)
{
    return route->role == LAB_ROLE_PUBLIC ? json_array() : json_pack("[{}, {s:[]}, {s:[]}]", "bearer", "cookie");
}

static json_t *operation(const struct lab_route *route)
{
    json_t *parameters = json_array();
    add_parts(parameters, route->pattern);
    add_parameters(parameters, route->query, "query");
    add_parameters(parameters, route->headers, "header");
    json_t *object =
        json_pack("{s:o, s:[o], s:s, s:s, s:o, s:o, s:o}", "operationId", operation_id(route), "tags", tag_of(route),
                  "summary", route->summary, "x-role", lab_role_name(route->role), "security", security(route),
                  "parameters", parameters, "responses", lab_route_responses(route));
    if (route->participants)
        json_object_set_new(object, "x-participants", json_true());
    if (route->body != NULL)
        json_object_set_new(object, "requestBody", request_body(route));
    return object;
}

static json_t *make_paths(void)
{
    json_t *paths = json_object();
    for (const struct lab_route *route = lab_api_routes; route->method != NULL; route++) {
        char method[8];
        json_t *path = json_object_get(paths, route->pattern);
        if (path == NULL)
            json_object_set_new(paths, route->pattern, path = json_object());
        size_t length = strlen(route->method);
        for (size_t i = 0; i <= length; i++)
            method[i] = (char)tolower((unsigned char)route->method[i]);
        json_object_set_new(path, method, operation(route));
    }
    return paths;
}

/* --- components --------------------------------------------------------------------------------------------------- */

/* Adds the parameters of each experiment, and to the schema of a new run one alternative for each experiment. */
static void add_experiments(json_t *schemas)
{
    json_t *alternatives = json_array(), *new_run = lab_schema_members_to_json(lab_new_run_fields);
    for (size_t i = 0; lab_experiments[i] != NULL; i++) {
        const char *experiment = lab_experiments[i]->name;
        char name[96];
        json_t *parameters = lab_parameters_schema(lab_experiments[i]);
        snprintf(name, sizeof name, "parameters.%s", experiment);
        json_object_del(parameters, "$schema"); /* it is allowed only in a document of its own */
        json_object_set_new(schemas, name, parameters);
        json_array_append_new(alternatives, json_pack("{s:[s], s:{s:{s:s}, s:o}}", "required", "experiment",
                                                      "properties", "experiment", "const", experiment, "parameters",
                                                      lab_component("schemas", name)));
    }
    json_object_set_new(new_run, "oneOf", alternatives);
    json_object_set_new(schemas, "NewRun", new_run);
}

static json_t *make_components(void)
{
    json_t *schemas = lab_answer_schemas();
    add_experiments(schemas);
    return json_pack("{s:o, s:{s:{s:s, s:s}, s:{s:s, s:s, s:s}}}", "schemas", schemas, "securitySchemes", "bearer",
                     "type", "http", "scheme", "bearer", "cookie", "type", "apiKey", "in", "cookie", "name",
                     LAB_SESSION_COOKIE);
}

void lab_api_get_openapi(const struct lab_request *request, struct lab_response *response)
{
    const char *base = lab_request_base_path(request);
    lab_respond_json(
        response, 200,
        json_pack("{s:s, s:{s:s, s:s, s:s, s:{s:s, s:s}}, s:[{s:s}], s:o, s:o}", "openapi", "3.1.0", "info", "title",
                  "gpulab", "version", lab_build.version, "description",
                  "A lab for GPUs behind one HTTP address. Every GET route also answers HEAD. `x-role` is the "
                  "least role that may call a route; the role participant may call those that are public or have "
                  "`x-participants`.",
                  "license", "name", "MIT", "identifier", "MIT", "servers", "url", base[0] != '\0' ? base : "/",
                  "paths", make_paths(), "components", make_components()));
}

/* --- what is answered --------------------------------------------------------------------------------------------- */

static const struct lab_schema openapi_members[] = {
    {LAB_GIVEN(CHOICE, "openapi"), .choices = LAB_TEXTS("3.1.0")},
    {LAB_GIVEN(OBJECT, "info")},
    {LAB_GIVEN(OBJECT, "servers"), .count = LAB_LIST},
    {LAB_GIVEN(OBJECT, "paths")},
    {LAB_GIVEN(OBJECT, "components")},
    {0},
};

static const struct lab_schema problem_errors_members[] = {
    {LAB_GIVEN(STRING, "pointer"), .text = "A JSON pointer into the body, or /query/NAME, or /headers/NAME."},
    {LAB_GIVEN(STRING, "detail")},
    {LAB_GIVEN(CHOICE, "code"), .component = "ErrorCode"},
    {0},
};

static const struct lab_schema problem_members[] = {
    {LAB_GIVEN(STRING, "type")},
    {LAB_GIVEN(STRING, "title")},
    {LAB_GIVEN(INTEGER, "status")},
    {LAB_GIVEN(STRING, "detail")},
    {LAB_GIVEN(STRING, "instance")},
    {LAB_GIVEN(OBJECT, "errors"), .count = LAB_LIST, .members = problem_errors_members, .items_max = 32},
    {0},
};

const struct lab_schema lab_document_documents[] = {
    {.name = "OpenAPI", .type = LAB_TYPE_OBJECT, .members = openapi_members, .text = "This document."},
    {.name = "Problem",
     .type = LAB_TYPE_OBJECT,
     .members = problem_members,
     .text = "A problem document (RFC 9457). `errors` lists everything that is wrong with the request."},
    {0},
};
