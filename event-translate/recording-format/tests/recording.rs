//! Recordings are read as they were written; damaged ones as far as they can be.
//!
//! Longer than most: whole and damaged recordings are made by the same few functions.

#![allow(clippy::indexing_slicing, reason = "a wrong index fails the test")]

use recording_format::jvmti::Definition;
use recording_format::{
    BLOCK_HEAD, BlockHead, Encoder, Error, Field, HEADER_LEN, Header, Item, PAGE, Recording,
    Source, Subject, Type, Value, What, Writer, call_arguments, call_results, event_fields,
    event_results, run_fields, run_results,
};

/// Numbers that look random and are the same each time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let word = self.0;
        (word ^ word >> 29).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 8
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn id(&mut self) -> u64 {
        match self.below(6) {
            0 => 0,
            1 => 0x7f00_1234_5678 + self.below(4096) * 8,
            2 => self.next() | 0xff << 56,
            3 => 1 << 63,
            _ => self.below(100_000),
        }
    }

    fn int(&mut self) -> i64 {
        match self.below(4) {
            0 => -1,
            1 => i64::MIN,
            2 => self.next().cast_signed(),
            _ => self.below(100).cast_signed(),
        }
    }
}

static TEXT: [u8; 100_000] = [b'x'; 100_000];

fn values(random: &mut Random, fields: &[Field]) -> Vec<Value<'static>> {
    let value = |random: &mut Random, field: &Field| match field.kind {
        Type::Int | Type::Event | Type::JvmtiEvent => Value::Int(random.int()),
        Type::Id(_) => Value::Id(random.id()),
        Type::Text if random.below(3) == 0 => Value::Text(None),
        Type::Text => Value::Text(Some(&TEXT[..random.below(20) as usize])),
        Type::Bytes if random.below(9) == 0 => Value::Bytes(&TEXT[random.below(9) as usize..]),
        Type::Bytes => Value::Bytes(&TEXT[..random.below(300) as usize]),
        Type::List(fields) => {
            let count = random.below(5);
            Value::List((0..count).map(|_| values(random, fields)).collect())
        }
    };
    fields.iter().map(|field| value(random, field)).collect()
}

fn what(random: &mut Random, open: &mut Vec<Subject>) -> What<'static> {
    if random.below(4) == 0
        && let Some(subject) = open.pop()
    {
        let results = Vec::new();
        let fields = results_of(&What::Leave { subject, results });
        return What::Leave {
            subject,
            results: values(random, fields),
        };
    }
    let leaf = random.below(3) > 0;
    let what = match random.below(15) {
        11 => return What::Unsent { number: 46 },
        12 => {
            let definition = Definition::ALL[random.below(5) as usize];
            return What::Defined {
                definition,
                values: values(random, definition.fields()),
            };
        }
        13 => jvmti_event(random, leaf),
        14 => jvmti_call(random, leaf),
        0..4 => {
            let number = 1 + random.below(61) as i32;
            // Numbers that no event has are written without an end of their own.
            let number = if matches!(number, 10..=32 | 36) {
                60
            } else {
                number
            };
            What::Event {
                number,
                requested: random.below(5) == 0,
                env: random.id(),
                values: values(random, event_fields(number)),
                results: leaf.then(|| values(random, event_results(number))),
            }
        }
        4..=9 => {
            let slot = random.below(30) as u8;
            What::Call {
                slot,
                arguments: values(random, call_arguments(slot)),
                results: leaf.then(|| values(random, call_results(slot))),
            }
        }
        _ => What::Run {
            values: values(random, run_fields()),
            results: leaf.then(|| values(random, run_results())),
        },
    };
    if !leaf {
        open.push(what.subject());
    }
    what
}

/// The fields of its results, which it has.
fn results_of(what: &What<'_>) -> &'static [Field] {
    what.results().map_or(&[], |(fields, _)| fields)
}

/// Of any number: those that JVMTI does not have carry nothing.
fn jvmti_event(random: &mut Random, leaf: bool) -> What<'static> {
    let number = random.below(210) as u8;
    let empty = What::JvmtiEvent {
        number,
        environment: random.below(5) as u32,
        env: random.id(),
        values: Vec::new(),
        results: Some(Vec::new()),
    };
    let (fields, gives) = (empty.values().0, results_of(&empty));
    let What::JvmtiEvent {
        environment, env, ..
    } = empty
    else {
        unreachable!()
    };
    What::JvmtiEvent {
        number,
        environment,
        env,
        values: values(random, fields),
        results: leaf.then(|| values(random, gives)),
    }
}

