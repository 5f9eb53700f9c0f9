/* The parts of the OpenAPI document. Functions return new references; NULL, or null in a document, when out of
 * memory. */
#ifndef LAB_SCHEMAS_H
#define LAB_SCHEMAS_H

#include "http/http.h"

/* What is answered: the schemas of each file, by name. */
extern const struct lab_schema lab_compile_documents[], lab_devices_documents[], lab_import_documents[],
    lab_experiments_documents[], lab_health_documents[], lab_compare_documents[], lab_machine_health_documents[],
    lab_normal_documents[], lab_measured_documents[], lab_series_documents[], lab_verdicts_documents[],
    lab_nodes_documents[], lab_doctor_documents[], lab_document_documents[], lab_queue_documents[],
    lab_programs_documents[], lab_guide_documents[], lab_references_documents[], lab_fields_documents[],
    lab_measurements_documents[], lab_explanation_documents[], lab_foreign_documents[], lab_timeline_documents[],
    lab_timeline_columns_documents[], lab_timeline_trace_documents[], lab_create_documents[], lab_run_documents[],
    lab_sweeps_documents[], lab_sessions_documents[], lab_tokens_documents[], lab_comments_documents[],
    lab_channels_documents[], lab_challenges_documents[], lab_ranking_documents[];

/* The schemas of answers and events by name, from the rows of the files that answer, and of error codes, from their
 * table. tests/harness/lab.mjs checks every answer that a test receives with them. */
json_t *lab_answer_schemas(void);

/* The schema of that name, from the rows of the files that answer; NULL if there is none. */
const struct lab_schema *lab_document_find(const char *name);

/* {"$ref": "#/components/SECTION/NAME"}. */
json_t *lab_component(const char *section, const char *name);

/* The responses of a route by status: its answers, its problems and those that every route has. */
json_t *lab_route_responses(const struct lab_route *route);

#endif
