/* The hash of entity tags and of the cache's keys: 64 bits, read eight bytes at a time. It mixes as MurmurHash64A does
 * (https://github.com/aappleby/smhasher). Not for keys whose collisions someone could exploit.
 */
#ifndef LAB_HTTP_HASH_H
#define LAB_HTTP_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t lab_hash(const void *bytes, size_t length)
{
    const uint64_t multiplier = 0xc6a4a7935bd1e995;
    const unsigned char *at = bytes;
    uint64_t hash = length * multiplier;
    while (length > 0) {
        uint64_t word = 0;
        size_t size = length < sizeof word ? length : sizeof word;
        memcpy(&word, at, size);
        word *= multiplier;
        word ^= word >> 47;
        hash = (hash ^ word * multiplier) * multiplier;
        at += size;
        length -= size;
    }
    hash = (hash ^ hash >> 47) * multiplier;
    return hash ^ hash >> 47;
}

#endif
