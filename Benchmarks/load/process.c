#define _GNU_SOURCE
#include "process.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "trouble.h"

void pin(int core) {
  if (core < 0) return;
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(core, &cores);
  if (sched_setaffinity(0, sizeof cores, &cores)) give_up("nothing can be kept to core %d", core);
}

void raise_file_limit(void) {
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

// What the line `name` of the process's status says.
static long memory_of(int process, const char *name) {
  char path[64], line[256];
  snprintf(path, sizeof path, "/proc/%d/status", process);
  FILE *file = fopen(path, "r");
  long kilobytes = 0;
  while (file && fgets(line, sizeof line, file)) {
    if (!strncmp(line, name, strlen(name))) kilobytes = atol(line + strlen(name));
  }
  if (file) fclose(file);
  return kilobytes * 1024;
}

long resident_bytes(int process) { return memory_of(process, "VmRSS:"); }

long peak_bytes(int process) { return memory_of(process, "VmHWM:"); }
