//! How a loop is compiled for every processor and gives the same bits on all of them.
//!
//! Each hot loop is compiled for AVX-512, AVX2 and the plain target, and chosen at run time. Draws are
//! the lanes: a *panel* holds one row of the data after another with the draws of a batch side by side,
//! so a vector instruction does the same scalar step for eight draws. Each number is then summed in
//! one fixed order with fused products (`mul_add`), and its bits depend neither on the processor, nor
//! on the number of threads, nor on which draws share the batch. A processor without FMA gets the
//! same numbers from software, slowly.
//!
//! There are two ways. `dispatch!` leaves the vectors of a plain loop to the compiler, which finds them
//! where a loop is simple. Where sums must stay in registers they are written as vectors of [`pulp`]: what
//! the compiler makes of nested arrays changes from one build to the next.

/// Compile functions for AVX-512, AVX2 and the plain target, and choose at run time.
macro_rules! dispatch {
    ($($function:item)*) => {$(
        #[multiversion::multiversion(targets(
            "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma",
            "x86_64+avx2+fma"
        ))]
        $function
    )*};
}
pub(crate) use dispatch;

/// The instructions that the loops below use on this processor.
pub fn instruction_set() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    {
        if std::is_x86_feature_detected!("avx512vbmi2") {
            return "AVX-512";
        }
        if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
            return "AVX2";
        }
        "SSE2"
    }
    #[cfg(not(target_arch = "x86_64"))]
    std::env::consts::ARCH
}

/// Ask for the cache line of what will be read soon.
#[inline(always)]
pub fn prefetch<T>(at: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch is a hint that reads nothing and never faults, whatever the address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(at).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}

/// Draws in one vector; the width of a panel is a multiple of it.
pub const LANES: usize = 8;

/// Smallest panel that holds `draws`.
pub fn panel_width(draws: usize) -> usize {
    draws.next_multiple_of(LANES)
}
