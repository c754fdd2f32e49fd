//! How many monitors a frame holds at each instruction of its method, by `monitorenter` and
//! `monitorexit` (a synchronized method's own not counted).

use super::bytes::i4_at;
use super::instructions::{Instruction, Switch};
use super::opcodes::{
    ATHROW, GOTO, GOTO_W, IRETURN, JSR, JSR_W, LOOKUPSWITCH, MONITORENTER, MONITOREXIT, RET,
    RETURN, TABLESWITCH,
};

const UNKNOWN: u8 = u8::MAX;

/// The depths at the instructions of one method.
#[derive(Debug)]
pub struct LockDepths {
    depths: Vec<u8>,
}

impl LockDepths {
    /// Follows code from its beginning. Handlers are not followed: what only they lead to is
    /// unknown. `None` for code that enters and leaves monitors in an order that depends on
    /// the way to an instruction, or that nobody writes any more.
    #[must_use]
    pub fn of(code: &[u8]) -> Option<Self> {
        let mut depths = vec![UNKNOWN; code.len()];
        let mut ways = vec![(0, 0)];
        while let Some((mut at, mut depth)) = ways.pop() {
            loop {
                let known = depths.get_mut(at)?;
                if *known != UNKNOWN {
                    if *known != depth {
                        return None;
                    }
                    break;
                }
                *known = depth;
                let instruction = Instruction::read(code, at).ok()?;
                match instruction.opcode {
                    MONITORENTER => depth = depth.checked_add(1).filter(|&d| d < UNKNOWN)?,
                    MONITOREXIT => depth = depth.checked_sub(1)?,
                    IRETURN..=RETURN | ATHROW => break,
                    JSR | JSR_W | RET => return None,
                    TABLESWITCH | LOOKUPSWITCH => {
                        let switch = Switch::read(code, at).ok()?;
                        for field in switch.offsets() {
                            let target = instruction.relative(i4_at(code, field)?).ok()?;
                            ways.push((target, depth));
                        }
                        break;
                    }
                    opcode => {
                        if let Some(target) = instruction.target(code).ok()? {
                            ways.push((target, depth));
                        }
                        if matches!(opcode, GOTO | GOTO_W) {
                            break;
                        }
                    }
                }
                at = instruction.end();
            }
        }
        Some(Self { depths })
    }

    /// Before the instruction at this index; `None` if that is not known.
    #[must_use]
    pub fn at(&self, index: usize) -> Option<u32> {
        let depth = *self.depths.get(index)?;
        (depth != UNKNOWN).then_some(depth.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depths(code: &[u8]) -> Option<Vec<Option<u32>>> {
        let all = LockDepths::of(code)?;
        Some((0..code.len()).map(|at| all.at(at)).collect())
    }

    #[test]
    fn blocks_and_what_follows_them() {
        // aload_0 monitorenter aload_0 monitorexit goto +5, astore_1 athrow, return
        let code = [42, 194, 42, 195, 167, 0, 5, 76, 191, 177];
        let expected = [0, 0, 1, 1, 0].map(Some);
        let found = depths(&code).unwrap();
        assert_eq!(found[..5], expected);
        // The handler is not known, the return is.
        assert_eq!(found[5..], [None, None, None, None, Some(0)]);
        // A block in a block, in a loop: aload_0 monitorenter, twice; monitorexit, twice;
        // goto the beginning.
        let code = [42, 194, 42, 194, 42, 195, 42, 195, 167, 255, 248];
        let found = depths(&code).unwrap();
        assert_eq!(found[..9], [0, 0, 1, 1, 2, 2, 1, 1, 0].map(Some));
    }

    #[test]
    fn what_depends_on_the_way_is_not_known() {
        // iload_0 ifeq +5, aload_1 monitorenter, return
        assert!(depths(&[26, 153, 0, 5, 43, 194, 177]).is_none());
        // monitorexit of nothing; jsr; half an instruction; code that does not end.
        for code in [&[42, 195, 177][..], &[168, 0, 3, 177], &[167, 0], &[0], &[]] {
            assert!(depths(code).is_none(), "{code:?}");
        }
    }
}
