//! Class files for tests: a reader that shares nothing with the rewriter, a
//! comparison of a class before and after, and a small assembler.
//!
//! Longer than most: its three parts take a class file apart and put it together by the same tables.
#![allow(dead_code, reason = "not every test uses everything")]
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "the exceptions for tests do not reach what a test calls"
)]

use std::collections::BTreeMap;

pub(crate) const HOOK_CLASS: &str = "java/lang/Hooks";

// ---- reading -------------------------------------------------------------------

pub(crate) struct Cursor<'a>(pub(crate) &'a [u8]);

impl<'a> Cursor<'a> {
    pub(crate) fn take(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(count);
        self.0 = rest;
        taken
    }
    pub(crate) fn u1(&mut self) -> u8 {
        self.take(1)[0]
    }
    pub(crate) fn u2(&mut self) -> usize {
        u16::from_be_bytes(self.take(2).try_into().unwrap()).into()
    }
    pub(crate) fn u4(&mut self) -> usize {
        u32::from_be_bytes(self.take(4).try_into().unwrap()) as usize
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Constant {
    Utf8(Vec<u8>),
    Integer(i32),
    Class(usize),
    Pair(u8, usize, usize),
    Other(u8, Vec<u8>),
    None,
}

#[derive(Debug)]
pub(crate) struct Class {
    pub(crate) major: usize,
    pub(crate) pool: Vec<Constant>,
    /// From the access flags to the methods' count.
    pub(crate) middle: Vec<u8>,
    pub(crate) methods: Vec<Member>,
    /// The class's attributes.
    pub(crate) tail: Vec<u8>,
}

#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) access: usize,
    pub(crate) name: String,
    pub(crate) descriptor: String,
    pub(crate) attributes: Vec<(String, Vec<u8>)>,
    pub(crate) code: Option<Code>,
}

#[derive(Debug)]
pub(crate) struct Code {
    pub(crate) max_stack: usize,
    pub(crate) max_locals: usize,
    pub(crate) bytes: Vec<u8>,
    /// start, end, handler, type
    pub(crate) handlers: Vec<[usize; 4]>,
    pub(crate) attributes: Vec<(String, Vec<u8>)>,
}

impl Code {
    pub(crate) fn attribute(&self, name: &str) -> Option<&[u8]> {
        let found = self.attributes.iter().find(|(n, _)| n == name);
        found.map(|(_, info)| info.as_slice())
    }
}

impl Class {
    pub(crate) fn read(bytes: &[u8]) -> Self {
        let mut c = Cursor(bytes);
        assert_eq!(c.u4(), 0xCAFE_BABE);
        c.u2();
        let major = c.u2();
        let count = c.u2();
        let mut pool = vec![Constant::None];
        while pool.len() < count {
            let constant = match c.u1() {
                1 => {
                    let length = c.u2();
                    Constant::Utf8(c.take(length).to_vec())
                }
                3 => Constant::Integer(i32::from_be_bytes(c.take(4).try_into().unwrap())),
                7 => Constant::Class(c.u2()),
                tag @ (9..=12) => Constant::Pair(tag, c.u2(), c.u2()),
                tag @ (5 | 6) => {
                    pool.push(Constant::Other(tag, c.take(8).to_vec()));
                    Constant::None
                }
                tag @ (4 | 17 | 18) => Constant::Other(tag, c.take(4).to_vec()),
                tag @ (8 | 16 | 19 | 20) => Constant::Other(tag, c.take(2).to_vec()),
                15 => Constant::Other(15, c.take(3).to_vec()),
                tag => panic!("tag {tag}"),
            };
            pool.push(constant);
        }
        let before_middle = c.0;
        c.take(6);
        let interfaces = c.u2();
        c.take(2 * interfaces);
        for _ in 0..c.u2() {
            c.take(6);
            attributes(&mut c, &pool);
        }
        let methods = c.u2();
        let middle = before_middle[..before_middle.len() - c.0.len()].to_vec();
        let methods = (0..methods)
            .map(|_| {
                let access = c.u2();
                let (name, descriptor) = (utf8(&pool, c.u2()), utf8(&pool, c.u2()));
                let attributes = attributes(&mut c, &pool);
                let code = attributes.iter().find(|(name, _)| name == "Code");
                let code = code.map(|(_, info)| code_of(info, &pool));
                Member {
                    access,
                    name,
                    descriptor,
                    attributes,
                    code,
                }
            })
            .collect();
        Self {
            major,
            pool,
            middle,
            methods,
            tail: c.0.to_vec(),
        }
    }

