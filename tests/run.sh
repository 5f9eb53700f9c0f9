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
#   style     layout, includes, static analysis, documents              release
#   unit      tests/unit and the host runtime's check                   asan
#   api       a real server over HTTP, and the command line             asan
#   faults    injected faults, killed processes, a full disk            asan
#   fuzz      replay of the fuzz targets' corpora                       asan
#   browser   the page in Chromium, and its modules in Node             release
#   tsan      the server's unit tests                                   tsan, only with --thorough
#   bench     the benchmarks in small: they work, and their memory      release, only with --thorough
#   api-tsan  the API tests under ThreadSanitizer                       tsan, only with --thorough
#   release   unit, api and faults again                                release, only with --thorough
#   long      real deadlines, 50 times kill -9; all sizes of the page,  release, only with --thorough
#             dark colours
#   cluster   runs on a Slurm cluster of three nodes on this host,      asan, only with --thorough
#             as root, where slurm-wlm, munge and openssh-server are
#
# The builds are presets of CMakePresets.json: `asan` has AddressSanitizer and UndefinedBehaviorSanitizer, `tsan` has
# ThreadSanitizer; both are without CUDA. A report of a sanitizer, from any process, counts as a failure.
#
# Builds and parts run side by side, one more than there are cores, because some mostly wait (GPULAB_TEST_JOBS=N
# overrides it). Compilers run through ccache where it is installed.
# The output of a part is printed when the part ends; it is kept, with the build logs, in build/tests.
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

cores=$(nproc)
at_once=${GPULAB_TEST_JOBS:-$((cores + 1))}
logs=$root/build/tests
mkdir -p "$logs"
# Tests share the cores: deadlines are three times as long.
export GPULAB_TEST_SLOWDOWN=3

# --- results --------------------------------------------------------------------------------------------------------
passed=0 failed=0 summary=() counted=0
title() { printf '\n== %s\n' "$*"; }

# Adds a line `WHAT<tab>PASSED<tab>FAILED<tab>SECONDS` to the results of the job that calls it; the time is that since the
# last line.
count() {
    printf '%s\t%s\t%s\t%s\n' "$1" "$2" "$3" $((SECONDS - counted)) >>"$results"
    counted=$SECONDS
}

report() { # RESULTS: prints what a job counted, and adds it to the totals
    local what good bad seconds line
    while IFS=$'\t' read -r what good bad seconds; do
        passed=$((passed + good)) failed=$((failed + bad))
        line="-- $what: $good passed, $bad failed, $seconds s"
        echo "$line"
        summary+=("$line")
    done <"$1"
}

