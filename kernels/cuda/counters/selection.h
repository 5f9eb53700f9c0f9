/* Counters of a chip that are read together, and the passes that this takes. */
#ifndef LAB_CUDA_SELECTION_H
#define LAB_CUDA_SELECTION_H

#include "chip.h"

struct cuda_selection {
    CUpti_Profiler_Host_Object *host;
    struct cuda_image config;
    size_t count, passes;
    const char *metrics[LAB_HARDWARE_COUNTER_COUNT];
    enum lab_hardware_counter counters[LAB_HARDWARE_COUNTER_COUNT]; /* which counter each metric is */
};

/* Counters, each at most once. */
struct cuda_wanted {
    size_t count;
    enum lab_hardware_counter counters[LAB_HARDWARE_COUNTER_COUNT];
};

/* Selects those of the counters that the chip has; it must have one. Takes some ms. Returns false with *error set. In
 * either case lab_cuda_selection_release releases what was made. */
bool lab_cuda_selection_make(struct cuda_selection *selection, const struct cuda_chip *chip,
                             const struct cuda_wanted *wanted, struct lab_error *error);
/* As above, those that fit into one pass: in their order, each that still fits beside the ones before. `count` is 0 if
 * none fits. Takes some ms for each. */
bool lab_cuda_selection_make_pass(struct cuda_selection *selection, const struct cuda_chip *chip,
                                  const struct cuda_wanted *wanted, struct lab_error *error);
void lab_cuda_selection_release(struct cuda_selection *selection, const struct cuda_chip *chip);

#endif
