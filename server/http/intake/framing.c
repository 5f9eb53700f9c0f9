/* Headers are checked here because libmicrohttpd 0.9.75 accepts two lengths, a length together with chunks, and any
 * transfer coding: a proxy in front could then disagree with it about where the request ends.
 */
#include "intake.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *name;
    bool once; /* a request with two of it is rejected, because programs differ in which of the two they use */
} known[LAB_HEADER_COUNT] = {
    [LAB_HEADER_HOST] = {MHD_HTTP_HEADER_HOST, true},
    [LAB_HEADER_CONTENT_LENGTH] = {MHD_HTTP_HEADER_CONTENT_LENGTH, true},
    [LAB_HEADER_TRANSFER_ENCODING] = {MHD_HTTP_HEADER_TRANSFER_ENCODING, true},
    [LAB_HEADER_CONTENT_TYPE] = {MHD_HTTP_HEADER_CONTENT_TYPE, true},
    [LAB_HEADER_CONTENT_ENCODING] = {MHD_HTTP_HEADER_CONTENT_ENCODING, true},
    [LAB_HEADER_ORIGIN] = {MHD_HTTP_HEADER_ORIGIN, true},
    [LAB_HEADER_EXPECT] = {MHD_HTTP_HEADER_EXPECT, true},
    [LAB_HEADER_IF_NONE_MATCH] = {MHD_HTTP_HEADER_IF_NONE_MATCH, false},
    [LAB_HEADER_AUTHORIZATION] = {MHD_HTTP_HEADER_AUTHORIZATION, true},
    [LAB_HEADER_ACCEPT_ENCODING] = {MHD_HTTP_HEADER_ACCEPT_ENCODING, false},
};

static bool is_token(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        bool alphanumeric = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!alphanumeric && (c == '\0' || strchr("!#$%&'*+-.^_`|~", c) == NULL))
            return false;
    }
    return length > 0;
}

static bool is_field_value(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (((unsigned char)text[i] < ' ' && text[i] != '\t') || text[i] == 0x7F)
            return false;
    return true;
}

static enum MHD_Result read_header(void *context, enum MHD_ValueKind kind, const char *name, size_t name_length,
                                   const char *value, size_t value_length)
{
    (void)kind;
    struct lab_request *request = context;
    if (!is_token(name, name_length) || (value != NULL && !is_field_value(value, value_length))) {
        lab_request_reject(request, true, LAB_ERROR_MALFORMED_HEADER,
                           "The name or the value of a header has a character that is not allowed there.");
        return MHD_NO;
    }
    for (size_t i = 0; i < LAB_HEADER_COUNT; i++) {
        if (strcasecmp(name, known[i].name) != 0)
            continue;
        if (request->headers[i] != NULL && known[i].once) {
            lab_request_reject(request, true, LAB_ERROR_REPEATED_HEADER, "The header %s must be given only once.",
                               known[i].name);
            return MHD_NO;
        }
        if (request->headers[i] == NULL)
            request->headers[i] = value != NULL ? value : "";
        break;
    }
    return MHD_YES;
}

static bool check_coding(struct lab_request *request)
{
    const char *coding = request->headers[LAB_HEADER_TRANSFER_ENCODING];
    if (coding == NULL)
        return true;
    if (strcasecmp(coding, "chunked") != 0)
        return lab_request_reject(request, true, LAB_ERROR_UNSUPPORTED_TRANSFER_ENCODING,
                                  "Transfer-Encoding must be \"chunked\".");
    if (request->headers[LAB_HEADER_CONTENT_LENGTH] != NULL)
        return lab_request_reject(request, true, LAB_ERROR_AMBIGUOUS_LENGTH,
                                  "Content-Length and Transfer-Encoding must not both be given.");
    return true;
}

bool lab_framing_check(struct lab_request *request)
{
    MHD_get_connection_values_n(request->connection->mhd, MHD_HEADER_KIND, read_header, request);
    request->shared_origin = lab_origin_shared(request);
    return request->rejection.error.code == LAB_ERROR_NONE && check_coding(request);
}

size_t lab_framing_body_length(const struct lab_request *request)
{
    if (request->headers[LAB_HEADER_TRANSFER_ENCODING] != NULL)
        return SIZE_MAX;
    const char *length = request->headers[LAB_HEADER_CONTENT_LENGTH];
    return length != NULL ? (size_t)strtoull(length, NULL, 10) : 0;
}
