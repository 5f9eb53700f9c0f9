#!/usr/bin/env bash
# Installs what the tests need, builds, runs the tests and ends with one line `N passed, N failed`.
#
#   tests/run.sh                  everything that CI runs
#   tests/run.sh --thorough       also the parts that take longer
#   tests/run.sh --quick          unit and API tests only
#   tests/run.sh PART…            only these parts
#   --no-install                  do not install missing packages
#
# Parts                                                                 build used
#   style     layout, includes, static analysis, documents              check
#   unit      tests/unit and the host runtime's check                   asan
#   api       a real server over HTTP, and the command line             asan
#   faults    injected faults, killed processes, a full disk            asan
#   fuzz      replay of the fuzz targets' corpora                       asan
#   browser   the page in Chromium, and its modules in Node             check
#   tsan      the server's unit tests                                   tsan, only with --thorough
#   bench     the benchmarks in small: they work, and their memory      check, only with --thorough
#   api-tsan  the API tests, their server under ThreadSanitizer         tsan, check, only with --thorough
#   release   unit, api and faults again                                release, only with --thorough
#   long      real deadlines, 50 times kill -9; all sizes of the page,  check, only with --thorough
#             dark colours
#   cluster   runs on a Slurm cluster of three nodes on this host,      asan, only with --thorough
#             as root, where slurm-wlm, munge and openssh-server are
#
# The builds are presets of CMakePresets.json: `asan` has AddressSanitizer and UndefinedBehaviorSanitizer, `tsan` has
# ThreadSanitizer; both are without CUDA. `check` is `release` with device code that compiles in half the time; where the part
# release is run, the other parts use `release` too. A report of a sanitizer, from any process, counts as a failure.
#
# ctest schedules the tests of all parts, with the builds that they need before them (tests/parts/CMakeLists.txt); each file is a test
# of ctest, called PART/NAME. Two more than twice the cores run at a time, because some mostly wait (GPULAB_TEST_JOBS=N overrides
# it). The output of a test that failed is printed when it ends; build/tests has the logs of the builds, and that of all tests in
# Testing/Temporary/LastTest.log.
#
# A test file of unit, api, faults and browser that failed is run once more at the end, alone. What passes then counts as passed
# and is listed under "passed alone": its verdict depended on the load of the machine, which is a fault to repair.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
root=$PWD
# shellcheck source=../deploy/packages.sh
. deploy/packages.sh

usage() { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"; }

usual=(style unit api faults fuzz browser)
parts=() install=yes
for argument in "$@"; do
    case $argument in
    --quick) parts+=(unit api) ;;
    --thorough) parts+=("${usual[@]}" bench tsan api-tsan release long cluster) ;;
    --no-install) install=no ;;
    --help | -h) usage && exit ;;
    style | unit | api | faults | fuzz | browser | bench | tsan | api-tsan | release | long | cluster) parts+=("$argument") ;;
    *) usage >&2 && exit 2 ;;
    esac
