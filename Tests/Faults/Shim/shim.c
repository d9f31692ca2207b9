// Stands between a program and libuv, a program and OpenSSL, and between libuv and the kernel (LD_PRELOAD, Linux only): lets the call whose
// number is in BATON_FAULT_AT fail with an error that this call can give, and all others pass. In the environment:
//
//   BATON_FAULT_AT      the number of the call that is to fail, from 1; none if it is missing
//   BATON_FAULT_EVERY   let every call fail whose number is a multiple of this, too
//   BATON_FAULT_FROM    but none before this one
//   BATON_FAULT_REPORT  a file to which a line is added for the call that fails, and at the end the number of calls
//
// What cannot fail while its arguments are right is left out (timers, hooks), and so is what libuv answers with
// abort() (epoll_ctl, epoll_wait, its signal pipe).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <uv.h>

static long calls; // atomic
static long fail_at, fail_every, fail_from;
// Handshakes run on libuv's threads.
static __thread int inside;
static const char *report_path;

#define REAL(name) \
  static __typeof__(&name) real; \
  if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void begin(void) {
  const char *at = getenv("BATON_FAULT_AT"), *every = getenv("BATON_FAULT_EVERY");
  fail_at = at ? atol(at) : 0;
  fail_every = every ? atol(every) : 0;
  const char *from = getenv("BATON_FAULT_FROM");
  fail_from = from ? atol(from) : 0;
  report_path = getenv("BATON_FAULT_REPORT");
}

