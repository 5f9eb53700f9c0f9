#include "core/clock.h"

#include <ctype.h>
#include <stdio.h>

enum { MICROSECONDS = 1000000 };

/* --- writing ------------------------------------------------------------------------------------------------------ */

void lab_time_text(int64_t at, char text[LAB_TIME_SIZE])
{
    text[0] = '\0';
    if (at == LAB_NO_TIME)
        return;
    int64_t fraction = ((at % MICROSECONDS) + MICROSECONDS) % MICROSECONDS;
    time_t seconds = (time_t)((at - fraction) / MICROSECONDS);
    struct tm parts;
    if (gmtime_r(&seconds, &parts) == NULL)
        return;
    size_t length = strftime(text, LAB_TIME_SIZE, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(text + length, LAB_TIME_SIZE - length, ".%06dZ", (int)fraction);
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

/* Reads exactly `count` digits at *text and moves it past them. */
static bool take_digits(const char **text, int count, int *value)
{
    *value = 0;
    for (int i = 0; i < count; i++) {
        if (!isdigit((unsigned char)**text))
            return false;
        *value = *value * 10 + (*(*text)++ - '0');
    }
    return true;
}

static bool take(const char **text, char character)
{
    if (**text != character)
        return false;
    (*text)++;
    return true;
}

/* A fraction of a second; digits beyond microseconds are dropped. */
static bool take_fraction(const char **text, int64_t *microseconds)
{
    int64_t scale = 100000;
    if (!isdigit((unsigned char)**text))
        return false;
    for (; isdigit((unsigned char)**text); (*text)++) {
        *microseconds += (**text - '0') * scale;
        scale /= 10;
    }
    return true;
}

/* "Z" or "+hh:mm", in seconds east of Greenwich. */
static bool take_offset(const char **text, int64_t *seconds)
{
    int hours = 0, minutes = 0;
    *seconds = 0;
    if (take(text, 'Z') || take(text, 'z'))
        return true;
    char sign = **text;
    if ((sign != '+' && sign != '-') || !take(text, sign) || !take_digits(text, 2, &hours) || !take(text, ':') ||
        !take_digits(text, 2, &minutes) || hours > 23 || minutes > 59)
        return false;
    *seconds = (sign == '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
    return true;
}

/* Whether the date and the time of day exist. timegm accepts others and changes them, such as 31 February to March. */
static bool exists(const struct tm *given, time_t at)
{
    struct tm back;
    return gmtime_r(&at, &back) != NULL && back.tm_mday == given->tm_mday && back.tm_mon == given->tm_mon &&
           back.tm_hour == given->tm_hour && back.tm_min == given->tm_min && back.tm_sec == given->tm_sec;
}

bool lab_time_parse(const char *text, int64_t *at)
{
    struct tm tm = {0};
    int64_t microseconds = 0, offset = 0;
    if (!take_digits(&text, 4, &tm.tm_year) || !take(&text, '-') || !take_digits(&text, 2, &tm.tm_mon) ||
        !take(&text, '-') || !take_digits(&text, 2, &tm.tm_mday))
        return false;
    if (*text != '\0') {
        if ((!take(&text, 'T') && !take(&text, 't')) || !take_digits(&text, 2, &tm.tm_hour) || !take(&text, ':') ||
            !take_digits(&text, 2, &tm.tm_min) || !take(&text, ':') || !take_digits(&text, 2, &tm.tm_sec))
            return false;
        if (take(&text, '.') && !take_fraction(&text, &microseconds))
            return false;
        if (!take_offset(&text, &offset) || *text != '\0')
            return false;
    }
    tm.tm_year -= 1900;
    tm.tm_mon -= 1;
    struct tm given = tm;
    time_t seconds = timegm(&tm);
    if (!exists(&given, seconds))
        return false;
    *at = ((int64_t)seconds - offset) * MICROSECONDS + microseconds;
    return true;
}
