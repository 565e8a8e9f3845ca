/* Plain loops that compilers turn into vectors, once for every x86-64 and once for AVX2. The choice
 * between the two happens before sanitizers are ready for it, and needs the C library's help. */
#ifndef SWATHE_IO_VECTORS_H
#define SWATHE_IO_VECTORS_H

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__has_attribute)
#if __has_attribute(target_clones) && !defined(__SANITIZE_ADDRESS__) &&                            \
    !defined(__SANITIZE_THREAD__)
#define VECTORS __attribute__((target_clones("avx2", "default")))
#endif
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#undef VECTORS
#endif
#endif
#ifndef VECTORS
#define VECTORS
#endif

#endif
