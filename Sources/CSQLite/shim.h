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

// The bytes are copied before the call returns.
static inline sqlite3_destructor_type csqlite_copied(void) { return SQLITE_TRANSIENT; }
