/* server/analysis/distributions.c, compared with printed tables. */
#include "analysis/distributions.h"
#include "support/test.h"

#include <math.h>
#include <stdint.h>

static void assert_near(double found, double wanted, double tolerance)
{
    if (!(fabs(found - wanted) <= tolerance * fabs(wanted)))
        fail_msg("found %.10g instead of %.10g", found, wanted);
}

TEST(normal_quantiles_and_tails_agree)
{
    assert_near(lab_normal_quantile(0.5), 0.674489750196082, 1e-12);
    assert_near(lab_normal_quantile(0.95), 1.959963984540054, 1e-12);
    assert_near(lab_normal_quantile(0.999999), 4.891638475699, 1e-9);
    assert_near(lab_normal_two_sided(1.959963984540054), 0.05, 1e-12);
    assert_near(lab_normal_two_sided(-1.959963984540054), 0.05, 1e-12);
    assert_near(lab_normal_two_sided(0), 1, 1e-15);
}

TEST(student_quantiles_are_those_of_the_tables)
{
    static const struct {
        double confidence, degrees, quantile;
    } rows[] = {
        {0.95, 1, 12.7062},  {0.95, 2, 4.30265},  {0.95, 3, 3.18245},   {0.95, 4, 2.77645},   {0.95, 5, 2.57058},
        {0.95, 10, 2.22814}, {0.95, 30, 2.04227}, {0.95, 100, 1.98397}, {0.99, 3, 5.84091},   {0.99, 10, 3.16927},
        {0.999, 5, 6.86883}, {0.5, 10, 0.699812}, {0.8, 4, 1.53321},    {0.95, 1e6, 1.95997},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_near(lab_student_quantile(rows[i].confidence, rows[i].degrees), rows[i].quantile,
                    1e-5 * rows[i].quantile + 1e-5);
}

/* Of 1 and 2 degrees of freedom in closed form. */
TEST(student_tails_are_exact_far_out)
{
    for (double t = 0.01; t < 1e7; t *= 3) {
        double one = 2 / 3.14159265358979323846 * atan2(1, t), two = 2 / (2 + t * t + t * sqrt(2 + t * t));
        assert_near(lab_student_two_sided(t, 1) / one, 1, 1e-9);
        assert_near(lab_student_two_sided(t, 2) / two, 1, 1e-9);
        assert_near(lab_student_quantile(1 - one, 1) / t, 1, t < 1e4 ? 1e-6 : 1);
    }
    assert_near(lab_student_two_sided(0, 7), 1, 0);
    assert_near(lab_student_two_sided((double)INFINITY, 7), 0, 0);
    assert_near(lab_student_two_sided(1.959963984540054, 1e7), 0.05, 1e-6);
}

TEST(student_quantiles_fall_with_the_degrees_of_freedom)
{
    double previous = lab_student_quantile(0.95, 1);
    for (double degrees = 1.25; degrees < 60; degrees += 0.25) {
        double quantile = lab_student_quantile(0.95, degrees);
        if (!(quantile < previous))
            fail_msg("%g at %g degrees of freedom is not below %g", quantile, degrees, previous);
        previous = quantile;
    }
}
