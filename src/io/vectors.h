/* Plain loops that compilers vectorise, once for any x86-64 and once for AVX2. The C library must
 * support the selection at load time, which happens before sanitizers are initialised. */
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
