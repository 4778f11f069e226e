/* Compiles a hot CPU function once per instruction set; the loader chooses a copy when the plugin is loaded. Sanitizer
 * builds compile only one copy, because the loader chooses before the sanitizer's runtime is ready, and such builds
 * need no speed. Before including this, a file may define HOT_AVX, the target of the copy for machines with AVX2 but
 * without AVX-512: "avx2" (the default), or "fma" if the function needs a * b + c as one instruction, which "avx2" does
 * not include. */
#ifndef PLUGINS_HOT_H
#define PLUGINS_HOT_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(GPUBENCH_SANITIZE)
#define HOT
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer) || \
    __has_feature(undefined_behavior_sanitizer)
#define HOT
#endif
#endif

#ifndef HOT_AVX
#define HOT_AVX "avx2"
#endif
#if !defined(HOT) && defined(__x86_64__) && defined(__gnu_linux__) && defined(__has_attribute)
#if __has_attribute(target_clones)
#define HOT __attribute__((target_clones("avx512f", HOT_AVX, "default")))
#endif
#endif
#ifndef HOT
#define HOT
#endif

/* For functions that HOT functions call: they must be inlined into every copy, because a called function would be
 * compiled for the base instruction set. */
#define INLINE static inline __attribute__((always_inline))

#endif