fn jvmti_call(random: &mut Random, leaf: bool) -> What<'static> {
    let number = random.below(170) as u8;
    let environment = random.below(300) as u32;
    let empty = What::JvmtiCall {
        number,
        environment,
        arguments: Vec::new(),
        results: Some(Vec::new()),
    };
    let (fields, gives) = (empty.values().0, results_of(&empty));
    What::JvmtiCall {
        number,
        environment,
        arguments: values(random, fields),
        results: leaf.then(|| values(random, gives)),
    }
}

fn header() -> Header {
    Header {
        pid: 4711,
        started: 1_066_000_000_000_000_000,
        first_tick: 0,
        shim: "1.2.3".into(),
        vm: "OpenJDK 64-Bit Server VM 21".into(),
        agent: "foo".into(),
        options: Some("a=b,ü".into()),
        settings: String::new(),
        command: "java -Xrunfoo:a=b Main".into(),
    }
}

/// A recording of some threads, and what is in it.
fn sample(seed: u64, count: usize) -> (Vec<u8>, Vec<Item<'static>>) {
    let mut random = Random(seed);
    let mut writer = Writer::new(&header());
    let mut items = Vec::new();
    let mut open: [Vec<Subject>; 3] = Default::default();
    let mut indices = [0; 3];
    for (number, tid) in [(0, 100), (1, 101), (2, 102)] {
        writer.thread(number, tid);
    }
    let mut nanos = 1000;
    for _ in 0..count {
        nanos += 1 + random.below(100_000);
        let thread = random.below(3) as usize;
        let item = Item {
            nanos,
            thread: thread as u32,
            index: indices[thread],
            what: what(&mut random, &mut open[thread]),
        };
        indices[thread] += 1;
        writer.add(&item);
        items.push(item);
    }
    (writer.finish(), items)
}

#[test]
fn what_was_written_is_read() {
    for seed in 0..10 {
        let (file, items) = sample(seed, 500);
        let recording = Recording::read(&file).unwrap();
        assert_eq!(recording.header, header());
        assert_eq!(recording.problems(), [""; 0]);
        assert!(!recording.is_open());
        let read: Vec<_> = recording.items().collect();
        let mut shown = Vec::new();
        let all: Result<(), ()> = recording.items().each(|item| {
            shown.push(item.clone());
            Ok(())
        });
        assert_eq!((all, &shown), (Ok(()), &read));
        let enough = recording.items().each(|item| {
            if item.index == 1 {
                Err(item.nanos)
            } else {
                Ok(())
            }
        });
        let second = read.iter().find(|item| item.index == 1);
        assert_eq!(enough.err(), second.map(|item| item.nanos));
        assert_eq!(read.len(), items.len());
        for (read, item) in read.iter().zip(&items) {
            assert_eq!(read, item, "seed {seed}");
        }
        let threads: Vec<_> = recording.threads().map(|t| (t.number, t.tid)).collect();
        assert_eq!(threads, [(0, 100), (1, 101), (2, 102)]);
    }
}

#[test]
fn a_long_header_is_cut() {
    let long = Header {
        command: "ü".repeat(10_000),
        options: Some("x".repeat(10_000)),
        ..header()
    };
    let file = Writer::new(&long).finish();
    let read = Recording::read(&file).unwrap();
    assert_eq!(read.problems(), [""; 0]);
    assert_eq!(read.header.command.chars().count(), 3000);
}

#[test]
fn other_files_are_refused_with_a_reason() {
    for (bytes, error) in [
        (b"".as_slice(), Error::Empty),
        (b"\x89xrun tr", Error::Empty),
        (b"\x89PNG\r\n\x1a\n", Error::Foreign),
        (b"JAVA PROFILE 1.0.1\0", Error::Foreign),
        (&[0; 100_000], Error::Foreign),
    ] {
        assert_eq!(Recording::read(bytes).unwrap_err(), error);
    }
    let (mut file, _) = sample(1, 10);
    file[16] = 9;
    let error = Recording::read(&file).unwrap_err();
    assert_eq!(error, Error::Version(9));
    assert!(error.to_string().contains("format 9"));
    assert!(!Error::Foreign.to_string().contains('\n'));
}

