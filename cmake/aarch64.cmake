# SPDX-License-Identifier: Apache-2.0
# Toolchain file: builds for 64-bit Arm with Debian's cross compiler and its arm64 packages; what is
# built runs under qemu. Usage: cmake --toolchain cmake/aarch64.cmake ...
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)  # where libraries and packages are looked for
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /)
