/* A disk that loses its power, lies, fails, waits or is full, and a clock that is set, for one process: a library that is loaded
 * before the C library (LD_PRELOAD, Linux). Support/FaultyDisk.swift of the tests of journals builds it, and sets its variables.
 *
 * Writes go through to the files of DISK_FOLDER whose names begin with DISK_NAME. Of each 512-byte sector that was written since
 * the last sync of its file, this has what the disk holds, and so of the lengths of files and of the names in the folder. When
 * the power goes, some of it is given back, and the process ends.
 *
 * 1. A sector is on the disk whole or not at all, whether or not others are.
 * 2. A name is on the disk when the folder was synced. Of the changes of one name, the disk has the first ones.
 * 3. A sync that fails leaves its sectors unsynced, but the system takes them for written ("stuck"): only when they are written
 *    again does another sync bring them onto the disk.
 * 4. If a process ends without a loss of power, what is unsynced stays so for the next one, which finds it in DISK_CONTROL.
 * 5. All of this happens under one lock. It is not held while a sync waits.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { SECTOR = 512, MOST_FILES = 4096, MOST_CHANGES = 4096 };

struct sector {
  uint64_t index;
  int is_stuck;
  unsigned char old[SECTOR];
};

struct file {
  dev_t device;
  ino_t number;
  char *path;
  off_t synced_length;
  /* Open if the file has no name any more. */
  int descriptor;
  struct sector *sectors;
  size_t count, capacity;
  /* Places in `sectors` plus 1 by hash; its size is a power of two. */
  uint32_t *table;
  size_t size;
};

/* What was done to a name since the folder was last synced. */
struct change {
  char *path;
  int is_removal;
  struct file *file;
};

