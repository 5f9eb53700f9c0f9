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

double lab_student_quantile(double confidence, double degrees)
{
    double tail = 1 - confidence;
    if (degrees == 1)
        return 1 / tan(tail * pi / 2);
    if (degrees == 2)
        return sqrt(2 / (tail * (2 - tail)) - 2);
    double a = 1 / (degrees - 0.5);
    double b = 48 / (a * a);
    double c = ((20700 * a / b - 98) * a - 16) * a + 96.36;
    double d = ((94.5 / (b + c) - 3) / b + 1) * sqrt(a * pi / 2) * degrees;
    double y = pow(d * tail, 2 / degrees);
    if (y > 0.05 + a) {
        double x = -lab_normal_quantile(confidence);
        y = x * x;
        if (degrees < 5)
            c += 0.3 * (degrees - 4.5) * (x + 0.6);
        c = (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b + c;
        y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x;
        y = expm1(a * y * y);
    } else {
        y = ((1 / (((degrees + 6) / (degrees * y) - 0.089 * d - 0.822) * (degrees + 2) * 3) + 0.5 / (degrees + 4)) * y -
             1) *
                (degrees + 1) / (degrees + 2) +
            1 / y;
    }
    return sqrt(degrees * y);
}
