/* Compiles a hot CPU function once per instruction set; the loader chooses a copy when the plugin is loaded. Sanitizer
 * builds compile one copy: the choice is made before the sanitizer's runtime is ready, and they need no speed. A file
 * may define HOT_AVX first, the target for machines between AVX-512 and the base: "avx2" (the default), or "fma" where
 * a * b + c as one instruction matters, which "avx2" alone does not allow. */
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

/* Inlined into every copy of a hot function: a call would leave the copy's instruction set. */
#define INLINE static inline __attribute__((always_inline))

#endif
