/* kernels/experiments/execution/atomic_operations: the results that the operations must have. */
#include "benchmark/benchmark.h"
#include "descriptor/experiment.h"
#include "experiments/execution/atomic_operations/atomic_operations.h"
#include "support/test.h"

#include <math.h>
#include <string.h>

static uint64_t apply(enum atomic_operation operation, uint64_t value, uint64_t operand)
{
    switch (operation) {
    case ATOMIC_SUB:
        return value - operand;
    case ATOMIC_INC:
        return value >= operand ? 0 : value + 1;
    case ATOMIC_DEC:
        return value == 0 || value > operand ? operand : value - 1;
    case ATOMIC_MIN:
        return value < operand ? value : operand;
    case ATOMIC_MAX:
        return value > operand ? value : operand;
    case ATOMIC_AND:
        return value & operand;
    case ATOMIC_OR:
        return value | operand;
    case ATOMIC_XOR:
        return value ^ operand;
    default:
        return value + operand;
    }
}

TEST(results_are_those_of_the_operations_one_after_the_other)
{
    for (enum atomic_operation operation = ATOMIC_ADD; operation < ATOMIC_EXCH; operation++)
        for (uint64_t count = 1; count <= 4096; count *= 2)
            for (unsigned bits = 32; bits <= 64; bits += 32) {
                const uint64_t parameters[3] = {operation}, mask = bits == 64 ? UINT64_MAX : UINT32_MAX;
                uint64_t value = (uint64_t)atomic_initial(0, 0, parameters) * UINT64_C(0x100000001) & mask;
                for (uint64_t rank = 0; rank < count; rank++)
                    value = apply(operation, value, atomic_operand(operation, rank, bits) & mask) & mask;
                assert_int_equal(atomic_result(operation, count, bits) & mask, value);
            }
}

TEST(an_exchange_leaves_the_number_of_an_element_of_the_variable)
{
    const uint64_t parameters[3] = {ATOMIC_EXCH, 4, 64},
                   wide[3] = {ATOMIC_CAS | ATOMIC_INT64 << ATOMIC_TYPE_BIT, 4, 64};
    assert_true(atomic_accepted(3, 2, 0, parameters) && atomic_accepted(63, 2, 0, parameters));
    assert_false(atomic_accepted(4, 2, 0, parameters) || atomic_accepted(67, 2, 0, parameters) ||
                 atomic_accepted(0, 3, 0, parameters));
    assert_true(atomic_accepted(3, 4, 0, wide) && atomic_accepted(0, 5, 0, wide));
    assert_false(atomic_accepted(3, 5, 0, wide));
}

TEST(sums_of_floats_are_compared_as_floats)
{
    const uint64_t fp32[3] = {ATOMIC_ADD | ATOMIC_FP32 << ATOMIC_TYPE_BIT, 1, 8};
    const uint64_t fp64[3] = {ATOMIC_ADD | ATOMIC_FP64 << ATOMIC_TYPE_BIT, 1, 8};
    double sum = 12;
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    assert_true(atomic_accepted(lab_float_bits(12), 0, 0, fp32));
    assert_true(atomic_accepted(atomic_word(bits, 0), 0, 0, fp64) && atomic_accepted(atomic_word(bits, 1), 1, 0, fp64));
    assert_false(atomic_accepted(12, 0, 0, fp32) || atomic_accepted(12, 0, 0, fp64));
}

TEST(one_address_takes_one_operation_per_clock)
{
    struct lab_device_facts facts;
    lab_facts_clear(&facts);
    strcpy(facts.backend, "cuda");
    facts.multiprocessors = 132;
    facts.clock_hz = 1.98e9;
    static const struct {
        int64_t variant, addresses;
        double rate; /* 10^9 operations per second */
    } cases[] = {{ATOMIC_ADD, 1, 1.98},
                 {ATOMIC_CAS, 32, 32 * 1.98},
                 {ATOMIC_OR, 65536, 132 * 32 * 1.98},
                 {ATOMIC_FENCE, 1, 132 * 32 * 1.98}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct lab_workload workload = {0};
        struct lab_point point = {.values = {cases[i].variant, ATOMIC_INT32, 0, cases[i].addresses, 1 << 22}};
        lab_experiment_find("atomic-operations")->benchmark->describe(NULL, &facts, &point, &workload);
        assert_string_equal(workload.skipped, "");
        assert_true(fabs(workload.figures[0].value / cases[i].rate - 1) < 1e-9);
    }
}
