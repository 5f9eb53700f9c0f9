/* The messages of an answer. */
#ifndef LAB_MESSAGES_H
#define LAB_MESSAGES_H

#include <jansson.h>

/* The messages of a log as of lab_message_to_json, errors first, at most LAB_MESSAGES_MAX. Left out are warnings about
 * other files than `name`, the source: those are headers of the toolkit. So are the errors that are about host code,
 * for which `host_code`, the error of lab_host_code_error, comes first; NULL: none. `log` must be valid UTF-8. */
json_t *lab_messages(const char *log, const char *name, json_t *host_code);

#endif
