/* Opens and closes the TCP socket and the Unix socket. */
#include "listen.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

struct lab_listener {
    int tcp, local;          /* -1: not open */
    struct sockaddr_un path; /* of `local`, the Unix socket */
    struct stat file;        /* of the Unix socket's file when open_local created it */
};

static bool fail(struct lab_error *error, const char *address)
{
    return lab_error_set(error, LAB_ERROR_CANNOT_LISTEN, "", "Cannot listen on %s: %s.", address, strerror(errno));
}

/* Splits "127.0.0.1:8080", "[::1]:0" or "localhost:8080". "*" is none: getaddrinfo() takes it for loopback, people for
 * all. */
static bool split(const char *address, char *host, size_t size, const char **port)
{
    const char *colon = strrchr(address, ':');
    if (colon == NULL || colon[1] == '\0' || strspn(colon + 1, "0123456789") != strlen(colon + 1))
        return false;
    bool bracketed = address[0] == '[';
    const char *start = address + (bracketed ? 1 : 0), *end = colon - (bracketed ? 1 : 0);
    if (end <= start || (bracketed && *end != ']') || (size_t)(end - start) >= size)
        return false;
    memcpy(host, start, (size_t)(end - start));
    host[end - start] = '\0';
    *port = colon + 1;
    return strlen(*port) <= 5 && atol(*port) <= 65535 && strcmp(host, "*") != 0 &&
           (bracketed || strchr(host, ':') == NULL);
}

/* The addresses that "ADDRESS:PORT" stands for, which the caller frees; NULL with *error. */
static struct addrinfo *resolve(const char *address, struct lab_error *error)
{
    char host[256];
    const char *port;
    struct addrinfo *found, hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    if (!split(address, host, sizeof host, &port)) {
        lab_error_set(error, LAB_ERROR_MALFORMED_ADDRESS, "--listen",
                      "must be ADDRESS:PORT, such as 127.0.0.1:8080 or [::1]:8080, not '%s'.", address);
        return NULL;
    }
    int result = getaddrinfo(host, port, &hints, &found);
    if (result == 0)
        return found;
    lab_error_set(error, LAB_ERROR_UNKNOWN_HOST, "--listen", "%s is not an address of this machine: %s.", host,
                  gai_strerror(result));
    return NULL;
}

static bool is_loopback(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET6)
        return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)address)->sin6_addr);
    return ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
}

bool lab_listen_check(const char *address, bool *loopback, struct lab_error *error)
{
    struct addrinfo *found = resolve(address, error);
    *loopback = found != NULL;
    for (const struct addrinfo *each = found; each != NULL; each = each->ai_next)
        *loopback = *loopback && is_loopback(each->ai_addr);
    if (found != NULL)
        freeaddrinfo(found);
    return found != NULL;
}

static int open_at(const struct addrinfo *at)
{
    int on = 1, off = 0, saved;
    int descriptor = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor < 0)
        return -1;
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (at->ai_family == AF_INET6)
        setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    if (bind(descriptor, at->ai_addr, at->ai_addrlen) == 0 && listen(descriptor, SOMAXCONN) == 0)
        return descriptor;
    saved = errno;
    close(descriptor);
    errno = saved;
    return -1;
}

static bool open_tcp(struct lab_listener *listener, const char *address, struct lab_error *error)
{
    struct addrinfo *found = resolve(address, error);
    if (found == NULL)
        return false;
    for (const struct addrinfo *each = found; each != NULL && listener->tcp < 0; each = each->ai_next)
        listener->tcp = open_at(each);
    freeaddrinfo(found);
    return listener->tcp >= 0 || fail(error, address);
}

/* Removes the socket file of a server that no longer runs. */
static bool remove_stale(const struct sockaddr_un *path, struct lab_error *error)
{
    struct stat file;
    if (lstat(path->sun_path, &file) != 0)
        return errno == ENOENT || fail(error, path->sun_path);
    if (!S_ISSOCK(file.st_mode))
        return lab_error_set(error, LAB_ERROR_CANNOT_LISTEN, "",
                             "Cannot listen on %s: the file exists and is not a socket.", path->sun_path);
    int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (probe < 0)
        return fail(error, path->sun_path);
    bool refused = connect(probe, (const struct sockaddr *)path, sizeof *path) != 0 && errno == ECONNREFUSED;
    close(probe);
    if (!refused)
        return lab_error_set(error, LAB_ERROR_ALREADY_RUNNING, "",
                             "Cannot listen on %s: another server is running there.", path->sun_path);
    return unlink(path->sun_path) == 0 || errno == ENOENT || fail(error, path->sun_path);
}

static bool open_local(struct lab_listener *listener, const char *path, struct lab_error *error)
{
    struct sockaddr_un *address = &listener->path;
    if (strlen(path) >= sizeof address->sun_path)
        return lab_error_set(error, LAB_ERROR_CANNOT_LISTEN, "",
                             "The path of a Unix socket must have at most %zu bytes: %s", sizeof address->sun_path - 1,
                             path);
    address->sun_family = AF_UNIX;
    strcpy(address->sun_path, path);
    if (!remove_stale(address, error))
        return false;
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor < 0)
        return fail(error, path);
    if (bind(descriptor, (const struct sockaddr *)address, sizeof *address) != 0) {
        fail(error, path);
        close(descriptor);
        return false;
    }
    listener->local = descriptor;
    /* No client can connect before listen, so the mode holds for the first connection too. */
    return (chmod(path, S_IRUSR | S_IWUSR) == 0 && stat(path, &listener->file) == 0 &&
            listen(descriptor, SOMAXCONN) == 0) ||
           fail(error, path);
}

struct lab_listener *lab_listener_open(const char *address, const char *socket_path, struct lab_error *error)
{
    struct lab_listener *listener = calloc(1, sizeof *listener);
    if (listener == NULL) {
        lab_error_set(error, LAB_ERROR_OUT_OF_MEMORY, "", "Out of memory.");
        return NULL;
    }
    listener->tcp = listener->local = -1;
    if ((address == NULL || open_tcp(listener, address, error)) &&
        (socket_path == NULL || open_local(listener, socket_path, error)))
        return listener;
    lab_listener_close(listener);
    return NULL;
}

int lab_listener_tcp(const struct lab_listener *listener)
{
    return listener->tcp;
}

int lab_listener_unix(const struct lab_listener *listener)
{
    return listener->local;
}

bool lab_listener_address(const struct lab_listener *listener, const char *scheme, char *text, size_t size)
{
    struct sockaddr_storage address = {0};
    socklen_t length = sizeof address;
    char host[NI_MAXHOST], port[NI_MAXSERV];
    text[0] = '\0';
    if (listener->tcp < 0)
        return true;
    if (getsockname(listener->tcp, (struct sockaddr *)&address, &length) != 0 ||
        getnameinfo((struct sockaddr *)&address, length, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        return false;
    bool six = address.ss_family == AF_INET6;
    return snprintf(text, size, "%s://%s%s%s:%s", scheme, six ? "[" : "", host, six ? "]" : "", port) < (int)size;
}

void lab_listener_close(struct lab_listener *listener)
{
    if (listener == NULL)
        return;
    if (listener->tcp >= 0)
        close(listener->tcp);
    if (listener->local >= 0) {
        struct stat now;
        bool own = listener->file.st_ino != 0 && lstat(listener->path.sun_path, &now) == 0 &&
                   now.st_ino == listener->file.st_ino && now.st_dev == listener->file.st_dev;
        if (own)
            unlink(listener->path.sun_path);
        close(listener->local);
    }
    free(listener);
}
