// Declared by glibc only for programs that ask for GNU extensions, which the module Glibc does not.
#include <linux/stat.h>
#include <sys/epoll.h>
#include <sys/types.h>

int pthread_getattr_np(unsigned long thread, void *attributes);
int memfd_create(const char *name, unsigned int flags);
int sync_file_range(int descriptor, off_t offset, off_t byte_count, unsigned int flags);
int statx(int folder, const char *path, int flags, unsigned int mask, struct statx *status);
