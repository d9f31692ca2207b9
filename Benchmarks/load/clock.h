// The time, in nanoseconds.
#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>
#include <time.h>

extern int64_t now;            // when the bytes that are being handled were read
int64_t clock_now(void);
int64_t clock_read(clockid_t clock);

#endif