finish() {
    title result
    [ ${#summary[@]} = 0 ] || printf '%s\n' "${summary[@]}"
    echo "$SECONDS s in all"
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ] && [ "$passed" -gt 0 ]
    exit
}

# --- what the tests need --------------------------------------------------------------------------------------------
browser() { # prints the path of a Chromium that playwright can drive
    local candidate path
    for candidate in "${CHROMIUM:-}" chromium google-chrome chromium-browser; do
        # Ubuntu's /usr/bin/chromium-browser only points to a snap, so it is run once.
        path=$([ -n "$candidate" ] && type -P "$candidate") && "$path" --version >/dev/null 2>&1 && echo "$path" && return
    done
    find "$HOME/.cache/ms-playwright" -path '*/chrome-linux*/chrome' -type f 2>/dev/null | sort | tail -n 1 | grep .
}

install_all() {
    local needs=(command:node=nodejs command:openssl=openssl)
    if wanted style; then
        needs+=(command:clang-format-14=clang-format-14 command:clang-tidy-14=clang-tidy-14 command:cppcheck=cppcheck)
    fi
    if wanted unit browser release; then needs+=(library:libopenblas.so.0=libopenblas0); fi # checks matrix products
    if wanted faults bench release long; then needs+=(command:sqlite3=sqlite3); fi
    if wanted bench; then needs+=(command:wrk=wrk); fi
    if wanted browser bench; then needs+=(command:esbuild=esbuild); fi # bundles the page
    local packages=(browser api api-tsan release) # the parts whose tests use packages of Node
    if wanted "${packages[@]}"; then type -P npm >/dev/null || needs+=(command:npm=npm); fi
    if wanted browser; then
        if grep -q '^ID=debian' /etc/os-release && ! browser >/dev/null; then needs+=(command:chromium=chromium); fi
    fi
    # shellcheck disable=SC2086 # a list of words
    install_missing $build_needs "${needs[@]}" || return
    if wanted "${packages[@]}" && ! cmp -s tests/package-lock.json tests/node_modules/.gpulab-lock; then
        echo "installing the packages of tests/package-lock.json into tests/node_modules"
        (cd tests && npm ci --ignore-scripts --no-fund --no-audit --loglevel=error </dev/null) &&
            cp tests/package-lock.json tests/node_modules/.gpulab-lock || return
    fi
    if wanted browser && ! browser >/dev/null; then # Ubuntu has Chromium only as a snap, which containers cannot install
        echo "installing playwright's Chromium and the packages that it needs"
        as_root node tests/node_modules/playwright-core/cli.js install-deps chromium </dev/null >/dev/null &&
            node tests/node_modules/playwright-core/cli.js install chromium </dev/null >/dev/null ||
            echo "no Chromium could be installed: the page is not tested"
    fi
    node -e 'process.exit(Number(process.versions.node.split(".")[0]) < 18 ? 1 : 0)' ||
        { echo "the tests need Node 18 or newer; this is $(node --version)" && return 1; }
}

# --- steps of the parts -----------------------------------------------------------------------------------------------
# The folders of unit tests that run under ThreadSanitizer: those of the server and of what it uses.
server_folders=(store http jobs server worker measure)

build() { # PRESET
    local options=() targets=()
    # Compiling for every GPU architecture takes minutes: usually only the one with kernels of its own. Likewise, each build
    # has the programs that its parts run.
    if [ "$1" = release ] && ! wanted release; then options=(-DGPULAB_CUDA_ARCHITECTURES=90 -DGPULAB_UNIT_TESTS=OFF); fi
    if [ "$1" = tsan ]; then targets=(--target gpulab gpulab-worker gpulab-group-worker "${server_folders[@]/#/unit_}"); fi
    # Test programs are linked twice as fast by gold.
    if [ "$1" != release ] && type -P ld.gold >/dev/null; then options+=(-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=gold); fi
    if type -P ccache >/dev/null; then
        options+=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CUDA_COMPILER_LAUNCHER=ccache)
        export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1 # one cache for all checkouts
    fi
    if cmake --preset "$1" -DGPULAB_TESTS=ON "${options[@]}" ${GPULAB_CMAKE_OPTIONS:-} >"$logs/configure-$1.log" 2>&1 &&
        cmake --build --preset "$1" -j "$cores" "${targets[@]}" >"$logs/compile-$1.log" 2>&1; then
        grep '^-- gpulab:' "$logs/configure-$1.log"
        return 0
    fi
    grep -E -A 12 'error:|FAILED:|CMake Error' "$logs/configure-$1.log" "$logs/compile-$1.log" | tail -n 60
    count "build $1" 0 1
    return 1
}

# Notes what failed of a part whose tests are repeated alone: a line RUNNER NAME PRESET FAILED FILE…
note_failed() { # RUNNER NAME PRESET FAILED [FILE…]
    case $2 in unit | api | faults | browser) [ "$4" = 0 ] || [ $# = 4 ] || echo "$*" >>"$again" ;; esac
}