static void report(const char *format, ...) {
  char line[128];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  inside++;
  int file = report_path ? open(report_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
  if (file >= 0) {
    if (write(file, line, length) != length) abort();
    close(file);
  }
  inside--;
}

__attribute__((destructor)) static void end(void) { report("calls %ld\n", calls); }

// Counts a call. Returns 0 where it is to pass, or else one of its errors, another at each number.
static int fault(const char *name, const int *errors, int count) {
  if (inside) return 0;
  long number = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
  if (number != fail_at && !(fail_every && number >= fail_from && number % fail_every == 0)) return 0;
  int error = errors[number % count];
  report("call %ld: %s: %s\n", number, name, strerrorname_np(error));
  return error;
}

#define FAULT(name, ...) \
  fault(#name, (const int[]){__VA_ARGS__}, sizeof((const int[]){__VA_ARGS__}) / sizeof(int))

static int is_socket(int file) {
  struct stat about;
  return file > 2 && fstat(file, &about) == 0 && S_ISSOCK(about.st_mode);
}

// libuv's functions: fail without having been called. A call within them is libuv's own and counts by itself.
#define UV(name, parameters, arguments, ...) \
  int name parameters { \
    REAL(name); \
    int error = FAULT(name, __VA_ARGS__); \
    return error ? -error : real arguments; \
  }

UV(uv_loop_init, (uv_loop_t * loop), (loop), EMFILE, ENOMEM)
UV(uv_prepare_init, (uv_loop_t * loop, uv_prepare_t *hook), (loop, hook), ENOMEM)
UV(uv_timer_init, (uv_loop_t * loop, uv_timer_t *timer), (loop, timer), ENOMEM)
UV(uv_signal_init, (uv_loop_t * loop, uv_signal_t *signal), (loop, signal), EMFILE)
UV(uv_signal_start, (uv_signal_t * signal, uv_signal_cb then, int number), (signal, then, number), EINVAL)
UV(uv_poll_init, (uv_loop_t * loop, uv_poll_t *poll, int file), (loop, poll, file), EPERM, ENOMEM)
UV(uv_poll_start, (uv_poll_t * poll, int events, uv_poll_cb then), (poll, events, then), EBADF)
UV(uv_tcp_init, (uv_loop_t * loop, uv_tcp_t *tcp), (loop, tcp), ENOMEM, EINVAL)
UV(uv_pipe_init, (uv_loop_t * loop, uv_pipe_t *pipe, int ipc), (loop, pipe, ipc), ENOMEM, EINVAL)
UV(uv_tcp_open, (uv_tcp_t * tcp, uv_os_sock_t file), (tcp, file), EEXIST, EBADF)
UV(uv_pipe_open, (uv_pipe_t * pipe, uv_file file), (pipe, file), EEXIST, EBADF)
UV(uv_tcp_nodelay, (uv_tcp_t * tcp, int on), (tcp, on), EINVAL)
UV(uv_tcp_keepalive, (uv_tcp_t * tcp, int on, unsigned delay), (tcp, on, delay), EINVAL)
UV(uv_tcp_getpeername, (const uv_tcp_t *tcp, struct sockaddr *name, int *size), (tcp, name, size), ENOTCONN)
UV(uv_read_start, (uv_stream_t * stream, uv_alloc_cb memory, uv_read_cb then), (stream, memory, then), ENOTCONN)
UV(uv_try_write, (uv_stream_t * stream, const uv_buf_t parts[], unsigned count), (stream, parts, count), EPIPE, EBADF)
UV(uv_write, (uv_write_t * request, uv_stream_t *stream, const uv_buf_t parts[], unsigned count, uv_write_cb then),
   (request, stream, parts, count, then), ENOMEM, EPIPE)
UV(uv_queue_work, (uv_loop_t * loop, uv_work_t *request, uv_work_cb work, uv_after_work_cb then),
   (loop, request, work, then), ENOMEM)
UV(uv_shutdown, (uv_shutdown_t * request, uv_stream_t *stream, uv_shutdown_cb then), (request, stream, then), ENOTCONN)

// OpenSSL's functions, for the program and for OpenSSL itself where one of its libraries calls the other: they fail as
// if there were no memory.
#define OPENSSL(result, name, parameters, arguments, failed) \
  result name parameters { \
    REAL(name); \
    if (!FAULT(name, ENOMEM)) return real arguments; \
    ERR_new(); \
    ERR_set_error(ERR_LIB_SSL, ERR_R_MALLOC_FAILURE, NULL); \
    return failed; \
  }

OPENSSL(SSL_CTX *, SSL_CTX_new, (const SSL_METHOD *method), (method), NULL)
OPENSSL(int, SSL_CTX_use_certificate_chain_file, (SSL_CTX * context, const char *file), (context, file), 0)
OPENSSL(int, SSL_CTX_use_PrivateKey_file, (SSL_CTX * context, const char *file, int kind), (context, file, kind), 0)
OPENSSL(int, SSL_CTX_check_private_key, (const SSL_CTX *context), (context), 0)
OPENSSL(int, SSL_CTX_load_verify_locations, (SSL_CTX * context, const char *file, const char *folder),
        (context, file, folder), 0)
OPENSSL(STACK_OF(X509_NAME) *, SSL_load_client_CA_file, (const char *file), (file), NULL)
OPENSSL(SSL *, SSL_new, (SSL_CTX * context), (context), NULL)
OPENSSL(BIO *, BIO_new, (const BIO_METHOD *method), (method), NULL)
OPENSSL(int, SSL_do_handshake, (SSL * session), (session), -1)
OPENSSL(int, SSL_read, (SSL * session, void *bytes, int size), (session, bytes, size), -1)
OPENSSL(int, SSL_write, (SSL * session, const void *bytes, int size), (session, bytes, size), -1)
OPENSSL(int, SSL_shutdown, (SSL * session), (session), -1)
OPENSSL(X509 *, SSL_get1_peer_certificate, (const SSL *session), (session), NULL)
OPENSSL(EVP_CIPHER_CTX *, EVP_CIPHER_CTX_new, (void), (), NULL)
OPENSSL(EVP_PKEY_CTX *, EVP_PKEY_CTX_new_from_pkey, (OSSL_LIB_CTX * library, EVP_PKEY *key, const char *query),
        (library, key, query), NULL)

// A handshake makes many of these: one in 16 counts.
EVP_MD_CTX *EVP_MD_CTX_new(void) {
  static long made;
  REAL(EVP_MD_CTX_new);
  if (__atomic_add_fetch(&made, 1, __ATOMIC_RELAXED) % 16 || !FAULT(EVP_MD_CTX_new, ENOMEM)) return real();
  ERR_new();
  ERR_set_error(ERR_LIB_EVP, ERR_R_MALLOC_FAILURE, NULL);
  return NULL;
}

// The kernel's calls.
#define KERNEL(result, name, parameters, arguments, condition, ...) \
  result name parameters { \
    REAL(name); \
    int error = condition ? FAULT(name, __VA_ARGS__) : 0; \
    if (!error) return real arguments; \
    errno = error; \
    return -1; \
  }

KERNEL(int, epoll_create1, (int flags), (flags), 1, EMFILE, ENOMEM)
KERNEL(int, eventfd, (unsigned count, int flags), (count, flags), 1, EMFILE)
KERNEL(int, socket, (int family, int kind, int protocol), (family, kind, protocol), 1, EMFILE, ENOBUFS)
KERNEL(int, bind, (int file, const struct sockaddr *name, socklen_t size), (file, name, size), 1, EADDRINUSE, EACCES)
KERNEL(int, listen, (int file, int backlog), (file, backlog), 1, EADDRINUSE)
KERNEL(int, accept4, (int file, struct sockaddr *name, socklen_t *size, int flags), (file, name, size, flags), 1,
       EMFILE, ECONNABORTED, ENFILE, ENOMEM)
KERNEL(int, chmod, (const char *path, mode_t mode), (path, mode), 1, EPERM)
KERNEL(int, setsockopt, (int file, int level, int name, const void *value, socklen_t size),
       (file, level, name, value, size), 1, ENOBUFS)
KERNEL(int, shutdown, (int file, int how), (file, how), 1, ENOTCONN)
KERNEL(ssize_t, read, (int file, void *bytes, size_t size), (file, bytes, size), is_socket(file), ECONNRESET, ETIMEDOUT)
KERNEL(ssize_t, write, (int file, const void *bytes, size_t size), (file, bytes, size), is_socket(file), EPIPE,
       ECONNRESET)
KERNEL(ssize_t, writev, (int file, const struct iovec *parts, int count), (file, parts, count), is_socket(file), EPIPE,
       ECONNRESET)
KERNEL(ssize_t, send, (int file, const void *bytes, size_t size, int flags), (file, bytes, size, flags), 1, EPIPE)
KERNEL(ssize_t, recv, (int file, void *bytes, size_t size, int flags), (file, bytes, size, flags), 1, ECONNRESET)

int open(const char *path, int flags, ...) {
  REAL(open);
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  // The spare descriptor's only: who cannot open other files is another story.
  int error = strcmp(path, "/dev/null") == 0 ? FAULT(open, EMFILE) : 0;
  if (!error) return real(path, flags, mode);
  errno = error;
  return -1;
}
