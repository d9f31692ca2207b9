#pragma once
// A disk in memory under SQLite, for tests: it counts calls and lets some of them fail, loses what was not synced when it
// crashes, and tears it at sectors. One thread uses it.
#include <stdint.h>

enum disk_fault {
  disk_no_fault,
  // The call fails; of a write, a part is done; of a sync, some of what it was for never gets to the disk.
  disk_error,
  // The disk has no room: writes fail.
  disk_full,
  // Everything fails from this call on, until disk_crash.
  disk_dead,
};

// Makes it the disk of all connections that are opened from now on. Once, before anything else.
void disk_install(void);
// Forgets all files, and counts from 0 again.
void disk_reset(uint64_t seed);
// The calls numbered `first` to `last` fail; calls count from 1.
void disk_fail(enum disk_fault fault, long first, long last);
// Calls since disk_reset.
long disk_calls(void);
// The program is killed: what it has written is there, and perhaps not on disk.
void disk_kill(void);
// The power is cut and comes again: files are what was synced, and perhaps some of what was not, in torn pieces.
void disk_crash(void);
// Whether a file has said that it has no log while a power cut could have brought one back, with what was in it; or has one
// after a power cut.
int disk_is_unsound(void);
// A disk that says that it has what it does not have: syncs do nothing.
void disk_lie(int lies);

// Lets the n-th piece of memory that SQLite asks for be missing; 0: none is. memory_install comes before disk_install.
void memory_install(void);
void memory_fail(long first, long last);
long memory_calls(void);
