#pragma once
#include <sqlite3.h>

// What SQLite offers with a variable number of arguments only, which Swift does not see.

// A damaged file must not make SQLite run functions of its schema.
static inline int csqlite_distrust(sqlite3 *connection) {
  return sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
}

// The log is not taken into the file when that is closed.
static inline int csqlite_keep_log(sqlite3 *connection) {
  return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

// The file of the database (SQLITE_FCNTL_FILE_POINTER) or its log (SQLITE_FCNTL_JOURNAL_POINTER); 0 if it is not open.
static inline sqlite3_file *csqlite_file(sqlite3 *connection, int which) {
  sqlite3_file *file = 0;
  int code = sqlite3_file_control(connection, "main", which, &file);
  return code == SQLITE_OK && file && file->pMethods ? file : 0;
}

// Waits until such a file, as it is, is on disk. There must be one.
static inline int csqlite_sync(sqlite3 *connection, int which) {
  sqlite3_file *file = csqlite_file(connection, which);
  return file ? file->pMethods->xSync(file, SQLITE_SYNC_FULL) : SQLITE_ERROR;
}

// The number of the system's error when such a file was last read, written or locked in vain; 0 if there was none, or the
// disk (VFS) does not tell.
static inline int csqlite_last_errno(sqlite3 *connection, int which) {
  sqlite3_file *file = csqlite_file(connection, which);
  int number = 0;
  if (!file) return 0;
  return file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &number) == SQLITE_OK ? number : 0;
}

// How far the log was taken into the file when that was due last.
struct csqlite_log {
  // From so many pages on it is due.
  int most;
  // Pages of the log that are not in the file.
  int held;
  int code;
};

// Takes as much of the log into the file as nobody else reads, and waits for nobody.
static inline void csqlite_take_log(struct csqlite_log *log, sqlite3 *connection) {
  int all = -1, taken = -1;
  log->code = sqlite3_wal_checkpoint_v2(connection, "main", SQLITE_CHECKPOINT_PASSIVE, &all, &taken);
  // If another program takes it in just now, nothing is known.
  if (all >= 0 && taken >= 0) log->held = all - taken;
}

// Called behind each commit, with the pages of the log.
static inline int csqlite_committed(void *log, sqlite3 *connection, const char *name, int pages) {
  struct csqlite_log *own = (struct csqlite_log *)log;
  (void)name;
  if (pages >= own->most) csqlite_take_log(own, connection);
  else own->held = 0, own->code = SQLITE_OK;
  return SQLITE_OK;
}

// The same as PRAGMA wal_autocheckpoint, and it remembers what came of it. `log` is there as long as the connection.
static inline void csqlite_watch_log(sqlite3 *connection, struct csqlite_log *log) {
  sqlite3_wal_hook(connection, csqlite_committed, log);
}

// The bytes are copied before the call returns.
static inline sqlite3_destructor_type csqlite_copied(void) { return SQLITE_TRANSIENT; }
