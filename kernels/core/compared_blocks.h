/* The blocks in which the sides of a comparison are measured (kernels/measure/METHOD.md 19): as many as a pair of
 * points has if its time allows, and the turns of each, in which both sides have a round of samples. */
#ifndef LAB_COMPARED_BLOCKS_H
#define LAB_COMPARED_BLOCKS_H

enum { LAB_COMPARED_BLOCKS = 8, LAB_COMPARED_TURNS = 2 };

#endif
