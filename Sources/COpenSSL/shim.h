#pragma once
// For SHA-256 without memory from the heap.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

// What OpenSSL offers as macros only, which Swift does not see.

// The newer functions ask for memory for each digest, and a peer that shows a token must not need any.
static inline void copenssl_sha256(const void *bytes, size_t count, unsigned char *digest) {
  SHA256_CTX context;
  SHA256_Init(&context);
  SHA256_Update(&context, bytes, count);
  SHA256_Final(digest, &context);
}

// Elliptic curves alone: one handshake over the field of 8192 bits takes as long as a hundred over P-256, and the other
// side chooses.
static inline int copenssl_restrict_groups(SSL_CTX *context) {
  if (SSL_CTX_set1_groups_list(context, "X25519MLKEM768:X25519:P-256:X448:P-384:P-521")) return 1;
  // Versions before 3.5 do not know the first.
  ERR_clear_error();
  return SSL_CTX_set1_groups_list(context, "X25519:P-256:X448:P-384:P-521");
}

// TLS 1.3 alone; no tickets, no resumption, no early data; buffers are given back while nothing is under way. Partial
// writes are off: a peer that asks for short records would get the first one of each write.
static inline int copenssl_restrict(SSL_CTX *context) {
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET | SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  return SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) && SSL_CTX_set_num_tickets(context, 0)
    && SSL_CTX_set_max_early_data(context, 0) && copenssl_restrict_groups(context);
}

static inline int copenssl_set_host(SSL *session, const char *name) { return (int)SSL_set_tlsext_host_name(session, name); }

// The alternative names of a certificate, one after the other: 1 for a host, 2 for a URI, 0 for others, -1 at the end.
static inline int copenssl_name(GENERAL_NAMES *names, int index, const unsigned char **bytes, int *count) {
  if (index >= sk_GENERAL_NAME_num(names)) return -1;
  GENERAL_NAME *name = sk_GENERAL_NAME_value(names, index);
  if (name->type != GEN_DNS && name->type != GEN_URI) return 0;
  ASN1_IA5STRING *text = name->type == GEN_DNS ? name->d.dNSName : name->d.uniformResourceIdentifier;
  *bytes = ASN1_STRING_get0_data(text);
  *count = ASN1_STRING_length(text);
  return name->type == GEN_DNS ? 1 : 2;
}

// The SHA-256 of the certificates in a list, one after the other: 0 at the end.
static inline int copenssl_digest(const STACK_OF(X509) *certificates, int index, unsigned char *digest) {
  if (index >= sk_X509_num(certificates)) return 0;
  return X509_digest(sk_X509_value(certificates, index), EVP_sha256(), digest, NULL);
}

// The certificates in a list, one after the other: NULL at the end.
static inline X509 *copenssl_certificate(const STACK_OF(X509) *certificates, int index) {
  return index < sk_X509_num(certificates) ? sk_X509_value(certificates, index) : NULL;
}

static inline void copenssl_free_list(STACK_OF(X509) *certificates) { sk_X509_pop_free(certificates, X509_free); }

static inline GENERAL_NAMES *copenssl_names(X509 *certificate) {
  return X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
}

static inline void copenssl_set_message_object(SSL *session, void *object) { SSL_set_msg_callback_arg(session, object); }
static inline void copenssl_retry_read(BIO *bio) { BIO_set_retry_read(bio); }
static inline void copenssl_clear_retry(BIO *bio) { BIO_clear_retry_flags(bio); }
