// Loaded into a program by LD_PRELOAD: the N-th call of one kind fails, once or from then on.
//   SPEDER_FAULT=kind,errno,n,once|on   kind: open folder read write garble sync
//     through rename close map truncate unlink memory
//   SPEDER_FAULT_COUNT=file             8 bytes: how many calls of that kind there were
// through: a sync that is not SQLite's.
// garble: a disk that lies; the write succeeds, and one bit of it is another.
// Memory counts from the program's first call of signal(), which is the first thing that its main does with commands:
// what the loader and static objects take before is not the program's to handle. Only programs whose name begins
// with "speder" are disturbed, not what they start.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static char kind[16];
static int error, lasting, started;
static long target;
static _Atomic long unshared;
static _Atomic long* count = &unshared;

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);

__attribute__((constructor)) static void begin(void) {
  const char* fault = getenv("SPEDER_FAULT");
  const char* file = getenv("SPEDER_FAULT_COUNT");
  if (fault == NULL || strncmp(program_invocation_short_name, "speder", 6) != 0) return;
  const char* comma = strchr(fault, ',');
  if (comma == NULL || comma - fault >= (long)sizeof kind) return;
  char* rest = NULL;
  error = (int)strtol(comma + 1, &rest, 10);
  target = strtol(rest + 1, &rest, 10);
  lasting = strcmp(rest, ",on") == 0;
  if (file != NULL) {
    const int fd = open(file, O_RDWR);
    void* shared = mmap(NULL, sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (shared != MAP_FAILED) count = shared;
    close(fd);
  }
  memcpy(kind, fault, (size_t)(comma - fault));  // last: from here on calls are counted
}

static int fails(const char* what) {
  if (strcmp(kind, what) != 0 || (strcmp(what, "memory") == 0 && !started)) return 0;
  const long n = atomic_fetch_add(count, 1) + 1;
  if (n != target && !(lasting && n > target)) return 0;
  errno = error;
  return 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define OPEN(name)                                                     \
  int name(const char* path, int flags, ...) {                         \
    va_list more;                                                      \
    va_start(more, flags);                                             \
    const mode_t mode = (flags & O_CREAT) ? va_arg(more, mode_t) : 0;  \
    va_end(more);                                                      \
    if ((flags & O_ACCMODE) != O_RDONLY && fails("open")) return -1;   \
    return REAL(name)(path, flags, mode);                              \
  }
OPEN(open)
OPEN(open64)
// Streams of C++ are opened by these.
#define FOPEN(name)                                               \
  FILE* name(const char* path, const char* mode) {                \
    if (strpbrk(mode, "wa+") != NULL && fails("open")) return NULL; \
    return REAL(name)(path, mode);                                \
  }
FOPEN(fopen)
FOPEN(fopen64)
int mkdir(const char* path, mode_t mode) { return fails("folder") ? -1 : REAL(mkdir)(path, mode); }

static ssize_t garbled(int fd, const char* data, size_t size) {
  char first = (char)(data[0] ^ 1);
  const ssize_t n = REAL(write)(fd, &first, 1);
  if (n != 1 || size == 1) return n;
  const ssize_t rest = REAL(write)(fd, data + 1, size - 1);
  return rest < 0 ? 1 : 1 + rest;
}
ssize_t write(int fd, const void* data, size_t size) {
  if (fd > 2 && size > 0 && fails("garble")) return garbled(fd, data, size);
  return fd > 2 && fails("write") ? -1 : REAL(write)(fd, data, size);
}
ssize_t read(int fd, void* data, size_t size) { return fd > 2 && fails("read") ? -1 : REAL(read)(fd, data, size); }
ssize_t pread(int fd, void* data, size_t size, off_t at) {
  return fails("read") ? -1 : REAL(pread)(fd, data, size, at);
}
ssize_t pread64(int fd, void* data, size_t size, off64_t at) {
  return fails("read") ? -1 : REAL(pread64)(fd, data, size, at);
}
ssize_t writev(int fd, const struct iovec* parts, int parts_count) {
  return fd > 2 && fails("write") ? -1 : REAL(writev)(fd, parts, parts_count);
}
ssize_t pwrite(int fd, const void* data, size_t size, off_t at) {
  return fails("write") ? -1 : REAL(pwrite)(fd, data, size, at);
}
ssize_t pwrite64(int fd, const void* data, size_t size, off64_t at) {
  return fails("write") ? -1 : REAL(pwrite64)(fd, data, size, at);
}
// SQLite knows which of its syncs it can do without; ours are all needed.
static int ours(void* caller) {
  Dl_info from;
  return dladdr(caller, &from) != 0 && strstr(from.dli_fname, "sqlite") == NULL;
}
int fsync(int fd) {
  if (fails("sync") || (ours(__builtin_return_address(0)) && fails("through"))) return -1;
  return REAL(fsync)(fd);
}
int fdatasync(int fd) { return fails("sync") ? -1 : REAL(fdatasync)(fd); }
int rename(const char* from, const char* to) { return fails("rename") ? -1 : REAL(rename)(from, to); }
int remove(const char* path) { return fails("unlink") ? -1 : REAL(remove)(path); }
int truncate(const char* path, off_t size) { return fails("truncate") ? -1 : REAL(truncate)(path, size); }
int truncate64(const char* path, off64_t size) { return fails("truncate") ? -1 : REAL(truncate64)(path, size); }
int unlink(const char* path) { return fails("unlink") ? -1 : REAL(unlink)(path); }
int ftruncate(int fd, off_t size) { return fails("truncate") ? -1 : REAL(ftruncate)(fd, size); }
int ftruncate64(int fd, off64_t size) { return fails("truncate") ? -1 : REAL(ftruncate64)(fd, size); }
int close(int fd) {
  const int failed = fd > 2 && fails("close");
  const int code = REAL(close)(fd);  // Linux closes even when it reports an error
  if (!failed) return code;
  errno = error;
  return -1;
}
void* mmap(void* at, size_t size, int protection, int flags, int fd, off_t offset) {
  return fd >= 0 && fails("map") ? MAP_FAILED : REAL(mmap)(at, size, protection, flags, fd, offset);
}
void* mmap64(void* at, size_t size, int protection, int flags, int fd, off64_t offset) {
  return fd >= 0 && fails("map") ? MAP_FAILED : REAL(mmap64)(at, size, protection, flags, fd, offset);
}

sighandler_t signal(int number, sighandler_t handler) {
  started = 1;
  return REAL(signal)(number, handler);
}
void* malloc(size_t size) { return fails("memory") ? NULL : __libc_malloc(size); }
void* calloc(size_t n, size_t size) { return fails("memory") ? NULL : __libc_calloc(n, size); }
void* realloc(void* old, size_t size) { return fails("memory") ? NULL : __libc_realloc(old, size); }
void* aligned_alloc(size_t alignment, size_t size) {
  return fails("memory") ? NULL : __libc_memalign(alignment, size);
}
int posix_memalign(void** out, size_t alignment, size_t size) {
  if (fails("memory")) return ENOMEM;
  *out = __libc_memalign(alignment, size);
  return *out == NULL ? ENOMEM : 0;
}
