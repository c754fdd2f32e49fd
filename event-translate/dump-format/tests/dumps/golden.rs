//! The bytes of every record, on a machine with 8-byte ids, little-endian.

use dump_format::{
    ClassHead, Detail, HeapWriter, KindWriter, MonitorId, MonitorWriter, NO_FRAME, ObjectKind,
    Primitive, Root, Type, Value, WriteError,
};

/// The bytes of a text of hexadecimal digits.
fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<_> = text.chars().filter(|c| !c.is_whitespace()).collect();
    let byte = |pair: &[char]| u8::from_str_radix(&pair.iter().collect::<String>(), 16);
    digits
        .chunks(2)
        .map(|pair| byte(pair).expect("hex"))
        .collect()
}

type Written = Result<(), WriteError>;

fn heap(detail: Detail, write: impl FnOnce(&mut HeapWriter<Vec<u8>>) -> Written) -> Vec<u8> {
    let mut dump = HeapWriter::new(Vec::new(), detail);
    write(&mut dump).expect("memory");
    dump.into_sink()
}

const OBJECT: usize = 0x1122_3344_5566_7788;
const THREAD: usize = 0x7f00_0000_0000_1234;

#[test]
fn level_0() {
    let mut dump = KindWriter::new(Vec::new());
    let mut add = |kind, id| dump.object(kind, id).expect("memory");
    add(ObjectKind::Normal, OBJECT);
    add(ObjectKind::Array(Type::Reference), 2);
    for ty in Primitive::ALL {
        add(ObjectKind::Array(Type::Primitive(ty)), 3);
    }
    assert_eq!(
        dump.into_sink(),
        hex("00 8877665544332211
             02 0200000000000000
             04 0300000000000000
             05 0300000000000000
             06 0300000000000000
             07 0300000000000000
             08 0300000000000000
             09 0300000000000000
             0a 0300000000000000
             0b 0300000000000000")
    );
}

#[test]
fn roots() {
    let (object, thread) = (OBJECT, THREAD);
    for (root, bytes) in [
        (Root::Unknown { object }, "ff 8877665544332211"),
        (
            Root::JniGlobal {
                object,
                reference: 0x99,
            },
            "01 8877665544332211 9900000000000000",
        ),
        (
            Root::JniLocal {
                object,
                thread,
                frame: 0x0102,
            },
            "02 8877665544332211 341200000000007f 00000102",
        ),
        (
            Root::JavaFrame {
                object,
                thread,
                frame: NO_FRAME,
            },
            "03 8877665544332211 341200000000007f ffffffff",
        ),
        (
            Root::NativeStack { object, thread },
            "04 8877665544332211 341200000000007f",
        ),
        (Root::StickyClass { class: object }, "05 8877665544332211"),
        (
            Root::ThreadBlock { object, thread },
            "06 8877665544332211 341200000000007f",
        ),
        (Root::MonitorUsed { object }, "07 8877665544332211"),
    ] {
        for detail in [Detail::References, Detail::Values] {
            assert_eq!(heap(detail, |dump| dump.root(root)), hex(bytes), "{root:?}");
        }
    }
}

const HEAD: ClassHead = ClassHead {
    class: 1,
    superclass: 2,
    loader: 3,
    signers: 4,
    protection_domain: 5,
    name: 6,
    instance_size: 24,
};

/// Of every type one.
const FIELDS: [Value; 9] = [
    Value::Primitive(Primitive::Boolean, 1),
    Value::Primitive(Primitive::Char, 0x263a),
    Value::Primitive(Primitive::Float, 0x3fc0_0000), // 1.5
    Value::Reference(OBJECT),
    Value::Primitive(Primitive::Double, 0xc004_0000_0000_0000), // -2.5
    Value::Primitive(Primitive::Byte, 0xfe),
    Value::Primitive(Primitive::Short, 0x0102),
    Value::Primitive(Primitive::Int, 0x0102_0304),
    Value::Primitive(Primitive::Long, 0x0102_0304_0506_0708),
];

#[test]
fn class() {
    let write = |dump: &mut HeapWriter<_>| {
        dump.class(&HEAD, &[0x10, 0x11], &[(0x0102, 0x20), (9, 0x21)], &FIELDS)
    };
    let shared = "20 0100000000000000 0200000000000000 0300000000000000 0400000000000000
                  0500000000000000 0600000000000000 0000000000000000 00000018
                  1000000000000000 1100000000000000
                  0002  0102 02 2000000000000000  0009 02 2100000000000000";
    let values = "01 263a 3fc00000 8877665544332211 c004000000000000
                  fe 0102 01020304 0102030405060708";
    let expected = [hex(shared), hex(values)].concat();
    assert_eq!(heap(Detail::Values, write), expected);
    let expected = [hex(shared), hex("8877665544332211")].concat();
    assert_eq!(heap(Detail::References, write), expected);
    // An array's class: nothing in its lists.
    assert_eq!(
        heap(Detail::Values, |dump| {
            let head = ClassHead {
                class: 7,
                ..ClassHead::default()
            };
            dump.class(&head, &[], &[], &[])
        }),
        hex(
            "20 0700000000000000 0000000000000000 0000000000000000 0000000000000000
             0000000000000000 0000000000000000 0000000000000000 00000000 0000"
        )
    );
}

#[test]
fn instance() {
    let write = |dump: &mut HeapWriter<_>| dump.instance(OBJECT, 1, &FIELDS);
    assert_eq!(
        heap(Detail::Values, write),
        hex("21 8877665544332211 0100000000000000 00000026
             01 263a 3fc00000 8877665544332211 c004000000000000
             fe 0102 01020304 0102030405060708")
    );
    assert_eq!(
        heap(Detail::References, write),
        hex("21 8877665544332211 0100000000000000 00000008 8877665544332211")
    );
    // java.lang.Object's.
    assert_eq!(
        heap(Detail::Values, |dump| dump.instance(2, 1, &[])),
        hex("21 0200000000000000 0100000000000000 00000000")
    );
}

#[test]
fn object_array() {
    for detail in [Detail::References, Detail::Values] {
        let write = |dump: &mut HeapWriter<_>| dump.object_array(5, 1, &[OBJECT, 0]);
        assert_eq!(
            heap(detail, write),
            hex("22 0500000000000000 00000002 0100000000000000
                 8877665544332211 0000000000000000")
        );
        let write = |dump: &mut HeapWriter<_>| dump.object_array(5, 0, &[]);
        assert_eq!(
            heap(detail, write),
            hex("22 0500000000000000 00000000 0000000000000000")
        );
    }
}

#[test]
fn primitive_arrays() {
    let halves = [0x0102u16, 0xfffe].map(u16::to_ne_bytes).concat();
    let words = [0x0102_0304u32, 0x3fc0_0000].map(u32::to_ne_bytes).concat();
    let longs = [1u64, 0xc004_0000_0000_0000].map(u64::to_ne_bytes).concat();
    for (ty, host, head, elements) in [
        (Primitive::Boolean, &[1, 0][..], "04", "01 00"),
        (Primitive::Char, &halves, "05", "0102 fffe"),
        (Primitive::Float, &words, "06", "01020304 3fc00000"),
        (
            Primitive::Double,
            &longs,
            "07",
            "0000000000000001 c004000000000000",
        ),
        (Primitive::Byte, &[0x80, 0x7f], "08", "80 7f"),
        (Primitive::Short, &halves, "09", "0102 fffe"),
        (Primitive::Int, &words, "0a", "01020304 3fc00000"),
        (
            Primitive::Long,
            &longs,
            "0b",
            "0000000000000001 c004000000000000",
        ),
    ] {
        let head = hex(&format!("23 0500000000000000 00000002 {head}"));
        let write = |dump: &mut HeapWriter<_>| dump.primitive_array(5, ty, 2, host);
        assert_eq!(
            heap(Detail::Values, write),
            [&head[..], &hex(elements)].concat()
        );
        assert_eq!(heap(Detail::References, write), head);
    }
}

#[test]
fn monitors() {
    let mut dump = MonitorWriter::new(Vec::new());
    let raw = MonitorId::Raw {
        name: OBJECT,
        id: 0x99,
    };
    dump.monitor(MonitorId::Java(OBJECT), THREAD, 3, &[1, 2], &[3])
        .expect("memory");
    dump.monitor(MonitorId::Java(5), 0, 0, &[], &[])
        .expect("memory");
    dump.monitor(raw, THREAD, 1, &[], &[4]).expect("memory");
    assert_eq!(
        dump.into_sink(),
        hex("01 8877665544332211 341200000000007f 00000003
             00000002 0100000000000000 0200000000000000
             00000001 0300000000000000
             01 0500000000000000 0000000000000000 00000000 00000000 00000000
             02 8877665544332211 9900000000000000 341200000000007f 00000001
             00000000
             00000001 0400000000000000")
    );
}
