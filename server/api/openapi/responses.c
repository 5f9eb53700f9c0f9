/* The responses of routes: answers with their schemas, problems with their codes. */
#include "schemas.h"

#include <stdio.h>
#include <string.h>

/* Which routes have a problem. */
enum applies { TO_ALL, TO_WRITES, TO_ROLES /* that need a token */ };

/* Problems that server/http answers with before a handler is called. */
static const struct {
    struct lab_problem problem;
    enum applies applies;
} common[] = {
    {{400, "malformed-request", "The request line or a header is not valid HTTP/1.1."}, TO_ALL},
    {{400, "malformed-body", "The chunks of the body are not valid."}, TO_WRITES},
    {{400, "malformed-target", "The path or the query is not in normal form."}, TO_ALL},
    {{400, "malformed-header", "A header has a byte that is not allowed."}, TO_ALL},
    {{400, "repeated-header", "A header that may occur once is repeated."}, TO_ALL},
    {{400, "ambiguous-length", "The request has both Content-Length and Transfer-Encoding."}, TO_ALL},
    {{400, "unsupported-transfer-encoding", "Transfer-Encoding is not chunked."}, TO_ALL},
    {{400, "missing-host", "The Host header is missing."}, TO_ALL},
    {{400, "malformed-host", "The Host header is not a host with an optional port."}, TO_ALL},
    {{400, "malformed-json", "The body is not JSON."}, TO_WRITES},
    {{400, "duplicate-key", "An object in the body has a member twice."}, TO_WRITES},
    {{400, "too-deep", "The body is nested more than 32 levels deep."}, TO_WRITES},
    {{401, "missing-token", "A token is demanded, and the request has none."}, TO_ROLES},
    {{401, "unknown-token", "The token is unknown or was revoked."}, TO_ROLES},
    {{403, "role-too-low", "The token's role does not suffice."}, TO_ROLES},
    {{403, "foreign-host", "The Host header does not name this server."}, TO_ALL},
    {{403, "foreign-origin", "The request comes from the page of another site."}, TO_WRITES},
    {{413, "body-too-large", "The body is larger than is allowed."}, TO_WRITES},
    {{414, "target-too-long", "The request line is longer than is allowed."}, TO_ALL},
    {{415, "unsupported-media-type", "The body is not application/json in UTF-8, or is compressed."}, TO_WRITES},
    {{422, "invalid-request", "The query, a header or the body is not acceptable; `errors` has every reason."}, TO_ALL},
    {{422, "wrong-type", "The body is not a JSON object."}, TO_WRITES},
    {{429, "too-many-requests", "The client sends too many requests."}, TO_ALL},
    {{431, "headers-too-large", "The headers are longer than is allowed."}, TO_ALL},
    {{500, "out-of-memory", "Memory ran out while the response was made."}, TO_ALL},
    {{500, "no-answer", "The handler did not respond."}, TO_ALL},
    {{503, "too-busy", "Too many requests are waiting."}, TO_ALL},
    {{503, "no-space", "The body could not be stored in a temporary file."}, TO_WRITES},
    {{503, "out-of-memory", "Memory ran out while the request was read."}, TO_ALL},
    {{503, "stopping", "The server is stopping."}, TO_ALL},
    {{505, "unsupported-version", "The HTTP version is neither 1.1 nor 1.0."}, TO_ALL},
};

static bool is_read(const struct lab_route *route)
{
    return strcmp(route->method, "GET") == 0;
}

/* The response of this status in `responses`; made when it is not there. Borrowed. */
static json_t *response_of(json_t *responses, int status)
{
    char name[8];
    snprintf(name, sizeof name, "%d", status);
    json_t *response = json_object_get(responses, name);
    if (response == NULL)
        json_object_set_new(responses, name, response = json_pack("{s:s}", "description", ""));
    return response;
}

/* Appends a line to the response's description. */
static void describe(json_t *response, const char *code, const char *sentence)
{
    const char *before = json_string_value(json_object_get(response, "description"));
    json_object_set_new(response, "description",
                        code != NULL
                            ? json_sprintf("%s%s`%s`: %s", before, before[0] != '\0' ? "\n" : "", code, sentence)
                            : json_sprintf("%s%s", before, sentence));
}

static void add_problem(json_t *responses, const struct lab_problem *problem)
{
    json_t *response = response_of(responses, problem->status);
    describe(response, problem->code, problem->sentence);
    if (json_object_get(response, "content") == NULL)
        json_object_set_new(
            response, "content",
            json_pack("{s:{s:o}}", "application/problem+json", "schema", lab_component("schemas", "Problem")));
    if (problem->status == 429 || problem->status == 503)
        json_object_set_new(response, "headers",
                            json_pack("{s:{s:s, s:{s:s}}}", "Retry-After", "description",
                                      "Seconds after which the request may be repeated.", "schema", "type", "integer"));
}

/* The schema of the body: of JSON, or of a text. */
static json_t *answer_schema(const struct lab_answer *answer)
{
    json_t *schema = answer->schema != NULL ? lab_component("schemas", answer->schema) : NULL;
    if (schema != NULL && answer->content_type == NULL)
        return schema;
    return json_pack("{s:s, s:o*}", "type", "string", "contentSchema", schema);
}

static void add_answer(json_t *responses, const struct lab_answer *answer)
{
    const char *type = answer->content_type != NULL ? answer->content_type : "application/json";
    json_t *response = response_of(responses, answer->status);
    describe(response, NULL, answer->sentence != NULL ? answer->sentence : "Success.");
    if (answer->status == 204)
        return;
    json_object_set_new(response, "content", json_pack("{s:{s:o}}", type, "schema", answer_schema(answer)));
}

static bool has_problem(const struct lab_route *route, enum applies applies)
{
    return applies == TO_ALL || (applies == TO_WRITES && !is_read(route)) ||
           (applies == TO_ROLES && route->role != LAB_ROLE_PUBLIC);
}

json_t *lab_route_responses(const struct lab_route *route)
{
    json_t *responses = json_object();
    for (const struct lab_answer *answer = route->answers; answer->status != 0; answer++)
        add_answer(responses, answer);
    for (const struct lab_problem *problem = route->problems; problem->status != 0; problem++)
        add_problem(responses, problem);
    for (size_t i = 0; i < sizeof common / sizeof common[0]; i++)
        if (has_problem(route, common[i].applies))
            add_problem(responses, &common[i].problem);
    return responses;
}
