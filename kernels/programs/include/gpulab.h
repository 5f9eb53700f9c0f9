/* gpulab.h: reports what a program has measured to gpulab. For C (C99), C++ (C++11) and nvcc, on Linux.
 *
 *     #include "gpulab.h"
 *
 *     double start = gpulab_time_s();
 *     ...
 *     double seconds = gpulab_time_s() - start;
 *     gpulab_result("bandwidth", bytes / seconds, "B/s", "bytes=%zu memory=%s", bytes, "pinned");
 *     gpulab_samples("time", times, 20, "s", "step=tiled");
 *
 * A result has a metric, a value, its unit, and axes: the conditions under which it was measured. In a run of gpulab
 * results become measurements; elsewhere they are printed to stdout. A result is reported before the function returns;
 * any thread may report.
 *
 * Axes are a format of printf() with its arguments: NAME=VALUE, separated by spaces, each NAME once; NULL is none. A
 * value that reads as a number, true or false is one, a NAME without a value is true, and every other value is text.
 * Spaces in a text that %s stands for belong to the value.
 *
 * gpulab reads results as lines of JSON from the descriptor whose number is in the environment variable
 * GPULAB_RESULTS_FD:
 *
 *     {"metric":"bandwidth","value":25300000000,"unit":"B/s","axes":{"bytes":1048576,"memory":"pinned"}}
 *     {"metric":"time","samples":[0.0012,0.0011],"unit":"s","axes":{"step":"tiled"}}
 *
 * A value that is not finite is null, which gpulab refuses, and stderr says so. A byte of a text that is not UTF-8 is
 * U+FFFD.
 */
#ifndef GPULAB_H
#define GPULAB_H

#include <errno.h>
#include <sched.h> /* struct timespec, also with -std=c99 */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Reports one value. `unit` is "s", "B/s", …, or "" for a number without a unit. */
static inline void gpulab_result(const char *metric, double value, const char *unit, const char *axes, ...)
    __attribute__((format(printf, 4, 5)));

/* Reports the values of a repeated measurement. */
static inline void gpulab_samples(const char *metric, const double *values, size_t count, const char *unit,
                                  const char *axes, ...) __attribute__((format(printf, 5, 6)));

/* Seconds of a clock that no one sets; the difference of two is a duration. */
static inline double gpulab_time_s(void);

/* --- what follows is the implementation --------------------------------------------------------------------------- */

#if defined __STRICT_ANSI__ && !defined __cplusplus /* -std=c99 hides what POSIX adds to the headers of C */
extern FILE *fdopen(int descriptor, const char *mode);
extern int clock_gettime(int clock, struct timespec *time);
#ifndef CLOCK_MONOTONIC
#define CLOCK_MONOTONIC 1
#endif
#endif

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* the axes are formatted here */

static inline double gpulab_time_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A text as it grows. */
struct gpulab_text {
    char *bytes; /* NUL-terminated; NULL before the first byte is put */
    size_t length, size;
    int failed; /* memory has run out */
};

static inline void gpulab_put_bytes(struct gpulab_text *text, const char *bytes, size_t count)
{
    if (text->size - text->length <= count && !text->failed) {
        size_t size = 2 * (text->size + count) + 200;
        char *larger = (char *)realloc(text->bytes, size);
        text->failed = larger == NULL;
        text->bytes = larger != NULL ? larger : text->bytes;
        text->size = larger != NULL ? size : text->size;
    }
    if (text->failed)
        return;
    memcpy(text->bytes + text->length, bytes, count);
    text->length += count;
    text->bytes[text->length] = '\0';
}

static inline void gpulab_put(struct gpulab_text *text, const char *string)
{
    gpulab_put_bytes(text, string, strlen(string));
}

/* --- JSON --------------------------------------------------------------------------------------------------------- */

