/* Lines that a program says about itself on stderr, with the level that the journal of systemd shows and filters by. */
#ifndef LAB_JOURNAL_H
#define LAB_JOURNAL_H

/* As syslog(3) numbers them. */
enum lab_severity {
    LAB_SEVERITY_ERROR = 3,   /* something failed, and is lost or refused */
    LAB_SEVERITY_WARNING = 4, /* something fails, and is tried again or done without */
    LAB_SEVERITY_NOTICE = 5   /* a change that people may want to know of */
};

/* Prints "gpulab: TEXT" on stderr. Where stderr is the journal ($JOURNAL_STREAM), "<LEVEL>" precedes each line of it,
 * which the journal takes off (sd-daemon(3)). `format` ends without a newline and may have %m. */
void lab_journal(enum lab_severity severity, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
