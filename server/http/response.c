/* Sets and frees the members of a response. */
#include "response.h"
#include "cache.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

void lab_response_set(struct lab_response *response, int status, const char *content_type, char *body, size_t length)
{
    free(response->body);
    response->status = status;
    response->content_type = content_type;
    response->body = body;
    response->length = length;
}

void lab_respond_empty(struct lab_response *response, int status)
{
    lab_response_set(response, status, NULL, NULL, 0);
}

void lab_respond_header(struct lab_response *response, const char *name, const char *value)
{
    if (response->header_count == LAB_RESPONSE_HEADERS_MAX)
        return;
    char *own_name = strdup(name), *own_value = strdup(value);
    if (own_name == NULL || own_value == NULL) {
        free(own_name);
        free(own_value);
        return;
    }
    response->headers[response->header_count].name = own_name;
    response->headers[response->header_count++].value = own_value;
}

const char *lab_response_header(const struct lab_response *response, const char *name)
{
    for (size_t i = 0; i < response->header_count; i++)
        if (strcasecmp(response->headers[i].name, name) == 0)
            return response->headers[i].value;
    return NULL;
}

void lab_response_free(struct lab_response *response)
{
    free(response->body);
    lab_cached_release(response->cached);
    if (response->made != NULL)
        MHD_destroy_response(response->made);
    for (size_t i = 0; i < response->header_count; i++) {
        free(response->headers[i].name);
        free(response->headers[i].value);
    }
    *response = (struct lab_response){0};
}
