//! Random heaps and monitor pictures.

use dump_format::{ClassHead, MonitorId, ObjectKind, Primitive, Root, Tag, Type, Value};

use super::model::{Class, Heap, Item, Monitor};

/// SplitMix64.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(super) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    pub(super) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in 1..items.len() {
            items.swap(last, self.below(last + 1));
        }
    }

    /// Mostly small, sometimes any, 0 among them.
    pub(super) fn id(&mut self) -> usize {
        match self.below(8) {
            0 => 0,
            1 => self.next() as usize,
            _ => self.below(1000),
        }
    }

    pub(super) fn ids(&mut self, end: usize) -> Vec<usize> {
        (0..self.below(end)).map(|_| self.id()).collect()
    }

    fn primitive(&mut self) -> Primitive {
        self.pick(&Primitive::ALL)
    }

    fn types(&mut self) -> Vec<Type> {
        (0..self.below(8))
            .map(|_| match self.below(3) {
                0 => Type::Reference,
                _ => Type::Primitive(self.primitive()),
            })
            .collect()
    }

    fn value(&mut self, ty: Type) -> Value {
        match ty {
            Type::Reference => Value::Reference(self.id()),
            Type::Primitive(primitive) => {
                let unused = 64 - 8 * primitive.width();
                Value::Primitive(primitive, self.next() << unused >> unused)
            }
        }
    }

    fn values(&mut self, types: &[Type]) -> Vec<Value> {
        types.iter().map(|&ty| self.value(ty)).collect()
    }

    fn root(&mut self) -> Root {
        let (object, thread) = (self.id(), self.id());
        let frame = self.next() as i32;
        match self.below(8) {
            0 => Root::Unknown { object },
            1 => Root::JniGlobal {
                object,
                reference: self.id(),
            },
            2 => Root::JniLocal {
                object,
                thread,
                frame,
            },
            3 => Root::JavaFrame {
                object,
                thread,
                frame: -1,
            },
            4 => Root::NativeStack { object, thread },
            5 => Root::StickyClass { class: object },
            6 => Root::ThreadBlock { object, thread },
            _ => Root::MonitorUsed { object },
        }
    }

    fn item(&mut self, classes: &[Class]) -> Item {
        match self.below(5) {
            0 => Item::Root(self.root()),
            1 => {
                let class = &classes[self.below(classes.len())];
                Item::Class {
                    head: ClassHead {
                        class: class.id,
                        superclass: self.id(),
                        loader: self.id(),
                        signers: self.id(),
                        protection_domain: self.id(),
                        name: self.id(),
                        instance_size: self.next() as u32,
                    },
                    interfaces: (0..class.interfaces).map(|_| self.id()).collect(),
                    constants: (0..self.below(4))
                        .map(|_| (self.next() as u16, self.id()))
                        .collect(),
                    statics: self.values(&class.statics),
                }
            }
            2 => {
                let class = &classes[self.below(classes.len())];
                Item::Instance {
                    object: self.id(),
                    class: class.id,
                    fields: self.values(&class.fields),
                }
            }
            3 => Item::ObjectArray {
                array: self.id(),
                element_class: self.id(),
                elements: self.ids(9),
            },
            _ => {
                let ty = self.primitive();
                let length = self.below(20);
                Item::PrimitiveArray {
                    array: self.id(),
                    ty,
                    length,
                    elements: self.values(&vec![Type::Primitive(ty); length]),
                }
            }
        }
    }

    pub(super) fn heap(&mut self) -> Heap {
        let classes: Vec<_> = (1..=4)
            .map(|id| Class {
                id,
                interfaces: self.below(3),
                statics: self.types(),
                fields: self.types(),
            })
            .collect();
        let items = (0..self.below(30)).map(|_| self.item(&classes)).collect();
        Heap { classes, items }
    }

    pub(super) fn object(&mut self) -> Heap {
        loop {
            let mut heap = self.heap();
            heap.items.retain(|item| !matches!(item, Item::Root(_)));
            heap.items.truncate(1);
            if !heap.items.is_empty() {
                return heap;
            }
        }
    }

    pub(super) fn kinds(&mut self) -> Vec<(ObjectKind, usize)> {
        let kinds: Vec<_> = (0..=11).filter_map(ObjectKind::from_raw).collect();
        (0..self.below(30))
            .map(|_| (self.pick(&kinds), self.id()))
            .collect()
    }

    pub(super) fn monitors(&mut self) -> Vec<Monitor> {
        (0..self.below(10))
            .map(|_| Monitor {
                id: match self.below(2) {
                    0 => MonitorId::Java(self.id()),
                    _ => MonitorId::Raw {
                        name: self.id(),
                        id: self.id(),
                    },
                },
                owner: self.id(),
                entry_count: self.next() as u32,
                wait_to_enter: self.ids(5),
                wait_to_be_notified: self.ids(5),
            })
            .collect()
    }

    /// A dump with something broken, mostly just a little.
    pub(super) fn breaks(&mut self, dump: &mut Vec<u8>) {
        for _ in 0..=self.below(4) {
            let at = self.below(dump.len() + 1);
            match self.below(6) {
                0 => dump.truncate(at),
                1 => dump.insert(at, self.next() as u8),
                2 if at < dump.len() => drop(dump.remove(at)),
                3 if at < dump.len() => dump[at] ^= 1 << self.below(8),
                4 if at < dump.len() => dump[at] = self.pick(Tag::ALL).raw(),
                _ => {
                    let count = [0xff, 0x7f, 0][self.below(3)];
                    dump.iter_mut()
                        .skip(at)
                        .take(4)
                        .for_each(|byte| *byte = count);
                }
            }
        }
    }
}
