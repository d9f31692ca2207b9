#include "disk.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

enum { most_files = 32, sector = 512, region_bytes = 32768, most_regions = 64 };

typedef struct {
  unsigned char *bytes;
  sqlite3_int64 count, room;
} image;

// A write or a truncation that was not synced.
typedef struct change {
  struct change *next;
  sqlite3_int64 offset, count;  // count -1: the file ends at offset.
  unsigned char bytes[];
} change;

typedef struct {
  char name[512];
  int is_there;
  image now, synced;
  change *first, *last;
  void *regions[most_regions];
} file;

typedef struct {
  sqlite3_file base;
  file *file;
} handle;

static file files[most_files];
static long calls, fail_first, fail_last;
static enum disk_fault fault;
static uint64_t luck = 1;
static int lies;
// A file whose name is removed, and which a power cut may bring back; empty if there is none.
static char removed[512];
static int unsound;

static uint64_t draw(void) {
  luck ^= luck << 13;
  luck ^= luck >> 7;
  luck ^= luck << 17;
  return luck;
}

// Memory of the disk itself is not what is tried here.
static void *have(void *old, size_t bytes) {
  void *memory = realloc(old, bytes ? bytes : 1);
  if (!memory) abort();
  return memory;
}

static void image_write(image *image, sqlite3_int64 offset, const unsigned char *bytes, sqlite3_int64 count) {
  if (offset + count > image->room) {
    image->room = (offset + count) * 2;
    image->bytes = have(image->bytes, image->room);
  }
  if (offset > image->count) memset(image->bytes + image->count, 0, offset - image->count);
  memcpy(image->bytes + offset, bytes, count);
  if (offset + count > image->count) image->count = offset + count;
}

static void image_end(image *image, sqlite3_int64 count) {
  if (count < image->count) image->count = count;
}

static void apply(image *image, const change *one) {
  if (one->count < 0) image_end(image, one->offset);
  else image_write(image, one->offset, one->bytes, one->count);
}

// A disk gets whole sectors: what stands beside the new bytes goes with them once more.
static void note(file *file, sqlite3_int64 offset, const void *bytes, sqlite3_int64 count) {
  if (count > 0) {
    image_write(&file->now, offset, bytes, count);
    sqlite3_int64 end = (offset + count + sector - 1) / sector * sector;
    offset = offset / sector * sector;
    count = (end < file->now.count ? end : file->now.count) - offset;
    bytes = file->now.bytes + offset;
  }
  change *one = have(NULL, sizeof(change) + (count > 0 ? count : 0));
  one->next = NULL;
  one->offset = offset;
  one->count = count;
  if (count > 0) memcpy(one->bytes, bytes, count);
  else apply(&file->now, one);
  if (file->last) file->last->next = one;
  else file->first = one;
  file->last = one;
}

// Takes the first change that is not synced.
static change *take(file *file) {
  change *one = file->first;
  if (one) {
    file->first = one->next;
    if (!file->first) file->last = NULL;
  }
  return one;
}

// Whether this call fails.
static enum disk_fault fails(void) {
  calls++;
  if (calls >= fail_first && calls <= fail_last) return fault;
  return disk_no_fault;
}

// MARK: Files

static int on_close(sqlite3_file *base) { return SQLITE_OK; }

static int on_read(sqlite3_file *base, void *bytes, int count, sqlite3_int64 offset) {
  file *file = ((handle *)base)->file;
  enum disk_fault fails_now = fails();
  if (fails_now == disk_error || fails_now == disk_dead) return SQLITE_IOERR_READ;
  sqlite3_int64 there = file->now.count - offset;
  if (there >= count) {
    memcpy(bytes, file->now.bytes + offset, count);
    return SQLITE_OK;
  }
  memset(bytes, 0, count);
  if (there > 0) memcpy(bytes, file->now.bytes + offset, there);
  return SQLITE_IOERR_SHORT_READ;
}

static int on_write(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
  file *file = ((handle *)base)->file;
  enum disk_fault fails_now = fails();
  if (fails_now != disk_no_fault) {
    int part = draw() % (count + 1);
    if (fails_now != disk_dead && part) note(file, offset, bytes, part);
    return fails_now == disk_full ? SQLITE_FULL : SQLITE_IOERR_WRITE;
  }
  // A file that says that it has no log (its bytes 18 and 19): from now on, none may stand beside it.
  size_t length = strlen(file->name);
  if (offset == 0 && count > 19 && ((const char *)bytes)[18] == 1 && !strncmp(removed, file->name, length) &&
      !strcmp(removed + length, "-wal"))
    unsound = 1;
  note(file, offset, bytes, count);
  return SQLITE_OK;
}

