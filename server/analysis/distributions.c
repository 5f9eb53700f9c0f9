/* Computes tails and quantiles of distributions. */
#include "analysis/distributions.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

double lab_normal_two_sided(double z)
{
    return erfc(fabs(z) / sqrt(2));
}

/* Newton's method on the tail. It starts left of the root, where the tail is convex, so that it never overshoots. */
double lab_normal_quantile(double confidence)
{
    double z = 0;
    for (int i = 0; i < 100; i++) {
        double step = (lab_normal_two_sided(z) - (1 - confidence)) / (sqrt(2 / pi) * exp(-z * z / 2));
        z += step;
        if (step < 1e-12)
            break;
    }
    return z;
}

/* --- Student's t -------------------------------------------------------------------------------------------------- */

static double or_tiny(double value)
{
    return fabs(value) < 1e-300 ? 1e-300 : value;
}

/* The continued fraction of the incomplete beta function (Abramowitz and Stegun, "Handbook of Mathematical Functions",
 * 26.5.8), by the method of Lentz. It converges fast for x below (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x)
{
    double c = 1, d = 1 / or_tiny(1 - (a + b) * x / (a + 1)), value = d;
    for (int m = 1; m < 500; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / or_tiny(1 + even * d);
        c = or_tiny(1 + even / c);
        value *= c * d;
        d = 1 / or_tiny(1 + odd * d);
        c = or_tiny(1 + odd / c);
        value *= c * d;
        if (fabs(c * d - 1) < 1e-15)
            break;
    }
    return value;
}

/* The incomplete beta function I_x(a, b) with y = 1 - x, which may be too small for that. */
static double incomplete_beta(double a, double b, double x, double y)
{
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(y));
    return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a : 1 - front * beta_fraction(b, a, y) / b;
}

double lab_student_two_sided(double t, double degrees)
{
    if (isinf(t))
        return 0;
    double sum = degrees + t * t;
    return t == 0 ? 1 : incomplete_beta(degrees / 2, 0.5, degrees / sum, t * t / sum);
}

static double student_density(double t, double degrees)
{
    return exp(lgamma((degrees + 1) / 2) - lgamma(degrees / 2) - (degrees + 1) / 2 * log1p(t * t / degrees)) /
           sqrt(degrees * pi);
}

/* Newton's method on the logarithm of the tail as a function of that of t, which is concave: once it is on the right it
 * never overshoots. Until then the steps are short, because far out a tail cannot be told from 0. */
double lab_student_quantile(double confidence, double degrees)
{
    double t = 1;
    for (int i = 0; i < 100; i++) {
        double tail = lab_student_two_sided(t, degrees);
        double step = tail / (2 * student_density(t, degrees) * t) * log(tail / (1 - confidence));
        t *= exp(fmin(step, 1));
        if (fabs(step) < 1e-12)
            break;
    }
    return t;
}
