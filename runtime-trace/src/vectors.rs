//! The vector registers that carry arguments and results, whole.
//!
//! What is called at a place that a compiler has left puts the lower 16 bytes of each aside, and our own code changes no others. The C library, which is called at rare events, has instructions that
//! clear the upper ones.

#![expect(unsafe_code, reason = "registers are read and written")]

use std::arch::asm;

/// The registers, as they were when it was made and are again when it is dropped.
pub(crate) struct Vectors {
    wide: Wide,
    bytes: [u8; 64 * 8],
}

/// How wide the registers are.
#[derive(Clone, Copy)]
enum Wide {
    /// 16 bytes: there are no upper halves.
    Sse,
    /// 32 bytes.
    Avx,
    /// 64 bytes.
    Avx512,
}

impl Vectors {
    #[inline]
    pub(crate) fn keep() -> Self {
        let wide = if is_x86_feature_detected!("avx512f") {
            Wide::Avx512
        } else if is_x86_feature_detected!("avx") {
            Wide::Avx
        } else {
            Wide::Sse
        };
        let mut bytes = [0; 64 * 8];
        match wide {
            Wide::Sse => {}
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
