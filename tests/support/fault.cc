// SPDX-License-Identifier: Apache-2.0
//
// A library to be preloaded: EXACTCAST_FAULT=pwrite:3:28 makes the third call of pwrite(2) fail with
// errno 28. EXACTCAST_FAULT_MET names a file that is made when it does.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

std::atomic<int> calls = 0;

template <typename Function>
Function Real(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

bool Fails(const char* name) {
  const char* fault = std::getenv("EXACTCAST_FAULT");
  if (fault == nullptr) return false;
  const std::size_t length = std::strlen(name);
  if (std::strncmp(fault, name, length) != 0 || fault[length] != ':') return false;
  int number = 0;
  int error = 0;
  if (std::sscanf(fault + length + 1, "%d:%d", &number, &error) != 2) return false;
  if (++calls != number) return false;
  if (const char* met = std::getenv("EXACTCAST_FAULT_MET"); met != nullptr) {
    close(creat(met, 0600));
  }
  errno = error;
  return true;
}

}  // namespace

extern "C" {

ssize_t pread(int fd, void* data, size_t size, off_t offset) {
  if (Fails("pread")) return -1;
  return Real<ssize_t (*)(int, void*, size_t, off_t)>("pread")(fd, data, size, offset);
}

ssize_t pwrite(int fd, const void* data, size_t size, off_t offset) {
  if (Fails("pwrite")) return -1;
  return Real<ssize_t (*)(int, const void*, size_t, off_t)>("pwrite")(fd, data, size, offset);
}

ssize_t write(int fd, const void* data, size_t size) {
  if (fd > 2 && Fails("write")) return -1;
  return Real<ssize_t (*)(int, const void*, size_t)>("write")(fd, data, size);
}

int fallocate(int fd, int mode, off_t offset, off_t size) {
  if (Fails("fallocate")) return -1;
  return Real<int (*)(int, int, off_t, off_t)>("fallocate")(fd, mode, offset, size);
}

int fsync(int fd) {
  if (Fails("fsync")) return -1;
  return Real<int (*)(int)>("fsync")(fd);
}

int linkat(int from, const char* a, int to, const char* b, int flags) {
  if (Fails("linkat")) return -1;
  return Real<int (*)(int, const char*, int, const char*, int)>("linkat")(from, a, to, b, flags);
}

int renameat2(int from, const char* a, int to, const char* b, unsigned flags) {
  if (Fails("renameat2")) return -1;
  return Real<int (*)(int, const char*, int, const char*, unsigned)>("renameat2")(from, a, to, b,
                                                                                  flags);
}

}  // extern "C"
