/* Memory beyond what a small stack has. */
#include <errno.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload.h"

/* A vfork child runs on its parent's memory while that thread waits. When its exec succeeds, nobody comes back to unmap
 * what it mapped, so a piece belongs to the thread: whenever code runs as this thread again, an exec that the thread
 * (or its vfork child) was in has ended one way or the other, and the piece is free. A thread is known by its errno, which
 * the child shares. What stays is one mapping for a thread that launched from a vfork child with an environment of
 * hundreds of variables. */
#define PIECES 64

static struct piece {
    _Atomic(void *) thread;
    void *base;
    size_t size;
} pieces[PIECES];

static struct piece *
own_piece(void)
{
    void *thread = &errno;

    for (size_t i = 0; i < PIECES; i++)
        if (atomic_load(&pieces[i].thread) == thread)
            return &pieces[i];
    for (size_t i = 0; i < PIECES; i++) {
        void *nobody = NULL;

        if (atomic_compare_exchange_strong(&pieces[i].thread, &nobody, thread))
            return &pieces[i];
    }
    return NULL;
}

static void *
map(size_t size)
{
    long at = syscall(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);

    return at == -1 ? NULL : (void *)at;
}

void *
space_take(size_t size)
{
    struct piece *p = own_piece();

    if (p == NULL)
        return map(size);
    if (p->base != NULL && p->size < size) {
        syscall(SYS_munmap, p->base, p->size);
        p->base = NULL;
    }
    if (p->base == NULL) {
        p->base = map(size);
        p->size = size;
    }
    if (p->base == NULL)
        atomic_store(&p->thread, NULL);
    return p->base;
}

void
space_give(void *space, size_t size)
{
    struct piece *p = own_piece();

    if (p != NULL && p->base == space) {
        size = p->size;
        p->base = NULL;
    }
    syscall(SYS_munmap, space, size);
    if (p != NULL && p->base == NULL)
        atomic_store(&p->thread, NULL);
}
