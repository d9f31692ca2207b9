#include "CScan.h"

#include <stdlib.h>

// Which body looks at values and texts is chosen once, when the program starts, by what the processor has.

#if defined(__x86_64__)

size_t cscan_value_avx2(const uint8_t *base, size_t start, size_t limit, int most, uint64_t open);
size_t cscan_value_avx512(const uint8_t *base, size_t start, size_t limit, int most, uint64_t open);
size_t cscan_text_avx2(const uint8_t *base, size_t start, size_t limit);
size_t cscan_text_avx512(const uint8_t *base, size_t start, size_t limit);

static bool has_avx2(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
         __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("lzcnt");
}

static bool has_avx512(void) {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2");
}

#endif

static size_t no_value(const uint8_t *base, size_t start, size_t limit, int most, uint64_t open) {
  (void)base, (void)start, (void)limit, (void)most, (void)open;
  return 0;
}

static size_t no_text(const uint8_t *base, size_t start, size_t limit) {
  (void)base, (void)limit;
  return start;
}

typedef struct {
  const char *name;
  bool is_here;
  size_t (*value)(const uint8_t *base, size_t start, size_t limit, int most, uint64_t open);
  size_t (*text)(const uint8_t *base, size_t start, size_t limit);
} body_t;

// The best one is last.
static body_t bodies[] = {
    {"none", true, no_value, no_text},
#if defined(__x86_64__)
    {"avx2", false, cscan_value_avx2, cscan_text_avx2},
    {"avx512", false, cscan_value_avx512, cscan_text_avx512},
#endif
};
enum { BODIES = sizeof bodies / sizeof *bodies };
static size_t chosen = 0;

__attribute__((constructor)) static void choose(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  bodies[1].is_here = has_avx2();
  bodies[2].is_here = has_avx512();
#endif
  const char *wanted = getenv("BATON_SCANNER");
  for (size_t body = 0; body < BODIES; body++) {
    if (bodies[body].is_here && (!wanted || strcmp(wanted, bodies[body].name) == 0)) chosen = body;
  }
}

const char *cscan_body(void) { return bodies[chosen].name; }

bool cscan_choose_body(const char *name) {
  for (size_t body = 0; body < BODIES; body++) {
    if (strcmp(name, bodies[body].name) != 0 || !bodies[body].is_here) continue;
    chosen = body;
    return true;
  }
  return false;
}

size_t cscan_value(const uint8_t *base, size_t start, size_t limit, int most, uint64_t open) {
  return bodies[chosen].value(base, start, limit, most, open);
}

size_t cscan_text(const uint8_t *base, size_t start, size_t limit) { return bodies[chosen].text(base, start, limit); }