static int on_truncate(sqlite3_file *base, sqlite3_int64 count) {
  enum disk_fault fails_now = fails();
  if (fails_now == disk_error || fails_now == disk_dead) return SQLITE_IOERR_TRUNCATE;
  note(((handle *)base)->file, count, NULL, -1);
  return SQLITE_OK;
}

static int on_sync(sqlite3_file *base, int flags) {
  file *file = ((handle *)base)->file;
  enum disk_fault fails_now = fails();
  if (fails_now == disk_dead) return SQLITE_IOERR_FSYNC;
  if (lies) return SQLITE_OK;
  change *one;
  while ((one = take(file))) {
    // After a sync that failed, the kernel takes pages for clean that are not on the disk.
    if (fails_now != disk_error || draw() % 2) apply(&file->synced, one);
    free(one);
  }
  return fails_now == disk_error ? SQLITE_IOERR_FSYNC : SQLITE_OK;
}

static int on_file_size(sqlite3_file *base, sqlite3_int64 *count) {
  enum disk_fault fails_now = fails();
  if (fails_now == disk_error || fails_now == disk_dead) return SQLITE_IOERR_FSTAT;
  *count = ((handle *)base)->file->now.count;
  return SQLITE_OK;
}

static int on_lock(sqlite3_file *base, int lock) { return SQLITE_OK; }
static int on_check_lock(sqlite3_file *base, int *is_locked) {
  *is_locked = 0;
  return SQLITE_OK;
}
static int on_control(sqlite3_file *base, int op, void *argument) { return SQLITE_NOTFOUND; }
static int on_sector_size(sqlite3_file *base) { return sector; }
static int on_characteristics(sqlite3_file *base) { return SQLITE_IOCAP_POWERSAFE_OVERWRITE; }

static int on_shared_map(sqlite3_file *base, int region, int bytes, int extend, void volatile **memory) {
  file *file = ((handle *)base)->file;
  enum disk_fault fails_now = fails();
  if (fails_now == disk_error || fails_now == disk_dead) return SQLITE_IOERR_SHMMAP;
  if (region >= most_regions || bytes > region_bytes) return SQLITE_IOERR_SHMMAP;
  if (!file->regions[region] && extend) {
    file->regions[region] = have(NULL, region_bytes);
    memset(file->regions[region], 0, region_bytes);
  }
  *memory = file->regions[region];
  return SQLITE_OK;
}
static int on_shared_lock(sqlite3_file *base, int first, int count, int flags) { return SQLITE_OK; }
static void on_shared_barrier(sqlite3_file *base) {}
static int on_shared_unmap(sqlite3_file *base, int is_deleted) {
  file *file = ((handle *)base)->file;
  for (int region = 0; region < most_regions; region++) {
    free(file->regions[region]);
    file->regions[region] = NULL;
  }
  return SQLITE_OK;
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = on_close,
    .xRead = on_read,
    .xWrite = on_write,
    .xTruncate = on_truncate,
    .xSync = on_sync,
    .xFileSize = on_file_size,
    .xLock = on_lock,
    .xUnlock = on_lock,
    .xCheckReservedLock = on_check_lock,
    .xFileControl = on_control,
    .xSectorSize = on_sector_size,
    .xDeviceCharacteristics = on_characteristics,
    .xShmMap = on_shared_map,
    .xShmLock = on_shared_lock,
    .xShmBarrier = on_shared_barrier,
    .xShmUnmap = on_shared_unmap,
};

// MARK: The disk

static file *find(const char *name) {
  for (int index = 0; index < most_files; index++) {
    if (files[index].is_there && name && !strcmp(files[index].name, name)) return &files[index];
  }
  return NULL;
}

static void forget(file *file) {
  change *one;
  while ((one = take(file))) free(one);
  free(file->now.bytes);
  free(file->synced.bytes);
  for (int region = 0; region < most_regions; region++) free(file->regions[region]);
  memset(file, 0, sizeof *file);
}

