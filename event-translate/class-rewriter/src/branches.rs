//! What `INSTRUCTION_START` says of branches.
//!
//! The hooks of rewritten code pass only operands. What an operand means is
//! known from the original code, which this keeps: [`Branches::of`] a class's
//! code, then the functions of [`Branch`].

use super::bytes::{Malformed, i4_at};
use super::class_file::ClassFile;
use super::instructions::{Instruction, Switch, instructions};
use super::opcodes::{GOTO, IF_ACMPEQ, IFEQ, IFNONNULL, IFNULL, LOOKUPSWITCH, TABLESWITCH};

/// A branch that depends on operands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Branch {
    /// One of the `if…` instructions.
    If {
        /// Which, JVMS §6.5.
        opcode: u8,
    },
    /// `tableswitch`
    Table {
        /// The lowest key that does not go to the default.
        low: i32,
        /// The highest.
        high: i32,
    },
    /// `lookupswitch`
    Lookup {
        /// The keys, in the order of the code.
        keys: Box<[i32]>,
    },
}

/// The data of an `INSTRUCTION_START` event (facts A.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Of an `if…`: it will branch.
    If {
        /// Whether.
        is_true: bool,
    },
    /// Of a `tableswitch`.
    Table {
        /// The operand.
        key: i32,
        /// See [`Branch::Table`].
        low: i32,
        /// See [`Branch::Table`].
        high: i32,
    },
    /// Of a `lookupswitch`.
    Lookup {
        /// The pair's index; that of no pair, `pairs_total`, is the default.
        chosen_pair_index: i32,
        /// How many pairs there are.
        pairs_total: i32,
    },
}

impl Branch {
    /// What an `if…` with int operands or a switch does with them; `second` is
    /// that of `if_icmp…`.
    #[must_use]
    pub fn on_ints(&self, first: i32, second: i32) -> Option<Outcome> {
        match self {
            Self::If { opcode } => {
                // ifeq … ifle compare with 0; if_icmp… are in the same order.
                let (condition, second) = match opcode.checked_sub(IFEQ)? {
                    condition @ 0..6 => (condition, 0),
                    condition @ 6..12 => (condition - 6, second),
                    _ => return None,
                };
                let is_true = match condition {
                    0 => first == second,
                    1 => first != second,
                    2 => first < second,
                    3 => first >= second,
                    4 => first > second,
                    _ => first <= second,
                };
                Some(Outcome::If { is_true })
            }
            Self::Table { low, high } => Some(Outcome::Table {
                key: first,
                low: *low,
                high: *high,
            }),
            Self::Lookup { keys } => {
                let pairs_total = i32::try_from(keys.len()).ok()?;
                let chosen = keys.iter().position(|&key| key == first);
                let chosen = chosen.and_then(|at| i32::try_from(at).ok());
                Some(Outcome::Lookup {
                    chosen_pair_index: chosen.unwrap_or(pairs_total),
                    pairs_total,
                })
            }
        }
    }

    /// What an `if…` with references does: `same` says whether both are the same
    /// object, or the only one is null.
    #[must_use]
    pub fn on_references(&self, same: bool) -> Option<Outcome> {
        let Self::If { opcode } = self else {
            return None;
        };
        let is_true = match opcode.checked_sub(IF_ACMPEQ) {
            Some(0) => same,
            Some(1) => !same,
            _ if *opcode == IFNULL => same,
            _ if *opcode == IFNONNULL => !same,
            _ => return None,
        };
        Some(Outcome::If { is_true })
    }
}

/// The branches of a class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Branches {
    /// By method's index and index in its code, in ascending order.
    rows: Box<[(u16, u16, Branch)]>,
}

impl Branches {
    /// Reads them from the class file as it is before it is rewritten. A method
    /// whose code is malformed has those before the malformed instruction.
    #[must_use]
    pub fn of(class: &ClassFile<'_>) -> Self {
        let mut rows = Vec::new();
        for method in class.methods() {
            let Some(code) = method.original_code() else {
                continue;
            };
            for instruction in instructions(code).map_while(Result::ok) {
                let Ok(at) = u16::try_from(instruction.at) else {
                    break;
                };
                if let Ok(Some(branch)) = branch(code, instruction) {
                    rows.push((method.index(), at, branch));
                }
            }
        }
        Self { rows: rows.into() }
    }

    /// The branch at an index of the original code of the method with an index.
    #[must_use]
    pub fn at(&self, method: u16, index: u16) -> Option<&Branch> {
        let key = |row: &(u16, u16, Branch)| (row.0, row.1);
        let found = self.rows.binary_search_by_key(&(method, index), key);
        Some(&self.rows.get(found.ok()?)?.2)
    }
}

fn branch(code: &[u8], instruction: Instruction) -> Result<Option<Branch>, Malformed> {
    let operand = |at: usize| i4_at(code, at).ok_or(Malformed("has a short switch"));
    Ok(match instruction.opcode {
        TABLESWITCH => {
            let operands = Switch::read(code, instruction.at)?.operands;
            Some(Branch::Table {
                low: operand(operands + 4)?,
                high: operand(operands + 8)?,
            })
        }
        LOOKUPSWITCH => {
            let switch = Switch::read(code, instruction.at)?;
            let keys = (switch.cases..switch.end).step_by(switch.stride);
            Some(Branch::Lookup {
                keys: keys.map(operand).collect::<Result<_, _>>()?,
            })
        }
        opcode @ (IFEQ..GOTO | IFNULL | IFNONNULL) => Some(Branch::If { opcode }),
        _ => None,
    })
}
