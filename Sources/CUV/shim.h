#pragma once
#include <uv.h>
// For the length that a Unix socket's path may have.
#include <sys/un.h>
#ifdef __linux__
// For what the heap keeps.
#include <malloc.h>
// glibc declares these for C programs that define _GNU_SOURCE only.
#include <sched.h>
extern int sched_setaffinity(pid_t, size_t, const cpu_set_t *);
extern int accept4(int, struct sockaddr *, socklen_t *, int);
extern int renameat2(int, const char *, int, const char *, unsigned int);
#endif
