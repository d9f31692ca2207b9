#include "clock.h"

#include "trouble.h"

int64_t now;

int64_t clock_read(clockid_t clock) {
  struct timespec time;
  if (clock_gettime(clock, &time)) give_up("a clock cannot be read; has the server gone?");
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int64_t clock_now(void) { return clock_read(CLOCK_MONOTONIC); }
