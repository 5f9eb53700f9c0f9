/* The fields of requests that create and change runs: tables that end with name NULL. */
#ifndef LAB_RUN_FIELDS_H
#define LAB_RUN_FIELDS_H

#include "http/http.h"

extern const struct lab_schema lab_new_run_fields[];    /* the body of POST /runs */
extern const struct lab_schema lab_new_sweep_fields[];  /* the body of POST /sweeps */
extern const struct lab_schema lab_run_change_fields[]; /* the body of PATCH /runs/{id} */
extern const struct lab_schema lab_repeat_fields[];     /* the body of POST /runs/{id}/repeat */

#endif
