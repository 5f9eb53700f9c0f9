/* C++ has what <stdbool.h> defines for C. */