#[test]
fn a_damaged_header_costs_what_it_said() {
    let (mut file, items) = sample(2, 50);
    file[40] ^= 1;
    let recording = Recording::read(&file).unwrap();
    assert!(recording.problems()[0].contains("header"));
    assert_eq!(recording.items().count(), items.len());
}

/// Who has the memory hears of each block, when it is found and each time it is read.
#[test]
fn reading_is_told_block_by_block() {
    #[derive(Debug, Default)]
    struct Told(std::sync::atomic::AtomicUsize);
    impl Source for Told {
        fn block_read(&self) {
            self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
    }
    let (file, items) = sample(3, 2000);
    let told = Told::default();
    let recording = Recording::read_noting(&file, Some(&told)).unwrap();
    let blocks = told.0.load(std::sync::atomic::Ordering::Relaxed);
    assert!(blocks > 3, "{blocks}");
    for times in 2..4 {
        assert_eq!(recording.items().count(), items.len());
        let all = told.0.load(std::sync::atomic::Ordering::Relaxed);
        assert_eq!(all, times * blocks);
    }
}

/// What a thread has recorded is unpacked when its time comes, not with all others at the begin.
#[test]
fn threads_are_read_when_they_begin() {
    #[derive(Debug, Default)]
    struct Told(std::sync::atomic::AtomicU32);
    impl Source for Told {
        fn block_read(&self) {
            self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
    }
    const THREADS: u32 = 50;
    let mut writer = Writer::new(&header());
    for thread in 0..THREADS {
        for index in 0..4 {
            writer.add(&Item {
                // The first of each comes at the same time as the last of the one before.
                nanos: 1000 + u64::from(thread) * 3000 + index * 1000,
                thread: THREADS - thread,
                index,
                what: What::Unsent { number: 46 },
            });
        }
    }
    let file = writer.finish();
    let told = Told::default();
    let recording = Recording::read_noting(&file, Some(&told)).unwrap();
    let mut moments = Vec::new();
    let all: Result<(), ()> = recording.items().each(|item| {
        let read = told.0.load(std::sync::atomic::Ordering::Relaxed) - THREADS;
        let begun = THREADS + 1 - item.thread;
        assert!((begun..=begun + 1).contains(&read), "{read} {item:?}");
        moments.push((item.nanos, item.thread, item.index));
        Ok(())
    });
    assert_eq!((all, moments.len()), (Ok(()), 4 * THREADS as usize));
    assert!(moments.is_sorted());
    let items = recording.items();
    let same = items.map(|item| (item.nanos, item.thread, item.index));
    assert_eq!(same.collect::<Vec<_>>(), moments);
}

#[test]
fn a_file_that_was_cut_off_has_what_was_before() {
    let (file, items) = sample(3, 2000);
    for end in (0..file.len()).step_by(9973) {
        match Recording::read(&file[..end]) {
            Err(error) => assert_eq!((error, end < 32), (Error::Empty, true)),
            Ok(recording) => {
                let read: Vec<_> = recording.items().collect();
                for item in &read {
                    assert!(item.nanos <= items.last().unwrap().nanos);
                }
                assert!(read.len() <= items.len());
            }
        }
    }
    let half = file.len() / 2;
    let recording = Recording::read(&file[..half]).unwrap();
    assert!(
        recording
            .problems()
            .iter()
            .any(|line| line.contains("cut off"))
    );
    assert!(recording.items().count() > items.len() / 10);
}

#[test]
fn one_wrong_bit_is_noticed_and_costs_one_block() {
    let (file, items) = sample(4, 1500);
    let mut random = Random(5);
    for _ in 0..60 {
        let mut file = file.clone();
        let at = HEADER_LEN as u64 + random.below((file.len() - HEADER_LEN) as u64);
        // Behind the records of a block there may be zeros that nobody looks at.
        let byte = &mut file[at as usize];
        if *byte == 0 {
            continue;
        }
        *byte ^= 1 << random.below(8);
        let recording = Recording::read(&file).unwrap();
        assert!(!recording.problems().is_empty(), "byte {at}");
        let count = recording.items().count();
        assert!(count > items.len() / 4, "{count} records");
    }
}

#[test]
fn nonsense_ends_reading_and_nothing_else() {
    let (file, _) = sample(6, 400);
    let mut random = Random(7);
    for _ in 0..60 {
        let mut file = file.clone();
        for _ in 0..random.below(60) {
            let at = random.below(file.len() as u64) as usize;
            file[at] = random.next() as u8;
        }
        if let Ok(recording) = Recording::read(&file) {
            assert!(recording.items().count() < file.len());
        }
    }
}

/// A number of the head of a block.
fn number(file: &[u8], at: usize) -> usize {
    let mut bytes = [0; 4];
    bytes.copy_from_slice(&file[at..at + 4]);
    u32::from_le_bytes(bytes) as usize
}

/// Where the blocks of a file begin.
fn blocks(file: &[u8]) -> Vec<usize> {
    let mut blocks = Vec::new();
    let mut at = HEADER_LEN;
    while at < file.len() {
        blocks.push(at);
        at += number(file, at + 4) * PAGE;
    }
    blocks
}

/// What is wrong in what was packed, and has the right checksum all the same, ends that block.
#[test]
fn nonsense_that_was_packed_ends_its_block() {
    let (file, _) = sample(6, 400);
    for seed in 0..300 {
        let mut random = Random(seed);
        let mut file = file.clone();
        for at in blocks(&file) {
            let body = at + BLOCK_HEAD;
            let len = number(&file, at + 8);
            for _ in 0..random.below(6) {
                // The four numbers more often than others.
                let end = if random.below(2) == 0 { 16 } else { len as u64 };
                file[body + random.below(end) as usize] = random.next() as u8;
            }
            let sum = recording_format::checksum(&file[body..body + len]);
            file[at + 16..at + 24].copy_from_slice(&sum.to_le_bytes());
        }
        let recording = Recording::read(&file).unwrap();
        let mut problems = recording.problems().iter();
        assert!(problems.all(|line| line.contains("cannot be unpacked")));
        assert!(recording.items().count() < 256 * file.len());
    }
}

/// A block may say that it is longer than anything; nobody makes room for that.
#[test]
fn a_block_that_would_be_too_long_is_not_unpacked() {
    let (mut file, items) = sample(6, 400);
    let at = blocks(&file)[0];
    let body = at + BLOCK_HEAD;
    file[body..body + 4].fill(0xff);
    let len = number(&file, at + 8);
    let sum = recording_format::checksum(&file[body..body + len]);
    file[at + 16..at + 24].copy_from_slice(&sum.to_le_bytes());
    let recording = Recording::read(&file).unwrap();
    assert_eq!(recording.problems().len(), 1);
    assert!(recording.problems()[0].contains("cannot be unpacked"));
    assert!((1..items.len()).contains(&recording.items().count()));
}

/// A block that its thread is writing into: METHOD_ENTRY and METHOD_EXIT, a thread's name, and
/// methods that are left in another order.
fn open_block(encoder: &mut Encoder, head: &BlockHead, count: u64) -> Vec<u8> {
    let mut block = vec![0; head.capacity];
    head.open(&mut block);
    encoder.begin(head);
    for at in 0..count {
        let tick = head.tick + at * 8;
        let method = 1000 + at % 3;
        let name = TEXT[..(at % 7) as usize].as_ref();
        let open = match at % 4 {
            0 | 1 => encoder.event(&mut block, tick, 5, 1, &[Value::Id(method)]),
            2 => encoder.event(&mut block, tick, 5, 3, &[Value::Id(method - at % 2)]),
            _ => encoder.call(&mut block, tick, 7, &[Value::Text(Some(name))]),
        };
        assert!(open.is_some());
    }
    block
}

fn head(sequence: u32, capacity: usize) -> BlockHead {
    BlockHead {
        capacity,
        thread: 0,
        tid: 100,
        sequence,
        tick: 1000 * u64::from(sequence),
        nanos: 1000 * u64::from(sequence),
        step: 2,
    }
}

/// As a process leaves its file that is killed at any moment: what a thread was writing, what it
/// had packed, and both of it.
#[test]
fn what_was_open_is_read_and_what_is_twice_once() {
    let empty = Writer::new(&header()).finish();
    let mut encoder = Encoder::default();
    let first = open_block(&mut encoder, &head(0, 4 * PAGE), 100);
    let packed = encoder.pack(&first, &head(0, 4 * PAGE)).unwrap();
    let second = open_block(&mut encoder, &head(1, 4 * PAGE), 77);
    let read = |parts: &[&[u8]]| {
        let file = [&[empty.as_slice()], parts].concat().concat();
        let recording = Recording::read(&file).unwrap();
        assert_eq!(recording.problems(), [""; 0]);
        let items = recording.items().map(|item| format!("{item:?}"));
        (recording.is_open(), items.collect::<Vec<_>>())
    };
    let (open, all) = read(&[&first, &second]);
    assert_eq!((open, all.len()), (true, 177));
    assert_eq!(read(&[&packed, &second]).1, all);
    assert_eq!(read(&[&first, &second, &packed]).1, all);
    assert_eq!(read(&[&packed, &first]), (false, all[..100].to_vec()));
    // The second is begun where the first was, of which nothing is left.
    let mut wiped = second.clone();
    encoder.wipe(&mut wiped);
    assert!(wiped[BLOCK_HEAD..].iter().all(|&byte| byte == 0));
    // Packed in part, when the process ends: the open one is the whole one.
    let mut part = packed.clone();
    part[200..].fill(0);
    let file = [empty.as_slice(), &first, &part].concat();
    let recording = Recording::read(&file).unwrap();
    assert_eq!(recording.items().count(), 100);
    assert_eq!(recording.problems(), [""; 0]);
    assert!(recording.is_open());
    // Without the open one its records are lost.
    let file = [empty.as_slice(), &part].concat();
    let recording = Recording::read(&file).unwrap();
    assert_eq!(recording.items().count(), 0);
    assert!(recording.problems()[0].contains("is damaged"));
}

/// A record as long as a dump of a heap is not packed, and in the file once; what comes before and
/// behind it is.
#[test]
fn a_long_record_is_in_the_file_once() {
    const LONG: usize = 3 << 20;
    let long = vec![7; LONG];
    let item = |index, bytes| Item {
        nanos: 1000 + index,
        thread: 0,
        index,
        what: What::Event {
            number: 37,
            requested: true,
            env: 5,
            values: vec![Value::Int(0), Value::Bytes(bytes), Value::List(Vec::new())],
            results: Some(Vec::new()),
        },
    };
    let parts = [&long[..10], &long, &long[..20], &long, &long[..30]];
    let items: Vec<_> = (0..).zip(parts).map(|(at, part)| item(at, part)).collect();
    let mut writer = Writer::new(&header());
    items.iter().for_each(|item| writer.add(item));
    let file = writer.finish();
    assert!(file.len() < 2 * LONG + 20 * PAGE, "{}", file.len());
    let recording = Recording::read(&file).unwrap();
    assert_eq!(recording.problems(), [""; 0]);
    assert!(!recording.is_open());
    assert_eq!(recording.items().collect::<Vec<_>>(), items);
    // Killed in between of what seals it, it is open; a bit that is wrong is noticed.
    for (byte, problems) in [(8, 0), (LONG / 2, 1)] {
        let mut file = file.clone();
        let at = blocks(&file)[1];
        file[at + byte..at + byte + 8].fill(0);
        let recording = Recording::read(&file).unwrap();
        assert_eq!(recording.problems().len(), problems);
        assert_eq!(recording.is_open(), problems == 0);
        assert_eq!(recording.items().count(), items.len());
    }
}

/// Open blocks are read without a checksum, whatever is in them.
#[test]
fn nonsense_in_an_open_block_ends_it() {
    let mut file = Writer::new(&header()).finish();
    let at = file.len();
    file.extend(open_block(&mut Encoder::default(), &head(0, PAGE), 200));
    for seed in 0..500 {
        let mut random = Random(seed);
        let mut file = file.clone();
        for _ in 0..random.below(20) {
            let place = at + BLOCK_HEAD + random.below((PAGE - BLOCK_HEAD) as u64) as usize;
            file[place] = random.next() as u8;
        }
        let recording = Recording::read(&file).unwrap();
        assert!(recording.is_open());
        assert!(recording.items().count() < file.len());
    }
    // Cut off, it has no times, for those are at its end.
    file.truncate(file.len() - 100);
    let recording = Recording::read(&file).unwrap();
    assert_eq!(recording.items().count(), 200);
}
