/* Figures for people: sizes in KiB and MiB, times in the unit that fits, and no more digits than mean something.
 */
#ifndef LAB_QUANTITIES_H
#define LAB_QUANTITIES_H

#include <stddef.h>

enum { LAB_QUANTITY_SIZE = 32 };

/* "256 MiB", "1.5 KiB", "1000 B". */
const char *lab_show_bytes(double bytes, char text[LAB_QUANTITY_SIZE]);
/* "12.3 us". */
const char *lab_show_seconds(double seconds, char text[LAB_QUANTITY_SIZE]);
/* Four significant digits, never in exponents for what people meet: "26.31", "0.5231", "1043". */
const char *lab_show_number(double number, char text[LAB_QUANTITY_SIZE]);
/* In the way of its unit: "B" and "s" as above, all else as a number, without the unit. "-" for what is no number. */
const char *lab_show_value(double value, const char *unit, char text[LAB_QUANTITY_SIZE]);
/* "1.2 %". */
const char *lab_show_share(double share, char text[LAB_QUANTITY_SIZE]);

#endif
