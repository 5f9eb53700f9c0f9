#!/usr/bin/env bash
# Installs what the tests need, builds, runs them and ends with one line `N passed, N failed`.
#
#   tests/run.sh                  everything, as CI does
#   tests/run.sh --quick          unit and API tests alone
#   tests/run.sh PART…            these parts, in this order
#   --no-install                  take the machine as it is
#
# Parts
#   style     seams between the rooms, layout, static analysis
#   unit      tests/unit, one program a file
#   api       a real server over HTTP, and the command line
#   faults    injected faults, killed processes, a full disk
#   browser   the page, in Chromium, and its modules in Node
#   fuzz      the fuzz targets' corpus and every crash ever found, replayed
#   bench     the benchmarks' smoke run: that they work, not what they measure
#   asan      unit, api, faults and fuzz again, under AddressSanitizer and UndefinedBehaviorSanitizer
#   tsan      the server's part again, under ThreadSanitizer
set -uo pipefail
cd "$(dirname "$0")/.." || exit
house=$PWD
# shellcheck source=../deploy/packages.sh
. deploy/packages.sh

usage() { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"; }

parts=() install=yes
for argument in "$@"; do
    case $argument in
    --quick) parts+=(unit api) ;;
    --no-install) install=no ;;
    --help | -h) usage && exit ;;
    style | unit | api | faults | browser | fuzz | bench | asan | tsan) parts+=("$argument") ;;
    *) usage >&2 && exit 2 ;;
    esac
