/* Tails and quantiles of the normal distribution and of Student's t. */
#ifndef LAB_DISTRIBUTIONS_H
#define LAB_DISTRIBUTIONS_H

/* The probability that a normal deviate is further from 0 than z, on either side. */
double lab_normal_two_sided(double z);

/* The deviate that a normal variable exceeds in size with the probability 1 - confidence: 1.96 for 0.95. `confidence`
 * is above 0 and below 1. */
double lab_normal_quantile(double confidence);

/* The two-sided probability and the quantile of Student's t with `degrees` of freedom, above 0 and not necessarily
 * whole: 0.05 for 2.228 and 10, 2.228 for 0.95 and 10. Relative errors are below 1e-9. */
double lab_student_two_sided(double t, double degrees);
double lab_student_quantile(double confidence, double degrees);

#endif