static int on_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *flags_out) {
  static long nameless;
  char made[64];
  base->pMethods = NULL;
  enum disk_fault fails_now = fails();
  if (fails_now == disk_error || fails_now == disk_dead) return SQLITE_CANTOPEN;
  if (!name) {
    sqlite3_snprintf(sizeof made, made, "nameless-%ld", nameless++ % 8);
    name = made;
    if (find(name)) forget(find(name));
  }
  file *file = find(name);
  for (int index = 0; !file && index < most_files; index++) {
    if (!files[index].is_there) {
      file = &files[index];
      file->is_there = 1;
      sqlite3_snprintf(sizeof file->name, file->name, "%s", name);
      if (!strcmp(removed, name)) removed[0] = 0;
    }
  }
  if (!file) return SQLITE_CANTOPEN;
  ((handle *)base)->file = file;
  base->pMethods = &methods;
  if (flags_out) *flags_out = flags;
  return SQLITE_OK;
}

static int on_delete(sqlite3_vfs *vfs, const char *name, int is_synced) {
  enum disk_fault fails_now = fails();
  if (fails_now == disk_error || fails_now == disk_dead) return SQLITE_IOERR_DELETE;
  file *file = find(name);
  if (!file) return SQLITE_IOERR_DELETE_NOENT;
  if (!is_synced && file->synced.count > 0) sqlite3_snprintf(sizeof removed, removed, "%s", name);
  forget(file);
  return SQLITE_OK;
}

static int on_access(sqlite3_vfs *vfs, const char *name, int flags, int *is_there) {
  enum disk_fault fails_now = fails();
  if (fails_now == disk_error || fails_now == disk_dead) return SQLITE_IOERR_ACCESS;
  file *file = find(name);
  *is_there = file && (flags != SQLITE_ACCESS_EXISTS || file->now.count > 0);
  return SQLITE_OK;
}

static int on_full_name(sqlite3_vfs *vfs, const char *name, int room, char *full) {
  sqlite3_snprintf(room, full, "%s", name);
  return SQLITE_OK;
}

void disk_install(void) {
  static sqlite3_vfs vfs;
  vfs = *sqlite3_vfs_find(NULL);
  vfs.szOsFile = sizeof(handle);
  vfs.zName = "disk";
  vfs.pNext = NULL;
  vfs.xOpen = on_open;
  vfs.xDelete = on_delete;
  vfs.xAccess = on_access;
  vfs.xFullPathname = on_full_name;
  sqlite3_vfs_register(&vfs, 1);
}

void disk_reset(uint64_t seed) {
  for (int index = 0; index < most_files; index++) forget(&files[index]);
  luck = seed * 0x9E3779B97F4A7C15u | 1;
  calls = 0;
  removed[0] = 0;
  unsound = 0;
  disk_fail(disk_no_fault, 0, -1);
}

void disk_fail(enum disk_fault new_fault, long first, long last) {
  fault = new_fault;
  fail_first = first;
  fail_last = last;
}

long disk_calls(void) { return calls; }

int disk_is_unsound(void) { return unsound; }

// A file that says that it has no log (its bytes 18 and 19), and beside which one stands all the same.
static void look_for_logs(void) {
  for (int index = 0; index < most_files; index++) {
    char log[520];
    sqlite3_snprintf(sizeof log, log, "%s-wal", files[index].name);
    file *beside = files[index].is_there && files[index].now.count > 19 && files[index].now.bytes[18] == 1 ? find(log) : NULL;
    if (beside && beside->now.count > 0) unsound = 1;
  }
}

static void forget_memory(file *file) {
  for (int region = 0; region < most_regions; region++) {
    free(file->regions[region]);
    file->regions[region] = NULL;
  }
}

void disk_kill(void) {
  disk_fail(disk_no_fault, 0, -1);
  for (int index = 0; index < most_files; index++) forget_memory(&files[index]);
}

void disk_crash(void) {
  disk_fail(disk_no_fault, 0, -1);
  removed[0] = 0;
  int all = draw() % 3;  // Nothing that was not synced, some of it, or all of it.
  for (int index = 0; index < most_files; index++) {
    file *file = &files[index];
    change *one;
    while ((one = take(file))) {
      if (one->count < 0) {
        if (all == 2 || (all == 1 && draw() % 2)) apply(&file->synced, one);
      } else {
        for (sqlite3_int64 at = 0; at < one->count;) {
          sqlite3_int64 end = ((one->offset + at) / sector + 1) * sector - one->offset;
          if (end > one->count) end = one->count;
          if (all == 2 || (all == 1 && draw() % 2)) image_write(&file->synced, one->offset + at, one->bytes + at, end - at);
          at = end;
        }
      }
      free(one);
    }
    file->now.count = 0;
    image_write(&file->now, 0, file->synced.bytes, file->synced.count);
    forget_memory(file);
  }
  look_for_logs();
}

void disk_lie(int new_lies) { lies = new_lies; }