# Runs ctest and counts the tests that each program reports; a program without such a report is one test. Some tests mostly
# wait, so one more than there are cores runs at a time.
programs() { # NAME PRESET [ctest's selection…]
    local name=$1 preset=$2 code good bad
    shift 2
    ctest --test-dir "build/$preset" --output-on-failure --no-tests=error -j "${at_once_in_part:-$((cores + 1))}" "$@"
    code=$?
    read -r good bad < <(awk -v code=$code '
        / Testing: /             { inside = 0; bad = 0 }
        /^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$/ { inside += $1; bad += $3 }
        /^Test Passed\./         { passed += inside ? inside : 1 }
        /^Test Failed\./         { passed += inside; failed += bad ? bad : 1 }
        END                      { print passed + 0, failed || (!code && passed) ? failed + 0 : 1 }
    ' "build/$preset/Testing/Temporary/LastTest.log")
    count "$name" "$good" "$bad"
    # shellcheck disable=SC2046 # names of programs
    note_failed programs "$name" "$preset" "$bad" $(sed 's/.*://' "build/$preset/Testing/Temporary/LastTestsFailed.log" 2>/dev/null)
}

# The files of the tests that failed, from a report of Node; that of a file which ended early has its name only.
failed_files() { # TAP
    awk '
        /^ *not ok /          { bad = 1; if ($NF ~ /\.mjs$/) print $NF }
        bad && /^ *location: / { bad = 0; if (match($0, /\/[^:]*\.mjs/)) print substr($0, RSTART, RLENGTH) }
    ' "$1" | sort -u
}

# Runs test files under Node, as many at a time as there are cores: every lab has ports, a database and device locks of
# its own.
scripts() { # NAME PRESET FILE…
    local name=$1 preset=$2 tap=$logs/$1.tap code good bad
    shift 2
    if [ ! -e "$1" ]; then
        echo "no test file matches $1"
        count "$name" 0 1
        return
    fi
    GPULAB_BUILD=$root/build/$preset CHROMIUM=$(browser) "${launcher[@]}" node "${node_options[@]}" \
        "${concurrency[@]/%/${at_once_in_part:-$cores}}" --test \
        --test-reporter=spec --test-reporter-destination=stdout \
        --test-reporter=tap --test-reporter-destination="$tap" "$@"
    code=$?
    read -r good bad < <(awk -v code=$code '
        /^# pass /                { passed += $3 }
        /^# (fail|cancelled) /    { failed += $3 }
        END                       { print passed + 0, failed || (!code && passed) ? failed + 0 : 1 }' "$tap")
    count "$name" "$good" "$bad"
    # shellcheck disable=SC2046 # paths without blanks
    note_failed scripts "$name" "$preset" "$bad" $(failed_files "$tap")
}

# Sets a sanitizer's options for all processes of the calling job.
sanitize() { # asan|tsan NAME
    reports=$logs/$2.sanitizer
    rm -f "$reports".*
    # handle_segv=0: workers that are made to crash must end by the signal, as they do without a sanitizer.
    export ASAN_OPTIONS=detect_leaks=1:handle_segv=0:log_path=$reports UBSAN_OPTIONS=print_stacktrace=1
    export TSAN_OPTIONS=log_path=$reports:second_deadlock_stack=1
    [ "$1" != tsan ] || export GPULAB_TEST_SLOWDOWN=5
}

# Counts each report that a sanitizer has written as a failure.
count_reports() { # NAME
    local files
    files=$(find "$logs" -path "$reports.*" -type f)
    if [ -n "$files" ]; then
        # shellcheck disable=SC2086 # a list of paths without blanks
        head -n 40 $files
        count "$1, reports of the sanitizer" 0 "$(echo "$files" | wc -l)"
    fi
}

# --- jobs: builds and parts --------------------------------------------------------------------------------------------
# JOB=PRESET: the build that a job needs, which must have succeeded. The order is the order of starting.
jobs_known=(build-asan= build-release= fuzz=asan build-tsan= unit=asan style=release browser=release api=asan faults=asan
    tsan=tsan api-tsan=tsan release=release long=release bench=release cluster=asan)

run_job() { # JOB
    case $1 in
    build-*) build "${1#build-}" ;;
    style) scripts style release tests/style/*.test.mjs ;;
    fuzz)
        sanitize asan fuzz
        programs fuzz asan -L fuzz
        count_reports fuzz
        ;;
    unit)
        sanitize asan unit
        programs unit asan -LE fuzz
        count_reports unit
        ;;
    api | faults)
        sanitize asan "$1"
        scripts "$1" asan tests/"$1"/*.test.mjs
        count_reports "$1"
        ;;
    browser)
        scripts 'page modules' release tests/browser/unit/*.test.mjs
        if browser >/dev/null; then scripts browser release tests/browser/*.test.mjs; else count 'browser: no Chromium' 0 1; fi
        ;;
    cluster)
        launcher=(tests/cluster/cluster.sh)
        local missing
        if missing=$("${launcher[@]}" --check); then
            sanitize asan cluster
            scripts cluster asan tests/cluster/*.test.mjs
            count_reports cluster
        else
            echo "no cluster can be started here: $missing"
        fi
        ;;
    bench) scripts bench release tests/bench/*.test.mjs ;;
    tsan | api-tsan)
        sanitize tsan "$1"
        # The server is under test: a worker of the release build spares minutes of measuring.
        [ "${state[build-release]:-}" != built ] || export GPULAB_TEST_WORKER=$root/build/release/gpulab-worker
        case $1 in
        tsan) programs 'unit (tsan)' tsan -L "^($(IFS='|' && echo "${server_folders[*]}"))\$" ;;
        api-tsan) scripts 'api (tsan)' tsan tests/api/*.test.mjs ;;
        esac
        count_reports "$1"
        ;;
    release)
        GPULAB_TEST_LONG=1 programs 'unit (release)' release -LE fuzz
        scripts 'api (release)' release tests/api/*.test.mjs
        scripts 'faults (release)' release tests/faults/*.test.mjs
        ;;
    long)
        export GPULAB_TEST_LONG=1
        scripts 'long' release tests/api/cli.test.mjs tests/api/events.test.mjs tests/api/framing.test.mjs \
            tests/faults/killed.test.mjs tests/browser/*.test.mjs
        ;;
    esac
}

needs_build() { # PRESET: true when a part that is wanted uses it
    local job
    for job in "${jobs_known[@]}"; do
        [ "${job#*=}" = "$1" ] && wanted "${job%%=*}" && return
    done
    return 1
}

declare -A state=() build_of=() process=() began=() # state: waiting, running, ended, built, failed
order=()
plan() {
    local job name
    for job in "${jobs_known[@]}"; do
        name=${job%%=*}
        case $name in
        build-*) needs_build "${name#build-}" || continue ;;
        *) wanted "$name" || continue ;;
        esac
        order+=("$name") state[$name]=waiting build_of[$name]=${job#*=}
    done
}

running() {
    local name n=0
    for name in "${order[@]}"; do [ "${state[$name]}" != running ] || n=$((n + 1)); done
    echo $n
}

is_over() { # JOB: true also when it is not planned
    case ${state[$1]:-ended} in waiting | running) return 1 ;; esac
}

may_start() { # JOB
    [ "${state[$1]}" = waiting ] || return
    [ -z "${build_of[$1]}" ] || [ "${state[build-${build_of[$1]}]}" = built ] || return
    case $1 in
    unit) is_over fuzz ;; # both write ctest's log
    tsan | api-tsan) is_over build-release ;; # whose worker they use
    esac
}

start() { # JOB
    results=$logs/$1.results again=$logs/$1.again counted=$SECONDS
    : >"$results"
    : >"$again"
    # A process group of its own, so that all of a job can be ended.
    set -m
    (run_job "$1") </dev/null >"$logs/$1.log" 2>&1 &
    process[$1]=$! began[$1]=$SECONDS state[$1]=running
    set +m
}

ended() { # JOB EXIT_STATUS
    local name seconds=$((SECONDS - began[$1]))
    state[$1]=ended
    case $1 in build-*)
        state[$1]=built
        if [ "$2" != 0 ]; then # the parts that need it are not run
            for name in "$1" "${order[@]}"; do
                if [ "$name" = "$1" ] || [ "build-${build_of[$name]}" = "$1" ]; then state[$name]=failed; fi
            done
        fi
        ;;
    esac
    title "$1"
    cat "$logs/$1.log"
    report "$logs/$1.results"
    case $1 in build-*) summary+=("-- $1: $seconds s") && echo "-- $1: $seconds s" ;; esac
}

stop_all() {
    local name
    for name in "${order[@]}"; do [ "${state[$name]}" != running ] || kill -TERM -- "-${process[$name]}"; done
    exit 1
}

run_all() {
    local name pid status
    trap stop_all INT TERM
    plan
    while :; do
        for name in "${order[@]}"; do
            if [ "$(running)" -lt "$at_once" ] && may_start "$name"; then start "$name"; fi
        done
        [ "$(running)" -gt 0 ] || break
        wait -n -p pid
        status=$?
        for name in "${order[@]}"; do
            if [ "${state[$name]}" = running ] && [ "${process[$name]}" = "$pid" ]; then ended "$name" $status; fi
        done
    done
}

# Runs once more, one after the other, what failed in a part; what passes moves from the failed to the passed.
alone=()
run_alone() { # RUNNER NAME PRESET FAILED FILE…
    local runner=$1 name=$2 preset=$3 before=$4 bad=0 line
    shift 4
    title "$name, once more, alone: ${*##*/}"
    results=$logs/alone.results again=/dev/null counted=$SECONDS at_once_in_part=1
    : >"$results"
    (
        [ "$preset" != asan ] || sanitize asan "$name-alone"
        case $runner in
        scripts) scripts "$name-alone" "$preset" "$@" ;;
        programs) programs "$name-alone" "$preset" -R "^($(IFS='|' && echo "$*"))\$" ;;
        esac
        [ "$preset" != asan ] || count_reports "$name-alone"
    ) </dev/null >"$logs/$name-alone.log" 2>&1
    cat "$logs/$name-alone.log"
    while IFS=$'\t' read -r _ _ line _; do bad=$((bad + line)); done <"$results"
    [ "$bad" -lt "$before" ] || return
    passed=$((passed + before - bad)) failed=$((failed - before + bad))
    alone+=("-- $name, passed alone: $((before - bad)) of ${*##*/}")
}

run_failed_alone() {
    local name words
    for name in "${order[@]}"; do
        [ -s "$logs/$name.again" ] || continue
        while read -r -a words; do run_alone "${words[@]}"; done <"$logs/$name.again"
    done
    [ ${#alone[@]} = 0 ] || { title "passed alone" && printf '%s\n' "${alone[@]}"; }
    summary+=("${alone[@]}")
}

if [ $install = yes ]; then
    title "what the tests need"
    if ! install_all; then
        failed=1
        finish
    fi
fi
# Older releases of Node must be told that the page's .js files are modules.
launcher=() # a command that runs Node
node_options=()
concurrency=() # the option for how many test files run at a time, without its number
node --help | grep -q -e '^ *--test-concurrency' && concurrency=(--test-concurrency=)
node --help | grep -q -e '^ *--experimental-default-type' && node_options+=(--experimental-default-type=module)
run_all
run_failed_alone
finish
