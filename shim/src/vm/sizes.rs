//! Sizes of objects as JVMPI has them.

/// A size in bytes as JVMPI has it, in 31 bits: what is larger is as large as can be.
pub(crate) fn bytes(size: i64) -> u32 {
    u32::try_from(size).unwrap_or(u32::MAX).min(u32::MAX >> 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Arrays of 2 GB to 4 GB had negative sizes.
    #[test]
    fn no_size_is_negative_for_an_agent() {
        const MOST: u32 = u32::MAX >> 1;
        let sizes = [16, 1 << 31, (1 << 32) - 8, 1 << 32, 1 << 40].map(bytes);
        assert_eq!(sizes, [16, MOST, MOST, MOST, MOST]);
    }
}
