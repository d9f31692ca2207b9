// How the load ends where it cannot go on, or a program of `fair`.
#ifndef TROUBLE_H
#define TROUBLE_H

#include <stddef.h>

// Ends the load: nothing was measured.
_Noreturn void give_up(const char *format, ...) __attribute__((format(printf, 1, 2)));
// Memory, or the end of the load.
void *get_memory(size_t bytes);

#endif
