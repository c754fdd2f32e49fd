//! The records of a binary heap dump (facts E.4).

use xrun_tests::width_of_ids;

/// What is left to read; numbers are big-endian.
pub(super) struct Bytes<'b>(pub(super) &'b [u8]);

impl<'b> Bytes<'b> {
    pub(super) fn take(&mut self, count: usize) -> &'b [u8] {
        let (taken, rest) = self.0.split_at(count);
        self.0 = rest;
        taken
    }

    pub(super) fn number(&mut self, width: usize) -> u64 {
        let bytes = self.take(width).iter();
        bytes.fold(0, |number, &byte| number << 8 | u64::from(byte))
    }

    pub(super) fn u1(&mut self) -> u64 {
        self.number(1)
    }

    pub(super) fn u2(&mut self) -> u64 {
        self.number(2)
    }

    pub(super) fn u4(&mut self) -> u64 {
        self.number(4)
    }

    /// The format's ids have the width of a pointer.
    pub(super) fn id(&mut self) -> u64 {
        self.number(width_of_ids())
    }
}

pub(super) fn width(ty: u64) -> usize {
    match ty {
        OBJECT => width_of_ids(),
        4 | 8 => 1,
        5 | 9 => 2,
        6 | 10 => 4,
        _ => 8,
    }
}

pub(super) const OBJECT: u64 = 2;

/// The name of a field and its type.
pub(super) type Field = (u64, u64);

#[derive(Debug)]
pub(super) enum Sub {
    Root(u64, u64),
    Class {
        id: u64,
        superclass: u64,
        loader: u64,
        size: u64,
        /// Name, type, value.
        statics: Vec<(u64, u64, u64)>,
        fields: Vec<Field>,
    },
    Instance {
        id: u64,
        trace: u64,
        class: u64,
        values: Vec<u8>,
    },
    Objects {
        id: u64,
        trace: u64,
        class: u64,
        elements: Vec<u64>,
    },
    Primitives {
        id: u64,
        trace: u64,
        ty: u64,
        elements: Vec<u64>,
    },
}

/// The next of a heap dump.
pub(super) fn sub_record(body: &mut Bytes<'_>) -> Option<Sub> {
    let tag = body.u1();
    Some(match tag {
        0x20 => {
            let (id, _trace) = (body.id(), body.u4());
            let [superclass, loader, _signers, _domain, _, _] = [(); 6].map(|()| body.id());
            let size = body.u4();
            for _ in 0..body.u2() {
                body.u2();
                let ty = body.u1();
                body.take(width(ty));
            }
            let statics = (0..body.u2()).map(|_| {
                let (name, ty) = (body.id(), body.u1());
                (name, ty, body.number(width(ty)))
            });
            let statics = statics.collect();
            let fields = (0..body.u2()).map(|_| (body.id(), body.u1())).collect();
            Sub::Class {
                id,
                superclass,
                loader,
                size,
                statics,
                fields,
            }
        }
        0x21 => {
            let (id, trace, class, length) = (body.id(), body.u4(), body.id(), body.u4());
            let values = body.take(usize::try_from(length).unwrap()).to_vec();
            Sub::Instance {
                id,
                trace,
                class,
                values,
            }
        }
        0x22 => {
            let (id, trace, length, class) = (body.id(), body.u4(), body.u4(), body.id());
            let elements = (0..length).map(|_| body.id()).collect();
            Sub::Objects {
                id,
                trace,
                class,
                elements,
            }
        }
        0x23 => {
            let (id, trace, length, ty) = (body.id(), body.u4(), body.u4(), body.u1());
            let elements = (0..length).map(|_| body.number(width(ty))).collect();
            Sub::Primitives {
                id,
                trace,
                ty,
                elements,
            }
        }
        _ => {
            let id = body.id();
            // What comes behind the object in roots of each kind.
            body.take(match tag {
                0x01 => width_of_ids(),
                0x02 | 0x03 | 0x08 => 8,
                0x04 | 0x06 => 4,
                _ => 0,
            });
            Sub::Root(tag, id)
        }
    })
}