    pub(crate) fn method(&self, name: &str) -> &Code {
        let found = self.methods.iter().find(|m| m.name == name);
        found.unwrap().code.as_ref().unwrap()
    }

    /// The hook that `invokestatic` with this index calls.
    fn hook(&self, index: usize) -> Option<String> {
        let Some(Constant::Pair(10, class, pair)) = self.pool.get(index) else {
            return None;
        };
        let Some(Constant::Class(class)) = self.pool.get(*class) else {
            return None;
        };
        let Some(Constant::Pair(12, name, _)) = self.pool.get(*pair) else {
            return None;
        };
        let text = |index: &usize| match self.pool.get(*index) {
            Some(Constant::Utf8(text)) => std::str::from_utf8(text).ok(),
            _ => None,
        };
        (text(class) == Some(HOOK_CLASS)).then_some(())?;
        text(name).map(str::to_owned)
    }

    /// The int that an instruction pushes.
    fn pushed(&self, instruction: &[u8]) -> i32 {
        match *instruction {
            [opcode @ 2..=8] => i32::from(opcode) - 3,
            [16, byte] => i32::from(byte as i8),
            [17, high, low] => i32::from(i16::from_be_bytes([high, low])),
            [18, index] => self.integer(index.into()),
            [19, high, low] => self.integer(u16::from_be_bytes([high, low]).into()),
            _ => panic!("pushes no int: {instruction:?}"),
        }
    }