static struct {
  char *folder, *prefix, *control;
  long cut, failures, writes;
  uint64_t random;
  int loses_power, loses_all, loses_log, lies, cuts_before;
  long operations;
  struct file files[MOST_FILES];
  size_t file_count;
  struct change changes[MOST_CHANGES];
  size_t change_count;
} disk;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define REAL(function) ((__typeof__(&function))dlsym(RTLD_NEXT, #function))

static void fail(const char *reason) {
  dprintf(2, "faulty disk: %s\n", reason);
  abort();
}

static void *checked(void *memory) {
  if (!memory) fail("no memory");
  return memory;
}

/* splitmix64 */
static uint64_t next_random(void) {
  uint64_t x = disk.random += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

static int raw_open(const char *path, int flags) {
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0600);
}

static void write_all(int fd, const void *bytes, size_t count, off_t place) {
  while (count > 0) {
    long done = syscall(SYS_pwrite64, fd, bytes, count, place);
    if (done <= 0) fail("cannot write");
    bytes = (const char *)bytes + done;
    count -= (size_t)done;
    place += done;
  }
}

/* Whether the test wants it now. */
static int wants(const char *what) {
  char path[4200];
  if (!disk.control) return 0;
  snprintf(path, sizeof path, "%s/%s", disk.control, what);
  return syscall(SYS_faccessat, AT_FDCWD, path, F_OK) == 0;
}

/* The same, for what the process then meets: the test can see that it has. With a number it is met so many times. */
static int meets(const char *fault) {
  char path[4200], text[32] = "";
  if (!wants(fault)) return 0;
  snprintf(path, sizeof path, "%s/%s", disk.control, fault);
  int fd = raw_open(path, O_RDWR);
  if (fd >= 0 && syscall(SYS_read, fd, text, sizeof text - 1) > 0) {
    int length = snprintf(text, sizeof text, "%ld", atol(text) - 1);
    if (syscall(SYS_ftruncate, fd, 0) != 0) fail("cannot count a fault");
    write_all(fd, text, (size_t)length, 0);
    if (atol(text) == 0) syscall(SYS_unlinkat, AT_FDCWD, path, 0);
  }
  syscall(SYS_close, fd);
  snprintf(path, sizeof path, "%s/%s-met", disk.control, fault);
  syscall(SYS_close, raw_open(path, O_WRONLY | O_CREAT));
  return 1;
}

/* Whether it happens now, of so many times once; never for 0. */
static int happens(long times) { return times > 0 && next_random() % (uint64_t)times == 0 && !wants("steady"); }

/* MARK: What is unsynced */

static int is_tracked_path(const char *path) {
  size_t length = strlen(disk.prefix);
  if (strncmp(path, disk.prefix, length) != 0 || strchr(path + length, '/')) return 0;
  /* Neither is of interest after a loss of power. */
  return !strstr(path + length, "-shm") && !strstr(path + length, "-lock");
}

static uint32_t *place_of(struct file *file, uint64_t index) {
  size_t at = (size_t)(index * 0x9E3779B97F4A7C15u >> 20) & (file->size - 1);
  while (file->table[at] && file->sectors[file->table[at] - 1].index != index) at = (at + 1) & (file->size - 1);
  return &file->table[at];
}

static void make_table(struct file *file, size_t size) {
  free(file->table);
  file->size = size;
  file->table = checked(calloc(size, sizeof *file->table));
  for (size_t i = 0; i < file->count; i++) *place_of(file, file->sectors[i].index) = (uint32_t)i + 1;
}

/* The sector, if it is unsynced. */
static struct sector *find_sector(struct file *file, uint64_t index) {
  if (file->size == 0) return NULL;
  uint32_t place = *place_of(file, index);
  return place ? &file->sectors[place - 1] : NULL;
}

static struct sector *add_sector(struct file *file, uint64_t index) {
  if (file->count == file->capacity) {
    file->capacity = file->capacity ? 2 * file->capacity : 64;
    file->sectors = checked(realloc(file->sectors, file->capacity * sizeof *file->sectors));
  }
  struct sector *sector = &file->sectors[file->count++];
  memset(sector, 0, sizeof *sector);
  sector->index = index;
  if (2 * file->count > file->size) make_table(file, file->size ? 2 * file->size : 128);
  else *place_of(file, index) = (uint32_t)file->count;
  return sector;
}

/* The file of a descriptor; NULL if it is none of the disk's. */
static struct file *file_of(int fd) {
  struct stat status;
  char link[64], path[4096];
  if (!disk.prefix || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) return NULL;
  for (size_t i = disk.file_count; i-- > 0;) {
    struct file *file = &disk.files[i];
    if (file->number == status.st_ino && file->device == status.st_dev) return file;
  }
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return NULL;
  path[length] = 0;
  if (!is_tracked_path(path)) return NULL;
  if (disk.file_count == MOST_FILES) fail("too many files");
  struct file *file = &disk.files[disk.file_count++];
  memset(file, 0, sizeof *file);
  file->device = status.st_dev;
  file->number = status.st_ino;
  file->path = checked(strdup(path));
  file->synced_length = status.st_size;
  file->descriptor = -1;
  return file;
}

/* Keeps what the disk has of the bytes that are about to change. */
static void keep(struct file *file, int fd, off_t start, off_t end) {
  for (uint64_t index = (uint64_t)start / SECTOR; (off_t)(index * SECTOR) < end; index++) {
    struct sector *sector = find_sector(file, index);
    if (sector) {
      sector->is_stuck = 0;
      continue;
    }
    sector = add_sector(file, index);
    if (syscall(SYS_pread64, fd, sector->old, SECTOR, index * SECTOR) < 0) fail("cannot read what is there");
  }
}

static void did_sync(struct file *file, int fd) {
  struct stat status;
  size_t left = 0;
  for (size_t i = 0; i < file->count; i++)
    if (file->sectors[i].is_stuck) file->sectors[left++] = file->sectors[i];
  file->count = left;
  make_table(file, 128 > 4 * left ? 128 : file->size);
  if (fstat(fd, &status) == 0) file->synced_length = status.st_size;
}

static int is_folder(int fd) {
  struct stat status, folder;
  return disk.folder && fstat(fd, &status) == 0 && S_ISDIR(status.st_mode) && stat(disk.folder, &folder) == 0 &&
         status.st_ino == folder.st_ino && status.st_dev == folder.st_dev;
}

static void did_sync_folder(void) {
  for (size_t i = 0; i < disk.change_count; i++) {
    struct change *change = &disk.changes[i];
    if (change->is_removal && change->file) {
      syscall(SYS_close, change->file->descriptor);
      change->file->descriptor = -1;
      change->file->count = 0;
      /* The system may use its number again. */
      change->file->number = 0;
    }
    free(change->path);
  }
  disk.change_count = 0;
}

static void add_change(const char *path, int is_removal, struct file *file) {
  if (disk.change_count == MOST_CHANGES) fail("too many changes of names");
  disk.changes[disk.change_count++] =
      (struct change){.path = checked(strdup(path)), .is_removal = is_removal, .file = file};
}

/* MARK: The end */

static int open_again(struct file *file) {
  struct stat status;
  if (file->descriptor >= 0) return file->descriptor;
  if (file->number == 0) return -1;
  int fd = raw_open(file->path, O_RDWR);
  if (fd >= 0 && fstat(fd, &status) == 0 && status.st_ino == file->number) return fd;
  return -1;
}

static void lose_sectors(struct file *file) {
  static const unsigned parts[] = {0, 1, 4, 7, 8};
  struct stat status;
  int fd = open_again(file);
  if (fd < 0 || fstat(fd, &status) != 0) return;
  if (disk.loses_log && !strstr(file->path + strlen(disk.prefix), "-wal")) return;
  unsigned part = disk.loses_all || disk.loses_log ? 8 : parts[next_random() % 5];
  off_t length = status.st_size;
  int is_longer = 0;
  if (length != file->synced_length && (disk.loses_all || disk.loses_log || next_random() % 2)) {
    is_longer = file->synced_length > length;
    if (syscall(SYS_ftruncate, fd, file->synced_length) != 0) fail("cannot truncate");
    length = file->synced_length;
  }
  for (size_t i = 0; i < file->count; i++) {
    struct sector *sector = &file->sectors[i];
    off_t start = (off_t)(sector->index * SECTOR), count = length - start < SECTOR ? length - start : SECTOR;
    int is_back = is_longer && start + SECTOR > status.st_size;
    if (next_random() % 8 >= part && !is_back) continue;
    if (count > 0) write_all(fd, sector->old, (size_t)count, start);
  }
}

static void undo(struct change *change) {
  if (!change->is_removal) {
    syscall(SYS_unlinkat, AT_FDCWD, change->path, 0);
    return;
  }
  char bytes[1 << 16];
  int fd = raw_open(change->path, O_RDWR | O_CREAT | O_TRUNC);
  if (fd < 0 || !change->file) return;
  long count;
  for (off_t place = 0; (count = syscall(SYS_pread64, change->file->descriptor, bytes, sizeof bytes, place)) > 0; place += count)
    write_all(fd, bytes, (size_t)count, place);
}

static void lose_names(void) {
  for (size_t i = disk.change_count; i-- > 0;) {
    struct change *last = &disk.changes[i];
    if (!last->path) continue;
    size_t count = 0;
    for (size_t j = 0; j <= i; j++) count += disk.changes[j].path && strcmp(disk.changes[j].path, last->path) == 0;
    size_t lost = disk.loses_all ? count : next_random() % (count + 1);
    char *path = last->path;
    for (size_t j = i + 1; j-- > 0;) {
      struct change *change = &disk.changes[j];
      if (!change->path || strcmp(change->path, path) != 0) continue;
      if (lost > 0) {
        undo(change);
        lost--;
      }
      change->path = NULL;
    }
  }
}

static void put(int fd, const void *bytes, size_t count) {
  if (syscall(SYS_write, fd, bytes, count) != (long)count) fail("cannot write what is unsynced");
}

static void put_text(int fd, const char *text) {
  uint64_t count = strlen(text);
  put(fd, &count, sizeof count);
  put(fd, text, count);
}

/* 4: files with their sectors, and names that were made. */
static void hand_over(void) {
  char path[4200];
  snprintf(path, sizeof path, "%s/unsynced", disk.control);
  int fd = raw_open(path, O_WRONLY | O_CREAT | O_TRUNC);
  if (fd < 0) fail("cannot write what is unsynced");
  for (size_t i = 0; i < disk.file_count; i++) {
    struct file *file = &disk.files[i];
    if (file->number == 0 || file->descriptor >= 0) continue;
    uint64_t is_new = 0;
    for (size_t j = 0; j < disk.change_count; j++)
      if (strcmp(disk.changes[j].path, file->path) == 0) is_new = !disk.changes[j].is_removal;
    uint64_t numbers[] = {is_new, (uint64_t)file->synced_length, file->count};
    put_text(fd, file->path);
    put(fd, numbers, sizeof numbers);
    put(fd, file->sectors, file->count * sizeof *file->sectors);
  }
}

static int get(int fd, void *bytes, size_t count) { return syscall(SYS_read, fd, bytes, count) == (long)count; }

static void take_over(void) {
  char name[4200], path[4096];
  uint64_t length, numbers[3];
  snprintf(name, sizeof name, "%s/unsynced", disk.control);
  int fd = raw_open(name, O_RDONLY);
  if (fd < 0) return;
  while (get(fd, &length, sizeof length) && length < sizeof path && get(fd, path, length)) {
    path[length] = 0;
    int other = raw_open(path, O_RDONLY);
    struct file *file = other < 0 ? NULL : file_of(other);
    if (!get(fd, numbers, sizeof numbers)) fail("what is unsynced cannot be read");
    for (uint64_t i = 0; i < numbers[2]; i++) {
      struct sector sector;
      if (!get(fd, &sector, sizeof sector)) fail("what is unsynced cannot be read");
      if (!file) continue;
      struct sector *added = add_sector(file, sector.index);
      *added = sector;
    }
    if (!file) continue;
    file->synced_length = (off_t)numbers[1];
    if (numbers[0]) add_change(path, 0, file);
    /* Nobody has a lock yet, which closing it would end. */
    syscall(SYS_close, other);
  }
  syscall(SYS_close, fd);
  syscall(SYS_unlinkat, AT_FDCWD, name, 0);
}

static void end_process(void) {
  if (disk.loses_power) {
    for (size_t i = 0; i < disk.file_count; i++) lose_sectors(&disk.files[i]);
    if (!disk.loses_log) lose_names();
  } else {
    hand_over();
  }
  syscall(SYS_kill, getpid(), SIGKILL);
  for (;;) pause();
}

/* Called before and after each operation on the disk. */
static void begin_operation(void) {
  disk.operations++;
  if (disk.operations == disk.cut && disk.cuts_before) end_process();
}

static void end_operation(void) {
  if (disk.operations == disk.cut) end_process();
}

/* Called after each write. Those into the file itself, and not its log, are those of a checkpoint, or make its tables. */
static void end_write(struct file *file) {
  if (disk.writes > 0 && strcmp(file->path, disk.prefix) == 0 && --disk.writes == 0) end_process();
  end_operation();
}

__attribute__((constructor)) static void begin(void) {
  const char *text;
  static char folder[4096], prefix[4200];
  if ((text = getenv("DISK_CONTROL"))) disk.control = checked(strdup(text));
  disk.random = (text = getenv("DISK_SEED")) ? strtoull(text, NULL, 10) : 0;
  disk.cut = (text = getenv("DISK_CUT")) ? atol(text) : 0;
  disk.writes = (text = getenv("DISK_WRITES")) ? atol(text) : 0;
  text = getenv("DISK_END");
  disk.loses_all = text && strcmp(text, "all") == 0;
  disk.loses_log = text && strcmp(text, "log") == 0;
  disk.loses_power = disk.loses_all || disk.loses_log || (text && strcmp(text, "some") == 0);
  disk.lies = getenv("DISK_LIES") != NULL;
  disk.failures = (text = getenv("DISK_FAILURES")) ? atol(text) : 0;
  disk.cuts_before = next_random() % 2;
  if (!(text = getenv("DISK_FOLDER")) || !realpath(text, folder)) return;
  disk.folder = folder;
  snprintf(prefix, sizeof prefix, "%s/%s", folder, getenv("DISK_NAME"));
  disk.prefix = prefix;
  if (disk.control) take_over();
}

/* MARK: The functions of the C library */

/* How many bytes of a write there is room for: on a full disk those within the file, and then none. */
static size_t room(int fd, size_t count, off_t place) {
  struct stat status;
  if (!wants("full") || fstat(fd, &status) != 0 || place + (off_t)count <= status.st_size || !meets("full")) return count;
  return status.st_size > place ? (size_t)(status.st_size - place) : 0;
}

/* A place below 0 is that of the descriptor. */
static ssize_t write_at(int fd, const void *bytes, size_t count, off_t place) {
  ssize_t result;
  pthread_mutex_lock(&lock);
  struct file *file = file_of(fd);
  if (!file) {
    pthread_mutex_unlock(&lock);
    return place < 0 ? REAL(write)(fd, bytes, count) : REAL(pwrite64)(fd, bytes, count, place);
  }
  begin_operation();
  off_t start = place < 0 ? (off_t)syscall(SYS_lseek, fd, 0, SEEK_CUR) : place;
  size_t some = room(fd, count, start);
  if (meets("write-fails") || happens(8 * disk.failures)) {
    errno = EIO;
    result = -1;
  } else if (count > 0 && some == 0) {
    errno = ENOSPC;
    result = -1;
  } else {
    keep(file, fd, start, start + (off_t)some);
    result = place < 0 ? syscall(SYS_write, fd, bytes, some) : syscall(SYS_pwrite64, fd, bytes, some, place);
  }
  int error = errno;
  end_write(file);
  pthread_mutex_unlock(&lock);
  errno = error;
  return result;
}

ssize_t write(int fd, const void *bytes, size_t count) { return write_at(fd, bytes, count, -1); }
ssize_t pwrite(int fd, const void *bytes, size_t count, off_t place) { return write_at(fd, bytes, count, place); }
ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t place) { return write_at(fd, bytes, count, place); }

ssize_t writev(int fd, const struct iovec *parts, int count) {
  pthread_mutex_lock(&lock);
  if (file_of(fd)) fail("writev is not known here");
  pthread_mutex_unlock(&lock);
  return REAL(writev)(fd, parts, count);
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t place) {
  pthread_mutex_lock(&lock);
  if (file_of(fd)) fail("pwritev is not known here");
  pthread_mutex_unlock(&lock);
  return REAL(pwritev)(fd, parts, count, place);
}

static int truncate_to(int fd, off_t length) {
  struct stat status;
  pthread_mutex_lock(&lock);
  struct file *file = file_of(fd);
  if (file) {
    begin_operation();
    if (fstat(fd, &status) == 0 && status.st_size > length) keep(file, fd, length, status.st_size);
  }
  int result = (int)syscall(SYS_ftruncate, fd, length), error = errno;
  if (file) end_operation();
  pthread_mutex_unlock(&lock);
  errno = error;
  return result;
}

int ftruncate(int fd, off_t length) { return truncate_to(fd, length); }
int ftruncate64(int fd, off64_t length) { return truncate_to(fd, length); }

static int sync_file(int fd, int (*real)(int)) {
  pthread_mutex_lock(&lock);
  struct file *file = file_of(fd);
  int folder = !file && is_folder(fd), result = 0;
  pthread_mutex_unlock(&lock);
  if (!file && !folder) return real(fd);
  while (file && meets("sync-waits")) usleep(1000);
  pthread_mutex_lock(&lock);
  begin_operation();
  if (file && wants("sync-ends")) end_process();
  if (meets("sync-fails") || happens(disk.failures)) {
    if (file) for (size_t i = 0; i < file->count; i++) file->sectors[i].is_stuck = 1;
    errno = EIO;
    result = -1;
  } else if (!disk.lies) {
    /* The machine keeps its power, so that there is nothing to wait for. */
    if (file) did_sync(file, fd);
    else did_sync_folder();
  }
  int error = errno;
  end_operation();
  pthread_mutex_unlock(&lock);
  errno = error;
  return result;
}

int fsync(int fd) { return sync_file(fd, REAL(fsync)); }
int fdatasync(int fd) { return sync_file(fd, REAL(fdatasync)); }

static int open_path(const char *path, int flags, mode_t mode) {
  struct stat status;
  char full[4096];
  int makes = 0;
  if (disk.prefix && (flags & O_CREAT)) {
    pthread_mutex_lock(&lock);
    makes = realpath(path, full) == NULL && errno == ENOENT && is_tracked_path(full);
    if (makes) begin_operation();
  }
  int created = disk.prefix && (flags & O_CREAT);
  int fd = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode), error = errno;
  if (makes && fd >= 0 && fstat(fd, &status) == 0) {
    struct file *file = file_of(fd);
    if (file) add_change(full, 0, file);
    end_operation();
  }
  if (created) pthread_mutex_unlock(&lock);
  errno = error;
  return fd;
}

