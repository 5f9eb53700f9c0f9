/* kernels/facts/peaks.c, compared with published figures. */
#include "facts/peaks.h"
#include "support/test.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

static void assert_near(double found, double right, double tolerance)
{
    if (!(fabs(found - right) <= tolerance * right))
        fail_msg("found %g instead of %g", found, right);
}

/* The peaks of 16 lanes of generations 1 to 5 are 4, 8, 15.75, 31.5 and 63.0 GB/s; that of generation 6 is 121 GB/s
 * after CRC and error correction. */
TEST(pcie_links)
{
    static const double right[] = {4, 8, 15.754, 31.508, 63.015, 121};
    for (int64_t generation = 1; generation <= 6; generation++)
        assert_near(lab_peak_pcie(generation, 16) / 1e9, right[generation - 1], 1e-4);
    assert_near(lab_peak_pcie(4, 8), lab_peak_pcie(3, 16), 1e-12);
    assert_true(isnan(lab_peak_pcie(0, 16)) && isnan(lab_peak_pcie(7, 16)) && isnan(lab_peak_pcie(LAB_UNKNOWN, 16)));
    assert_true(isnan(lab_peak_pcie(5, 0)) && isnan(lab_peak_pcie(5, LAB_UNKNOWN)));
}

TEST(nvlinks)
{
    assert_near(lab_peak_nvlink("9.0", 18), 450e9, 1e-12);
    assert_near(lab_peak_nvlink("8.6", 4), 56.25e9, 1e-12);
    assert_true(isnan(lab_peak_nvlink("8.9", 4)) && isnan(lab_peak_nvlink("", 4)));
}

static struct lab_device_facts card(const char *capability, int64_t multiprocessors, double clock_hz)
{
    struct lab_device_facts facts;
    lab_facts_clear(&facts);
    snprintf(facts.compute_capability, sizeof facts.compute_capability, "%s", capability);
    facts.multiprocessors = multiprocessors;
    facts.clock_hz = clock_hz;
    lab_peaks_derive(&facts);
    return facts;
}

/* Data sheets, fp32 and fp64: H100 SXM 66.9 and 33.5 TFLOP/s at 1.98 GHz, A100 19.5 and 9.7 at 1.41 GHz, V100 15.7 and
 * 7.8 at 1.53 GHz. */
TEST(arithmetic)
{
    assert_near(card("9.0", 132, 1.98e9).fp32_peak_flops, 66.9e12, 1e-3);
    assert_int_equal(card("9.0", 132, 1.98e9).cuda_cores, 16896);
    assert_near(card("9.0", 132, 1.98e9).fp64_peak_flops, 33.45e12, 1e-3);
    assert_near(card("8.0", 108, 1.41e9).fp32_peak_flops, 19.5e12, 1e-2);
    assert_near(card("8.0", 108, 1.41e9).fp64_peak_flops, 9.7e12, 1e-2);
    assert_near(card("7.0", 80, 1.53e9).fp64_peak_flops, 7.8e12, 1e-2);
    assert_near(card("8.6", 82, 1.695e9).fp32_peak_flops, 35.6e12, 1e-2);
}

TEST(fp64_has_a_peak_of_the_cores_and_one_of_the_tensor_cores)
{
    struct lab_device_facts facts = card("9.0", 132, 1.98e9);
    json_t *json = lab_facts_to_json(&facts);
    const json_t *properties = json_object_get(json, "properties");
    assert_near(json_real_value(json_object_get(properties, "fp64_peak_flops")), 33.45e12, 1e-3);
    assert_near(json_real_value(json_object_get(properties, "tensor_fp64_peak_flops")), 66.9e12, 1e-3);
    json_decref(json);
}

/* Data sheets, without sparsity: H100 SXM 1978.9 TFLOP/s in fp8, 989.4 in 16 bits, 494.7 in tf32 (at 1.83 GHz) and 66.9
 * in fp64; A100 312, 156 and 19.5; V100 125, only in fp16. */
TEST(tensor_cores)
{
    assert_near(card("9.0", 132, 1.83e9).tensor_fp8_peak_flops, 1978.9e12, 1e-3);
    assert_near(card("9.0", 132, 1.83e9).tensor_bf16_peak_flops, 989.4e12, 1e-3);
    assert_near(card("9.0", 132, 1.83e9).tensor_tf32_peak_flops, 494.7e12, 1e-3);
    assert_near(card("9.0", 132, 1.98e9).tensor_fp64_peak_flops, 66.9e12, 1e-3);
    assert_near(card("8.0", 108, 1.41e9).tensor_fp16_peak_flops, 312e12, 1e-2);
    assert_near(card("8.0", 108, 1.41e9).tensor_tf32_peak_flops, 156e12, 1e-2);
    assert_near(card("8.0", 108, 1.41e9).tensor_fp64_peak_flops, 19.5e12, 1e-2);
    assert_near(card("7.0", 80, 1.53e9).tensor_fp16_peak_flops, 125e12, 1e-2);
    assert_true(isnan(card("7.0", 80, 1.53e9).tensor_bf16_peak_flops));
    assert_true(isnan(card("8.0", 108, 1.41e9).tensor_fp8_peak_flops));
    assert_true(isnan(card("8.9", 142, 2.5e9).tensor_fp16_peak_flops));
}

TEST(unknown_attributes_give_unknown_peaks)
{
    assert_true(isnan(card("99.0", 132, 1.98e9).fp32_peak_flops));
    assert_int_equal(card("99.0", 132, 1.98e9).cuda_cores, LAB_UNKNOWN);
    assert_int_equal(card("9.0", LAB_UNKNOWN, 1.98e9).cuda_cores, LAB_UNKNOWN);
    assert_true(isnan(card("", 132, 1.98e9).fp64_peak_flops));
    assert_true(isnan(card("9.0", LAB_UNKNOWN, 1.98e9).fp32_peak_flops));
    assert_true(isnan(card("9.0", 132, NAN).fp32_peak_flops));
    assert_true(isnan(card("9.0", 132, 1e9).memory_peak_bytes_per_s));
}

/* The memory peak of an H200 is 4.9 TB/s: 6144 bits at 3.201 GHz. */
TEST(memory_and_link)
{
    struct lab_device_facts facts;
    lab_facts_clear(&facts);
    facts.memory_clock_hz = 3.201e9;
    facts.memory_bus_bits = 6144;
    facts.pcie_max_generation = 5;
    facts.pcie_max_width = 16;
    lab_peaks_derive(&facts);
    assert_near(facts.memory_peak_bytes_per_s, 4.9167e12, 1e-4);
    assert_near(facts.pcie_peak_bytes_per_s, 63.015e9, 1e-4);
}
