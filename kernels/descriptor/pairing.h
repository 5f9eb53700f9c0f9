/* Comparisons: two requests whose points are measured alternately (METHOD.md 19). Which points belong together, and
 * what the run takes. Has no side effects.
 */
#ifndef LAB_PAIRING_H
#define LAB_PAIRING_H

#include "core/compared_blocks.h"
#include "descriptor/points.h"

#include <stdint.h>

/* The sides of a comparison, in the order in which each point is prepared and reported: the head is the request itself,
 * the base is what it is compared with. */
enum { LAB_BASE, LAB_HEAD, LAB_SIDES };

/* A comparison needs max_samples of at least this many: one for each round. */
enum { LAB_COMPARED_SAMPLES_MIN = LAB_COMPARED_BLOCKS * LAB_COMPARED_TURNS };

#define LAB_NO_POINT SIZE_MAX

/* A point of the head and the one of the base that it is compared with: indices of the sides' points. LAB_NO_POINT: the
 * other side has no such point. */
struct lab_pair {
    size_t base, head;
};

/* Created by lab_pairs_init, freed by lab_pairs_release. */
struct lab_pairs {
    size_t count, complete; /* `complete` pairs have a point of each side; they come first */
    struct lab_pair *items;
};

/* Pairs the points of two requests. Points belong together if they are equal on every axis that both experiments have,
 * except those that the comparison changes: axes whose parameter of the same name has other values in the base (of the
 * same experiment), and axes on which the sides have no value in common. Devices are equal if they have the same
 * position in their request. Of several points that are equal in this sense, the first of the head is compared with the
 * first of the base, and so on; if the base has only one, all of the head are compared with it. Returns false with an
 * error added when out of memory; nothing has to be freed then. */
bool lab_pairs_init(struct lab_pairs *pairs, const struct lab_parameters *base, const struct lab_points *base_points,
                    const struct lab_parameters *head, const struct lab_points *head_points, struct lab_errors *errors);
/* Frees the pairs; allowed for `{0}`. */
void lab_pairs_release(struct lab_pairs *pairs);

/* Plans a run that compares two requests, each with a number of devices that its experiment allows: both plans, their
 * sum, and whether the memory of both fits on each device. Returns false with errors added; the pointers of those of
 * the base are below "/compare_with". */
bool lab_comparison_plan(const struct lab_points_request *base, const struct lab_points_request *head,
                         struct lab_estimate *estimate, struct lab_errors *errors);

#endif
