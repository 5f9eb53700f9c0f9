/* Why CUPTI does not count, and what to do. */
#ifndef LAB_CUDA_REFUSAL_H
#define LAB_CUDA_REFUSAL_H

#include "core/errors.h"

#include <cupti_result.h>

/* Sets *error, code "unsupported", for a result of CUPTI that is not CUPTI_SUCCESS: the reason and what to do, or
 * CUPTI's own text (`result_string` is cuptiGetResultString) and what it was doing. Always returns false. */
bool lab_cuda_refusal(struct lab_error *error, __typeof__(&cuptiGetResultString) result_string, CUptiResult result,
                      const char *doing);

#endif
