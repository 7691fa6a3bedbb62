// The plain functions: EVP, which replaces them, links every algorithm there is.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/aes.h>
#include <openssl/sha.h>
