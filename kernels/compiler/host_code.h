/* What of a source is host code, which NVRTC rejects with advice that makes no sense here: host functions and
 * variables, headers of the host, and launches.
 */
#ifndef LAB_HOST_CODE_H
#define LAB_HOST_CODE_H

#include "core/compiler_log.h"
#include "includes.h"

#include <jansson.h>

/* Whether NVRTC's message is about host code of `name`, the source, or of a header. */
bool lab_host_code_is_in(const struct lab_message *message, const char *name);

/* Reads the name of the header that is missing, as the message says. False if it is about something else. */
bool lab_missing_header(const struct lab_message *message, char name[LAB_INCLUDE_NAME_MAX]);

/* The error of a log as one of lab_messages, a new reference; NULL if there is no host code. It says what of `name`,
 * the source, must be removed: also the includes of `missing` headers, [{"name","line"}…]. `has_toolkit`: the headers
 * of the toolkit are there. */
json_t *lab_host_code_error(const char *log, const char *name, const json_t *missing, bool has_toolkit);

#endif