    fn integer(&self, index: usize) -> i32 {
        let Constant::Integer(value) = self.pool[index] else {
            panic!("no Integer at {index}");
        };
        value
    }
}

fn utf8(pool: &[Constant], index: usize) -> String {
    match pool.get(index) {
        Some(Constant::Utf8(text)) => String::from_utf8_lossy(text).into_owned(),
        _ => panic!("no text at {index}"),
    }
}

fn attributes(c: &mut Cursor<'_>, pool: &[Constant]) -> Vec<(String, Vec<u8>)> {
    (0..c.u2())
        .map(|_| {
            let name = pool.get(c.u2());
            let length = c.u4();
            let name = match name {
                Some(Constant::Utf8(text)) => String::from_utf8_lossy(text).into_owned(),
                // Of fields the rewriter does not look at the names.
                _ => String::new(),
            };
            (name, c.take(length).to_vec())
        })
        .collect()
}

fn code_of(info: &[u8], pool: &[Constant]) -> Code {
    let mut c = Cursor(info);
    let (max_stack, max_locals, length) = (c.u2(), c.u2(), c.u4());
    let bytes = c.take(length).to_vec();
    let handlers = (0..c.u2())
        .map(|_| [c.u2(), c.u2(), c.u2(), c.u2()])
        .collect();
    let attributes = attributes(&mut c, pool);
    assert!(c.0.is_empty());
    Code {
        max_stack,
        max_locals,
        bytes,
        handlers,
        attributes,
    }
}

/// Index and bytes of each instruction.
pub(crate) fn disassemble(code: &[u8]) -> Vec<(usize, &[u8])> {
    let mut at = 0;
    let mut all = Vec::new();
    while at < code.len() {
        let i4 = |at: usize| i32::from_be_bytes(code[at..at + 4].try_into().unwrap());
        let aligned = (at + 4) / 4 * 4;
        let length = match code[at] {
            170 => aligned + 12 + 4 * (i4(aligned + 8) - i4(aligned + 4) + 1) as usize - at,
            171 => aligned + 8 + 8 * i4(aligned + 4) as usize - at,
            196 if code[at + 1] == 132 => 6,
            196 => 4,
            16 | 18 | 21..=25 | 54..=58 | 169 | 188 => 2,
            17 | 19 | 20 | 132 | 153..=168 | 178..=184 | 187 | 189 | 192 | 193 | 198 | 199 => 3,
            197 => 4,
            185 | 186 | 200 | 201 => 5,
            0..=201 => 1,
            other => panic!("opcode {other} at {at}"),
        };
        all.push((at, &code[at..at + length]));
        at += length;
    }
    all
}

/// An instruction without what depends on its place, and where it branches to.
fn split(at: usize, bytes: &[u8]) -> (Vec<u8>, Vec<usize>) {
    let opcode = bytes[0];
    let go = |offset: i32| (at as i64 + i64::from(offset)) as usize;
    let i4 = |from: usize| i32::from_be_bytes(bytes[from..from + 4].try_into().unwrap());
    match opcode {
        153..=168 | 198 | 199 => {
            let offset = i16::from_be_bytes([bytes[1], bytes[2]]);
            (vec![opcode], vec![go(offset.into())])
        }
        200 | 201 => (vec![opcode], vec![go(i4(1))]),
        170 | 171 => {
            let operands = (at + 4) / 4 * 4 - at;
            let mut same = vec![opcode];
            let mut targets = vec![go(i4(operands))];
            if opcode == 170 {
                same.extend(&bytes[operands + 4..operands + 12]);
                let cases = (operands + 12..bytes.len()).step_by(4);
                targets.extend(cases.map(|case| go(i4(case))));
            } else {
                for case in (operands + 8..bytes.len()).step_by(8) {
                    same.extend(&bytes[case..case + 4]);
                    targets.push(go(i4(case + 4)));
                }
            }
            (same, targets)
        }
        _ => (bytes.to_vec(), Vec::new()),
    }
}

// ---- comparing -----------------------------------------------------------------

/// Checks that `new` is `old` with hooks, and nothing else. Returns how many hook
/// calls there are by name.
pub(crate) fn assert_only_hooks_added(
    old: &[u8],
    new: &[u8],
    base: i32,
) -> BTreeMap<String, usize> {
    let (before, after) = (Class::read(old), Class::read(new));
    assert_eq!(before.pool[..], after.pool[..before.pool.len()]);
    assert_eq!(before.middle, after.middle);
    assert_eq!(before.tail, after.tail);
    assert_eq!(before.methods.len(), after.methods.len());
    let mut calls = BTreeMap::new();
    for (index, (a, b)) in before.methods.iter().zip(&after.methods).enumerate() {
        assert_eq!(
            (a.access, &a.name, &a.descriptor),
            (b.access, &b.name, &b.descriptor)
        );
        let others = |m: &Member| -> Vec<_> {
            let others = m.attributes.iter().filter(|(name, _)| name != "Code");
            others.cloned().collect()
        };
        assert_eq!(others(a), others(b));
        let number = base + index as i32;
        match (&a.code, &b.code) {
            // Its constants referred to none; no VM took it before.
            (Some(a), Some(_)) if calls_hooks(&after, a) => {}
            (Some(a), Some(b)) => compare_code(&after, a, b, number, &mut calls),
            (None, None) => {}
            _ => panic!("a Code attribute came or went"),
        }
    }
    calls
}

/// What it calls is a hook only since the rewriter has added constants.
fn calls_hooks(after: &Class, code: &Code) -> bool {
    let hook = |bytes: &[u8]| after.hook(Cursor(&bytes[1..]).u2());
    let all = disassemble(&code.bytes);
    all.iter().any(|(_, i)| i[0] == 184 && hook(i).is_some())
}

fn compare_code(
    class: &Class,
    a: &Code,
    b: &Code,
    number: i32,
    calls: &mut BTreeMap<String, usize>,
) {
    assert_eq!(a.max_locals, b.max_locals);
    let old = disassemble(&a.bytes);
    let new = disassemble(&b.bytes);
    // Take the hooks out again: instructions that are left, and the index of the
    // first hook instruction before each.
    let mut left: Vec<(usize, usize, &[u8])> = Vec::new();
    let mut pending: Vec<(usize, &[u8])> = Vec::new();
    let mut entry_end = 0;
    for &(at, bytes) in &new {
        pending.push((at, bytes));
        if bytes[0] != 184 {
            continue;
        }
        let Some(hook) = class.hook(u16::from_be_bytes([bytes[1], bytes[2]]).into()) else {
            continue;
        };
        *calls.entry(hook.clone()).or_default() += 1;
        let pushes = match hook.as_str() {
            "enter" | "exit" | "unwind" => 1,
            "enter2" | "instruction" => 2,
            _ => 3,
        };
        let call = pending.split_off(pending.len() - pushes - 1);
        let has_index = !matches!(hook.as_str(), "enter" | "enter2" | "exit" | "unwind");
        let number_at = call.len() - 2 - usize::from(has_index);
        assert_eq!(class.pushed(call[number_at].1), number, "{hook}");
        // A marker: the next instruction's entry.
        let start = call[0].0;
        let index = has_index.then(|| class.pushed(call[call.len() - 2].1));
        flush(&mut pending, &mut left);
        if hook.starts_with("enter") {
            assert_eq!(start, 0, "the entry hook comes first");
            entry_end = at + 3;
        } else {
            let next = old.get(left_count(&left));
            marks(&mut left, start, index, next);
        }
    }
    flush(&mut pending, &mut left);
    let left = settle(left);

    let count = old.len();
    assert!(left.len() >= count);
    for rest in &left[count..] {
        assert_eq!(rest.2, [191], "behind the code are only handlers");
    }
    // From an index in the new code to the instruction it belongs to.
    let end = left.get(count).map_or(b.bytes.len(), |&(entry, ..)| entry);
    let ordinal = |at: usize| -> usize {
        if at == end {
            return count;
        }
        let found = left.iter().position(|&(entry, ..)| entry == at);
        found.unwrap_or_else(|| panic!("{at} is not where an instruction begins"))
    };
    let old_ordinal = |at: usize| -> usize {
        if at == a.bytes.len() {
            return count;
        }
        old.iter().position(|&(start, _)| start == at).unwrap()
    };
    for (&(at, bytes), &(_, new_at, new_bytes)) in old.iter().zip(&left) {
        let (same, targets) = split(at, bytes);
        let (new_same, new_targets) = split(new_at, new_bytes);
        assert_eq!(same, new_same, "at {at}");
        if matches!(bytes[0], 170 | 171) {
            let padding = 3 - new_at % 4;
            assert_eq!(new_bytes[1..][..padding], [0; 3][..padding]);
        }
        let targets: Vec<_> = targets.into_iter().map(old_ordinal).collect();
        let new_targets: Vec<_> = new_targets
            .into_iter()
            .inspect(|&target| assert!(target >= entry_end))
            .map(ordinal)
            .collect();
        assert_eq!(targets, new_targets, "at {at}");
    }

    assert!(b.handlers.len() >= a.handlers.len());
    for (x, y) in a.handlers.iter().zip(&b.handlers) {
        for part in 0..3 {
            assert_eq!(old_ordinal(x[part]), ordinal(y[part]));
        }
        assert_eq!(x[3], y[3]);
    }
    for ours in &b.handlers[a.handlers.len()..] {
        assert!(ours[0] >= entry_end && ours[0] < ours[1] && ours[1] <= end);
        assert!(ours[2] >= end && ours[3] == 0);
    }

    let empty = [0, 0];
    let old_map = a.attribute("StackMapTable").unwrap_or(&empty);
    let new_map = b.attribute("StackMapTable").unwrap_or(&empty);
    let (old_frames, new_frames) = (frames(old_map), frames(new_map));
    assert!(new_frames.len() >= old_frames.len());
    for (x, y) in old_frames.iter().zip(&new_frames) {
        assert_eq!(old_ordinal(x.0), ordinal(y.0));
        assert_eq!(x.1.len(), y.1.len());
        for (x, y) in x.1.iter().zip(&y.1) {
            match (&x[..], &y[..]) {
                ([8, x @ ..], [8, y @ ..]) => {
                    let x = usize::from(u16::from_be_bytes(x.try_into().unwrap()));
                    let y = usize::from(u16::from_be_bytes(y.try_into().unwrap()));
                    let exact = left.iter().position(|&(_, at, _)| at == y);
                    assert_eq!(Some(old_ordinal(x)), exact);
                }
                _ => assert_eq!(x, y),
            }
        }
    }
    for ours in &new_frames[old_frames.len()..] {
        assert!(ours.0 >= end);
    }

    for ((name, x), (new_name, y)) in a
        .attributes
        .iter()
        .filter(|(name, _)| name != "StackMap")
        .zip(&b.attributes)
    {
        assert_eq!(name, new_name);
        match name.as_str() {
            "StackMapTable"
            | "RuntimeVisibleTypeAnnotations"
            | "RuntimeInvisibleTypeAnnotations" => {}
            "LineNumberTable" => {
                assert_eq!(x.len(), y.len());
                for (x, y) in x[2..].chunks(4).zip(y[2..].chunks(4)) {
                    assert_eq!(x[2..], y[2..]);
                    let (x, y) = (Cursor(x).u2(), Cursor(y).u2());
                    // Around it, or the end, where no VM takes one.
                    let around = || old.iter().rposition(|&(at, _)| at <= x).unwrap();
                    let x = if x == a.bytes.len() { count } else { around() };
                    assert_eq!(x, if y == 0 { 0 } else { ordinal(y) });
                }
            }
            "LocalVariableTable" | "LocalVariableTypeTable" => {
                assert_eq!(x.len(), y.len());
                for (x, y) in x[2..].chunks(10).zip(y[2..].chunks(10)) {
                    assert_eq!(x[4..], y[4..]);
                    let (mut x, mut y) = (Cursor(x), Cursor(y));
                    let (from, length) = (x.u2(), x.u2());
                    let (new_from, new_length) = (y.u2(), y.u2());
                    let start = |at: usize| if at == 0 { 0 } else { ordinal(at) };
                    assert_eq!(old_ordinal(from), start(new_from));
                    assert_eq!(old_ordinal(from + length), start(new_from + new_length));
                }
            }
            _ => assert_eq!(x, y, "{name}"),
        }
    }
}

const MARK: &[u8] = &[];

fn left_count(left: &[(usize, usize, &[u8])]) -> usize {
    left.iter().filter(|(_, _, bytes)| *bytes != MARK).count()
}

fn flush<'a>(pending: &mut Vec<(usize, &'a [u8])>, left: &mut Vec<(usize, usize, &'a [u8])>) {
    for (at, bytes) in pending.drain(..) {
        left.push((at, at, bytes));
    }
}

