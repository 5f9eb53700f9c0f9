/* Attempts to deliver notices, with libcurl, any number at the same time in one thread. */
#ifndef LAB_NOTICES_DELIVERY_H
#define LAB_NOTICES_DELIVERY_H

#include "notices.h"

enum { LAB_DELIVERY_ERROR_SIZE = 200 };

/* What became of an attempt. */
struct lab_delivery {
    int64_t notice, attempts; /* its id, and how many attempts were made before */
    bool sent;
    char error[LAB_DELIVERY_ERROR_SIZE]; /* a sentence, which has neither address nor secret, unless `sent` */
};

struct lab_deliveries;

/* `own_port`: no channel may lead to it on this machine; 0: none. NULL when out of memory. */
struct lab_deliveries *lab_deliveries_create(unsigned own_port);
/* Gives up the attempts that have not ended. NULL is allowed and does nothing. */
void lab_deliveries_free(struct lab_deliveries *deliveries);

/* Begins an attempt, which takes at most 5 s. Nothing is sent before lab_deliveries_proceed. The rows are not needed
 * afterwards. Does nothing when out of memory. */
void lab_deliveries_begin(struct lab_deliveries *deliveries, const struct lab_channel_row *channel,
                          const struct lab_notice_row *notice);
/* Whether an attempt for the channel has begun, and lab_deliveries_proceed is not done with it. */
bool lab_deliveries_has(const struct lab_deliveries *deliveries, int64_t channel);

/* Proceeds with all attempts, and calls `ended` for each that has ended, until it returns true. Returns when there is
 * something to do, after wait_s at the latest. */
void lab_deliveries_proceed(struct lab_deliveries *deliveries, double wait_s,
                            bool (*ended)(void *context, const struct lab_delivery *delivery), void *context);
/* Lets lab_deliveries_proceed return at once. From any thread. */
void lab_deliveries_wake(struct lab_deliveries *deliveries);

#endif
