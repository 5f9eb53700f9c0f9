/* The summary of a device: one picture that is made to be sent. It has no ids, and no names of machines or people. */
#ifndef LAB_CARD_H
#define LAB_CARD_H

#include "resources.h"

#include <stdio.h>

enum { LAB_CARD_WIDTH = 1200, LAB_CARD_HEIGHT = 630 }; /* px; pictures of links are shown at this ratio */
enum { LAB_CARD_FIGURES = 12, LAB_CARD_STAIRS = 64, LAB_CARD_CHECKS = 6, LAB_CARD_TEXT = 128 };

/* Where a value stands among those of the lab's devices of the same model and the published ones, the best being the
 * first. */
struct lab_card_rank {
    size_t place, of; /* of < 2: there is no other */
};

struct lab_card_figure {
    const char *label; /* borrowed */
    double value;      /* NAN: not measured */
    double share;      /* of `whole`; NAN: not known */
    char unit[16], whole[LAB_CARD_TEXT];
    struct lab_card_rank rank;
};

/* The latency of a working set. */
struct lab_card_stair {
    double bytes, seconds;
    int64_t level; /* of the memory hierarchy, from 1; 0: not known */
};

struct lab_card_check {
    const char *label; /* borrowed */
    struct lab_card_rank rank;
};

struct lab_card {
    char model[LAB_CARD_TEXT];
    int64_t measured_at; /* the newest run of the figures; LAB_NO_TIME: none */
    struct lab_card_figure figures[LAB_CARD_FIGURES];
    size_t stair_count, check_count;
    struct lab_card_stair stairs[LAB_CARD_STAIRS]; /* by bytes */
    struct lab_card_check checks[LAB_CARD_CHECKS]; /* of the health run */
    const char *verdict;                           /* "healthy", "warning", "unhealthy"; NULL: not checked */
    size_t ok, warnings, failures;                 /* checks of the device */
};

/* Fills the card of a device that the lab or one of its runs has (card_data.c): LAB_STORE_NOT_FOUND where neither
 * has. */
enum lab_store_result lab_card_read(const struct lab_request *request, const char *device, struct lab_card *card);

/* "55.05 GB/s, 87.4 % of PCIe gen5 x16" */
void lab_card_figure_text(const struct lab_card_figure *figure, char *text, size_t size);

/* "Healthy: 26 checks passed" */
void lab_card_verdict_text(const struct lab_card *card, char *text, size_t size);

/* Writes the card as SVG, without scripts, all texts escaped (card_svg.c). */
void lab_card_write(const struct lab_card *card, FILE *out);

#endif
