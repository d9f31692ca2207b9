// Stands between a program and the system (LD_PRELOAD): lets reads of a file fail, as a disk does that cannot read a sector. In the environment:
//
//   UNREADABLE_FILE   the end of the file's name
//   UNREADABLE_READ   the number of the read that fails, from 1; or
//   UNREADABLE_PLACE  the byte that cannot be read; or
//   UNREADABLE_WHILE  the name of a file: as long as it is there, all reads fail, or those of UNREADABLE_PLACE
//   UNREADABLE_ERROR  the number of the error, if it is not EIO: a disk in a network has others
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long reads; // atomic

static int is_meant(int file) {
  char link[64], name[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const char *end = getenv("UNREADABLE_FILE");
  ssize_t count = readlink(link, name, sizeof name);
  return end && count >= (ssize_t)strlen(end) && memcmp(name + count - strlen(end), end, strlen(end)) == 0;
}

static int fails(int file, size_t bytes, off_t place) {
  const char *number = getenv("UNREADABLE_READ"), *byte = getenv("UNREADABLE_PLACE"), *away = getenv("UNREADABLE_WHILE");
  if (!is_meant(file)) return 0;
  int is_away = away && access(away, F_OK) == 0;
  int is_place = byte && atol(byte) >= place && atol(byte) < place + (off_t)bytes && (!away || is_away);
  int is_read = number && __atomic_add_fetch(&reads, 1, __ATOMIC_RELAXED) == atol(number);
  if (byte) is_away = 0;
  const char *error = getenv("UNREADABLE_ERROR");
  if (is_place || is_read || is_away) errno = error ? atoi(error) : EIO;
  return is_place || is_read || is_away;
}

// SQLite and the server call it by two names.
#define READ(name) \
  ssize_t name(int file, void *bytes, size_t count, off_t place) { \
    static __typeof__(&name) real; \
    if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name); \
    return fails(file, count, place) ? -1 : real(file, bytes, count, place); \
  }

READ(pread)
READ(pread64)
