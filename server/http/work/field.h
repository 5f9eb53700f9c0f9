/* The check of a request's query and headers against the rows of its route. It does not depend on the HTTP server. */
#ifndef LAB_FIELD_H
#define LAB_FIELD_H

#include "core/schema.h"
#include "http/connection/target.h"

/* Checks the parameters of a query; pointers are "/query/NAME". False when it added errors. */
bool lab_query_check(const struct lab_schema *rows, const struct lab_query *queries, size_t count,
                     struct lab_errors *errors);
/* Checks a header that is present; the pointer is "/headers/NAME". False when it added an error. */
bool lab_header_check(const struct lab_schema *row, const char *value, struct lab_errors *errors);

#endif
