// Stands between a server and the system (LD_PRELOAD): keeps what of a record would be left after a power cut. In the environment:
//
//   FORGETTING_RECORD  the folder of the record
//   FORGETTING_DISK    a folder: the files as far as they were synced, under names that were synced
//   FORGETTING_FAILS   a file with the end of a name: the next sync of that file or folder fails, and the file is taken away
//
//   FORGETTING_HOLDS   a file: as long as it is there, no write ends
//
// After a sync that failed, the bytes are forgotten: only what is written again is synced later. So does Linux.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { most = 4096 };
static struct { ino_t node; off_t from, to; } unsynced[most];

static int path_of(int file, char path[4096]) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t count = readlink(link, path, 4095);
  const char *record = getenv("FORGETTING_RECORD");
  if (count < 0 || !record) return 0;
  path[count] = 0;
  size_t length = strlen(record);
  return strncmp(path, record, length) == 0 && (path[length] == 0 || path[length] == '/');
}

static int ends(const char *text, const char *end) {
  return strlen(text) >= strlen(end) && strcmp(text + strlen(text) - strlen(end), end) == 0;
}

static ino_t node_of(int file) {
  struct stat facts;
  fstat(file, &facts);
  return facts.st_ino;
}

static int slot(ino_t node) {
  for (int number = 0; number < most; number++)
    if (unsynced[number].node == node || !unsynced[number].node) return unsynced[number].node = node, number;
  abort();
}

static void written(int file, off_t place, ssize_t count) {
  char path[4096];
  if (count <= 0 || !path_of(file, path)) return;
  int number = slot(node_of(file));
  if (unsynced[number].from == unsynced[number].to) unsynced[number].from = place;
  if (place < unsynced[number].from) unsynced[number].from = place;
  if (place + count > unsynced[number].to) unsynced[number].to = place + count;
}

static void wait_for_disk(int file) {
  char path[4096];
  const char *holds = getenv("FORGETTING_HOLDS");
  while (holds && path_of(file, path) && access(holds, F_OK) == 0) usleep(1000);
}

#define WRITE(name) \
  ssize_t name(int file, const void *bytes, size_t count, off_t place) { \
    static __typeof__(&name) real; \
    if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name); \
    wait_for_disk(file); \
    ssize_t result = real(file, bytes, count, place); \
    written(file, place, result); \
    return result; \
  }

WRITE(pwrite)
WRITE(pwrite64)

static void copy_name(char copy[4096], const char *name) {
  snprintf(copy, 4096, "%s/%s", getenv("FORGETTING_DISK"), name);
}

static void copy_node(char copy[4096], ino_t node) {
  char name[64];
  snprintf(name, sizeof name, "node-%llu", (unsigned long long)node);
  copy_name(copy, name);
}

static void keep_bytes(const char *path, int file) {
  char copy[4096];
  struct stat facts;
  int number = slot(node_of(file));
  off_t from = unsynced[number].from, to = unsynced[number].to;
  fstat(file, &facts);
  copy_node(copy, facts.st_ino);
  int source = open(path, O_RDONLY), target = open(copy, O_RDWR | O_CREAT, 0600);
  if (source < 0 || target < 0) abort();
  if (to > facts.st_size) to = facts.st_size;
  if (to > from) {
    char *bytes = malloc(to - from);
    if (pread(source, bytes, to - from, from) != to - from || lseek(target, from, SEEK_SET) < 0 ||
        write(target, bytes, to - from) != to - from) abort();
    free(bytes);
  }
  struct stat kept;
  fstat(target, &kept);
  if (kept.st_size > facts.st_size && ftruncate(target, facts.st_size)) abort();
  close(source);
  close(target);
}

static void keep_names(const char *path) {
  char copy[4096], node[4096];
  DIR *folder = opendir(path);
  for (struct dirent *entry; (entry = readdir(folder));) {
    if (!ends(entry->d_name, ".jsonl")) continue;
    copy_name(copy, entry->d_name);
    copy_node(node, entry->d_ino);
    if (access(copy, F_OK) == 0) continue;
    close(open(node, O_RDWR | O_CREAT, 0600));
    if (link(node, copy)) abort();
  }
  closedir(folder);
}

static int keep(int file) {
  char path[4096], meant[256] = "";
  if (!path_of(file, path)) return 0;
  const char *fails = getenv("FORGETTING_FAILS");
  int control = fails ? open(fails, O_RDONLY) : -1;
  if (control >= 0) {
    ssize_t count = read(control, meant, sizeof meant - 1);
    close(control);
    meant[count > 0 ? count : 0] = 0;
  }
  int is_failing = meant[0] && ends(path, meant);
  struct stat facts;
  fstat(file, &facts);
  if (is_failing) unlink(fails);
  else if (S_ISDIR(facts.st_mode)) keep_names(path);
  else keep_bytes(path, file);
  int number = slot(facts.st_ino);
  unsynced[number].from = unsynced[number].to = 0;
  if (is_failing) errno = EIO;
  return is_failing ? -1 : 0;
}

int fdatasync(int file) { return keep(file); }
int fsync(int file) { return keep(file); }