/// Notes that a hook call begins at `start`.
fn marks(
    left: &mut Vec<(usize, usize, &[u8])>,
    start: usize,
    index: Option<i32>,
    next: Option<&(usize, &[u8])>,
) {
    if let Some(index) = index {
        assert_eq!(next.map(|&(at, _)| at as i32), Some(index));
    }
    left.push((start, start, MARK));
}

/// Gives each instruction the place of the hook calls before it as its entry.
fn settle(left: Vec<(usize, usize, &[u8])>) -> Vec<(usize, usize, &[u8])> {
    let mut settled = Vec::new();
    let mut entry = None;
    for (start, at, bytes) in left {
        if bytes == MARK {
            entry.get_or_insert(start);
        } else {
            settled.push((entry.take().unwrap_or(start), at, bytes));
        }
    }
    settled
}

/// Index and types of each frame; the counts in front of them are left out.
fn frames(info: &[u8]) -> Vec<(usize, Vec<Vec<u8>>)> {
    let mut c = Cursor(info);
    let mut next = 0;
    let mut all = Vec::new();
    for _ in 0..c.u2() {
        let mut tag = c.u1();
        let mut early = Vec::new();
        if tag == 246 {
            // early_larval_frame: fields that have still to be set, and a frame
            let fields = c.u2();
            early.push(vec![tag, fields as u8]);
            early.push(c.take(2 * fields).to_vec());
            tag = c.u1();
        }
        let (delta, kind) = match tag {
            0..=63 => (tag.into(), vec![251]),
            64..=127 => (usize::from(tag) - 64, vec![247]),
            _ => (c.u2(), vec![tag]),
        };
        let mut types = vec![kind.clone()];
        let read = |c: &mut Cursor<'_>, count: usize, types: &mut Vec<Vec<u8>>| {
            for _ in 0..count {
                let tag = c.u1();
                let mut one = vec![tag];
                if tag >= 7 {
                    one.extend(c.take(2));
                }
                types.push(one);
            }
        };
        match kind[0] {
            247 => read(&mut c, 1, &mut types),
            252..=254 => read(&mut c, usize::from(tag) - 251, &mut types),
            255 => {
                for _ in 0..2 {
                    let count = c.u2();
                    types.push(vec![count as u8]);
                    read(&mut c, count, &mut types);
                }
            }
            _ => {}
        }
        types.extend(early);
        let at = next + delta;
        next = at + 1;
        all.push((at, types));
    }
    assert!(c.0.is_empty());
    all
}

