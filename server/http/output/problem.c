/* Problem documents (RFC 9457) list all errors of a request: `code` and `pointer` are for programs, `detail` is for
 * people.
 */
#include "output.h"

#include "core/error_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char content_type[] = "application/problem+json";

/* The path as a URI reference; bytes that a URI must not contain are percent-encoded. */
static json_t *make_instance(const char *path)
{
    char text[512];
    size_t used = 0;
    for (; path != NULL && *path != '\0' && used + 4 < sizeof text; path++) {
        unsigned char byte = (unsigned char)*path;
        if (byte > ' ' && byte < 0x7F)
            text[used++] = *path;
        else
            used += (size_t)snprintf(text + used, sizeof text - used, "%%%02X", byte);
    }
    text[used] = '\0';
    return json_string(text);
}

static json_t *make_errors(const struct lab_errors *errors)
{
    json_t *list = json_array();
    for (size_t i = 0; errors != NULL && i < errors->count; i++)
        json_array_append_new(list, lab_error_write(&errors->items[i]));
    return list;
}

/* Writes the caller's detail, or that of the only error, or the title, and the number of errors that are not listed. */
static void make_detail(const char *detail, const char *title, const struct lab_errors *errors, char *text, size_t size)
{
    if (detail == NULL && errors != NULL && errors->count == 1)
        detail = errors->items[0].detail;
    size_t dropped = errors != NULL ? errors->dropped : 0;
    if (dropped > 0)
        snprintf(text, size, "%s (%zu more errors are not listed.)", detail != NULL ? detail : title, dropped);
    else
        snprintf(text, size, "%s", detail != NULL ? detail : title);
}

static char *make_problem(const char *path, enum lab_error_code code, const char *detail,
                          const struct lab_errors *errors)
{
    char title[LAB_ERROR_TITLE_SIZE], sentence[LAB_DETAIL_MAX + 64];
    lab_error_title(code, title);
    make_detail(detail, title, errors, sentence, sizeof sentence);
    json_t *problem = lab_error_problem(code);
    json_object_set_new(problem, "status", json_integer(lab_error_status(code)));
    json_object_set_new(problem, "detail", json_string(sentence));
    json_object_set_new(problem, "instance", make_instance(path));
    json_object_set_new(problem, "errors", make_errors(errors));
    char *text = json_dumps(problem, JSON_COMPACT);
    json_decref(problem);
    return text;
}

void lab_respond_problem(struct lab_response *response, enum lab_error_code code, const char *detail,
                         const struct lab_errors *errors)
{
    char *text = make_problem(lab_request_path(response->request), code, detail, errors);
    lab_response_set(response, lab_error_status(code), content_type, text, text != NULL ? strlen(text) : 0);
    char id[LAB_REQUEST_ID_SIZE];
    lab_log_entry_id(response->request, id);
    if (lab_response_header(response, "X-Request-Id") == NULL)
        lab_respond_header(response, "X-Request-Id", id);
}

void lab_respond_rejection(const struct lab_request *request, struct lab_response *response)
{
    const struct lab_rejection *rejection = &request->rejection;
    lab_respond_problem(response, rejection->error.code, rejection->error.detail, NULL);
    if (rejection->allow[0] != '\0')
        lab_respond_header(response, MHD_HTTP_HEADER_ALLOW, rejection->allow);
    if (rejection->challenge != NULL)
        lab_respond_header(response, MHD_HTTP_HEADER_WWW_AUTHENTICATE, rejection->challenge);
    if (rejection->retry_after_s > 0) {
        char seconds[16];
        snprintf(seconds, sizeof seconds, "%d", rejection->retry_after_s);
        lab_respond_header(response, MHD_HTTP_HEADER_RETRY_AFTER, seconds);
    }
}

char *lab_problem_bytes(const char *path, enum lab_error_code code, const char *detail)
{
    char *body = make_problem(path, code, detail, NULL), *bytes = NULL;
    int status = lab_error_status(code);
    if (body != NULL &&
        asprintf(&bytes,
                 "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nX-Content-Type-Options: nosniff\r\n"
                 "Connection: close\r\n\r\n%s",
                 status, MHD_get_reason_phrase_for((unsigned)status), content_type, strlen(body), body) < 0)
        bytes = NULL;
    free(body);
    return bytes;
}
