/* SipHash-2-4 as its paper defines it: four words of state, two rounds a block, four to finish. */
#include "siphash.h"

#include <string.h>

struct state {
    uint64_t v0, v1, v2, v3;
};

static uint64_t rotate(uint64_t x, unsigned bits)
{
    return x << bits | x >> (64 - bits);
}

/* Little-endian, whatever the machine and the alignment. */
static uint64_t word_at(const unsigned char *bytes, size_t count)
{
    uint64_t word = 0;
    for (size_t i = 0; i < count; i++)
        word |= (uint64_t)bytes[i] << (8 * i);
    return word;
}

static void rounds(struct state *s, unsigned count)
{
    while (count-- > 0) {
        s->v0 += s->v1;
        s->v2 += s->v3;
        s->v1 = rotate(s->v1, 13) ^ s->v0;
        s->v3 = rotate(s->v3, 16) ^ s->v2;
        s->v0 = rotate(s->v0, 32);
        s->v2 += s->v1;
        s->v0 += s->v3;
        s->v1 = rotate(s->v1, 17) ^ s->v2;
        s->v3 = rotate(s->v3, 21) ^ s->v0;
        s->v2 = rotate(s->v2, 32);
    }
}

static void compress(struct state *s, uint64_t block)
{
    s->v3 ^= block;
    rounds(s, 2);
    s->v0 ^= block;
}

uint64_t lab_siphash(const unsigned char key[LAB_SIPHASH_KEY_SIZE], const void *data, size_t size)
{
    uint64_t k0 = word_at(key, 8), k1 = word_at(key + 8, 8);
    /* The constants spell "somepseudorandomlygeneratedbytes". */
    struct state s = {k0 ^ 0x736f6d6570736575U, k1 ^ 0x646f72616e646f6dU, k0 ^ 0x6c7967656e657261U,
                      k1 ^ 0x7465646279746573U};
    const unsigned char *bytes = data;
    size_t whole = size / 8 * 8;
    for (size_t i = 0; i < whole; i += 8)
        compress(&s, word_at(bytes + i, 8));
    compress(&s, (uint64_t)(size & 0xFFU) << 56 | word_at(bytes + whole, size - whole));
    s.v2 ^= 0xFF;
    rounds(&s, 4);
    return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}