#define OPEN(function)                                      \
  int function(const char *path, int flags, ...) {          \
    va_list rest;                                           \
    va_start(rest, flags);                                  \
    mode_t mode = va_arg(rest, mode_t);                     \
    va_end(rest);                                           \
    return open_path(path, flags, mode);                    \
  }
OPEN(open)
OPEN(open64)

int unlink(const char *path) {
  char full[4096];
  pthread_mutex_lock(&lock);
  struct file *file = NULL;
  if (disk.prefix && realpath(path, full) && is_tracked_path(full)) {
    begin_operation();
    int fd = raw_open(full, O_RDWR);
    if (fd >= 0 && (file = file_of(fd))) {
      file->descriptor = fd;
      add_change(full, 1, file);
    }
  }
  int result = (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0), error = errno;
  if (file) end_operation();
  pthread_mutex_unlock(&lock);
  errno = error;
  return result;
}

/* The wall clock is set by the seconds in the file `clock`. */
int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = (int)syscall(SYS_clock_gettime, clock, time);
  if (result != 0 || clock != CLOCK_REALTIME || !disk.control) return result;
  char path[4200], text[32] = "";
  snprintf(path, sizeof path, "%s/clock", disk.control);
  int before = errno, fd = raw_open(path, O_RDONLY);
  if (fd >= 0) {
    if (syscall(SYS_read, fd, text, sizeof text - 1) > 0) time->tv_sec += atol(text);
    syscall(SYS_close, fd);
  }
  errno = before;
  return result;
}
