/* The check of the headers that describe a body: its length, type and coding. */
#include "intake.h"

#include <string.h>
#include <strings.h>

size_t lab_body_max(const struct lab_request *request)
{
    return lab_request_is_spooled(request) ? request->route->body_max : request->connection->http->max_body_bytes;
}

/* Whether a Content-Type is `wanted`, in UTF-8 if it names a charset. */
static bool is_type(const char *type, const char *wanted)
{
    size_t length = strlen(wanted);
    if (type == NULL || strncasecmp(type, wanted, length) != 0)
        return false;
    const char *rest = type + length;
    rest += strspn(rest, " \t");
    if (*rest == '\0')
        return true;
    const char *charset = strcasestr(rest, "charset=");
    if (*rest != ';' || charset == NULL)
        return *rest == ';';
    charset += strlen("charset=");
    charset += *charset == '"' ? 1 : 0;
    return strncasecmp(charset, "utf-8", 5) == 0 && strchr("\"; \t", charset[5]) != NULL;
}

bool lab_body_check(struct lab_request *request)
{
    size_t length = lab_framing_body_length(request), max = lab_body_max(request);
    const char *coding = request->headers[LAB_HEADER_CONTENT_ENCODING], *type = "application/json";
    if (length == 0)
        return true;
    if (length != SIZE_MAX && length > max)
        return lab_request_reject(request, true, LAB_ERROR_BODY_TOO_LARGE,
                                  "The body has %zu bytes; it must have at most %zu.", length, max);
    bool is_gzip = coding != NULL && strcasecmp(coding, "gzip") == 0;
    if (coding != NULL && strcasecmp(coding, "identity") != 0 &&
        !(is_gzip && request->route != NULL && request->route->body_gzip))
        return lab_request_reject(request, false, LAB_ERROR_UNSUPPORTED_MEDIA_TYPE,
                                  "The body must not be compressed: omit Content-Encoding.");
    if (request->route != NULL && request->route->body_type != NULL)
        type = request->route->body_type;
    return is_type(request->headers[LAB_HEADER_CONTENT_TYPE], type) ||
           lab_request_reject(request, false, LAB_ERROR_UNSUPPORTED_MEDIA_TYPE,
                              "The body must be in UTF-8, with the Content-Type %s.", type);
}
