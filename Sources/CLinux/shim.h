// Declared by <sys/mman.h> only for programs that ask for GNU extensions, which the module Glibc
// does not.
int memfd_create(const char *name, unsigned int flags);