// ---- assembling ----------------------------------------------------------------

/// Makes class files: a class `T` with a superclass `S`.
pub(crate) struct Assembler {
    pub(crate) major: u16,
    pub(crate) pool: Vec<Vec<u8>>,
    pub(crate) fields: Vec<Vec<u8>>,
    pub(crate) methods: Vec<Vec<u8>>,
    pub(crate) name: &'static str,
    pub(crate) super_name: &'static str,
}

/// What a method of an [`Assembler`] is made of.
#[derive(Default)]
pub(crate) struct Body<'a> {
    pub(crate) access: u16,
    pub(crate) name: &'a str,
    pub(crate) descriptor: &'a str,
    pub(crate) max_stack: u16,
    pub(crate) max_locals: u16,
    pub(crate) code: &'a [u8],
    pub(crate) handlers: &'a [[u16; 4]],
    pub(crate) attributes: &'a [(&'a str, Vec<u8>)],
}

impl Assembler {
    pub(crate) fn new(major: u16) -> Self {
        Self {
            major,
            pool: Vec::new(),
            fields: Vec::new(),
            methods: Vec::new(),
            name: "T",
            super_name: "S",
        }
    }

    pub(crate) fn constant(&mut self, bytes: Vec<u8>) -> u16 {
        if let Some(at) = self.pool.iter().position(|known| *known == bytes) {
            return at as u16 + 1;
        }
        self.pool.push(bytes);
        self.pool.len() as u16
    }