/* The length of the UTF-8 sequence at `at`; 0 if there is none. */
static inline size_t gpulab_utf8_length(const unsigned char *at, const unsigned char *end)
{
    size_t length = *at < 0x80 ? 1 : *at < 0xc2 ? 0 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : *at < 0xf5 ? 4 : 0;
    if (length > (size_t)(end - at))
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    int too_long = (*at == 0xe0 && at[1] < 0xa0) || (*at == 0xf0 && at[1] < 0x90);
    int no_character = (*at == 0xed && at[1] >= 0xa0) || (*at == 0xf4 && at[1] >= 0x90);
    return too_long || no_character ? 0 : length;
}

static inline void gpulab_put_string(struct gpulab_text *line, const char *string, size_t length)
{
    const unsigned char *at = (const unsigned char *)string, *end = at + length;
    gpulab_put(line, "\"");
    while (at < end) {
        char escaped[8];
        size_t taken = gpulab_utf8_length(at, end);
        if (taken == 0) {
            gpulab_put(line, "\\ufffd");
            taken = 1;
        } else if (*at < ' ' || *at == '"' || *at == '\\') {
            snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned)*at);
            gpulab_put(line, escaped);
        } else {
            gpulab_put_bytes(line, (const char *)at, taken);
        }
        at += taken;
    }
    gpulab_put(line, "\"");
}

/* Puts a number with all its digits, and with a point where the locale has a comma. Returns whether it is finite. */
static inline int gpulab_put_number(struct gpulab_text *line, double number)
{
    static const char parts[] = "+-0123456789e";
    char text[40];
    snprintf(text, sizeof text, "%.17g", number);
    if (strchr(text, 'n') != NULL) { /* nan or inf, which a test of the number cannot tell with -ffast-math */
        gpulab_put(line, "null");
        return 0;
    }
    for (const char *at = text; *at != '\0'; at++) {
        if (strchr(parts, *at) != NULL)
            gpulab_put_bytes(line, at, 1);
        else if (strchr(parts, at[1]) != NULL) /* the last byte of the locale's point */
            gpulab_put(line, ".");
    }
    return 1;
}

/* Whether a text is a JSON number that every reader can hold: an integer of at most 18 digits, or a number below
 * 1e300. */
static inline int gpulab_is_number(const char *text, size_t length)
{
    static const char digits[] = "0123456789";
    char number[64];
    if (length >= sizeof number)
        return 0;
    memcpy(number, text, length);
    number[length] = '\0';
    const char *at = number + (*number == '-');
    size_t whole = strspn(at, digits), decimals = 0, power = 0;
    if (whole == 0 || (whole > 1 && *at == '0') || (whole > 18 && at[whole] == '\0'))
        return 0;
    at += whole;
    if (*at == '.' && (decimals = strspn(++at, digits)) == 0)
        return 0;
    at += decimals;
    if (*at == 'e' || *at == 'E') {
        at += at[1] == '-' || at[1] == '+' ? 2 : 1;
        power = strspn(at, digits);
        if (power == 0 || power > 3 || (at[-1] != '-' && atoi(at) + (int)whole > 300))
            return 0;
    }
    return at[power] == '\0';
}

/* --- axes --------------------------------------------------------------------------------------------------------- */

/* Puts the axis whose name is before `equals` and whose value is behind it; `equals` is `end` where there is no
 * value. */
static inline void gpulab_put_axis(struct gpulab_text *line, const char *name, const char *equals, const char *end)
{
    const char *value = equals < end ? equals + 1 : "true";
    size_t length = equals < end ? (size_t)(end - value) : strlen(value);
    gpulab_put_string(line, name, (size_t)(equals - name));
    gpulab_put(line, ":");
    if (gpulab_is_number(value, length) || (length == 4 && memcmp(value, "true", 4) == 0) ||
        (length == 5 && memcmp(value, "false", 5) == 0))
        gpulab_put_bytes(line, value, length);
    else
        gpulab_put_string(line, value, length);
}

/* The place of the first of these characters in the format from `at` on that is not part of a conversion; else the
 * format's end. */
