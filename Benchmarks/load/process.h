// What the kernel lets a process do, and what it tells of one.
#ifndef PROCESS_H
#define PROCESS_H

// Keeps this process to a core, unless that is -1.
void pin(int core);
// As many open files as are allowed.
void raise_file_limit(void);
// What a process has in memory, now and at most.
long resident_bytes(int process);
long peak_bytes(int process);

#endif
