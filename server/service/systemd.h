/* What the lab tells systemd where that has started it: sd_notify(3), without its library. */
#ifndef LAB_SYSTEMD_H
#define LAB_SYSTEMD_H

struct lab_systemd {
    int socket;        /* -1: nobody is told */
    double watchdog_s; /* systemd restarts the lab after so long without a word; 0: never */
};

/* Reads $NOTIFY_SOCKET, $WATCHDOG_USEC and $WATCHDOG_PID and removes them, because they are not for the workers. To be
 * called before any thread is started. */
void lab_systemd_open(struct lab_systemd *systemd);
/* Sends lines such as "READY=1\nSTATUS=text"; what is too long or cannot be sent is left out. */
void lab_systemd_tell(const struct lab_systemd *systemd, const char *format, ...) __attribute__((format(printf, 2, 3)));
void lab_systemd_close(struct lab_systemd *systemd);

#endif
