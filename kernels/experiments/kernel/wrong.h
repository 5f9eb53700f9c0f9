/* What is said of the first wrong element of an own kernel's outputs. */
#ifndef LAB_KERNEL_WRONG_H
#define LAB_KERNEL_WRONG_H

#include "definition.h"

struct kernel_wrong {
    const struct kernel_argument *argument; /* NULL: none */
    uint64_t index, found, expected;        /* the last two are bits */
};

/* Writes which element it is, what it is and must be and its inputs: "n 100: element 5 of y is … where x[5] = 0.25, a =
 * 2". They are the elements of the same index and the scalars that are in an expression, of a saved output all, and
 * none of a reference. `seed`: of the run. */
void kernel_wrong_text(const struct kernel_definition *definition, const struct lab_point *point, uint64_t seed,
                       const struct kernel_wrong *wrong, char *text, size_t size);

#endif
