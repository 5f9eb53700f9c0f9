/* Run ids: UUIDs of version 7 (RFC 9562), whose text sorts by time. The 60 bits before the random ones are the number
 * of the run: milliseconds since 1970, then 12 bits for the fraction of a millisecond.
 */
#include "store_internal.h"

#include "core/clock.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

/* Ids with a later time are refused: after the last one, no id could be greater. 9999-12-31. */
#define MILLISECONDS_MAX INT64_C(253402300799999)

static _Atomic int64_t last; /* the greatest number so far */

/* Returns the number for the current time, or the one after the greatest so far: it grows in all threads, and when the
 * clock is set back. */
static int64_t next_number(void)
{
    int64_t ns = lab_time_now_ns(), ms = ns / 1000000;
    int64_t fraction = ns % 1000000 * 4096 / 1000000;
    int64_t clock = ms << 12 | fraction, before = atomic_load(&last), number;
    do {
        number = clock > before ? clock : before + 1;
    } while (!atomic_compare_exchange_weak(&last, &before, number));
    return number;
}

void lab_run_id_after(int64_t number)
{
    int64_t before = atomic_load(&last);
    while (before < number && !atomic_compare_exchange_weak(&last, &before, number))
        ;
}

static void write_id(uint64_t number, uint64_t noise, char id[LAB_RUN_ID_SIZE])
{
    snprintf(id, LAB_RUN_ID_SIZE, "%08llx-%04llx-7%03llx-%04llx-%012llx",
             (unsigned long long)(number >> 28 & 0xffffffff), (unsigned long long)(number >> 12 & 0xffff),
             (unsigned long long)(number & 0xfff), (unsigned long long)(0x8000 | (noise >> 48 & 0x3fff)),
             (unsigned long long)(noise & 0xffffffffffff));
}

void lab_run_id(char id[LAB_RUN_ID_SIZE])
{
    uint64_t number = (uint64_t)next_number(), noise = 0;
    /* getrandom blocks until the kernel has entropy; after that, a request this small gets all its bytes. */
    while (getrandom(&noise, sizeof noise, 0) != sizeof noise)
        ;
    write_id(number, noise, id);
}

void lab_run_id_of_file(int64_t at, const unsigned char *digest, char id[LAB_RUN_ID_SIZE])
{
    uint64_t words[2];
    memcpy(words, digest, sizeof words);
    write_id((uint64_t)(at / 1000) << 12 | (words[0] & 0xfff), words[1], id);
}

bool lab_run_id_number(const char *id, int64_t *number)
{
    static const char form[] = "xxxxxxxx-xxxx-7xxx-Vxxx-xxxxxxxxxxxx";
    if (strlen(id) != sizeof form - 1)
        return false;
    int64_t value = 0;
    for (size_t i = 0; form[i] != '\0'; i++) {
        const char *allowed = form[i] == 'x'   ? "0123456789abcdef"
                              : form[i] == 'V' ? "89ab"
                              : form[i] == '7' ? "7"
                                               : "-";
        const char *digit = strchr(allowed, id[i]);
        if (digit == NULL)
            return false;
        if (i < 18 && form[i] == 'x')
            value = value << 4 | (digit - allowed);
    }
    if (value >> 12 > MILLISECONDS_MAX)
        return false;
    *number = value;
    return true;
}

bool lab_run_id_time(const char *id, int64_t *at)
{
    int64_t number = 0;
    if (!lab_run_id_number(id, &number))
        return false;
    *at = (number >> 12) * 1000;
    return true;
}
