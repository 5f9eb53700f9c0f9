#!/usr/bin/env bash
# What finite-differences and laplace must measure. A part of gpu.sh.
# shellcheck disable=SC2154 # gpu.sh sets the variables

stencils=$details/finite-differences.json
gpulab run finite-differences --set n=512 --set spacing=uniform,stretched --set time_budget_s=30 --json --no-save \
    >"$stencils" 2>"$details/finite-differences.log"
ok 'finite-differences at 512 verifies' all_good "$stencils"
for direction in x y z; do
    for type in fp32 fp64; do
        share=$(largest "$stencils" share_of_reference "$(axis derivative $direction)" "$(axis type $type)" "$(axis spacing uniform)")
        if [ -n "$hopper" ]; then
            ok "derivative in $direction, $type: the best variant has ${share:-no result} of the copy" holds "${share:-0} >= 0.85"
        fi
    done
done

orders=$details/order.json
gpulab run finite-differences --preset order --set type=fp64 --set n=16,32,48,64,96 --json --no-save >"$orders" 2>"$details/order.log"
ok 'finite-differences from 16 to 96 verifies' all_good "$orders"
for direction in x y z; do
    order=$(value "$orders" order "$(axis derivative $direction)" "$(axis spacing uniform)" "$(axis n 64)" "$(axis variant registers)")
    ok "derivative in $direction: the error has order ${order:-no result}" holds "${order:-0} >= 7.9 && ${order:-0} <= 8.1"
done

plates=$details/laplace.json
gpulab run laplace --set n=128,16384 --set device_count=1 --set time_budget_s=30 --json --no-save >"$plates" 2>"$details/laplace.log"
ok 'laplace at 128 and 16384 verifies' all_good "$plates"
iterations=$(value "$plates" iterations "$(axis variant fused)") predicted=$(value "$plates" predicted_iterations "$(axis variant fused)")
ok "laplace needs ${iterations:-no result} iterations, ${predicted:-none} predicted" \
    holds "${iterations:-0} >= 0.98 * ${predicted:-1} && ${iterations:-0} <= 1.02 * ${predicted:-1}"
if [ -n "$hopper" ]; then
    share=$(largest "$plates" share_of_reference "$(axis n 16384)")
    ok "laplace at 16384: the best variant has ${share:-no result} of the copy" holds "${share:-0} >= 0.9"
fi
if [ "$gpus" -ge 2 ]; then
    gpulab run laplace --set n=16384 --set device_count=2 --set variant=exposed,hidden --set scaling=strong --set time_budget_s=20 \
        --json --no-save >"$details/laplace-two.json" 2>"$details/laplace-two.log"
    ok 'laplace on two devices verifies' all_good "$details/laplace-two.json"
    speedup=$(value "$details/laplace-two.json" speedup "$(axis variant hidden)")
    [ -z "$hopper" ] || ok "laplace on two devices: a speedup of ${speedup:-no result}" holds "${speedup:-0} >= 1.9"
else
    skip 'laplace on several devices: there is one'
fi
