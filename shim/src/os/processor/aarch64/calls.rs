//! Calls of aarch64, as they stand in code.

/// movz, movk and movk of the parts of an address, blr.
pub(crate) const LONGEST_CALL: usize = 16;

/// What a call instruction at the end of `code`, which ends at `back`, calls.
pub(crate) fn called(code: &[u8; LONGEST_CALL], back: usize) -> Option<usize> {
    let (words, _) = code.as_chunks();
    let [first, second, third, last] = *words else {
        return None;
    };
    let [first, second, third, last] = [first, second, third, last].map(u32::from_le_bytes);
    if last >> 26 == 0b10_0101 {
        // bl: words from itself.
        return Some(
            back.wrapping_sub(WORD)
                .wrapping_add_signed(signed(last, 26) << 2),
        );
    }
    let register = (last >> 5) & 31;
    if last & !(31 << 5) != 0xd63f_0000 {
        return None;
    }
    // blr: of what was put into the register just before.
    let part = |word: u32, number: u32, at: u32| {
        let is = word >> 21 == (number << 2 | at) && word & 31 == register;
        is.then_some(((word >> 5) as usize & 0xffff) << (16 * at))
    };
    let parts = (
        part(first, MOVZ, 0),
        part(second, MOVK, 1),
        part(third, MOVK, 2),
    );
    if let (Some(low), Some(middle), Some(high)) = parts {
        return Some(low | middle | high);
    }
    // adrp, add.
    let is_page = second & 0x9f00_0000 == 0x9000_0000 && second & 31 == register;
    let is_rest = third & 0xffc0_0000 == 0x9100_0000
        && third & 31 == register
        && (third >> 5) & 31 == register;
    (is_page && is_rest).then(|| {
        let pages = signed(((second >> 5) & 0x7_ffff) << 2 | (second >> 29) & 3, 21);
        let page = back.wrapping_sub(3 * WORD) & !0xfff;
        let page = page.wrapping_add_signed(pages << 12);
        page.wrapping_add((third >> 10) as usize & 0xfff)
    })
}

/// Bytes of an instruction.
const WORD: usize = 4;
/// Bits 31 to 23 of the two, of 64 bits.
const MOVZ: u32 = 0b1_1010_0101;
const MOVK: u32 = 0b1_1110_0101;

/// The lowest bits as a number with a sign.
fn signed(word: u32, bits: u32) -> isize {
    let shift = u32::BITS - bits;
    ((word << shift).cast_signed() >> shift) as isize
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_CALL, called};

    fn code(words: [u32; 4]) -> [u8; LONGEST_CALL] {
        let mut bytes = [0; LONGEST_CALL];
        for (bytes, word) in bytes.as_chunks_mut().0.iter_mut().zip(words) {
            *bytes = word.to_le_bytes();
        }
        bytes
    }

    const NOP: u32 = 0xd503_201f;
    const BACK: usize = 0xffff_8000_7010;

    // As `aarch64-linux-gnu-as` makes them.
    #[test]
    fn calls_are_recognised() {
        let of = |words| called(&code(words), BACK);
        // bl .+16; bl .-16
        assert_eq!(of([NOP, NOP, NOP, 0x9400_0004]), Some(BACK + 12));
        assert_eq!(of([NOP, NOP, NOP, 0x97ff_fffc]), Some(BACK - 20));
        // movz x8, #0x1180; movk x8, #0x8000, lsl 16; movk x8, #0xffff, lsl 32; blr x8
        let moves = [0xd282_3008, 0xf2b0_0008, 0xf2df_ffe8, 0xd63f_0100];
        assert_eq!(of(moves), Some(0xffff_8000_1180));
        // adrp x9, .+0x2000; add x9, x9, #0x18; blr x9
        let page = [NOP, 0xd000_0009, 0x9100_6129, 0xd63f_0120];
        assert_eq!(of(page), Some(0xffff_8000_9018));
        // adrp x9, .-0x1000
        let page = [NOP, 0xf0ff_ffe9, 0x9100_6129, 0xd63f_0120];
        assert_eq!(of(page), Some(0xffff_8000_6018));
    }

    #[test]
    fn nothing_else_is() {
        let of = |words| called(&code(words), BACK);
        assert_eq!(of([NOP; 4]), None);
        // b .+16: not a call.
        assert_eq!(of([NOP, NOP, NOP, 0x1400_0004]), None);
        // Another register than the one that is called.
        assert_eq!(
            of([0xd282_3008, 0xf2b0_0008, 0xf2df_ffe8, 0xd63f_0120]),
            None
        );
        assert_eq!(of([NOP, 0xd000_0009, 0x9100_6129, 0xd63f_0100]), None);
        // blr x9 alone.
        assert_eq!(of([NOP, NOP, NOP, 0xd63f_0120]), None);
    }
}
