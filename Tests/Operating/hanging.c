// Stands between a program and the system (LD_PRELOAD): whoever opens a file whose name ends with HANGING_FILE waits for ever,
// as with a disk in a network that does not answer.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void wait_if_meant(const char *name) {
  const char *end = getenv("HANGING_FILE");
  size_t count = end ? strlen(end) : 0;
  while (end && strlen(name) >= count && !strcmp(name + strlen(name) - count, end)) pause();
}

#define OPEN(call) \
  int call(const char *name, int flags, ...) { \
    va_list rest; \
    va_start(rest, flags); \
    mode_t mode = va_arg(rest, mode_t); \
    va_end(rest); \
    wait_if_meant(name); \
    return ((int (*)(const char *, int, mode_t))dlsym(RTLD_NEXT, #call))(name, flags, mode); \
  }
OPEN(open)
OPEN(open64)

#define STREAM(call) \
  FILE *call(const char *name, const char *mode) { \
    wait_if_meant(name); \
    return ((FILE *(*)(const char *, const char *))dlsym(RTLD_NEXT, #call))(name, mode); \
  }
STREAM(fopen)
STREAM(fopen64)
