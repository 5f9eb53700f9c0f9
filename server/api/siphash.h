/* SipHash-2-4, a keyed hash of 64 bits that cannot be forged without the key (Aumasson and Bernstein, 2012): what makes
 * a cursor tamper-evident. Short, and fixed by published vectors, so it is written here rather than linked.
 */
#ifndef LAB_SIPHASH_H
#define LAB_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

enum { LAB_SIPHASH_KEY_SIZE = 16 };

uint64_t lab_siphash(const unsigned char key[LAB_SIPHASH_KEY_SIZE], const void *data, size_t size);

#endif
