/* Which handler answers: the first route whose pattern fits the path, else a file of the page. */
#include "internal.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char *const methods[] = {"GET",    "HEAD",    "POST",  "PUT",     "PATCH",
                                      "DELETE", "OPTIONS", "TRACE", "CONNECT", NULL};

static bool is_known(const char *method)
{
    for (const char *const *each = methods; *each != NULL; each++)
        if (strcmp(*each, method) == 0)
            return true;
    return false;
}

/* Whether the path goes on with this character, as it is or encoded ("%68" for "h"; an encoded '/' is none). */
static bool take(const char **path, const char *end, char expected)
{
    static const char digits[] = "0123456789ABCDEF";
    if (*path == end)
        return false;
    if (**path == expected) {
        (*path)++;
        return true;
    }
    if (**path != '%' || expected == '/' || toupper((unsigned char)(*path)[1]) != digits[expected >> 4 & 15] ||
        toupper((unsigned char)(*path)[2]) != digits[expected & 15])
        return false;
    *path += 3;
    return true;
}

/* Compares a path with a pattern, segment by segment, and notes where the parts are; they are decoded when it fits. */
static bool fits(const char *pattern, const char *path, size_t length, struct lab_part *parts, size_t *count)
{
    const char *end = path + length;
    *count = 0;
    while (*pattern != '\0') {
        if (*pattern != '{') {
            if (!take(&path, end, *pattern++))
                return false;
            continue;
        }
        size_t name_length = strcspn(pattern + 1, "}");
        const char *slash = memchr(path, '/', (size_t)(end - path));
        const char *part_end = slash != NULL ? slash : end;
        if (part_end == path || *count == LAB_PARTS_MAX)
            return false;
        parts[*count] = (struct lab_part){pattern + 1, name_length, path, (size_t)(part_end - path)};
        (*count)++;
        path = part_end;
        pattern += name_length + 2;
    }
    return path == end;
}

static bool answers(const struct lab_route *route, const struct lab_request *request)
{
    return strcmp(route->method, request->method) == 0 || (request->head && strcmp(route->method, "GET") == 0);
}

static void allow(struct lab_refusal *refusal, const char *method)
{
    size_t used = strlen(refusal->allow);
    snprintf(refusal->allow + used, sizeof refusal->allow - used, "%s%s%s", used > 0 ? ", " : "", method,
             strcmp(method, "GET") == 0 ? ", HEAD" : "");
}

static bool refuse_method(struct lab_request *request)
{
    return lab_refuse(request, MHD_HTTP_METHOD_NOT_ALLOWED, false, "method-not-allowed",
                      "This resource does not answer that method; it answers %s.", request->refusal.allow);
}

bool lab_route_find(struct lab_request *request)
{
    struct lab_target *target = &request->target;
    if (!is_known(request->method))
        return lab_refuse(request, MHD_HTTP_NOT_IMPLEMENTED, false, "unknown-method", "No resource knows that method.");
    for (const struct lab_route *route = request->connection->http->routes; route->method != NULL; route++) {
        if (!fits(route->pattern, target->path, target->path_length, request->parts, &request->part_count))
            continue;
        if (!answers(route, request)) {
            allow(&request->refusal, route->method);
            continue;
        }
        request->refusal.allow[0] = '\0';
        request->route = route;
        for (size_t i = 0; i < request->part_count; i++)
            request->parts[i].value =
                lab_target_decode(target, request->parts[i].value, request->parts[i].value_length);
        return true;
    }
    if (request->refusal.allow[0] != '\0')
        return refuse_method(request);
    request->page = lab_page_find(request->connection->http->pages, target->path, target->path_length);
    if (request->page == NULL)
        return lab_refuse(request, MHD_HTTP_NOT_FOUND, false, "not-found", "There is nothing at this path.");
    if (request->head || strcmp(request->method, "GET") == 0)
        return true;
    allow(&request->refusal, "GET");
    return refuse_method(request);
}
