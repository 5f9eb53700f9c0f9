/* Formats numbers for people: sizes in KiB and MiB, times in ms and us, about four significant digits. Each function
 * writes into `text` and returns it.
 */
#ifndef LAB_FORMAT_H
#define LAB_FORMAT_H

#include <stdbool.h>

enum { LAB_FORMAT_SIZE = 32 };

/* A number of bytes, for example "256 MiB", "1.5 KiB", "1000 B". */
const char *lab_format_bytes(double bytes, char text[LAB_FORMAT_SIZE]);
/* A time, for example "12.30 us". */
const char *lab_format_seconds(double seconds, char text[LAB_FORMAT_SIZE]);
/* Four significant digits: "26.31", "0.5231", "1043"; with an exponent only below 0.0001 and from 1e9 on. */
const char *lab_format_number(double number, char text[LAB_FORMAT_SIZE]);
/* As few digits as give exactly this number: "0.1", "1e+30". */
const char *lab_format_digits(double number, char text[LAB_FORMAT_SIZE]);
/* Bytes and seconds by the functions above (units "B" and "s"), other values as a number without the unit; "-" for NAN
 * and infinity. */
const char *lab_format_value(double value, const char *unit, char text[LAB_FORMAT_SIZE]);
/* Whether lab_format_value writes the unit too. */
bool lab_format_has_unit(const char *unit);
/* A value with its unit, in the larger one where there is one: "684.4 TFLOP/s" of 684400 GFLOP/s, "4.100 TB/s", "1.980
 * GHz", "12.30 us"; only a number for the unit "1". */
const char *lab_format_quantity(double value, const char *unit, char text[LAB_FORMAT_SIZE]);
/* A time as people say it, in whole units: "12 s", "3 min", "2 h", "5 d". */
const char *lab_format_duration(double seconds, char text[LAB_FORMAT_SIZE]);
/* A share of 1 in percent, for example "1.2 %"; "-" for NAN and infinity. */
const char *lab_format_share(double share, char text[LAB_FORMAT_SIZE]);

#endif
