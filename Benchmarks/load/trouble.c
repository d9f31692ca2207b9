#define _GNU_SOURCE
#include "trouble.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void give_up(const char *format, ...) {
  va_list values;
  va_start(values, format);
  fprintf(stderr, "%s: ", program_invocation_short_name);
  vfprintf(stderr, format, values);
  fputs("\n", stderr);
  exit(1);
}

void *get_memory(size_t bytes) {
  void *memory = malloc(bytes);
  if (!memory) give_up("no memory");
  return memory;
}
