#include "limiter.h"

#include <pthread.h>
#include <stdlib.h>

enum { WAYS = 4, SETS = LAB_LIMITED_CLIENTS_MAX / WAYS };
enum kind { ALL, WRITES, KINDS };

struct bucket {
    double rate;  /* requests a second that are added */
    double limit; /* requests that it holds */
};

struct client {
    uint64_t number;
    int64_t seen_ms;    /* when `left` was true; 0: the place is free */
    double left[KINDS]; /* requests in each bucket */
};

/* A client is in one of the WAYS places of the set that its number selects. */
struct lab_limiter {
    struct bucket buckets[KINDS];
    pthread_mutex_t lock; /* for the places */
    struct client places[SETS][WAYS];
};

struct lab_limiter *lab_limiter_create(double rate)
{
    struct lab_limiter *limiter = calloc(1, sizeof *limiter);
    if (limiter == NULL)
        return NULL;
    limiter->buckets[ALL] = (struct bucket){rate, 2 * rate};
    limiter->buckets[WRITES] = (struct bucket){rate / 10, rate / 2 > 1 ? rate / 2 : 1};
    pthread_mutex_init(&limiter->lock, NULL);
    return limiter;
}

void lab_limiter_free(struct lab_limiter *limiter)
{
    if (limiter == NULL)
        return;
    pthread_mutex_destroy(&limiter->lock);
    free(limiter);
}

/* FNV-1a. */
uint64_t lab_limiter_client(const void *bytes, size_t size)
{
    const unsigned char *each = bytes;
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ each[i]) * 0x100000001b3;
    return hash;
}

/* The client's place with its buckets filled up to `now_ms`. A new client gets the place that is free or was not used
 * for longest, with full buckets. */
static struct client *find(struct lab_limiter *limiter, uint64_t number, int64_t now_ms)
{
    struct client *set = limiter->places[number % SETS], *found = NULL, *oldest = &set[0];
    for (size_t i = 0; i < WAYS; i++) {
        if (set[i].seen_ms != 0 && set[i].number == number)
            found = &set[i];
        if (set[i].seen_ms < oldest->seen_ms)
            oldest = &set[i];
    }
    if (found == NULL) {
        found = oldest;
        *found = (struct client){.number = number, .seen_ms = now_ms};
        for (int kind = 0; kind < KINDS; kind++)
            found->left[kind] = limiter->buckets[kind].limit;
    }
    double passed_s = now_ms > found->seen_ms ? (double)(now_ms - found->seen_ms) * 1e-3 : 0;
    for (int kind = 0; kind < KINDS; kind++) {
        double left = found->left[kind] + passed_s * limiter->buckets[kind].rate;
        found->left[kind] = left < limiter->buckets[kind].limit ? left : limiter->buckets[kind].limit;
    }
    found->seen_ms = now_ms;
    return found;
}

double lab_limiter_take(struct lab_limiter *limiter, uint64_t client, bool write, int64_t now_ms)
{
    double wait_s = 0;
    pthread_mutex_lock(&limiter->lock);
    struct client *each = find(limiter, client, now_ms);
    int kinds = write ? KINDS : ALL + 1;
    for (int kind = 0; kind < kinds; kind++) {
        double missing_s = (1 - each->left[kind]) / limiter->buckets[kind].rate;
        wait_s = missing_s > wait_s ? missing_s : wait_s;
    }
    for (int kind = 0; kind < kinds && wait_s <= 0; kind++)
        each->left[kind] -= 1;
    pthread_mutex_unlock(&limiter->lock);
    return wait_s;
}
