/* Limits the requests of each client: a token bucket for all requests and one for writes. A bucket holds the requests
 * that a client may send at once, and is refilled at the rate. Memory is constant: the client that was not seen for
 * longest is forgotten first. All functions may be called from any thread.
 */
#ifndef LAB_AUTH_LIMITER_H
#define LAB_AUTH_LIMITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LAB_LIMITED_CLIENTS_MAX = 4096 }; /* about */

struct lab_limiter;

/* Each client may send `rate` requests a second, and twice as many at once; of these, a tenth may be writes, and as
 * many writes at once as five seconds allow. `rate` is at least 1. NULL when out of memory. */
struct lab_limiter *lab_limiter_create(double rate);
/* NULL is allowed and does nothing. */
void lab_limiter_free(struct lab_limiter *limiter);
/* Counts a request at `now_ms`, of a clock that does not go back. 0: it is allowed. Otherwise it is not, and was not
 * counted; the value is the number of seconds after which it would be. */
double lab_limiter_take(struct lab_limiter *limiter, uint64_t client, bool write, int64_t now_ms);
/* A client's number, from the id of a token or an address. */
uint64_t lab_limiter_client(const void *bytes, size_t size);

#endif
