/* server/service/systemd.c: what a socket in place of systemd's receives. */
#include "support/test.h"

#include "service/systemd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* A socket with a name that no file has; writes the name as $NOTIFY_SOCKET has it. */
static int listen_as(char name[64])
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(name, 64, "@gpulab-test-%d", (int)getpid());
    memcpy(address.sun_path + 1, name + 1, strlen(name) - 1);
    int file = socket(AF_UNIX, SOCK_DGRAM, 0);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name));
    assert_int_equal(bind(file, (struct sockaddr *)&address, size), 0);
    return file;
}

TEST(systemd_gets_what_it_is_told)
{
    char name[64], text[600] = "", process[32];
    struct lab_systemd systemd;
    int file = listen_as(name);
    setenv("NOTIFY_SOCKET", name, 1);
    setenv("WATCHDOG_USEC", "30000000", 1);
    snprintf(process, sizeof process, "%d", (int)getpid());
    setenv("WATCHDOG_PID", process, 1);
    lab_systemd_open(&systemd);
    assert_true(systemd.watchdog_s > 29.9 && systemd.watchdog_s < 30.1);
    assert_null(getenv("NOTIFY_SOCKET"));
    assert_null(getenv("WATCHDOG_USEC"));
    lab_systemd_tell(&systemd, "READY=1\nSTATUS=%d runs", 3);
    assert_int_equal(recv(file, text, sizeof text - 1, 0), (ssize_t)strlen("READY=1\nSTATUS=3 runs"));
    assert_string_equal(text, "READY=1\nSTATUS=3 runs");
    lab_systemd_tell(&systemd, "STATUS=%0600d", 0);
    assert_int_equal(recv(file, text, sizeof text - 1, MSG_DONTWAIT), -1); /* too long */
    lab_systemd_close(&systemd);
    close(file);
}

TEST(without_systemd_nobody_is_told)
{
    struct lab_systemd systemd;
    setenv("WATCHDOG_USEC", "30000000", 1);
    setenv("NOTIFY_SOCKET", "/nowhere/socket", 1);
    lab_systemd_open(&systemd);
    assert_int_equal(systemd.socket, -1);
    assert_true(systemd.watchdog_s == 0);
    lab_systemd_tell(&systemd, "READY=1");
    unsetenv("NOTIFY_SOCKET");
    lab_systemd_open(&systemd);
    assert_int_equal(systemd.socket, -1);
    lab_systemd_close(&systemd);
}

TEST(a_watchdog_of_another_process_is_none)
{
    char name[64];
    struct lab_systemd systemd;
    int file = listen_as(name);
    setenv("NOTIFY_SOCKET", name, 1);
    setenv("WATCHDOG_USEC", "30000000", 1);
    setenv("WATCHDOG_PID", "1", 1);
    lab_systemd_open(&systemd);
    assert_true(systemd.socket >= 0 && systemd.watchdog_s == 0);
    lab_systemd_close(&systemd);
    close(file);
}
