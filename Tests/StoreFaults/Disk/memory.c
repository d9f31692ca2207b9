#include "disk.h"

#include <sqlite3.h>
#include <stddef.h>

static sqlite3_mem_methods real;
static long calls, fail_first, fail_last = -1;

static int fails(void) {
  calls++;
  return calls >= fail_first && calls <= fail_last;
}

static void *on_malloc(int count) { return fails() ? NULL : real.xMalloc(count); }
static void *on_realloc(void *memory, int count) { return fails() ? NULL : real.xRealloc(memory, count); }

void memory_install(void) {
  sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real);
  sqlite3_mem_methods methods = real;
  methods.xMalloc = on_malloc;
  methods.xRealloc = on_realloc;
  sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
}

void memory_fail(long first, long last) {
  calls = 0;
  fail_first = first;
  fail_last = last;
}

long memory_calls(void) { return calls; }
