// What each turn of a server's loop takes of the processor: from the return of one wait for events to the next wait. It is
// loaded into the server (LD_PRELOAD), which knows nothing of it. Its time does not depend on what else the machine does:
// a peer is kept waiting by two turns at most, by the one that it came in and by the one that answers it.
//
// TURNS names a file. It becomes an array of counts, one for each hundredth of a millisecond.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"

enum { COUNTS = 20000, NANOSECONDS = 10000 };

static uint32_t *counts;
static int64_t began = -1;
static int (*wait_for_events)(int, struct epoll_event *, int, int, const sigset_t *);

static void begin(void) {
  wait_for_events = dlsym(RTLD_NEXT, "epoll_pwait");
  const char *path = getenv("TURNS");
  int file = path ? open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
  if (file < 0 || ftruncate(file, COUNTS * sizeof *counts)) return;
  void *memory = mmap(NULL, COUNTS * sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory != MAP_FAILED) counts = memory;
  close(file);
}

// The names that the server sees. Which of them libuv calls depends on its version.
#pragma GCC visibility push(default)

int epoll_pwait(int set, struct epoll_event *events, int most, int timeout, const sigset_t *signals) {
  if (!wait_for_events) begin();
  // The server's loop is that of its first thread.
  bool is_first = counts && syscall(SYS_gettid) == getpid();
  if (is_first && began >= 0) {
    int64_t place = (clock_read(CLOCK_THREAD_CPUTIME_ID) - began) / NANOSECONDS;
    counts[place < COUNTS ? place : COUNTS - 1] += 1;
  }
  int found = wait_for_events(set, events, most, timeout, signals);
  if (is_first) began = clock_read(CLOCK_THREAD_CPUTIME_ID);
  return found;
}

int epoll_wait(int set, struct epoll_event *events, int most, int timeout) {
  return epoll_pwait(set, events, most, timeout, NULL);
}