done
[ ${#parts[@]} -gt 0 ] || parts=("${usual[@]}")

wanted() { # PART…: true when one of them is to be run
    local part
    for part in "$@"; do
        case " ${parts[*]} " in *" $part "*) return 0 ;; esac
    done
    return 1
}

at_once=${GPULAB_TEST_JOBS:-$((2 * $(nproc) + 2))}
logs=$root/build/tests
mkdir -p "$logs"
# Tests share the cores: deadlines are three times as long.
export GPULAB_TEST_SLOWDOWN=3

title() { printf '\n== %s\n' "$*"; }

# --- what the tests need --------------------------------------------------------------------------------------------
# Prints the path of a Chromium that playwright can drive: of the headless shell, where there is one, because the whole browser
# takes half as much processor time again for the same tests.
browser() {
    local candidate path
    for candidate in "${CHROMIUM:-}" chromium-headless-shell chromium google-chrome chromium-browser; do
        # Ubuntu's /usr/bin/chromium-browser only points to a snap, so it is run once.
        path=$([ -n "$candidate" ] && type -P "$candidate") && "$path" --version >/dev/null 2>&1 && echo "$path" && return
    done
    find "$HOME/.cache/ms-playwright" -path '*-linux*/*' -regex '.*/\(chrome-\)?headless[-_]shell\|.*/chrome' -type f 2>/dev/null |
        sort | tail -n 1 | grep .
}

install_all() {
    local needs=(command:node=nodejs command:openssl=openssl)
    if wanted style; then
        needs+=(command:clang-format-14=clang-format-14 command:clang-tidy-14=clang-tidy-14 command:cppcheck=cppcheck)
    fi
    if wanted unit browser release; then needs+=(library:libopenblas.so.0=libopenblas0); fi # checks matrix products
    # shellcheck disable=SC2206 # a list of words
    if wanted unit release; then needs+=($optional_run_needs); fi
    if wanted faults bench release long; then needs+=(command:sqlite3=sqlite3); fi
    if wanted bench; then needs+=(command:wrk=wrk); fi
    if wanted browser bench; then needs+=(command:esbuild=esbuild); fi # bundles the page
    local packages=(style api faults browser bench api-tsan release long cluster) # the parts with tests for Node
    if wanted "${packages[@]}"; then type -P npm >/dev/null || needs+=(command:npm=npm); fi
    # shellcheck disable=SC2086 # a list of words
    install_missing $build_needs "${needs[@]}" || return
    if wanted browser && [ -z "${CHROMIUM:-}" ] && grep -q '^ID=debian' /etc/os-release; then
        install_missing command:chromium-headless-shell=chromium-headless-shell || browser >/dev/null || install_missing command:chromium=chromium || return
    fi
    local optional=() packages_of_python=/usr/lib/python3/dist-packages # without them the tests that use them are skipped
    if wanted style; then optional+=(command:mypy=mypy); fi
    if wanted api; then
        optional+=("file:$packages_of_python/pandas/__init__.py=python3-pandas" "file:$packages_of_python/matplotlib/__init__.py=python3-matplotlib")
    fi
    install_missing "${optional[@]}" || echo "the tests do without: ${optional[*]}"
    if wanted "${packages[@]}" && ! cmp -s tests/package-lock.json tests/node_modules/.gpulab-lock; then
        echo "installing the packages of tests/package-lock.json into tests/node_modules"
        (cd tests && npm ci --ignore-scripts --no-fund --no-audit --loglevel=error </dev/null) &&
            cp tests/package-lock.json tests/node_modules/.gpulab-lock || return
    fi
    if wanted browser && ! browser >/dev/null; then # Ubuntu has Chromium only as a snap, which containers cannot install
        echo "installing playwright's Chromium and the packages that it needs"
        as_root node tests/node_modules/playwright-core/cli.js install-deps chromium </dev/null >/dev/null &&
            node tests/node_modules/playwright-core/cli.js install --only-shell chromium </dev/null >/dev/null ||
            echo "no Chromium could be installed: the page is not tested"
    fi
    node -e 'process.exit(Number(process.versions.node.split(".")[0]) < 18 ? 1 : 0)' ||
        { echo "the tests need Node 18 or newer; this is $(node --version)" && return 1; }
}

# --- running and counting ---------------------------------------------------------------------------------------------
# Reads ctest's log and prints a line `NAME<tab>PASSED<tab>FAILED<tab>SECONDS` for each test of it: what the test's own output counts,
# which is that of support/test.c or of Node; a test without counts is one. A build counts only if it fails, and a test whose build
# failed not at all.
counts() {
    awk '
        { gsub(/\033\[[0-9;]*m/, "") } # colours
        /^Failed test dependencies: /                         { left_out = 1 } # of the next test
        / Testing: /                                          { name = $3; good = bad = passed = 0; silent = left_out; left_out = 0 }
        /^Command: ""$/                                       { bad = 1 } # there is no such program
        /^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$/      { good += $1; bad += $3 }
        /^[^ ]+ pass [0-9]+$/                                 { good += $3 }
        /^[^ ]+ (fail|cancelled) [0-9]+$/                     { bad += $3 }
        /^Test time = /                                       { seconds = $4 }
        /^Test Passed\.$/                                     { passed = 1 }
        /^"[^"]+" end time: / {
            if (passed && !good && !bad && name !~ /^build\//) good = 1
            if (!passed && !bad) bad = 1
            if (!silent) printf "%s\t%d\t%d\t%.0f\n", name, good, bad, seconds
        }
    ' "$logs/Testing/Temporary/LastTest.log"
}

tests() { # [ctest's options…]: runs tests
    ctest --test-dir "$logs" --output-on-failure --no-tests=error "$@" </dev/null
}

# Prints the tests of a result whose part is one of those that are repeated alone, and that failed.
failed_once() { # RESULT
    awk -F '\t' '$3 > 0 && $1 ~ /^(unit|api|faults|browser)\// { print $1 }' "$1"
}

# Runs once more, one after the other, what failed; where fewer fail alone, the difference moves to the passed.
run_alone() {
    local names
    names=$(failed_once "$logs/results" | paste -sd '|')
    [ -n "$names" ] || return
    title "once more, alone"
    tests -j 1 --fixture-exclude-any '.*' -R "^($names)\$"
    counts >"$logs/alone"
    awk -F '\t' -v OFS='\t' -v alone="$logs/passed-alone" '
        NR == FNR     { again[$1] = $3; next }
        ($1 in again) && again[$1] < $3 {
            print "-- passed alone: " $3 - again[$1] " of " $1 >alone
            $2 += $3 - again[$1]; $3 = again[$1]
        }
        { print }' "$logs/alone" "$logs/results" >"$logs/results.both" && mv "$logs/results.both" "$logs/results"
}

# Counts each report that a sanitizer has written as a failure of its part.
count_reports() {
    local part files
    for part in "${parts[@]}"; do
        files=$(find "$logs" -maxdepth 1 -name "$part.sanitizer.*")
        [ -n "$files" ] || continue
        # shellcheck disable=SC2086 # a list of paths without blanks
        head -n 40 $files
        printf '%s\t0\t%s\t0\n' "$part, reports of the sanitizer/" "$(echo "$files" | wc -l)" >>"$logs/results"
    done
}

# Prints a line for each part, with the time of its tests, and ends with the sum of all.
summary() {
    title result
    [ ! -s "$logs/passed-alone" ] || cat "$logs/passed-alone"
    awk -F '\t' -v all="$SECONDS" '
        { part = $1; if (part !~ /^build\//) sub(/\/[^\/]*$/, "", part) }
        !(part in good) { order[n++] = part }
        { good[part] += $2; bad[part] += $3; seconds[part] += $4; passed += $2; failed += $3 }
        END {
            for (i = 0; i < n; i++) {
                part = order[i]
                counted = good[part] + bad[part] ? sprintf("%d passed, %d failed, ", good[part], bad[part]) : ""
                printf "-- %s: %s%d s\n", part, counted, seconds[part]
            }
            printf "%d s in all\n%d passed, %d failed\n", all, passed, failed
            exit !(failed == 0 && passed > 0)
        }' "$logs/results"
}

rm -f "$logs"/*.sanitizer.* "$logs/passed-alone" "$logs"/Testing/Temporary/LastTest*
if [ $install = yes ]; then
    title "what the tests need"
    if ! install_all; then
        printf 'install/\t0\t1\t0\n' >"$logs/results"
        summary
        exit
    fi
fi
title "tests"
CHROMIUM=$(browser) && export CHROMIUM
cmake -S tests/parts -B "$logs" "-DPARTS=$(IFS=';' && echo "${parts[*]}")" >"$logs/parts.log" || { cat "$logs/parts.log" && exit 1; }
grep '^-- gpulab:' "$logs/parts.log"
tests -j "$at_once"
status=$?
counts >"$logs/results"
if [ $status != 0 ] && ! awk -F '\t' '$3 > 0 { bad = 1 } END { exit !bad }' "$logs/results"; then
    printf 'tests that could not be run/\t0\t1\t0\n' >>"$logs/results"
fi
run_alone
count_reports
if wanted browser && [ -z "$CHROMIUM" ]; then printf 'browser: no Chromium/\t0\t1\t0\n' >>"$logs/results"; fi
summary
