//! Dumps in both widths, byte by byte.

use dump_format::{
    ClassHead, Detail, HeapWriter, KindWriter, Level, MonitorId, MonitorWriter, ObjectKind,
    Primitive, Root, Type, Value,
};

use super::{ClassShape, Dump, Open, Shapes, fill, narrow, narrow_to, place};

const INT: Type = Type::Primitive(Primitive::Int);

/// Envs and tokens, told apart.
fn numbered(what: Open, id: u64) -> u32 {
    let low = u32::try_from(id & 0xff).unwrap_or(0);
    match what {
        Open::Env => 0xe0_0000 | low,
        Open::Token => 0x70_0000 | low,
    }
}

fn narrowed(dump: &[u8], which: Dump, shapes: &Shapes) -> Option<Vec<u8>> {
    fill(&narrow(dump, which, shapes).ok()?, numbered)
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

#[test]
fn kinds_and_monitors() {
    let mut kinds = KindWriter::new(Vec::new());
    kinds.object(ObjectKind::Normal, 0x77).unwrap();
    kinds.object(ObjectKind::Array(INT), 0x78).unwrap();
    let kinds = kinds.into_sink();
    let expected = [&[0][..], &words(&[0x77]), &[10], &words(&[0x78])].concat();
    let none = Shapes::new();
    assert_eq!(
        narrowed(&kinds, Dump::Heap(Level::Kinds), &none),
        Some(expected)
    );

    let mut monitors = MonitorWriter::new(Vec::new());
    let env = 0x7f00_0000_0010;
    monitors
        .monitor(MonitorId::Java(5), env, 2, &[env + 1], &[])
        .unwrap();
    let raw = MonitorId::Raw {
        name: 0x7f00_1234_5678,
        id: 0x20,
    };
    monitors
        .monitor(raw, 0, 0, &[], &[env + 2, env + 3])
        .unwrap();
    let expected = [
        &[1][..],
        &words(&[5, 0xe0_0010]),
        &[0, 0, 0, 2, 0, 0, 0, 1],
        &words(&[0xe0_0011]),
        &[0, 0, 0, 0],
        &[2],
        &words(&[0, 0x20, 0]),
        &[0; 8],
        &[0, 0, 0, 2],
        &words(&[0xe0_0012, 0xe0_0013]),
    ]
    .concat();
    assert_eq!(
        narrowed(&monitors.into_sink(), Dump::Monitors, &none),
        Some(expected)
    );
}

fn shapes() -> Shapes {
    let object = (1, ClassShape::default());
    let own = ClassShape {
        superclass: 1,
        interfaces: 1,
        statics: vec![Type::Reference, INT],
        fields: vec![INT, Type::Reference],
    };
    Shapes::from([object, (2, own)])
}

#[test]
fn records_of_a_heap() {
    for (detail, level) in [(Detail::References, 1), (Detail::Values, 2)] {
        let has_primitives = detail == Detail::Values;
        let primitives = |bytes: &[u8]| {
            if has_primitives {
                bytes.to_vec()
            } else {
                vec![]
            }
        };
        let mut writer = HeapWriter::new(Vec::new(), detail);
        let root = Root::JniLocal {
            object: 9,
            thread: 0x7f00_0000_0010,
            frame: -1,
        };
        writer.root(root).unwrap();
        let reference = 0x7f00_0000_0021;
        let root = Root::JniGlobal {
            object: 8,
            reference,
        };
        writer.root(root).unwrap();
        let head = ClassHead {
            class: 2,
            superclass: 1,
            loader: 3,
            instance_size: 24,
            ..ClassHead::default()
        };
        let statics = [
            Value::Reference(6),
            Value::Primitive(Primitive::Int, 0x0102_0304),
        ];
        writer.class(&head, &[4], &[(7, 5)], &statics).unwrap();
        let fields = [
            Value::Primitive(Primitive::Int, 0x0a0b_0c0d),
            Value::Reference(9),
        ];
        writer.instance(9, 2, &fields).unwrap();
        writer.object_array(10, 2, &[9, 0]).unwrap();
        let chars: Vec<u8> = [1_u16, 2].iter().flat_map(|c| c.to_ne_bytes()).collect();
        writer
            .primitive_array(11, Primitive::Char, 2, &chars)
            .unwrap();
        let expected = [
            vec![2],
            words(&[9, 0xe0_0010]),
            vec![0xff; 4],
            vec![1],
            words(&[8, 0x70_0021]),
            vec![0x20],
            words(&[2, 1, 3, 0, 0, 0, 0]),
            vec![0, 0, 0, 24],
            words(&[4]),
            vec![0, 1, 0, 7, 2],
            words(&[5, 6]),
            primitives(&[1, 2, 3, 4]),
            vec![0x21],
            words(&[9, 2]),
            vec![0, 0, 0, if has_primitives { 8 } else { 4 }],
            primitives(&[0xa, 0xb, 0xc, 0xd]),
            words(&[9]),
            vec![0x22],
            words(&[10]),
            vec![0, 0, 0, 2],
            words(&[2, 9, 0]),
            vec![0x23],
            words(&[11]),
            vec![0, 0, 0, 2, 5],
            primitives(&[0, 1, 0, 2]),
        ]
        .concat();
        let dump = writer.into_sink();
        let which = Dump::Heap(Level::from_raw(level).unwrap());
        assert_eq!(
            narrowed(&dump, which, &shapes()),
            Some(expected),
            "level {level}"
        );
        assert!(narrow(&dump[..dump.len() - 1], which, &shapes()).is_err());
        assert!(narrow(&dump, which, &Shapes::new()).is_err());
    }
}

#[test]
fn what_does_not_fit_is_said() {
    let mut writer = HeapWriter::new(Vec::new(), Detail::Values);
    writer.object_array(1 << 32, 0, &[]).unwrap();
    let why = narrow(&writer.into_sink(), Dump::Object, &Shapes::new());
    assert!(why.unwrap_err().contains("too large"));
}

/// What is left open counts, also where that is most of it.
#[test]
fn dumps_that_are_too_large_are_refused() {
    let mut roots = HeapWriter::new(Vec::new(), Detail::Values);
    let mut monitors = MonitorWriter::new(Vec::new());
    let mut kinds = KindWriter::new(Vec::new());
    for id in 1..=100 {
        let root = Root::JniGlobal {
            object: id,
            reference: id,
        };
        roots.root(root).unwrap();
        monitors
            .monitor(MonitorId::Java(id), id, 1, &[], &[])
            .unwrap();
        kinds.object(ObjectKind::Normal, id).unwrap();
    }
    for (dump, which, each) in [
        (roots.into_sink(), Dump::Object, 9 + 13),
        (monitors.into_sink(), Dump::Monitors, 21 + 13),
        (kinds.into_sink(), Dump::Heap(Level::Kinds), 5),
    ] {
        let none = Shapes::new();
        let packed = narrow_to(100 * each, &dump, which, &none).unwrap();
        // How much is open stands behind all.
        assert_eq!(packed.len(), 100 * each + 4, "{which:?}");
        let why = narrow_to(100 * each - 1, &dump, which, &none);
        assert!(why.unwrap_err().contains("larger"), "{which:?}");
    }
}

#[test]
fn nonsense_is_no_dump() {
    for packed in [&[][..], &[1, 2, 3], &[1, 0, 0, 0], &[0xff; 4]] {
        assert_eq!(fill(packed, numbered), None);
    }
    // Beyond the dump.
    let beyond = [&[7][..], &words(&[1]), &[0; 9], &words(&[1])].concat();
    assert_eq!(fill(&beyond, numbered), None);
    assert_eq!(fill(&words(&[0]), numbered), Some(vec![]));
}

#[test]
fn dumps_are_where_the_events_have_them() {
    let places = [37, 50, 59, 35, 7].map(place);
    assert_eq!(places, [Some(1), Some(0), Some(0), None, None]);
}
