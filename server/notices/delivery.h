/* One attempt to deliver a notice, with libcurl. */
#ifndef LAB_NOTICES_DELIVERY_H
#define LAB_NOTICES_DELIVERY_H

#include "notices.h"

#include <stdatomic.h>

enum { LAB_DELIVERY_ERROR_SIZE = 200 };

struct lab_delivery_options {
    unsigned own_port;           /* no channel may lead to it on this machine; 0: none */
    const atomic_bool *stopping; /* gives the attempt up */
};

/* Sends the notice, within 5 s. False with a sentence in `error`, which has neither address nor secret. */
bool lab_deliver(const struct lab_delivery_options *options, const struct lab_channel_row *channel,
                 const struct lab_notice_row *notice, char error[LAB_DELIVERY_ERROR_SIZE]);

#endif
