#include "tls.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <string.h>

#include "trouble.h"

static SSL_CTX *context;

static void begin(void) {
  if (context) return;
  context = SSL_CTX_new(TLS_client_method());
  if (!context || !SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION)
      || !SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256")) {
    give_up("OpenSSL does not start");
  }
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_mode(
    context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  // Many records come with one read of the socket, and not each with two.
  SSL_CTX_set_read_ahead(context, 1);
  SSL_CTX_set_default_read_buffer_len(context, 4 * TLS_RECORD);
}

static SSL *session(const char *protocol) {
  begin();
  SSL *tls = SSL_new(context);
  if (!tls) give_up("no memory");
  SSL_set_connect_state(tls);
  if (!protocol) return tls;
  unsigned char list[64];
  list[0] = strlen(protocol);
  memcpy(list + 1, protocol, list[0]);
  SSL_set_alpn_protos(tls, list, list[0] + 1);
  return tls;
}

SSL *tls_open(int socket, const char *protocol) {
  SSL *tls = session(protocol);
  SSL_set_fd(tls, socket);
  return tls;
}

// What OpenSSL's result means in the words of the kernel.
static int reason(SSL *tls, int result) {
  switch (SSL_get_error(tls, result)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE: return EAGAIN;
    case SSL_ERROR_ZERO_RETURN: return 0;
    default: return ERR_get_error() ? EPROTO : ECONNRESET;
  }
}

int tls_shake(SSL *tls) {
  ERR_clear_error();
  int result = SSL_do_handshake(tls);
  if (result == 1) return 1;
  return reason(tls, result) == EAGAIN ? 0 : -1;
}

ssize_t tls_read(SSL *tls, char *bytes, size_t room) {
  size_t total = 0;
  while (total < room) {
    ERR_clear_error();
    int count = SSL_read(tls, bytes + total, room - total);
    if (count > 0) {
      total += count;
      continue;
    }
    if (total) break;
    errno = reason(tls, count);
    return errno ? -1 : 0;
  }
  return total;
}

ssize_t tls_write(SSL *tls, const char *bytes, size_t count) {
  ERR_clear_error();
  int taken = SSL_write(tls, bytes, count < TLS_RECORD ? count : TLS_RECORD);
  if (taken > 0) return taken;
  errno = reason(tls, taken);
  if (!errno) errno = EPIPE;
  return -1;
}

void tls_forget(SSL *tls) { SSL_free(tls); }

size_t tls_first_words(char *bytes, size_t room, const char *protocol) {
  SSL *tls = session(protocol);
  BIO *out = BIO_new(BIO_s_mem()), *in = BIO_new(BIO_s_mem());
  SSL_set_bio(tls, in, out);
  SSL_do_handshake(tls);
  int count = BIO_read(out, bytes, room);
  SSL_free(tls);
  if (count <= 0) give_up("OpenSSL says nothing");
  return count;
}
