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
    {{LAB_ERROR_MALFORMED_REQUEST, "The request line or a header is not valid HTTP/1.1."}, TO_ALL},
    {{LAB_ERROR_MALFORMED_BODY, "The chunks of the body are not valid."}, TO_WRITES},
    {{LAB_ERROR_MALFORMED_TARGET, "The path or the query is not in normal form."}, TO_ALL},
    {{LAB_ERROR_MALFORMED_HEADER, "A header has a byte that is not allowed."}, TO_ALL},
    {{LAB_ERROR_REPEATED_HEADER, "A header that may occur once is repeated."}, TO_ALL},
    {{LAB_ERROR_AMBIGUOUS_LENGTH, "The request has both Content-Length and Transfer-Encoding."}, TO_ALL},
    {{LAB_ERROR_UNSUPPORTED_TRANSFER_ENCODING, "Transfer-Encoding is not chunked."}, TO_ALL},
    {{LAB_ERROR_MISSING_HOST, "The Host header is missing."}, TO_ALL},
    {{LAB_ERROR_MALFORMED_HOST, "The Host header is not a host with an optional port."}, TO_ALL},
    {{LAB_ERROR_MALFORMED_JSON, "The body is not JSON."}, TO_WRITES},
    {{LAB_ERROR_DUPLICATE_KEY, "An object in the body has a member twice."}, TO_WRITES},
    {{LAB_ERROR_TOO_DEEP, "The body is nested more than 32 levels deep."}, TO_WRITES},
    {{LAB_ERROR_MISSING_TOKEN, "A token is demanded, and the request has none."}, TO_ROLES},
    {{LAB_ERROR_UNKNOWN_TOKEN, "The token is unknown or was revoked."}, TO_ROLES},
    {{LAB_ERROR_ROLE_TOO_LOW, "The token's role does not suffice."}, TO_ROLES},
    {{LAB_ERROR_FOREIGN_HOST, "The Host header does not name this server."}, TO_ALL},
    {{LAB_ERROR_FOREIGN_ORIGIN, "The request comes from the page of another site."}, TO_WRITES},
    {{LAB_ERROR_BODY_TOO_LARGE, "The body is larger than is allowed."}, TO_WRITES},
    {{LAB_ERROR_TARGET_TOO_LONG, "The request line is longer than is allowed."}, TO_ALL},
    {{LAB_ERROR_UNSUPPORTED_MEDIA_TYPE, "The body is not application/json in UTF-8, or is compressed."}, TO_WRITES},
    {{LAB_ERROR_INVALID_REQUEST, "The query, a header or the body is not acceptable; `errors` has every reason."},
     TO_ALL},
    {{LAB_ERROR_WRONG_TYPE, "The body is not a JSON object."}, TO_WRITES},
    {{LAB_ERROR_TOO_MANY_REQUESTS, "The client sends too many requests."}, TO_ALL},
    {{LAB_ERROR_HEADERS_TOO_LARGE, "The headers are longer than is allowed."}, TO_ALL},
    {{LAB_ERROR_OUT_OF_MEMORY, "Memory ran out."}, TO_ALL},
    {{LAB_ERROR_NO_ANSWER, "The handler did not respond."}, TO_ALL},
    {{LAB_ERROR_TOO_BUSY, "Too many requests are waiting."}, TO_ALL},
    {{LAB_ERROR_NO_SPACE, "The body could not be stored in memory or in a temporary file."}, TO_WRITES},
    {{LAB_ERROR_STOPPING, "The server is stopping."}, TO_ALL},
    {{LAB_ERROR_UNSUPPORTED_VERSION, "The HTTP version is neither 1.1 nor 1.0."}, TO_ALL},
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
    int status = lab_error_status(problem->code);
    json_t *response = response_of(responses, status);
    describe(response, lab_error_name(problem->code), problem->sentence);
    if (json_object_get(response, "content") == NULL)
        json_object_set_new(
            response, "content",
            json_pack("{s:{s:o}}", "application/problem+json", "schema", lab_component("schemas", "Problem")));
    if (status == 429 || status == 503)
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
    for (const struct lab_problem *problem = route->problems; problem->code != LAB_ERROR_NONE; problem++)
        add_problem(responses, problem);
    for (size_t i = 0; i < sizeof common / sizeof common[0]; i++)
        if (has_problem(route, common[i].applies))
            add_problem(responses, &common[i].problem);
    return responses;
}
