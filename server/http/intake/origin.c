/* Protects against other sites' pages in a user's browser. Such a page can send requests here, so a request that
 * changes something must not come from another origin; and it can resolve its own name to this machine (DNS rebinding),
 * so Host must name this machine or an allowed host.
 */
#include "intake.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

struct host {
    char name[256]; /* without port and brackets */
    bool is_ipv6;   /* an IPv6 address in brackets */
};

/* Splits "name", "name:80", "[::1]:80", of the characters of names and addresses: the text may go into a page. */
static bool parse_host(const char *text, struct host *host)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
    host->is_ipv6 = text[0] == '[';
    const char *name = text + (host->is_ipv6 ? 1 : 0);
    size_t length = strcspn(name, host->is_ipv6 ? "]" : ":");
    const char *rest = name + length + (host->is_ipv6 && name[length] == ']' ? 1 : 0);
    if (length == 0 || length >= sizeof host->name || (host->is_ipv6 && rest == name + length))
        return false;
    for (size_t i = 0; i < length; i++)
        if (strchr(letters, name[i]) == NULL && !(host->is_ipv6 && (name[i] == ':' || name[i] == '%')))
            return false;
    if (rest[0] == ':' && (strlen(rest) > 6 || rest[1 + strspn(rest + 1, "0123456789")] != '\0'))
        return false;
    if (rest[0] != ':' && rest[0] != '\0')
        return false;
    memcpy(host->name, name, length);
    host->name[length] = '\0';
    return true;
}

static bool is_loopback(const struct host *host)
{
    struct in_addr four;
    struct in6_addr six;
    if (host->is_ipv6)
        return inet_pton(AF_INET6, host->name, &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
    if (inet_pton(AF_INET, host->name, &four) == 1)
        return ntohl(four.s_addr) >> 24 == IN_LOOPBACKNET;
    size_t length = strlen(host->name);
    static const char suffix[] = ".localhost"; /* RFC 6761: every name below localhost is loopback */
    return strcasecmp(host->name, "localhost") == 0 ||
           (length >= sizeof suffix && strcasecmp(host->name + length - (sizeof suffix - 1), suffix) == 0);
}

static bool is_allowed(const char *const *allowed, const char *text, const struct host *host)
{
    for (; allowed != NULL && *allowed != NULL; allowed++)
        if (strcasecmp(*allowed, host->name) == 0 || strcasecmp(*allowed, text) == 0)
            return true;
    return false;
}

/* Whether the host is the address that the client connected to. A numeric address is safe, because no other site can
 * make it resolve to this machine. */
static bool is_own_address(int socket, const struct host *host)
{
    struct sockaddr_storage address = {0};
    socklen_t length = sizeof address;
    unsigned char named[sizeof(struct in6_addr)];
    if (getsockname(socket, (struct sockaddr *)&address, &length) != 0)
        return false;
    if (address.ss_family == AF_INET && !host->is_ipv6 && inet_pton(AF_INET, host->name, named) == 1)
        return memcmp(named, &((struct sockaddr_in *)&address)->sin_addr, sizeof(struct in_addr)) == 0;
    if (address.ss_family != AF_INET6)
        return false;
    const struct in6_addr *own = &((struct sockaddr_in6 *)&address)->sin6_addr;
    if (host->is_ipv6)
        return inet_pton(AF_INET6, host->name, named) == 1 && memcmp(named, own, sizeof *own) == 0;
    return IN6_IS_ADDR_V4MAPPED(own) && inet_pton(AF_INET, host->name, named) == 1 &&
           memcmp(named, own->s6_addr + 12, sizeof(struct in_addr)) == 0;
}

/* Rejects the request unless the text is a Host that is allowed. */
static bool check_host_text(struct lab_request *request, const char *text)
{
    struct host host;
    if (!parse_host(text, &host))
        return lab_request_reject(request, true, LAB_ERROR_MALFORMED_HOST,
                                  "Host must be a name or address, with or without a port.");
    if (is_loopback(&host) || is_allowed(request->connection->http->allow_hosts, text, &host) ||
        is_own_address(request->connection->socket, &host))
        return true;
    return lab_request_reject(
        request, false, LAB_ERROR_FOREIGN_HOST,
        "The header Host is not a name of this server. To allow it, start the server with --allow-host NAME.");
}

bool lab_origin_check_host(struct lab_request *request)
{
    const char *host = request->headers[LAB_HEADER_HOST];
    if (host == NULL)
        return lab_request_reject(request, true, LAB_ERROR_MISSING_HOST, "The header Host is missing.");
    const char *authority = request->target.authority;
    return check_host_text(request, host) && (authority == NULL || check_host_text(request, authority));
}

void lab_request_write_origin(const struct lab_request *request, FILE *out)
{
    const char *const *allowed = request->connection->http->allow_hosts;
    const char *text = request->headers[LAB_HEADER_HOST], *proxied = lab_request_header(request, "X-Forwarded-Proto");
    bool is_encrypted = lab_request_is_encrypted(request) || (proxied != NULL && strcmp(proxied, "https") == 0);
    struct host host;
    if (allowed != NULL && *allowed != NULL && !(parse_host(text, &host) && is_allowed(allowed, text, &host)))
        text = *allowed;
    fprintf(out, "%s://%s", is_encrypted ? "https" : "http", text);
}

bool lab_origin_is_valid(const char *text)
{
    size_t scheme = strncmp(text, "http://", 7) == 0 ? 7 : strncmp(text, "https://", 8) == 0 ? 8 : 0;
    struct host host;
    return scheme > 0 && parse_host(text + scheme, &host) &&
           text[scheme + strspn(text + scheme, "abcdefghijklmnopqrstuvwxyz0123456789.-:[]")] == '\0';
}

const char *lab_origin_shared(const struct lab_request *request)
{
    const char *origin = request->headers[LAB_HEADER_ORIGIN];
    const char *const *each = request->connection->http->cors_origins;
    if (origin == NULL || !lab_request_is_read(request))
        return NULL;
    while (each != NULL && *each != NULL && strcmp(*each, origin) != 0)
        each++;
    return each != NULL ? *each : NULL;
}

/* The server's own origin is the Host that was checked before. https is accepted because a proxy may terminate TLS. */
bool lab_origin_check_write(struct lab_request *request)
{
    const char *origin = request->headers[LAB_HEADER_ORIGIN];
    if (origin == NULL)
        return true;
    size_t scheme = strncmp(origin, "http://", 7) == 0 ? 7 : strncmp(origin, "https://", 8) == 0 ? 8 : 0;
    if (scheme > 0 && strcasecmp(origin + scheme, request->headers[LAB_HEADER_HOST]) == 0)
        return true;
    return lab_request_reject(
        request, false, LAB_ERROR_FOREIGN_ORIGIN,
        "Requests of other sites are not allowed: the header Origin must be absent, or http:// or https:// followed by the Host.");
}
