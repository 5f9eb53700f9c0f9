/* The parts of the OpenAPI document. Functions return new references; NULL, or null in a document, when out of memory. */
#ifndef LAB_SCHEMAS_H
#define LAB_SCHEMAS_H

#include "http/http.h"

/* schemas.json and the table of error codes: the schemas of answers and events by name. tests/api/openapi.test.mjs checks answers of a server with them. */
json_t *lab_answer_schemas(void);
/* Completes those of measurements, spans and fields, of which schemas.json has what their tables do not say. */
void lab_result_schemas(json_t *schemas);

/* {"$ref": "#/components/SECTION/NAME"}. */
json_t *lab_component(const char *section, const char *name);

/* The responses of a route by status: its answers, its problems and those that every route has. */
json_t *lab_route_responses(const struct lab_route *route);

#endif
