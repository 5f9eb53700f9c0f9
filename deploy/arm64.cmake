# Cross-compiles for ARM64 on Debian 12 or later, with the host runtime:
#
#   dpkg --add-architecture arm64 && apt-get update
#   apt-get install crossbuild-essential-arm64 qemu-user-static cmake ninja-build pkg-config esbuild libmicrohttpd-dev:arm64 \
#       libgnutls28-dev:arm64 libjansson-dev:arm64 libsqlite3-dev:arm64 libcurl4-gnutls-dev:arm64 zlib1g-dev:arm64 libcmocka-dev:arm64
#   cmake --preset host --toolchain deploy/arm64.cmake && cmake --build --preset host
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
# Prints the manual pages and runs the unit tests.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static)
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig)
