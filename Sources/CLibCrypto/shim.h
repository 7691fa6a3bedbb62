#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/aes.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>

// The encryption of pages with a prepared key. EVP would link every provider, 3 MB, for the two
// algorithms of a Realm file; AES_cbc_encrypt alone is 20 times slower than the routines for the
// processor's own instructions, which only the static library shows.
#if defined(__x86_64__)
// What cpuid tells; the environment variable of the same name can mask it.
extern const unsigned int OPENSSL_ia32cap_P[4];
int aesni_set_encrypt_key(const unsigned char *key, int bit_count, AES_KEY *schedule);
int aesni_set_decrypt_key(const unsigned char *key, int bit_count, AES_KEY *schedule);
void aesni_cbc_encrypt(const unsigned char *source, unsigned char *target, size_t byte_count,
                       const AES_KEY *schedule, unsigned char *vector, int is_encryption);

static inline int has_aes_instructions(void) { return OPENSSL_ia32cap_P[1] >> 25 & 1; }
#else
static inline int has_aes_instructions(void) { return 0; }
#define aesni_set_encrypt_key AES_set_encrypt_key
#define aesni_set_decrypt_key AES_set_decrypt_key
#define aesni_cbc_encrypt AES_cbc_encrypt
#endif

static inline void prepare_encryption(const unsigned char *key, int bit_count, AES_KEY *schedule) {
  has_aes_instructions() ? aesni_set_encrypt_key(key, bit_count, schedule)
                         : AES_set_encrypt_key(key, bit_count, schedule);
}

static inline void prepare_decryption(const unsigned char *key, int bit_count, AES_KEY *schedule) {
  has_aes_instructions() ? aesni_set_decrypt_key(key, bit_count, schedule)
                         : AES_set_decrypt_key(key, bit_count, schedule);
}

// Changes the vector. `mode` is AES_ENCRYPT or AES_DECRYPT.
static inline void apply_cbc(const unsigned char *source, unsigned char *target, size_t byte_count,
                             const AES_KEY *schedule, unsigned char *vector, int mode) {
  has_aes_instructions() ? aesni_cbc_encrypt(source, target, byte_count, schedule, vector, mode)
                         : AES_cbc_encrypt(source, target, byte_count, schedule, vector, mode);
}
