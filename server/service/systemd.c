#include "systemd.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { MESSAGE_MAX = 512 };

/* Connects to the socket: a path, or a name after @ that no file has. -1 on failure. */
static int connect_to(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(name);
    if (length < 2 || length >= sizeof address.sun_path || strchr("/@", *name) == NULL)
        return -1;
    memcpy(address.sun_path, name, length);
    if (*name == '@')
        address.sun_path[0] = '\0';
    int file = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
    if (file >= 0 && connect(file, (const struct sockaddr *)&address, size) == 0)
        return file;
    if (file >= 0)
        close(file);
    return -1;
}

static double read_watchdog(void)
{
    const char *microseconds = getenv("WATCHDOG_USEC"), *process = getenv("WATCHDOG_PID");
    bool meant = process == NULL || strtol(process, NULL, 10) == getpid();
    return meant && microseconds != NULL ? (double)strtoull(microseconds, NULL, 10) / 1e6 : 0;
}

void lab_systemd_open(struct lab_systemd *systemd)
{
    const char *name = getenv("NOTIFY_SOCKET");
    systemd->socket = name != NULL ? connect_to(name) : -1;
    systemd->watchdog_s = systemd->socket >= 0 ? read_watchdog() : 0;
    unsetenv("NOTIFY_SOCKET");
    unsetenv("WATCHDOG_USEC");
    unsetenv("WATCHDOG_PID");
}

void lab_systemd_tell(const struct lab_systemd *systemd, const char *format, ...)
{
    char message[MESSAGE_MAX];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (systemd->socket >= 0 && length > 0 && length < MESSAGE_MAX)
        send(systemd->socket, message, (size_t)length, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void lab_systemd_close(struct lab_systemd *systemd)
{
    if (systemd->socket >= 0)
        close(systemd->socket);
    systemd->socket = -1;
}
