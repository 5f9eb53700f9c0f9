/* Tails and quantiles of the normal distribution and of Student's t. */
#ifndef LAB_DISTRIBUTIONS_H
#define LAB_DISTRIBUTIONS_H

/* The probability that a normal deviate is further from 0 than z, on either side. */
double lab_normal_two_sided(double z);

/* The deviate that a normal variable exceeds in size with the probability 1 - confidence: 1.96 for 0.95. `confidence` is
 * above 0 and below 1. */
double lab_normal_quantile(double confidence);

/* The same for Student's t with `degrees` of freedom (at least 1, not necessarily whole): 2.23 for 0.95 and 10. Exact for
 * 1 and 2 degrees, else Hill's expansion ("Algorithm 396: Student's t-quantiles", 1970), with a relative error below 0.001
 * for confidences up to 0.999. */
double lab_student_quantile(double confidence, double degrees);

#endif