static inline size_t gpulab_find(const char *format, size_t at, const char *characters)
{
    while (format[at] != '\0' && strchr(characters, format[at]) == NULL) {
        at += format[at] == '%' ? 1 + strspn(format + at + 1, "-+ #'0123456789.*hlLjztq") : 0;
        at += format[at] != '\0';
    }
    return at;
}

/* Writes what the first `length` bytes of the format become to `text`, which has `size` bytes, as snprintf() does.
 * Returns the length without the bound of `size`. */
static inline size_t gpulab_format(char *text, size_t size, struct gpulab_text format, size_t length, va_list arguments)
{
    va_list copy;
    char kept = format.bytes[length];
    format.bytes[length] = '\0';
    va_copy(copy, arguments);
    int becomes = vsnprintf(text, size, format.bytes, copy);
    va_end(copy);
    format.bytes[length] = kept;
    return becomes > 0 ? (size_t)becomes : 0;
}

/* Puts the axes. The format, not what it becomes, is searched for spaces and '=', so that the arguments may contain
 * them. */
static inline void gpulab_put_axes(struct gpulab_text *line, struct gpulab_text format, const char *axes,
                                   va_list arguments)
{
    const char *separator = "";
    size_t end;
    for (size_t at = strspn(format.bytes, " "); at < format.length; at = end + strspn(format.bytes + end, " ")) {
        size_t equals = gpulab_find(format.bytes, at, "= ");
        end = gpulab_find(format.bytes, equals, " ");
        gpulab_put(line, separator);
        gpulab_put_axis(line, axes + gpulab_format(NULL, 0, format, at, arguments),
                        axes + gpulab_format(NULL, 0, format, equals, arguments),
                        axes + gpulab_format(NULL, 0, format, end, arguments));
        separator = ",";
    }
}

/* --- output ------------------------------------------------------------------------------------------------------- */

/* A result as the program passes it. */
struct gpulab_passed {
    const char *metric, *unit;
    const double *values;
    size_t count;
    int single;
};

static inline void gpulab_warn(const struct gpulab_passed *result, const char *what)
{
    fprintf(stderr, "gpulab.h: the result '%s' %s\n", result->metric, what);
}

#ifdef __cplusplus /* a function that all files of a program share, in C and in C++ */
#define GPULAB_SHARED extern "C" __attribute__((weak))
#else
#define GPULAB_SHARED __attribute__((weak))
#endif

