/* The clock of deadlines: monotonic, with a resolution of a few milliseconds, and cheap to read. */
#ifndef LAB_HTTP_CLOCK_H
#define LAB_HTTP_CLOCK_H

#include <stdint.h>

enum { LAB_NO_DEADLINE = -1 };

int64_t lab_now_ms(void);
/* The time `seconds` from now. */
int64_t lab_after_ms(double seconds);

#endif
