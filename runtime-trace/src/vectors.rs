//! The vector registers that carry arguments and results, whole.
//!
//! What is called at a place that a compiler has left puts the lower 16 bytes of each aside, and our own code changes no others. The C library, which is called at rare events, has instructions that
//! clear the upper ones.
//!
//! A processor tracks whether the upper parts are in use. Where they are not, they are zero and have to stay unused: after a load of whole registers, of zeros too, code that knows only the lower
//! parts would have to keep the upper ones at each instruction, and becomes slower for as long as nobody clears them.

#![expect(unsafe_code, reason = "registers are read and written")]

use std::arch::asm;
use std::arch::x86_64::__cpuid_count;
use std::sync::atomic::{AtomicU32, Ordering};

/// The registers, as they were when it was made and are again when it is dropped.
pub(crate) struct Vectors {
    wide: Wide,
    bytes: [u8; 64 * 8],
}

/// How wide the registers are.
#[derive(Clone, Copy)]
enum Wide {
    /// 16 bytes: there are no upper parts.
    Sse,
    /// There are upper parts, and none is in use.
    Unused,
    /// 32 bytes.
    Avx,
    /// 64 bytes.
    Avx512,
}

impl Vectors {
    #[inline]
    pub(crate) fn keep() -> Self {
        let wide = if !is_x86_feature_detected!("avx") {
            Wide::Sse
        } else if !may_be_in_use() {
            Wide::Unused
        } else if is_x86_feature_detected!("avx512f") {
            Wide::Avx512
        } else {
            Wide::Avx
        };
        let mut bytes = [0; 64 * 8];
        match wide {
            Wide::Sse | Wide::Unused => {}
            // SAFETY: the registers are there, and there is room for eight of them.
            Wide::Avx => unsafe {
                asm!(
                    "vmovups [{0}], ymm0", "vmovups [{0} + 32], ymm1", "vmovups [{0} + 64], ymm2", "vmovups [{0} + 96], ymm3",
                    "vmovups [{0} + 128], ymm4", "vmovups [{0} + 160], ymm5", "vmovups [{0} + 192], ymm6", "vmovups [{0} + 224], ymm7",
                    in(reg) bytes.as_mut_ptr(), options(nostack, preserves_flags),
                );
            },
            // SAFETY: as above.
            Wide::Avx512 => unsafe {
                asm!(
                    "vmovups [{0}], zmm0", "vmovups [{0} + 64], zmm1", "vmovups [{0} + 128], zmm2", "vmovups [{0} + 192], zmm3",
                    "vmovups [{0} + 256], zmm4", "vmovups [{0} + 320], zmm5", "vmovups [{0} + 384], zmm6", "vmovups [{0} + 448], zmm7",
                    in(reg) bytes.as_mut_ptr(), options(nostack, preserves_flags),
                );
            },
        }
        Self { wide, bytes }
    }
}

impl Drop for Vectors {
    fn drop(&mut self) {
        match self.wide {
            Wide::Sse => {}
            // SAFETY: the upper parts were zero.
            Wide::Unused => unsafe { asm!("vzeroupper", options(nostack, preserves_flags, nomem)) },
            // SAFETY: the bytes are those of the registers, which the compiler is told to be changed.
            Wide::Avx => unsafe {
                asm!(
                    "vmovups ymm0, [{0}]", "vmovups ymm1, [{0} + 32]", "vmovups ymm2, [{0} + 64]", "vmovups ymm3, [{0} + 96]",
                    "vmovups ymm4, [{0} + 128]", "vmovups ymm5, [{0} + 160]", "vmovups ymm6, [{0} + 192]", "vmovups ymm7, [{0} + 224]",
                    in(reg) self.bytes.as_ptr(), options(nostack, preserves_flags, readonly),
                    out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _, out("xmm5") _, out("xmm6") _, out("xmm7") _,
                );
            },
            // SAFETY: as above.
            Wide::Avx512 => unsafe {
                asm!(
                    "vmovups zmm0, [{0}]", "vmovups zmm1, [{0} + 64]", "vmovups zmm2, [{0} + 128]", "vmovups zmm3, [{0} + 192]",
                    "vmovups zmm4, [{0} + 256]", "vmovups zmm5, [{0} + 320]", "vmovups zmm6, [{0} + 384]", "vmovups zmm7, [{0} + 448]",
                    in(reg) self.bytes.as_ptr(), options(nostack, preserves_flags, readonly),
                    out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _, out("xmm5") _, out("xmm6") _, out("xmm7") _,
                );
            },
        }
    }
}

/// Whether the upper parts of the registers may be in use: processors with `xgetbv` of the second register tell (CPUID leaf 13, subleaf 1, bit 2; Intel's manual, volume 1, section 13.6).
fn may_be_in_use() -> bool {
    /// Upper halves of 32 bytes, and of 64 bytes. Masks and the other 16 registers carry no arguments.
    const UPPER_PARTS: u32 = 1 << 2 | 1 << 6;
    const TELLS: u32 = 1 << 2;
    static KNOWN: AtomicU32 = AtomicU32::new(UNKNOWN);
    const UNKNOWN: u32 = u32::MAX;
    let mut tells = KNOWN.load(Ordering::Relaxed);
    if tells == UNKNOWN {
        // Processors with AVX have leaf 13.
        tells = __cpuid_count(13, 1).eax & TELLS;
        KNOWN.store(tells, Ordering::Relaxed);
    }
    if tells == 0 {
        return true;
    }
    let in_use: u32;
    // SAFETY: a processor that tells has the instruction; it changes nothing else.
    unsafe {
        asm!("xgetbv", in("ecx") 1, out("eax") in_use, out("edx") _, options(nostack, preserves_flags, nomem));
    }
    in_use & UPPER_PARTS != 0
}
