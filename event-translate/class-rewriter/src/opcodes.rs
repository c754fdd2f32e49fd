//! The instruction set (JVMS §6.5): lengths, and what instructions do to the
//! operand stack.

pub(super) const ACONST_NULL: u8 = 1;
pub(super) const ICONST_0: u8 = 3;
pub(super) const BIPUSH: u8 = 16;
pub(super) const SIPUSH: u8 = 17;
pub(super) const LDC: u8 = 18;
pub(super) const LDC_W: u8 = 19;
pub(super) const LDC2_W: u8 = 20;
pub(super) const ALOAD: u8 = 25;
pub(super) const LLOAD_0: u8 = 30;
pub(super) const ALOAD_0: u8 = 42;
pub(super) const ALOAD_3: u8 = 45;
pub(super) const BALOAD: u8 = 51;
pub(super) const ISTORE: u8 = 54;
pub(super) const ASTORE: u8 = 58;
pub(super) const ISTORE_0: u8 = 59;
pub(super) const ASTORE_0: u8 = 75;
pub(super) const ASTORE_3: u8 = 78;
pub(super) const DUP: u8 = 89;
pub(super) const DUP_X1: u8 = 90;
pub(super) const DUP_X2: u8 = 91;
pub(super) const DUP2: u8 = 92;
pub(super) const DUP2_X1: u8 = 93;
pub(super) const DUP2_X2: u8 = 94;
pub(super) const SWAP: u8 = 95;
pub(super) const IINC: u8 = 132;
pub(super) const IFEQ: u8 = 153;
pub(super) const IFLE: u8 = 158;
pub(super) const IF_ICMPEQ: u8 = 159;
pub(super) const IF_ICMPLE: u8 = 164;
pub(super) const IF_ACMPEQ: u8 = 165;
pub(super) const IF_ACMPNE: u8 = 166;
pub(super) const GOTO: u8 = 167;
pub(super) const JSR: u8 = 168;
pub(super) const RET: u8 = 169;
pub(super) const TABLESWITCH: u8 = 170;
pub(super) const LOOKUPSWITCH: u8 = 171;
pub(super) const IRETURN: u8 = 172;
pub(super) const RETURN: u8 = 177;
pub(super) const GETSTATIC: u8 = 178;
pub(super) const PUTSTATIC: u8 = 179;
pub(super) const GETFIELD: u8 = 180;
pub(super) const PUTFIELD: u8 = 181;
pub(super) const INVOKEVIRTUAL: u8 = 182;
pub(super) const INVOKESPECIAL: u8 = 183;
pub(super) const INVOKESTATIC: u8 = 184;
pub(super) const INVOKEDYNAMIC: u8 = 186;
pub(super) const NEW: u8 = 187;
pub(super) const NEWARRAY: u8 = 188;
pub(super) const ANEWARRAY: u8 = 189;
pub(super) const ATHROW: u8 = 191;
/// Enters the monitor of an object.
pub const MONITORENTER: u8 = 194;
pub(super) const MONITOREXIT: u8 = 195;
pub(super) const WIDE: u8 = 196;
pub(super) const MULTIANEWARRAY: u8 = 197;
pub(super) const IFNULL: u8 = 198;
pub(super) const IFNONNULL: u8 = 199;
pub(super) const GOTO_W: u8 = 200;
pub(super) const JSR_W: u8 = 201;

/// Lengths in bytes; 0 where it is not constant or there is no such opcode.
pub(super) const LENGTHS: [u8; 256] = {
    let mut lengths = [0; 256];
    let mut opcode = 0;
    while opcode <= 0xff {
        #[expect(
            clippy::indexing_slicing,
            reason = "evaluated by the compiler; a bad index does not compile"
        )]
        {
            lengths[opcode] = match opcode {
                16 | 18 | 21..=25 | 54..=58 | 169 | 188 => 2,
                17 | 19 | 20 | 132 | 153..=168 | 178..=184 | 187 | 189 | 192 | 193 => 3,
                198 | 199 => 3,
                197 => 4,
                185 | 186 | 200 | 201 => 5,
                170 | 171 | 196 | 202.. => 0,
                _ => 1,
            };
        }
        opcode += 1;
    }
    lengths
};

/// How many stack slots an instruction pops and then pushes, if its opcode says
/// so alone and the order of what stays is not changed.
pub(super) fn stack_effect(opcode: u8) -> (u8, u8) {
    match opcode {
        1..=8 | 11..=13 | 16..=19 | 21 | 23 | 26..=29 | 34..=37 => (0, 1),
        9 | 10 | 14 | 15 | 20 | 22 | 24 | 30..=33 | 38..=41 => (0, 2),
        46 | 48 | 50..=53 => (2, 1),
        47 | 49 => (2, 2),
        54 | 56 | 59..=62 | 67..=70 | 87 => (1, 0),
        55 | 57 | 63..=66 | 71..=74 | 88 => (2, 0),
        79 | 81 | 83..=86 => (3, 0),
        80 | 82 => (4, 0),
        // Arithmetic goes int, long, float, double.
        96..=115 | 126..=131 if opcode.is_multiple_of(2) => (2, 1),
        96..=115 | 126..=131 => (4, 2),
        116 | 118 => (1, 1),
        117 | 119 => (2, 2),
        120 | 122 | 124 => (2, 1),
        121 | 123 | 125 => (3, 2),
        133 | 135 | 140 | 141 => (1, 2),
        134 | 139 | 145..=147 => (1, 1),
        136 | 137 | 142 | 144 => (2, 1),
        138 | 143 => (2, 2),
        148 | 151 | 152 => (4, 1),
        149 | 150 => (2, 1),
        153..=158 | 170 | 171 | 194 | 195 | 198 | 199 => (1, 0),
        159..=166 => (2, 0),
        188 | 189 | 190 | 192 | 193 => (1, 1),
        _ => (0, 0),
    }
}

/// An instruction that completes without an exception, whatever happens: the
/// ones that only move values or compute with them (JVMS §6.5). Branches are not
/// among them; a loop can be stopped by an asynchronous exception.
pub(super) fn never_throws(opcode: u8) -> bool {
    // The divisions of int and long throw; ldc may have to resolve.
    matches!(opcode, 0..=17 | 21..=45 | 54..=78 | 87..=107 | 110 | 111 | 114..=152)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_defined_instruction_lacks_a_length() {
        for (opcode, length) in LENGTHS.iter().enumerate() {
            let variable = matches!(opcode, 170 | 171 | 196);
            assert_eq!(*length == 0, variable || opcode > 201, "{opcode}");
        }
    }
}
