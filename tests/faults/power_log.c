// Loaded into a program by LD_PRELOAD: writes down what it asks of the disk, for power_cut.py.
//   SPEDER_POWER_LOG=file   one record a call: a line "kind inode a b path|path", then b bytes where kind is W
// C made or opened for writing (a: 1 if it is new), W write at a, T cut to a, S written through, D folder written through, R rename,
// U unlink, M new folder. Only programs whose name begins with "speder" are recorded.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static int log_file = -1;
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void begin(void) {
  const char* name = getenv("SPEDER_POWER_LOG");
  if (name == NULL || strncmp(program_invocation_short_name, "speder", 6) != 0) return;
  log_file = (int)syscall(SYS_openat, AT_FDCWD, name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void absolute(char* out, const char* path) {
  char here[PATH_MAX] = "";
  if (path[0] != '/' && getcwd(here, sizeof here) == NULL) here[0] = '\0';
  snprintf(out, PATH_MAX, "%.2000s%s%.2000s", here, path[0] == '/' ? "" : "/", path);
}

static void record(char kind, long inode, long a, const void* data, size_t size, const char* from, const char* to) {
  if (log_file < 0) return;
  static char head[3 * PATH_MAX];
  char first[PATH_MAX] = "", second[PATH_MAX] = "";
  if (from != NULL) absolute(first, from);
  if (to != NULL) absolute(second, to);
  const int kept = errno;
  pthread_mutex_lock(&one);
  const int n = snprintf(head, sizeof head, "%c %ld %ld %zu %s|%s\n", kind, inode, a, size, first, second);
  const struct iovec parts[2] = {{head, (size_t)n}, {(void*)data, data == NULL ? 0 : size}};
  syscall(SYS_writev, log_file, parts, 2);
  pthread_mutex_unlock(&one);
  errno = kept;
}

static int regular(int fd, struct stat* status) { return fstat(fd, status) == 0 && S_ISREG(status->st_mode); }

#define OPEN(name)                                                                           \
  int name(const char* path, int flags, ...) {                                               \
    va_list more;                                                                            \
    va_start(more, flags);                                                                   \
    const mode_t mode = (flags & O_CREAT) ? va_arg(more, mode_t) : 0;                        \
    va_end(more);                                                                            \
    struct stat before, now;                                                                 \
    const int is_new = lstat(path, &before) != 0;                                            \
    const int fd = REAL(name)(path, flags, mode);                                            \
    if (fd >= 0 && (flags & O_ACCMODE) != O_RDONLY && regular(fd, &now)) {                   \
      record('C', (long)now.st_ino, is_new, NULL, 0, path, NULL);                            \
      if (flags & O_TRUNC) record('T', (long)now.st_ino, 0, NULL, 0, NULL, NULL);            \
    }                                                                                        \
    return fd;                                                                               \
  }
OPEN(open)
OPEN(open64)

// Streams of C++ are opened by these.
#define FOPEN(name)                                                                          \
  FILE* name(const char* path, const char* mode) {                                           \
    struct stat before, now;                                                                 \
    const int is_new = lstat(path, &before) != 0;                                            \
    FILE* file = REAL(name)(path, mode);                                                     \
    if (file != NULL && strpbrk(mode, "wa+") != NULL && regular(fileno(file), &now)) {       \
      record('C', (long)now.st_ino, is_new, NULL, 0, path, NULL);                            \
      if (mode[0] == 'w') record('T', (long)now.st_ino, 0, NULL, 0, NULL, NULL);             \
    }                                                                                        \
    return file;                                                                             \
  }
FOPEN(fopen)
FOPEN(fopen64)

static void wrote(int fd, const void* data, ssize_t size, off_t at) {
  struct stat status;
  if (log_file < 0 || size <= 0 || fd <= 2 || !regular(fd, &status)) return;
  record('W', (long)status.st_ino, (long)at, data, (size_t)size, NULL, NULL);
}
ssize_t write(int fd, const void* data, size_t size) {
  const ssize_t n = REAL(write)(fd, data, size);
  if (log_file >= 0 && n > 0) wrote(fd, data, n, lseek(fd, 0, SEEK_CUR) - n);
  return n;
}
ssize_t writev(int fd, const struct iovec* parts, int count) {
  ssize_t total = 0;  // one by one: the same bytes at the same places
  for (int i = 0; i < count; ++i) {
    const ssize_t n = write(fd, parts[i].iov_base, parts[i].iov_len);
    if (n < 0) return total > 0 ? total : n;
    total += n;
    if ((size_t)n < parts[i].iov_len) break;
  }
  return total;
}
ssize_t pwrite(int fd, const void* data, size_t size, off_t at) {
  const ssize_t n = REAL(pwrite)(fd, data, size, at);
  wrote(fd, data, n, at);
  return n;
}
ssize_t pwrite64(int fd, const void* data, size_t size, off64_t at) {
  const ssize_t n = REAL(pwrite64)(fd, data, size, at);
  wrote(fd, data, n, at);
  return n;
}

static int cut(int fd, long size, int code) {
  struct stat status;
  if (code == 0 && regular(fd, &status)) record('T', (long)status.st_ino, size, NULL, 0, NULL, NULL);
  return code;
}
int ftruncate(int fd, off_t size) { return cut(fd, (long)size, REAL(ftruncate)(fd, size)); }
int ftruncate64(int fd, off64_t size) { return cut(fd, (long)size, REAL(ftruncate64)(fd, size)); }

static int cut_named(const char* path, long size, int code) {
  struct stat status;
  if (code == 0 && stat(path, &status) == 0) record('T', (long)status.st_ino, size, NULL, 0, NULL, NULL);
  return code;
}
int truncate(const char* path, off_t size) { return cut_named(path, (long)size, REAL(truncate)(path, size)); }
int truncate64(const char* path, off64_t size) { return cut_named(path, (long)size, REAL(truncate64)(path, size)); }

static int through(int fd, int code) {
  struct stat status;
  if (log_file < 0 || code != 0 || fstat(fd, &status) != 0) return code;
  if (S_ISDIR(status.st_mode)) {
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t n = readlink(link, path, sizeof path - 1);
    if (n < 0) return code;
    path[n] = '\0';
    record('D', (long)status.st_ino, 0, NULL, 0, path, NULL);
  } else {
    record('S', (long)status.st_ino, 0, NULL, 0, NULL, NULL);
  }
  return code;
}
int fsync(int fd) { return through(fd, REAL(fsync)(fd)); }
int fdatasync(int fd) { return through(fd, REAL(fdatasync)(fd)); }

int rename(const char* from, const char* to) {
  const int code = REAL(rename)(from, to);
  if (code == 0) record('R', 0, 0, NULL, 0, from, to);
  return code;
}
int unlink(const char* path) {
  const int code = REAL(unlink)(path);
  if (code == 0) record('U', 0, 0, NULL, 0, path, NULL);
  return code;
}
int remove(const char* path) {
  const int code = REAL(remove)(path);
  if (code == 0) record('U', 0, 0, NULL, 0, path, NULL);
  return code;
}
int mkdir(const char* path, mode_t mode) {
  const int code = REAL(mkdir)(path, mode);
  if (code == 0) record('M', 0, 0, NULL, 0, path, NULL);
  return code;
}