/* The stream of GPULAB_RESULTS_FD, one for all files of the program; NULL where results are printed. */
GPULAB_SHARED FILE *gpulab_results(void);
GPULAB_SHARED FILE *gpulab_results(void)
{
    static FILE *results;
    FILE *opened = __atomic_load_n(&results, __ATOMIC_ACQUIRE), *other = NULL;
    const char *text = getenv("GPULAB_RESULTS_FD");
    char *end;
    if (opened != NULL || text == NULL || *text == '\0')
        return opened;
    long descriptor = strtol(text, &end, 10);
    if (*end == '\0' && descriptor >= 0 && descriptor <= 1 << 20)
        opened = fdopen((int)descriptor, "w");
    if (opened == NULL) {
        fprintf(stderr, "gpulab.h: GPULAB_RESULTS_FD must be the number of a descriptor open for writing, not %s\n",
                text);
        return NULL;
    }
    setvbuf(opened, NULL, _IONBF, 0); /* a line is one write() */
    if (!__atomic_compare_exchange_n(&results, &other, opened, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        opened = other; /* another thread was faster */
    return opened;
}

static inline void gpulab_write(FILE *results, const struct gpulab_passed *result, struct gpulab_text line)
{
    size_t written = 0;
    do {
        errno = 0;
        written += fwrite(line.bytes + written, 1, line.length - written, results);
    } while (written < line.length && errno == EINTR);
    if (written < line.length)
        fprintf(stderr, "gpulab.h: the result '%s' is not written: %s\n", result->metric, strerror(errno));
}

static inline void gpulab_put_result(struct gpulab_text *line, const struct gpulab_passed *result)
{
    int finite = 1;
    gpulab_put(line, "{\"metric\":");
    gpulab_put_string(line, result->metric, strlen(result->metric));
    gpulab_put(line, result->single ? ",\"value\":" : ",\"samples\":[");
    for (size_t i = 0; i < result->count; i++) {
        gpulab_put(line, i > 0 ? "," : "");
        finite = gpulab_put_number(line, result->values[i]) && finite;
    }
    gpulab_put(line, result->single ? ",\"unit\":" : "],\"unit\":");
    gpulab_put_string(line, result->unit, strlen(result->unit));
    if (!finite)
        gpulab_warn(result, "has a value that is not finite, which becomes null");
}

static inline int gpulab_compare(const void *one, const void *other)
{
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

/* Puts the line that people read. */
static inline void gpulab_put_summary(struct gpulab_text *line, const struct gpulab_passed *result, const char *axes)
{
    char number[120];
    size_t count = result->count;
    double *sorted = (double *)malloc(count * sizeof *sorted);
    line->failed |= sorted == NULL;
    if (sorted == NULL)
        return;
    memcpy(sorted, result->values, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, gpulab_compare);
    snprintf(number, sizeof number, " = %.6g", (sorted[(count - 1) / 2] + sorted[count / 2]) / 2);
    gpulab_put(line, result->metric);
    gpulab_put(line, number);
    gpulab_put(line, *result->unit != '\0' ? " " : "");
    gpulab_put(line, result->unit);
    snprintf(number, sizeof number, ", median of %zu from %.6g to %.6g", count, sorted[0], sorted[count - 1]);
    gpulab_put(line, result->single ? "" : number);
    gpulab_put(line, *axes != '\0' ? " (" : "");
    gpulab_put(line, axes);
    gpulab_put(line, *axes != '\0' ? ")\n" : "\n");
    free(sorted);
}

static inline void gpulab_report(struct gpulab_passed result, const char *axes_format, va_list arguments)
{
    FILE *results = gpulab_results();
    struct gpulab_text format = {NULL, 0, 0, 0}, line = {NULL, 0, 0, 0};
    result.metric = result.metric != NULL ? result.metric : "";
    result.unit = result.unit != NULL ? result.unit : "";
    if (*result.metric == '\0' || result.count == 0) {
        gpulab_warn(&result, *result.metric == '\0' ? "has no metric" : "has no values");
        return;
    }
    gpulab_put(&format, axes_format != NULL ? axes_format : "");
    size_t size = format.failed ? 0 : gpulab_format(NULL, 0, format, format.length, arguments) + 1;
    char *axes = (char *)malloc(size + 1);
    line.failed = format.failed || axes == NULL;
    if (!line.failed) {
        *axes = '\0';
        gpulab_format(axes, size, format, format.length, arguments);
        if (results == NULL) {
            gpulab_put_summary(&line, &result, axes);
        } else {
            gpulab_put_result(&line, &result);
            gpulab_put(&line, ",\"axes\":{");
            gpulab_put_axes(&line, format, axes, arguments);
            gpulab_put(&line, "}}\n");
        }
    }
    if (line.failed)
        gpulab_warn(&result, "is not reported: out of memory");
    else
        gpulab_write(results != NULL ? results : stdout, &result, line);
    free(format.bytes);
    free(axes);
    free(line.bytes);
}

static inline void gpulab_result(const char *metric, double value, const char *unit, const char *axes, ...)
{
    va_list arguments;
    struct gpulab_passed result = {metric, unit, &value, 1, 1};
    va_start(arguments, axes);
    gpulab_report(result, axes, arguments);
    va_end(arguments);
}

static inline void gpulab_samples(const char *metric, const double *values, size_t count, const char *unit,
                                  const char *axes, ...)
{
    va_list arguments;
    struct gpulab_passed result = {metric, unit, values, count, 0};
    va_start(arguments, axes);
    gpulab_report(result, axes, arguments);
    va_end(arguments);
}

#pragma GCC diagnostic pop
#endif
