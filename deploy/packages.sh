# Installs missing packages. Sourced by deploy/quickstart.sh and tests/run.sh.
#
# A need is KIND:NAME=PACKAGE. KIND is command (on the PATH), module (of pkg-config), library (that the dynamic linker finds) or
# file; PACKAGE is the Debian and Ubuntu package that provides it. A need that is already met, from any source, is skipped.

# What the build needs. CUDA is used where nvcc is found and never installed.
build_needs="
command:gcc=build-essential command:g++=build-essential command:make=build-essential
command:cmake=cmake command:ninja=ninja-build command:pkg-config=pkg-config command:git=git
module:libmicrohttpd=libmicrohttpd-dev module:jansson=libjansson-dev module:sqlite3=libsqlite3-dev
module:gnutls=libgnutls28-dev module:zlib=zlib1g-dev module:libcurl=libcurl4-gnutls-dev
"

# What the build uses where it is installed: esbuild bundles the page, which then loads faster.
optional_build_needs="command:esbuild=esbuild"

# What gpulab uses where it is installed: bubblewrap keeps programs that people write from the machine better than the kernel alone.
optional_run_needs="command:bwrap=bubblewrap"

# Whether a need is met.
have() { # NEED
    local kind=${1%%:*} name=${1#*:}
    name=${name%%=*}
    case $kind in
    command) type -P "$name" >/dev/null ;;
    module) type -P pkg-config >/dev/null && pkg-config --exists "$name" ;;
    library) PATH=$PATH:/sbin ldconfig -p | grep -F "$name " >/dev/null ;;
    file) [ -e "$name" ] ;;
    esac
}

# Runs a command as root.
as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif type -P sudo >/dev/null; then
        sudo "$@"
    else
        echo "cannot run without root or sudo: $*" >&2
        return 1
    fi
}

# Installs the packages of all needs that are not met, and checks that they are met afterwards.
install_missing() { # NEED…
    local need missing=()
    for need in "$@"; do
        have "$need" || missing+=("${need#*=}")
    done
    if [ ${#missing[@]} = 0 ]; then
        return 0
    fi
    mapfile -t missing < <(printf '%s\n' "${missing[@]}" | sort -u)
    if ! type -P apt-get >/dev/null; then
        echo "packages are missing and apt-get was not found; install what Debian calls: ${missing[*]}" >&2
        return 1
    fi
    echo "installing: ${missing[*]}"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq update </dev/null &&
        as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install "${missing[@]}" </dev/null >/dev/null &&
        for need in "$@"; do
            have "$need" || { echo "${need#*=} was installed, but ${need%%=*} is still missing" >&2; return 1; }
        done
}
