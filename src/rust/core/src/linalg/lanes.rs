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

/// Compile functions for AVX-512 (if the compiler has it), AVX2 and the plain target, and choose at run time.
macro_rules! dispatch {
    ($($function:item)*) => {$(
        #[cfg_attr(feature = "avx512", multiversion::multiversion(targets(
            "x86_64+avx512f+avx512bw+avx512cd+avx512dq+avx512vl+avx2+fma",
            "x86_64+avx2+fma"
        )))]
        #[cfg_attr(not(feature = "avx512"), multiversion::multiversion(targets("x86_64+avx2+fma")))]
        $function
    )*};
}
pub(crate) use dispatch;

/// `multiversion` renames the lifetimes of a signature, 'static too.
type Name = &'static str;

dispatch! {
    /// The instructions that the hot loops use on this processor.
    pub fn instruction_set() -> Name {
        multiversion::target::match_target! {
            "x86_64+avx512f" => "AVX-512",
            "x86_64+avx2" => "AVX2",
            "x86_64" => "SSE2",
            _ => std::env::consts::ARCH,
        }
    }
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

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    #[test]
    fn both_ways_choose_the_instructions_that_are_reported() {
        let chosen = match pulp::Arch::new() {
            #[cfg(feature = "avx512")]
            pulp::Arch::V4(_) => "AVX-512",
            pulp::Arch::V3(_) => "AVX2",
            _ => "SSE2",
        };
        assert_eq!(super::instruction_set(), chosen);
    }
}
