/* Answers <helper_image.h> of NVIDIA's CUDA samples as far as a sample without images needs it: the comparison of
 * arrays. Written for gpulab from what the samples call; C++. */
#ifndef HELPER_IMAGE_H
#define HELPER_IMAGE_H

#include <math.h>
#include <stddef.h>
#include <stdio.h>

/* Whether values differ from the reference by at most `epsilon`, but for a share of `threshold` of them; says how many
 * differ. */
template <class T>
inline bool compareData(const T *reference, const T *data, unsigned int length, float epsilon, float threshold)
{
    size_t wrong = 0;
    for (unsigned int i = 0; i < length; i++)
        wrong += !(fabs((double)reference[i] - (double)data[i]) <= epsilon); /* NaN differs from everything */
    if ((double)wrong > threshold * (double)length) {
        printf("%zu of %u values differ from the reference by more than %g\n", wrong, length, epsilon);
        return false;
    }
    return true;
}

#endif
