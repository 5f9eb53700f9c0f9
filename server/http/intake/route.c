/* Finds the handler of a request: the first route whose pattern matches the path, else a static file, and the page that
 * it is there. */
#include "intake.h"

#include "http/output/output.h"

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

/* Moves *path past `expected`, plain or percent-encoded ("%68" for "h"); an encoded '/' does not match. False when
 * another character follows. */
static bool skip_character(const char **path, const char *end, char expected)
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

/* Whether the path matches the pattern. Writes the parts, not decoded, also when it does not match. */
static bool matches(const char *pattern, const char *path, size_t length, struct lab_part *parts, size_t *count)
{
    const char *end = path + length;
    *count = 0;
    while (*pattern != '\0') {
        if (*pattern != '{') {
            if (!skip_character(&path, end, *pattern++))
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

static bool has_method(const struct lab_route *route, const struct lab_request *request)
{
    return strcmp(route->method, request->method) == 0 || (request->head && strcmp(route->method, "GET") == 0);
}

static void add_allowed(struct lab_rejection *rejection, const char *method)
{
    size_t used = strlen(rejection->allow);
    snprintf(rejection->allow + used, sizeof rejection->allow - used, "%s%s%s", used > 0 ? ", " : "", method,
             strcmp(method, "GET") == 0 ? ", HEAD" : "");
}

static bool reject_method(struct lab_request *request)
{
    return lab_request_reject(request, false, LAB_ERROR_METHOD_NOT_ALLOWED,
                              "The resource does not support this method. It supports %s.", request->rejection.allow);
}

/* The path of the request below the base path. */
static const char *path_below(const struct lab_request *request, size_t *length)
{
    const struct lab_target *target = &request->target;
    const char *base = request->connection->http->base_path;
    size_t skipped = strlen(base);
    *length = target->path_length;
    if (skipped == 0 || strncmp(target->path, base, skipped) != 0)
        return target->path;
    if (target->path_length == skipped) {
        *length = 1;
        return "/";
    }
    if (target->path[skipped] != '/')
        return target->path;
    *length = target->path_length - skipped;
    return target->path + skipped;
}

static void decode_parts(struct lab_request *request)
{
    for (size_t i = 0; i < request->part_count; i++)
        request->parts[i].value =
            lab_target_decode(&request->target, request->parts[i].value, request->parts[i].value_length);
}

static const struct lab_page *find_page(struct lab_request *request, const char *path, size_t length)
{
    const struct lab_page *page = request->connection->http->pages;
    while (page != NULL && page->pattern != NULL &&
           !matches(page->pattern, path, length, request->parts, &request->part_count))
        page++;
    if (page == NULL || page->pattern == NULL)
        return NULL;
    decode_parts(request);
    return page;
}

bool lab_route_find(struct lab_request *request)
{
    size_t length;
    const char *path = path_below(request, &length);
    if (!is_known(request->method))
        return lab_request_reject(request, false, LAB_ERROR_UNKNOWN_METHOD, "The method is not implemented.");
    for (const struct lab_route *route = request->connection->http->routes; route->method != NULL; route++) {
        if (!matches(route->pattern, path, length, request->parts, &request->part_count))
            continue;
        if (!has_method(route, request)) {
            add_allowed(&request->rejection, route->method);
            continue;
        }
        request->rejection.allow[0] = '\0';
        request->route = route;
        decode_parts(request);
        return true;
    }
    if (request->rejection.allow[0] != '\0')
        return reject_method(request);
    request->file = lab_static_file_find(request->connection->http->files, path, length);
    if (request->file == NULL)
        return lab_request_reject(request, false, LAB_ERROR_NOT_FOUND, "There is nothing at this path.");
    if (lab_request_is_read(request)) {
        request->page = find_page(request, path, length);
        return true;
    }
    add_allowed(&request->rejection, "GET");
    return reject_method(request);
}