    pub(crate) fn utf8(&mut self, text: &str) -> u16 {
        let mut bytes = vec![1];
        bytes.extend((text.len() as u16).to_be_bytes());
        bytes.extend(text.as_bytes());
        self.constant(bytes)
    }

    pub(crate) fn class(&mut self, name: &str) -> u16 {
        let name = self.utf8(name);
        self.constant([&[7][..], &name.to_be_bytes()].concat())
    }

    /// A field (9) or a method (10).
    pub(crate) fn member(&mut self, tag: u8, class: &str, name: &str, descriptor: &str) -> u16 {
        let class = self.class(class);
        let (name, descriptor) = (self.utf8(name), self.utf8(descriptor));
        let pair = [&[12][..], &name.to_be_bytes(), &descriptor.to_be_bytes()].concat();
        let pair = self.constant(pair);
        self.constant([&[tag][..], &class.to_be_bytes(), &pair.to_be_bytes()].concat())
    }

    /// Declares one of the class itself; the two bytes that `putfield` of it has behind it.
    pub(crate) fn field(&mut self, access: u16, name: &str, descriptor: &str) -> [u8; 2] {
        let mut field = access.to_be_bytes().to_vec();
        field.extend(self.utf8(name).to_be_bytes());
        field.extend(self.utf8(descriptor).to_be_bytes());
        field.extend([0, 0]);
        self.fields.push(field);
        self.member(9, self.name, name, descriptor).to_be_bytes()
    }

    /// `invokespecial` of a constructor.
    pub(crate) fn construct(&mut self, class: &str, descriptor: &str) -> [u8; 3] {
        let [high, low] = self.member(10, class, "<init>", descriptor).to_be_bytes();
        [183, high, low]
    }

    pub(crate) fn method(&mut self, body: &Body<'_>) {
        let mut code = Vec::new();
        code.extend(body.max_stack.to_be_bytes());
        code.extend(body.max_locals.to_be_bytes());
        code.extend((body.code.len() as u32).to_be_bytes());
        code.extend(body.code);
        code.extend((body.handlers.len() as u16).to_be_bytes());
        for handler in body.handlers {
            code.extend(handler.iter().flat_map(|part| part.to_be_bytes()));
        }
        code.extend((body.attributes.len() as u16).to_be_bytes());
        for (name, info) in body.attributes {
            code.extend(self.utf8(name).to_be_bytes());
            code.extend((info.len() as u32).to_be_bytes());
            code.extend(info);
        }
        let mut method = Vec::new();
        method.extend(body.access.to_be_bytes());
        method.extend(self.utf8(body.name).to_be_bytes());
        method.extend(self.utf8(body.descriptor).to_be_bytes());
        method.extend([0, 1]);
        method.extend(self.utf8("Code").to_be_bytes());
        method.extend((code.len() as u32).to_be_bytes());
        method.extend(code);
        self.methods.push(method);
    }

    pub(crate) fn finish(mut self) -> Vec<u8> {
        let this = self.class(self.name);
        let parent = match self.super_name {
            "" => 0,
            name => self.class(name),
        };
        let mut out = vec![0xCA, 0xFE, 0xBA, 0xBE, 0, 3];
        out.extend(self.major.to_be_bytes());
        out.extend((self.pool.len() as u16 + 1).to_be_bytes());
        out.extend(self.pool.concat());
        out.extend([0, 0x21]);
        out.extend(this.to_be_bytes());
        out.extend(parent.to_be_bytes());
        out.extend([0, 0]);
        out.extend((self.fields.len() as u16).to_be_bytes());
        out.extend(self.fields.concat());
        out.extend((self.methods.len() as u16).to_be_bytes());
        out.extend(self.methods.concat());
        out.extend([0, 0]);
        out
    }
}