done
[ ${#parts[@]} -gt 0 ] || parts=(style unit api faults browser fuzz bench asan tsan)

passed=0 failed=0 troubles=()
count() { # WHAT PASSED FAILED
    passed=$((passed + $2)) failed=$((failed + $3))
    [ "$3" = 0 ] || troubles+=("$1: $3")
    echo "-- $1: $2 passed, $3 failed, ${SECONDS} s since the start"
}
title() { printf '\n== %s\n' "$*"; }
finish() {
    title result
    [ ${#troubles[@]} = 0 ] || printf 'failed in %s\n' "${troubles[@]}"
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ] && [ "$passed" -gt 0 ]
    exit
}

# --- what the tests need ---------------------------------------------------------------------------------------------
wanted() { # PART…: whether one of them is to be run
    local part
    for part in "$@"; do
        case " ${parts[*]} " in *" $part "*) return 0 ;; esac
    done
    return 1
}

browser() { # one that playwright can drive, on standard output
    local candidate path
    for candidate in "${CHROMIUM:-}" chromium google-chrome chromium-browser; do
        # Ubuntu's /usr/bin/chromium-browser is only a pointer to a snap: ask it.
        path=$([ -n "$candidate" ] && type -P "$candidate") && "$path" --version >/dev/null 2>&1 && echo "$path" && return
    done
    find "$HOME/.cache/ms-playwright" -path '*/chrome-linux*/chrome' -type f 2>/dev/null | sort | tail -n 1 | grep .
}

install_all() {
    local needs=(module:cmocka=libcmocka-dev command:node=nodejs)
    if wanted style; then needs+=(command:clang-format-14=clang-format-14 command:cppcheck=cppcheck); fi
    if wanted unit browser asan; then needs+=(library:libopenblas.so.0=libopenblas0); fi # the reference of products
    if wanted faults asan bench; then needs+=(command:sqlite3=sqlite3); fi
    if wanted bench; then needs+=(command:wrk=wrk); fi
    if wanted browser; then
        type -P npm >/dev/null || needs+=(command:npm=npm)
        if grep -q '^ID=debian' /etc/os-release && ! browser >/dev/null; then needs+=(command:chromium=chromium); fi
    fi
    # shellcheck disable=SC2086 # a list of words
    install_missing $build_needs "${needs[@]}" || return
    if wanted browser && ! cmp -s tests/package-lock.json tests/node_modules/.gpulab-lock; then
        echo "installing into tests/node_modules: what tests/package-lock.json names"
        (cd tests && npm ci --ignore-scripts --no-fund --no-audit --loglevel=error </dev/null) &&
            cp tests/package-lock.json tests/node_modules/.gpulab-lock || return
    fi
    if wanted browser && ! browser >/dev/null; then # Ubuntu has Chromium as a snap alone, which containers cannot install
        echo "installing: a Chromium of playwright's, with what it needs"
        as_root node tests/node_modules/playwright-core/cli.js install-deps chromium </dev/null >/dev/null &&
            node tests/node_modules/playwright-core/cli.js install chromium </dev/null >/dev/null ||
            echo "no Chromium could be installed: the page is not tested"
    fi
    node -e 'process.exit(Number(process.versions.node.split(".")[0]) < 18 ? 1 : 0)' ||
        { echo "the tests need Node 18 or newer; this is $(node --version)" && return 1; }
}

# --- building -----------------------------------------------------------------------------------------------------------
logs=$house/build/tests
mkdir -p "$logs"

build() { # PRESET
    title "build $1"
    if cmake --preset "$1" -DGPULAB_TESTS=ON ${GPULAB_CMAKE_OPTIONS:-} >"$logs/configure-$1.log" 2>&1 &&
        cmake --build --preset "$1" -j 2 >"$logs/build-$1.log" 2>&1; then
        grep '^-- gpulab:' "$logs/configure-$1.log"
        echo "-- build/$1, ${SECONDS} s since the start"
        return
    fi
    grep -E -A 12 'error:|FAILED:|CMake Error' "$logs/configure-$1.log" "$logs/build-$1.log" | tail -n 60
    count "build $1" 0 1
    return 1
}

# --- the parts ----------------------------------------------------------------------------------------------------------
# Counts what cmocka says inside each program; a program that says nothing counts as one test.
unit() { # PRESET [ctest's choice…]
    local preset=$1
    shift
    title "unit tests ($preset)"
    ctest --test-dir "build/$preset" --output-on-failure -j 2 "$@"
    # shellcheck disable=SC2046 # two numbers
    count "unit ($preset)" $(awk -v code=$? '
        / Testing: /             { inside = 0; bad = 0 }
        /^\[  PASSED  \] [0-9]+/ { inside += $4 }
        /^\[  FAILED  \].*test/  { for (i = 4; i <= NF; i++) if ($i ~ /^[0-9]+$/) { bad += $i; break } }
        /^Test Passed\./         { passed += inside ? inside : 1 }
        /^Test Failed\./         { passed += inside; failed += bad ? bad : 1 }
        END                      { print passed + 0, failed || (!code && passed) ? failed + 0 : 1 }
    ' "build/$preset/Testing/Temporary/LastTest.log")
}

# Node's runner on files of tests/; one file at a time, because labs on one machine would wait for each other's devices.
scripts() { # NAME PRESET FILE…
    local name=$1 preset=$2 tap=$logs/${1// /-}.tap
    shift 2
    title "$name"
    if [ ! -e "$1" ]; then
        count "$name" 0 1 # a part without tests has been mislaid
        return
    fi
    GPULAB_BUILD=$house/build/$preset CHROMIUM=$(browser) node "${node_options[@]}" --test \
        --test-reporter=spec --test-reporter-destination=stdout \
        --test-reporter=tap --test-reporter-destination="$tap" "$@" </dev/null
    # shellcheck disable=SC2046 # two numbers
    count "$name" $(awk -v code=$? '
        /^# pass /                { passed += $3 }
        /^# (fail|cancelled) /    { failed += $3 }
        END                       { print passed + 0, failed || (!code && passed) ? failed + 0 : 1 }' "$tap")
}

# A sanitizer's findings, of any process of the part, are failures of their own.
findings() { # NAME
    local reports
    reports=$(find "$logs" -name "$1.report.*" -type f)
    if [ -n "$reports" ]; then
        # shellcheck disable=SC2086 # a list of paths of ours
        head -n 40 $reports
        count "$1 reports" 0 "$(echo "$reports" | wc -l)"
    fi
}

fuzz() { # PRESET
    unit "$1" --no-tests=error -L fuzz
}

sanitized_asan() {
    rm -f "$logs"/asan.report.*
    # handle_segv=0: workers that are made to crash do it by their signal, as they do elsewhere.
    export ASAN_OPTIONS=detect_leaks=1:handle_segv=0:log_path=$logs/asan.report UBSAN_OPTIONS=print_stacktrace=1 GPULAB_TEST_PATIENCE=3
    unit asan
    scripts 'api under asan' asan tests/api/*.test.mjs
    scripts 'faults under asan' asan tests/faults/*.test.mjs
    unset ASAN_OPTIONS UBSAN_OPTIONS GPULAB_TEST_PATIENCE
    findings asan
}

sanitized_tsan() {
    rm -f "$logs"/tsan.report.*
    # The server is looked at; a worker that measures as fast as it can is all it needs.
    [ -x build/release/gpulab-worker ] && export GPULAB_TEST_WORKER=$house/build/release/gpulab-worker
    export TSAN_OPTIONS=log_path=$logs/tsan.report:second_deadlock_stack=1 GPULAB_TEST_PATIENCE=5
    unit tsan -R "$server_tests"
    scripts 'api under tsan' tsan tests/api/*.test.mjs
    unset TSAN_OPTIONS GPULAB_TEST_PATIENCE GPULAB_TEST_WORKER
    findings tsan
}
server_tests='test_(store|db|migrat|http|events|jobs|queue|schedule|worker|api|cursor|run_query)'

# --- and now --------------------------------------------------------------------------------------------------------------
if [ $install = yes ]; then
    title "what the tests need"
    install_all || { count 'installing' 0 1 && finish; }
fi
# Older releases of Node need telling that the page's .js files are modules.
node_options=()
for option in --test-concurrency=1 --experimental-default-type=module; do
    node --help | grep -q -e "^ *${option%%=*}" && node_options+=("$option")
done

if wanted style unit api faults browser fuzz bench; then
    build release || finish
fi
for part in "${parts[@]}"; do
    case $part in
    style) scripts style release tests/style/*.test.mjs ;;
    unit) unit release -LE fuzz ;;
    api) scripts api release tests/api/*.test.mjs ;;
    faults) scripts faults release tests/faults/*.test.mjs ;;
    browser)
        scripts 'page modules' release tests/browser/unit/*.test.mjs
        if browser >/dev/null; then scripts browser release tests/browser/*.test.mjs; else count 'browser: no Chromium' 0 1; fi
        ;;
    fuzz) fuzz release ;;
    bench) scripts bench release tests/bench/*.test.mjs ;;
    asan | tsan) build "$part" && "sanitized_$part" ;;
    esac
done
finish
