//! The rewriter: what it inserts, what it moves, what it leaves alone.
//!
//! Longer than most: a test for each thing in a class file that moves or must not, all judged by one reader.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "the exceptions for tests do not reach what a test calls"
)]

mod classes;

use std::fs;
use std::path::{Path, PathBuf};

use class_rewriter::branches::{Branch, Branches, Outcome};
use class_rewriter::{
    ClassFile, Entry, HOOKS, Malformed, MethodRefusal, Refusal, Rewritten, Wish, hook_class,
    rewrite,
};
use classes::{Assembler, Body, Class, Constant, HOOK_CLASS, assert_only_hooks_added};

const METHODS: Wish<'static> = Wish {
    hook_class: HOOK_CLASS,
    entry: Entry::Number,
    exit: true,
    instructions: false,
    monitors: false,
    sleeps: false,
    parks: false,
};
const ENTRY: Wish<'static> = Wish {
    exit: false,
    ..METHODS
};
const ALL: Wish<'static> = Wish {
    entry: Entry::Receiver,
    instructions: true,
    ..METHODS
};

fn run(bytes: &[u8], wish: &Wish<'_>, base: i32) -> Rewritten {
    rewrite(&ClassFile::read(bytes).unwrap(), wish, base, |_| true).unwrap()
}

/// Rewrites, checks that nothing but hooks is new, and returns the class.
fn rewritten(bytes: &[u8], wish: &Wish<'_>, base: i32) -> Class {
    let result = run(bytes, wish, base);
    assert_eq!(result.refused, []);
    let new = result.bytes.unwrap();
    assert_only_hooks_added(bytes, &new, base);
    Class::read(&new)
}

fn refusal(bytes: &[u8], wish: &Wish<'_>) -> MethodRefusal {
    let result = run(bytes, wish, 0);
    assert_eq!(result.bytes, None);
    assert_eq!(result.hooked, 0);
    result.refused[0].1
}

/// A class of one static method `m()V`.
fn one(major: u16, code: &[u8]) -> Vec<u8> {
    let mut class = Assembler::new(major);
    class.method(&Body {
        access: 8,
        name: "m",
        descriptor: "()V",
        max_stack: 1,
        max_locals: 1,
        code,
        ..Body::default()
    });
    class.finish()
}

fn stack_map(frames: &[&[u8]]) -> (&'static str, Vec<u8>) {
    let mut info = vec![0, frames.len() as u8];
    frames.iter().for_each(|frame| info.extend(*frame));
    ("StackMapTable", info)
}

fn corpus() -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rewrite/corpus");
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "class")
        })
        .collect();
    files.sort();
    assert!(files.len() > 8);
    files
        .into_iter()
        .map(|path| (path.clone(), fs::read(path).unwrap()))
        .collect()
}

#[test]
fn real_classes_get_hooks_and_nothing_else() {
    for (path, bytes) in corpus() {
        for wish in [METHODS, ENTRY, ALL] {
            for base in [0, 4, 100, 30_000, 40_000, i32::MAX - 100, -100_000] {
                let result = run(&bytes, &wish, base);
                assert_eq!(result.refused, [], "{}", path.display());
                let Some(new) = result.bytes else {
                    assert_eq!(result.hooked, 0);
                    continue;
                };
                let calls = assert_only_hooks_added(&bytes, &new, base);
                let enter = calls.get("enter").or(calls.get("enter2"));
                assert_eq!(enter, Some(&result.hooked));
                assert!(!wish.exit || calls["exit"] > 0);
                assert_eq!(calls.contains_key("instruction"), wish.instructions);
                // Its own output is a class file like any other.
                let again = run(&new, &wish, base);
                assert_only_hooks_added_again(&new, &again);
            }
        }
    }
}

/// The comparison takes all calls of the hook class for hooks, so it cannot look
/// at a class that had some before; but it has to be readable.
fn assert_only_hooks_added_again(before: &[u8], again: &Rewritten) {
    let new = again.bytes.as_ref().unwrap();
    assert!(new.len() > before.len());
    Class::read(new);
}

#[test]
fn entry_and_exit_of_the_smallest_method() {
    let class = rewritten(&one(49, &[177]), &METHODS, 3);
    let code = class.method("m");
    let [six, call, ..] = code.bytes[..] else {
        panic!()
    };
    // iconst_3 invokestatic, iconst_3 invokestatic, return; nothing can throw.
    assert_eq!((six, call, code.bytes.len()), (6, 184, 9));
    assert_eq!(code.handlers, Vec::<[usize; 4]>::new());
    assert_eq!(code.max_stack, 2);
    assert!(code.attributes.is_empty());
}

#[test]
fn numbers_take_the_shortest_instruction() {
    let lengths = [
        (-1, 2),
        (0, 1),
        (5, 1),
        (6, 2),
        (127, 2),
        (128, 3),
        (32_767, 3),
        (32_768, 2),
    ];
    for (number, push) in lengths {
        let class = rewritten(&one(52, &[177]), &ENTRY, number);
        assert_eq!(class.method("m").bytes.len(), push + 3 + 1, "{number}");
    }
}

#[test]
fn a_handler_covers_the_body_but_neither_hooks_nor_returns() {
    // new 1; pop; iload_0; ifeq +4; return; return
    let mut class = Assembler::new(52);
    let [high, low] = class.class("X").to_be_bytes();
    let code = [187, high, low, 87, 26, 153, 0, 4, 177, 177];
    class.method(&Body {
        access: 8,
        name: "m",
        descriptor: "(I)V",
        max_stack: 1,
        max_locals: 1,
        code: &code,
        attributes: &[stack_map(&[&[9]])],
        ..Body::default()
    });
    let class = rewritten(&class.finish(), &METHODS, 0);
    let code = class.method("m");
    // entry 0..4, body 4..12, exit 12..16, return, exit 17..21, return, handler.
    assert_eq!(code.handlers, [[4, 12, 22, 0]]);
    assert_eq!(code.bytes[9..12], [153, 0, 8]);
    assert_eq!(code.bytes.len(), 22 + 5);
    let map = code.attribute("StackMapTable").unwrap();
    assert_eq!(map[..3], [0, 2, 17]);
    // full_frame, no locals, a Throwable
    assert_eq!(map[3..11], [255, 0, 4, 0, 0, 0, 1, 7]);
}

/// The VM does not look whether a variable's scope ends between two instructions.
#[test]
fn a_variable_may_end_within_an_instruction() {
    // sipush 0; pop; return
    let class = |to: u8| {
        let mut class = Assembler::new(52);
        class.method(&Body {
            access: 8,
            name: "m",
            descriptor: "(I)V",
            max_stack: 1,
            max_locals: 1,
            code: &[17, 0, 0, 87, 177],
            attributes: &[(
                "LocalVariableTable",
                vec![0, 1, 0, 0, 0, to, 0, 1, 0, 1, 0, 0],
            )],
            ..Body::default()
        });
        let bytes = run(&class.finish(), &METHODS, 0).bytes.unwrap();
        let table = Class::read(&bytes);
        let table = table.method("m").attribute("LocalVariableTable");
        table.unwrap()[2..6].to_vec()
    };
    // Behind the entry hook, which is of four bytes.
    assert_eq!(class(3), [0, 0, 0, 7]);
    assert_eq!(class(2), [0, 0, 0, 0]);
    assert_eq!(class(4), [0, 0, 0, 8]);
}

#[test]
fn handlers_have_frames_only_where_verifiers_read_them() {
    // aconst_null; athrow
    for (major, frames) in [(45, false), (49, false), (50, true), (69, true)] {
        let class = rewritten(&one(major, &[1, 191]), &METHODS, 0);
        let code = class.method("m");
        assert_eq!(code.handlers, [[4, 6, 6, 0]]);
        assert_eq!(code.attribute("StackMapTable").is_some(), frames);
    }
}

#[test]
fn what_stands_before_a_frame_is_taken_only_where_the_version_has_it() {
    // iload_0; ifeq +4; return; return; of an early_larval_frame no field has still to be set
    let class = || {
        let mut class = Assembler::new(72);
        class.method(&Body {
            access: 8,
            name: "m",
            descriptor: "(I)V",
            max_stack: 1,
            max_locals: 1,
            code: &[26, 153, 0, 4, 177, 177],
            attributes: &[stack_map(&[&[246, 0, 0, 5]])],
            ..Body::default()
        });
        class.finish()
    };
    for (major, minor, taken) in [
        (72, 0xFFFF, true),
        (73, 0xFFFF, true),
        (72, 0, false),
        (71, 0xFFFF, false),
        (52, 0, false),
    ] {
        let mut bytes = class();
        bytes[4..6].copy_from_slice(&u16::to_be_bytes(minor));
        bytes[6..8].copy_from_slice(&u16::to_be_bytes(major));
        let result = run(&bytes, &METHODS, 0);
        assert_eq!(result.bytes.is_some(), taken, "{major}.{minor}");
        assert_eq!(result.refused.is_empty(), taken, "{major}.{minor}");
        if let Some(bytes) = result.bytes {
            let class = Class::read(&bytes);
            let map = class.method("m").attribute("StackMapTable").unwrap();
            assert_eq!(map[..5], [0, 2, 246, 0, 0]);
        }
    }
}

#[test]
fn a_loop_to_the_beginning_does_not_enter_again() {
    // iconst_0; ifeq 0; return
    let class = rewritten(&one(49, &[3, 153, 255, 255, 177]), &METHODS, 0);
    assert_eq!(class.method("m").bytes[4..8], [3, 153, 255, 255]);
}

#[test]
fn switches_are_padded_anew_and_every_target_moves() {
    for nops in 0..4 {
        let mut code = vec![0; nops];
        code.extend([3, 170]);
        code.resize(code.len().next_multiple_of(4), 0);
        let at = nops as i32 + 1;
        let targets = code.len() as i32 + 20 + 2 - at;
        for value in [targets + 2, -1, 0, targets, targets + 1] {
            code.extend(value.to_be_bytes());
        }
        code.extend([0, 0, 177, 177, 177]);
        rewritten(&one(49, &code), &METHODS, 0);
        rewritten(&one(49, &code), &METHODS, 1000);
        rewritten(&one(49, &code), &ALL, 1000);
    }
}

#[test]
fn what_is_too_large_stays_as_it_was() {
    let mut code = vec![0; 65_535];
    code[65_534] = 177;
    assert_eq!(refusal(&one(49, &code), &METHODS), MethodRefusal::TooLarge);
    code.truncate(65_535 - 8);
    code[65_526] = 177;
    rewritten(&one(49, &code), &METHODS, 0);
    assert_eq!(refusal(&one(49, &code), &ALL), MethodRefusal::TooLarge);
}

#[test]
fn branches_that_get_too_long_are_refused() {
    // goto over nops to a return, with another return between
    let far = |length: u16, opcode: u8| {
        let mut code = vec![0; usize::from(length) + 1];
        code[0] = opcode;
        let [high, low] = length.to_be_bytes();
        if opcode == 200 {
            code[1..5].copy_from_slice(&[0, 0, high, low]);
        } else {
            code[1..3].copy_from_slice(&[high, low]);
        }
        code[100] = 177;
        code[usize::from(length)] = 177;
        one(49, &code)
    };
    rewritten(&far(32_763, 167), &METHODS, 0);
    assert_eq!(
        refusal(&far(32_764, 167), &METHODS),
        MethodRefusal::BranchTooFar
    );
    rewritten(&far(32_764, 200), &METHODS, 0);
}

#[test]
fn a_full_constant_pool_is_refused() {
    let mut class = Assembler::new(49);
    let body = Body {
        access: 8,
        name: "m",
        descriptor: "()V",
        max_locals: 1,
        code: &[177],
        ..Body::default()
    };
    class.method(&body);
    let padding = 65_534 - 10;
    for value in 0..padding {
        class
            .pool
            .push([&[3][..], &i32::to_be_bytes(value)].concat());
    }
    assert_eq!(
        refusal(&class.finish(), &METHODS),
        MethodRefusal::ConstantPoolFull
    );
}

#[test]
fn an_empty_finalizer_is_never_touched() {
    let finalizer = |code: &[u8]| {
        let mut class = Assembler::new(52);
        class.method(&Body {
            access: 1,
            name: "finalize",
            descriptor: "()V",
            max_locals: 1,
            code,
            ..Body::default()
        });
        class.finish()
    };
    assert_eq!(
        refusal(&finalizer(&[177]), &ALL),
        MethodRefusal::EmptyFinalizer
    );
    rewritten(&finalizer(&[0, 177]), &ALL, 0);
}

#[test]
fn the_receiver_is_handed_out_once_it_is_one() {
    let mut class = Assembler::new(49);
    let call = class.construct("S", "()V");
    let constructor = [&[42][..], &call, &[177]].concat();
    for (access, name, code) in [
        (1, "<init>", &constructor[..]),
        (1, "instance", &[177]),
        (9, "static", &[177]),
    ] {
        class.method(&Body {
            access,
            name,
            descriptor: "()V",
            max_stack: 1,
            max_locals: 1,
            code,
            ..Body::default()
        });
    }
    let wish = Wish {
        entry: Entry::Receiver,
        ..ENTRY
    };
    let class = rewritten(&class.finish(), &wish, 0);
    assert_eq!(class.method("<init>").bytes[0], 1);
    assert_eq!(class.method("instance").bytes[0], 42);
    assert_eq!(class.method("static").bytes[0], 1);
}

/// Constructors: code, its frames, and the handlers that are expected as parts of
/// the original code with the locals of their frames.
fn constructor(
    descriptor: &str,
    code: impl Fn(&mut Assembler) -> Vec<u8>,
    frames: &[&[u8]],
    wish: &Wish<'_>,
) -> (Class, Rewritten, Vec<u8>) {
    let mut class = Assembler::new(52);
    let code = code(&mut class);
    class.method(&Body {
        access: 1,
        name: "<init>",
        descriptor,
        max_stack: 6,
        max_locals: 3,
        code: &code,
        attributes: &[stack_map(frames)],
        ..Body::default()
    });
    let bytes = class.finish();
    let result = run(&bytes, wish, 0);
    let new = result.bytes.clone().unwrap();
    assert_only_hooks_added(&bytes, &new, 0);
    (Class::read(&new), result, code)
}

#[test]
fn a_constructor_is_covered_before_and_after_super_but_not_there() {
    // super(x == 0 ? new X() : null); throw null
    let (class, result, _) = constructor(
        "(I)V",
        |class| {
            let new = class.class("X").to_be_bytes();
            let inner = class.construct("X", "()V");
            let outer = class.construct("S", "(LX;)V");
            let mut code = vec![42, 27, 154, 0, 13, 187, new[0], new[1], 89];
            code.extend(inner);
            code.extend([167, 0, 4, 1]);
            code.extend(outer);
            code.extend([1, 191]);
            code
        },
        &[
            &[255, 0, 15, 0, 2, 6, 1, 0, 1, 6],
            &[255, 0, 0, 0, 2, 6, 1, 0, 2, 6, 7, 0, 1],
        ],
        &METHODS,
    );
    assert_eq!(result.uncovered, []);
    let code = class.method("<init>");
    // entry 4 bytes; arguments 0..16, the call 16..19, throw 19..21; two handlers
    assert_eq!(code.handlers, [[4, 20, 30, 0], [23, 25, 25, 0]]);
    let map = code.attribute("StackMapTable").unwrap();
    let end = map.len() - 10 - 11;
    assert_eq!(map[end..end + 3], [255, 0, 4]);
    // uninitializedThis is the only local of the second one
    assert_eq!(map[end + 10..end + 17], [255, 0, 4, 0, 1, 6, 0]);
}

#[test]
fn two_calls_of_super_are_both_left_out() {
    // if (x == 0) super(); else super(); return
    let (class, result, _) = constructor(
        "(I)V",
        |class| {
            let call = class.construct("S", "()V");
            let mut code = vec![27, 154, 0, 10, 42];
            code.extend(call);
            code.extend([167, 0, 7, 42]);
            code.extend(call);
            code.extend([177]);
            code
        },
        &[
            &[255, 0, 11, 0, 2, 6, 1, 0, 0],
            &[255, 0, 3, 0, 2, 7, 0, 1, 1, 0, 0],
        ],
        &METHODS,
    );
    assert_eq!(result.uncovered, []);
    let code = class.method("<init>");
    let body: Vec<_> = code.handlers.iter().map(|h| (h[0], h[1])).collect();
    // 0..5, then goto between the calls; an aload alone cannot throw
    assert_eq!(body, [(4, 9), (12, 15)]);
}

#[test]
fn dead_code_before_super_makes_us_leave_a_constructor_uncovered() {
    // super(); return; dead: goto dead, with an uninitialised this in its frame
    let (class, result, _) = constructor(
        "()V",
        |class| {
            let call = class.construct("S", "()V");
            [&[42][..], &call, &[177, 167, 0, 0]].concat()
        },
        &[&[255, 0, 5, 0, 1, 6, 0, 0]],
        &METHODS,
    );
    assert_eq!(result.uncovered, [0]);
    assert!(class.method("<init>").handlers.is_empty());
}

#[test]
fn comparisons_of_uninitialised_objects_are_not_handed_out() {
    // aload_0; ifnull; new X; dup; ifnonnull; pop; aload_1; ifnull; super()
    let (class, result, code) = constructor(
        "(LX;)V",
        |class| {
            let new = class.class("X").to_be_bytes();
            let call = class.construct("S", "()V");
            let mut code = vec![42, 198, 0, 3, 187, new[0], new[1], 89, 199, 0, 3, 87];
            code.extend([43, 198, 0, 3, 42]);
            code.extend(call);
            code.extend([177]);
            code
        },
        &[
            &[255, 0, 4, 0, 2, 6, 7, 0, 1, 0, 0],
            &[255, 0, 6, 0, 2, 6, 7, 0, 1, 0, 1, 8, 0, 4],
            &[255, 0, 4, 0, 2, 6, 7, 0, 1, 0, 0],
        ],
        &ALL,
    );
    assert_eq!(code[13], 198);
    let mut without = result.without_operands.clone();
    without.sort_unstable();
    assert_eq!(without, [(0, 1), (0, 8)]);
    assert!(class.method("<init>").bytes.contains(&199));
}

#[test]
fn object_has_no_constructor_above() {
    let mut class = Assembler::new(52);
    class.name = "java/lang/Object";
    class.super_name = "";
    class.method(&Body {
        access: 1,
        name: "<init>",
        descriptor: "()V",
        max_stack: 1,
        max_locals: 1,
        code: &[1, 191],
        ..Body::default()
    });
    let class = rewritten(&class.finish(), &METHODS, 0);
    assert_eq!(class.method("<init>").handlers, [[4, 6, 6, 0]]);
}

#[test]
fn subroutines_and_wide_instructions_move() {
    // jsr 7; goto_w 16; sub: astore_1; wide iinc; wide ret
    let mut code = vec![168, 0, 8, 200, 0, 0, 0, 15];
    code.extend([76, 196, 132, 0, 0, 0, 1, 169, 1]);
    code.extend([0, 177]);
    for wish in [METHODS, ALL] {
        rewritten(&one(46, &code), &wish, 0);
    }
}

#[test]
fn type_annotations_follow_their_code() {
    let annotations = [
        // localvar_target 1..4 in slot 0, path of one step, one pair with an array
        &[0x40, 0, 1, 0, 1, 0, 3, 0, 0, 1, 0, 0, 0, 1, 0, 1][..],
        &[0, 1, b'[', 0, 2, b'I', 0, 1, b'@', 0, 1, 0, 0],
        // catch_target, new at 2, a type argument at 4, and one nowhere
        &[0x42, 0, 7, 0, 0, 1, 0, 0],
        &[0x44, 0, 2, 0, 0, 1, 0, 0],
        &[0x47, 0, 4, 9, 0, 0, 1, 0, 0],
        &[0x43, 9, 9, 0, 0, 1, 0, 0],
    ];
    let info = [&[0, 5][..], &annotations.concat()].concat();
    let mut class = Assembler::new(52);
    let mut cut = info.clone();
    cut.truncate(20);
    class.method(&Body {
        access: 8,
        name: "m",
        descriptor: "()V",
        max_locals: 1,
        code: &[0, 0, 0, 0, 177],
        attributes: &[
            ("RuntimeVisibleTypeAnnotations", info.clone()),
            ("RuntimeInvisibleTypeAnnotations", cut.clone()),
        ],
        ..Body::default()
    });
    let class = rewritten(&class.finish(), &METHODS, 0);
    let code = class.method("m");
    let new = code.attribute("RuntimeVisibleTypeAnnotations").unwrap();
    let mut expected = info;
    // 4 bytes of entry hook; at 4 is the return, with 4 more before it.
    expected[6] = 5;
    expected[2 + 29 + 8 + 2] = 6;
    expected[2 + 29 + 16 + 2] = 12;
    assert_eq!(new, expected);
    cut[6] = 5;
    let new = code.attribute("RuntimeInvisibleTypeAnnotations").unwrap();
    assert_eq!(new, cut);
}

#[test]
fn the_stack_map_of_other_machines_goes() {
    let mut class = Assembler::new(52);
    class.method(&Body {
        access: 8,
        name: "m",
        descriptor: "()V",
        code: &[177],
        attributes: &[
            ("StackMap", vec![0, 0]),
            ("LineNumberTable", vec![0, 1, 0, 0, 0, 9]),
            ("CharacterRangeTable", vec![0, 0]),
        ],
        ..Body::default()
    });
    let class = rewritten(&class.finish(), &METHODS, 0);
    let names: Vec<_> = class.method("m").attributes.iter().map(|a| &a.0).collect();
    assert_eq!(names, ["LineNumberTable"]);
}

#[test]
fn a_method_with_an_attribute_that_is_not_known_stays_as_it_is() {
    let mut class = Assembler::new(52);
    for (name, attribute) in [("known", "LineNumberTable"), ("m", "Unknown")] {
        class.method(&Body {
            access: 8,
            name,
            descriptor: "()V",
            code: &[177],
            attributes: &[(attribute, vec![0, 1, 0, 0, 0, 9])],
            ..Body::default()
        });
    }
    let bytes = class.finish();
    for wish in [METHODS, ENTRY, ALL] {
        let result = run(&bytes, &wish, 0);
        assert_eq!(result.hooked, 1);
        assert_eq!(result.refused, [(1, MethodRefusal::UnknownAttribute)]);
        let (before, after) = (Class::read(&bytes), Class::read(&result.bytes.unwrap()));
        let (before, after) = (before.method("m"), after.method("m"));
        assert_eq!(before.bytes, after.bytes);
        assert_eq!(before.attributes, after.attributes);
    }
}

/// Such fields are a preview's in JDK 28; in what comes after it the flag may mean something else, or want other frames.
#[test]
fn constructors_of_early_fields_get_hooks_only_as_a_preview() {
    const STRICT: u16 = 0x0800;
    let bytes = |field: u16, minor: u16, major: u16| {
        let mut class = Assembler::new(major);
        let [high, low] = class.field(field, "f", "I");
        let [special, to, end] = class.construct("S", "()V");
        // this.f = argument; super()
        let code = [42, 27, 181, high, low, 42, special, to, end, 177];
        for (name, code) in [("<init>", &code[..]), ("m", &[177])] {
            class.method(&Body {
                access: 0,
                name,
                descriptor: "(I)V",
                max_stack: 2,
                max_locals: 2,
                code,
                ..Body::default()
            });
        }
        let mut bytes = class.finish();
        bytes[4..6].copy_from_slice(&minor.to_be_bytes());
        bytes
    };
    for (field, minor, major, taken) in [
        (STRICT, 0, 72, false),
        (STRICT, 0, 73, false),
        (STRICT, 0xFFFF, 72, true),
        (STRICT, 0, 71, true),
        (STRICT | 8, 0, 72, true),
        (0x10, 0, 72, true),
    ] {
        let what = format!("{field:x} {major}.{minor}");
        for wish in [METHODS, ENTRY, ALL] {
            let result = run(&bytes(field, minor, major), &wish, 0);
            let refused = [(0, MethodRefusal::StrictFields)];
            let refused = if taken { &[][..] } else { &refused[..] };
            assert_eq!(result.refused, refused, "{what}");
            assert_eq!(result.hooked, 2 - refused.len(), "{what}");
        }
    }
}

/// What a compiler of 28 makes of value classes: early frames before ours where the constructor is left early, and the
/// list of classes that a VM loads before it flattens their fields, byte for byte.
#[test]
fn value_classes_keep_what_only_they_have() {
    let pair = include_bytes!("rewrite/corpus/javac28-Value$Pair.class");
    let class = rewritten(pair, &METHODS, 0);
    let map = class.method("<init>").attribute("StackMapTable").unwrap();
    // Of two fields each may have still to be set.
    assert_eq!(map[2..5], [246, 0, 2]);
    let name = b"LoadableDescriptors";
    let is_it = |it: &Constant| matches!(it, Constant::Utf8(text) if text == name);
    let [high, low] = (class.pool.iter().position(is_it).unwrap() as u16).to_be_bytes();
    let listed = |class: &Class| {
        let at = class
            .tail
            .windows(6)
            .position(|it| it == [high, low, 0, 0, 0, 4]);
        class.tail[at.unwrap()..][..10].to_vec()
    };
    assert_eq!(listed(&class), listed(&Class::read(pair)));
}

#[test]
fn what_cannot_be_read_is_refused_by_name() {
    let read = |bytes: &[u8]| ClassFile::read(bytes).map(|_| ());
    let bytes = one(49, &[177]);
    assert_eq!(read(&bytes), Ok(()));
    assert_eq!(read(b"\xCA\xFE\xD0\x0D"), Err(Refusal::NotAClassFile));
    let mut old = bytes.clone();
    old[5..8].copy_from_slice(&[2, 0, 45]);
    assert_eq!(read(&old), Err(Refusal::OldCodeLayout));
    let longer = [&bytes[..], &[0]].concat();
    let left_over = Malformed("has bytes left over");
    assert_eq!(read(&longer), Err(Refusal::Malformed(left_over)));
    for length in 0..bytes.len() {
        assert!(read(&bytes[..length]).is_err(), "{length}");
    }
    let class = ClassFile::read(&bytes).unwrap();
    let result = rewrite(&class, &METHODS, i32::MAX, |_| true);
    assert!(result.is_ok());
}

#[test]
fn malformed_code_stays_as_it_was() {
    for code in [
        &[203][..],
        &[16],
        &[167, 0, 1, 0],
        &[167, 255, 0],
        &[170, 0, 0, 0],
        &[196, 0, 0, 0],
        &[171, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff],
        &[],
    ] {
        let refused = refusal(&one(52, code), &METHODS);
        assert!(matches!(refused, MethodRefusal::Malformed(_)), "{code:?}");
    }
}

#[test]
fn nothing_wanted_is_nothing_changed() {
    let bytes = one(52, &[177]);
    let class = ClassFile::read(&bytes).unwrap();
    let nothing = Wish {
        entry: Entry::Off,
        ..ENTRY
    };
    for (wish, select) in [(nothing, true), (METHODS, false)] {
        let result = rewrite(&class, &wish, 0, |_| select).unwrap();
        assert_eq!((result.bytes, result.hooked), (None, 0));
    }
    assert_eq!(class.name(), b"T");
    let method = &class.methods()[0];
    assert_eq!(
        (method.name(), method.descriptor()),
        (&b"m"[..], &b"()V"[..])
    );
    assert!(method.has_code() && method.access_flags() == 8);
    assert!(!method.is_intrinsic_candidate());
}

#[test]
fn the_hook_class_has_every_hook() {
    let bytes = hook_class(
        "java/lang/Hooks",
        "java/lang/Object",
        Some("/lib/libhooks.so"),
    );
    let class = Class::read(&bytes);
    assert_eq!(ClassFile::read(&bytes).unwrap().name(), b"java/lang/Hooks");
    assert_eq!(class.methods.len(), HOOKS.len() + 5);
    for (hook, method) in HOOKS.iter().zip(&class.methods) {
        assert_eq!((hook.1, hook.2), (&*method.name, &*method.descriptor));
        assert_eq!(method.access, 0x0109);
        assert_eq!(method.attributes[0].0, "RuntimeVisibleAnnotations");
    }
    let code = class.method("bind");
    assert_eq!((code.bytes[0], code.bytes[3]), (184, 177));
    let code = class.method("load");
    assert_eq!(
        (code.bytes[0], code.bytes[3], code.bytes[6]),
        (19, 184, 177)
    );
    // getstatic, iconst_0, baload, ifeq over the call, aload_0, invokestatic, return.
    let code = class.method("leaves");
    assert_eq!(code.bytes[0], 178);
    assert_eq!(code.bytes[3..9], [3, 51, 153, 0, 7, 42]);
    assert_eq!(
        (code.bytes[9], code.bytes[12], code.bytes.len()),
        (184, 177, 13)
    );
    let code = class.method("leavesCaller");
    assert_eq!(code.bytes[3..9], [3, 51, 153, 0, 6, 184]);
    assert_eq!((code.bytes[11], code.bytes.len()), (177, 12));
}

#[test]
fn a_loader_s_hook_class_binds_nothing_itself() {
    let bytes = hook_class("a/Hooks", "java/lang/Thread", None);
    let class = ClassFile::read(&bytes).unwrap();
    assert_eq!(
        (class.name(), class.superclass()),
        (&b"a/Hooks"[..], Some(&b"java/lang/Thread"[..]))
    );
    assert_eq!(class.methods().len(), HOOKS.len() + 2);
}

#[test]
fn a_class_names_its_superclass_and_its_interfaces() {
    let bytes = include_bytes!("rewrite/corpus/javac17-Modern$Mark.class");
    let class = ClassFile::read(bytes).unwrap();
    assert_eq!(class.superclass(), Some(&b"java/lang/Object"[..]));
    assert_eq!(class.interfaces(), [b"java/lang/annotation/Annotation"]);
    assert_eq!(class.major_version(), 61);
}

#[test]
fn branches_are_told_from_operands() {
    let mut code = vec![3, 153, 0, 4, 177];
    // lookupswitch at 6 with -5 and 70000; tableswitch 3..4
    code.extend([3, 171, 0]);
    for value in [100, 2, -5, 100, 70_000, 100] {
        code.extend(i32::to_be_bytes(value));
    }
    let table = code.len() + 1;
    code.extend([3, 170, 0, 0]);
    for value in [50, 3, 4, 50, 50] {
        code.extend(i32::to_be_bytes(value));
    }
    let bytes = one(49, &code);
    let branches = Branches::of(&ClassFile::read(&bytes).unwrap());
    assert_eq!(branches.at(0, 1), Some(&Branch::If { opcode: 153 }));
    assert_eq!(branches.at(0, 0), None);
    assert_eq!(branches.at(1, 1), None);
    let lookup = branches.at(0, 6).unwrap();
    for (key, chosen_pair_index) in [(-5, 0), (70_000, 1), (0, 2)] {
        let pairs_total = 2;
        assert_eq!(
            lookup.on_ints(key, 0),
            Some(Outcome::Lookup {
                chosen_pair_index,
                pairs_total
            })
        );
    }
    let table = branches.at(0, table as u16).unwrap();
    let (key, low, high) = (9, 3, 4);
    assert_eq!(table.on_ints(9, 0), Some(Outcome::Table { key, low, high }));
    assert_eq!(table.on_references(true), None);
}

#[test]
fn every_condition_is_the_instruction_s() {
    let is_true = |outcome: Option<Outcome>| match outcome {
        Some(Outcome::If { is_true }) => is_true,
        other => panic!("{other:?}"),
    };
    for (a, b) in [(1, 2), (2, 1), (3, 3), (i32::MIN, i32::MAX)] {
        let conditions = [a == b, a != b, a < b, a >= b, a > b, a <= b];
        for (opcode, expected) in (159..).zip(conditions) {
            let branch = Branch::If { opcode };
            assert_eq!(is_true(branch.on_ints(a, b)), expected);
            assert_eq!(branch.on_references(true), None);
        }
        let conditions = [a == 0, a != 0, a < 0, a >= 0, a > 0, a <= 0];
        for (opcode, expected) in (153..).zip(conditions) {
            assert_eq!(is_true(Branch::If { opcode }.on_ints(a, b)), expected);
        }
    }
    for (opcode, on_same) in [(165, true), (166, false), (198, true), (199, false)] {
        let branch = Branch::If { opcode };
        assert_eq!(is_true(branch.on_references(true)), on_same);
        assert_eq!(is_true(branch.on_references(false)), !on_same);
        assert_eq!(branch.on_ints(0, 0), None);
    }
}

const MONITORS: Wish<'static> = Wish {
    entry: Entry::Off,
    exit: false,
    monitors: true,
    ..METHODS
};

/// The code of a method that does nothing, in a class of this name; `None` if it is left as it is.
fn of_library(
    class: &'static str,
    name: &str,
    descriptor: &str,
    body: (u16, &[u8]),
    wish: &Wish<'_>,
) -> Option<Vec<u8>> {
    let (max_locals, code) = body;
    let mut class = Assembler {
        name: class,
        ..Assembler::new(49)
    };
    class.method(&Body {
        access: 8,
        name,
        descriptor,
        max_stack: 0,
        max_locals,
        code,
        ..Body::default()
    });
    let bytes = run(&class.finish(), wish, 0).bytes?;
    Some(Class::read(&bytes).method(name).bytes.clone())
}

#[test]
fn sleep_tells_of_its_beginning_and_its_end() {
    const SLEEPS: Wish<'static> = Wish {
        monitors: false,
        sleeps: true,
        ..MONITORS
    };
    let rewritten = |name: &str, descriptor: &str, class: &'static str| {
        of_library(class, name, descriptor, (2, &[177]), &SLEEPS)
    };
    let thread = "java/lang/Thread";
    // lload_0, invokestatic, return
    let begins = rewritten("beforeSleep", "(J)V", thread).unwrap();
    assert_eq!((&begins[..2], &begins[4..]), (&[30, 184][..], &[177][..]));
    let ends = rewritten("afterSleep", "(Ljava/lang/Object;)V", thread).unwrap();
    assert_eq!((ends[0], &ends[3..]), (184, &[177][..]));
    assert_eq!(rewritten("beforeSleep", "()V", thread), None);
    assert_eq!(rewritten("beforeSleep", "(J)V", "Other"), None);
}

#[test]
fn park_tells_of_its_beginning_and_its_returns() {
    const PARKS: Wish<'static> = Wish {
        monitors: false,
        parks: true,
        ..MONITORS
    };
    let rewritten = |name: &str, descriptor: &str, class: &'static str| {
        of_library(class, name, descriptor, (3, &[177, 177]), &PARKS)
    };
    let park = "java/util/concurrent/locks/LockSupport";
    for (name, descriptor, load) in [
        ("park", "(Ljava/lang/Object;)V", 42),
        ("parkNanos", "(Ljava/lang/Object;J)V", 42),
        ("park", "()V", 1),
        ("parkUntil", "(J)V", 1),
    ] {
        // The blocker or null, invokestatic, and before each return invokestatic.
        let code = rewritten(name, descriptor, park).unwrap();
        let opcodes = [0, 1, 4, 7, 8, 11].map(|at: usize| code[at]);
        assert_eq!(
            opcodes,
            [load, 184, 184, 177, 184, 177],
            "{name}{descriptor}"
        );
    }
    assert_eq!(rewritten("unpark", "(Ljava/lang/Object;)V", park), None);
    assert_eq!(rewritten("park", "(I)V", park), None);
    assert_eq!(rewritten("park", "()V", "Other"), None);
}

/// A method `m()V` without handlers or with one.
fn locking(access: u16, code: &[u8], handlers: &[[u16; 4]]) -> Option<Vec<u8>> {
    let mut class = Assembler::new(49);
    class.method(&Body {
        access,
        name: "m",
        descriptor: "()V",
        max_stack: 1,
        max_locals: 1,
        code,
        handlers,
        ..Body::default()
    });
    let bytes = run(&class.finish(), &MONITORS, 0).bytes?;
    Some(Class::read(&bytes).method("m").bytes.clone())
}

#[test]
fn a_monitor_is_told_of_before_it_is_left() {
    // aconst_null, dup, invokestatic, monitorexit, return
    let code = locking(8, &[1, 195, 177], &[]).unwrap();
    assert_eq!(
        (&code[..3], &code[5..]),
        (&[1, 89, 184][..], &[195, 177][..])
    );
    // Not in a handler that covers itself: aconst_null monitorexit return, then
    // pop aconst_null monitorexit return.
    let handler = [0, 6, 3, 0];
    let code = locking(8, &[1, 195, 177, 87, 1, 195, 177], &[handler]).unwrap();
    assert_eq!((code.len(), &code[7..]), (11, &[87, 1, 195, 177][..]));
    // Nothing to do.
    assert_eq!(locking(8, &[177], &[]), None);
}

/// A hook that finds no room on the stack would be tried for ever.
#[test]
fn no_hook_of_an_instruction_stands_in_a_handler_that_covers_itself() {
    let mut class = Assembler::new(49);
    class.method(&Body {
        access: 8,
        name: "m",
        descriptor: "(Ljava/lang/Object;)V",
        max_stack: 1,
        max_locals: 2,
        code: &JAVAC,
        handlers: &[[2, 4, 5, 0], [5, 8, 5, 0]],
        ..Body::default()
    });
    let wish = Wish {
        entry: Entry::Off,
        exit: false,
        ..ALL
    };
    let class = rewritten(&class.finish(), &wish, 0);
    let code = class.method("m");
    let handler = code.handlers[1];
    assert_eq!(code.bytes[handler[0]..handler[1]], [76, 42, 195]);
    assert_eq!(handler[2], handler[0]);
    // aload_1 behind it has one.
    assert_ne!(code.bytes[handler[1]], 43);
}

/// aload_0 monitorenter aload_0 monitorexit return, then what javac makes of the handler,
/// and what ecj makes of it.
const JAVAC: [u8; 11] = [42, 194, 42, 195, 177, 76, 42, 195, 43, 191, 177];
const ECJ: [u8; 9] = [42, 194, 42, 195, 177, 42, 195, 191, 177];

#[test]
fn a_handler_that_leaves_a_monitor_is_reached_by_a_detour() {
    for (original, exit) in [(&JAVAC[..], 7), (&ECJ[..], 6)] {
        let mut class = Assembler::new(49);
        class.method(&Body {
            access: 8,
            name: "m",
            descriptor: "(Ljava/lang/Object;)V",
            max_stack: 1,
            max_locals: 2,
            code: original,
            handlers: &[[2, 4, 5, 0], [5, exit as u16 + 1, 5, 0]],
            ..Body::default()
        });
        let bytes = run(&class.finish(), &MONITORS, 0).bytes.unwrap();
        let class = Class::read(&bytes);
        let code = class.method("m");
        // The hook in front of the first monitorexit has four bytes; the handler has none.
        let (moved, old) = (4, original.len());
        assert_eq!(code.bytes[5 + moved..old + moved], original[5..]);
        // aload_0 invokestatic athrow, which leads back to the handler.
        let detour = &code.bytes[old + moved..];
        assert_eq!((detour[0], detour[1], detour[4]), (42, 184, 191));
        assert_eq!(detour.len(), 5);
        let start = old + moved;

        assert_eq!(
            code.handlers,
            [
                [2, 8, start, 0],
                [9, exit + 5, 9, 0],
                [start, start + 5, 9, 0]
            ]
        );
    }
}

#[test]
fn a_detour_has_the_frame_of_its_handler() {
    let mut class = Assembler::new(50);
    let throwable = class.class("java/lang/Throwable");
    // same_locals_1_stack_item at 5: Throwable.
    let frame = [64 + 5, 7, (throwable >> 8) as u8, throwable as u8];
    class.method(&Body {
        access: 8,
        name: "m",
        descriptor: "(JLjava/lang/Object;[I)V",
        max_stack: 2,
        max_locals: 5,
        code: &[44, 194, 44, 195, 177, 58, 4, 44, 195, 25, 4, 191],
        handlers: &[[2, 4, 5, 0], [5, 9, 5, 0]],
        attributes: &[stack_map(&[&frame])],
    });
    let bytes = run(&class.finish(), &MONITORS, 0).bytes.unwrap();
    let class = Class::read(&bytes);
    let map = class.method("m").attribute("StackMapTable").unwrap();
    // The handler's own at 9; full_frame at 16, 6 behind it: long, Object, int[], and the
    // same on the stack.
    assert_eq!(map[..3], [0, 2, 64 + 9]);
    assert_eq!(map[6..12], [255, 0, 6, 0, 3, 4]);
    let name = |at: usize| {
        let index = usize::from(map[at]) << 8 | usize::from(map[at + 1]);
        let Constant::Class(name) = class.pool[index] else {
            panic!("no class at {index}");
        };
        let Constant::Utf8(text) = &class.pool[name] else {
            panic!("no text at {name}");
        };
        String::from_utf8_lossy(text).into_owned()
    };
    assert_eq!((map[12], name(13)), (7, "java/lang/Object".to_owned()));
    assert_eq!((map[15], name(16)), (7, "[I".to_owned()));
    assert_eq!(map[18..], [0, 1, 7, frame[2], frame[3]]);
}

#[test]
fn a_handler_without_a_frame_gets_no_detour() {
    let mut class = Assembler::new(50);
    class.method(&Body {
        access: 8,
        name: "m",
        descriptor: "(Ljava/lang/Object;)V",
        max_stack: 1,
        max_locals: 2,
        code: &JAVAC,
        handlers: &[[2, 4, 5, 0], [5, 8, 5, 0]],
        ..Body::default()
    });
    let bytes = run(&class.finish(), &MONITORS, 0).bytes.unwrap();
    assert_eq!(Class::read(&bytes).method("m").bytes.len(), JAVAC.len() + 4);
}

#[test]
fn a_synchronized_method_tells_of_its_monitor() {
    const SYNCHRONIZED: u16 = 0x20;
    let code = locking(SYNCHRONIZED, &[177], &[]).unwrap();
    assert_eq!((&code[..2], &code[4..]), (&[42, 184][..], &[177][..]));
    let code = locking(SYNCHRONIZED | 8, &[177], &[]).unwrap();
    assert_eq!((code[0], code[3], code[6]), (19, 184, 177));
    // An exception leaves it too: aconst_null athrow.
    let code = locking(SYNCHRONIZED, &[1, 191], &[]).unwrap();
    assert_eq!(
        (&code[..4], &code[6..]),
        (&[1, 191, 42, 184][..], &[191][..])
    );
    // Local 0 is no longer `this`.
    assert_eq!(
        locking(SYNCHRONIZED, &[1, 75, 177], &[]),
        None.or(Some(vec![1, 75, 177]))
    );
}

#[test]
fn what_cannot_name_its_class_leaves_it_to_the_hook() {
    let mut class = Assembler::new(48);
    class.method(&Body {
        access: 0x28,
        name: "m",
        descriptor: "()V",
        max_stack: 0,
        max_locals: 0,
        code: &[177],
        ..Body::default()
    });
    let bytes = run(&class.finish(), &MONITORS, 0).bytes.unwrap();
    let code = Class::read(&bytes).method("m").bytes.clone();
    assert_eq!((code[0], code[3], code.len()), (184, 177, 4));
}

#[test]
fn a_frame_without_this_keeps_hooks_from_it() {
    // full_frame at 0 without locals: a verifier does not know `this` behind it.
    let attributes = [stack_map(&[&[255, 0, 0, 0, 0, 0, 0]])];
    for (attributes, hooked) in [(&[][..], true), (&attributes[..], false)] {
        let mut class = Assembler::new(50);
        class.method(&Body {
            access: 0x20,
            name: "m",
            descriptor: "()V",
            max_stack: 1,
            max_locals: 1,
            code: &[177],
            attributes,
            ..Body::default()
        });
        let bytes = run(&class.finish(), &MONITORS, 0).bytes.unwrap();
        let code = Class::read(&bytes).method("m").bytes.clone();
        assert_eq!(code.len() > 1, hooked);
    }
}

#[test]
fn small_methods_call_nothing_and_go_forward() {
    let body_is_small = |access: u16, code: &[u8], handlers: &[[u16; 4]]| {
        let mut class = Assembler::new(49);
        class.method(&Body {
            access,
            name: "m",
            descriptor: "()V",
            max_stack: 4,
            max_locals: 1,
            code,
            handlers,
            ..Body::default()
        });
        is_small(&class.finish())
    };
    let nops = |count| [vec![0; count], vec![177]].concat();
    let switch = |offset: u8| {
        [
            &[26, 170, 0, 0][..],
            &[0; 3],
            &[offset],
            &[0; 8],
            &[0; 3],
            &[offset],
            &[177],
        ]
        .concat()
    };
    for (code, small) in [
        (nops(0), true),
        (nops(class_rewriter::SMALL - 1), true),
        (nops(class_rewriter::SMALL), false),
        // getfield, putstatic, new, athrow and a division take no time that counts.
        (vec![42, 180, 0, 1, 172], true),
        (vec![3, 179, 0, 1, 177], true),
        (vec![187, 0, 1, 191], true),
        (vec![4, 4, 108, 172], true),
        // ifeq forward, goto backward and to itself.
        (vec![3, 153, 0, 3, 177], true),
        (vec![0, 167, 255, 255], false),
        (vec![167, 0, 0], false),
        (vec![200, 255, 255, 255, 255], false),
        (switch(20), true),
        (switch(0), false),
        // Each of the calls, arrays, and a lock.
        (vec![182, 0, 1, 177], false),
        (vec![183, 0, 1, 177], false),
        (vec![184, 0, 1, 177], false),
        (vec![185, 0, 1, 1, 0, 177], false),
        (vec![186, 0, 1, 0, 0, 177], false),
        (vec![3, 188, 10, 176], false),
        (vec![3, 189, 0, 1, 176], false),
        (vec![3, 3, 197, 0, 1, 2, 176], false),
        (vec![1, 194, 177], false),
        (vec![168, 0, 3, 177], false),
        (vec![169, 0], false),
        (vec![196, 169, 0, 0], false),
        (vec![196, 21, 0, 0, 172], true),
        (vec![203], false),
    ] {
        assert_eq!(body_is_small(8, &code, &[]), small, "{code:?}");
        assert!(!body_is_small(0x28, &code, &[]), "synchronized, {code:?}");
    }
    assert!(
        !body_is_small(8, &[177], &[[0, 1, 0, 0]]),
        "what it throws leads back"
    );
    let hooks = hook_class("java/lang/Hooks", "java/lang/Object", None);
    let natives = ClassFile::read(&hooks).unwrap();
    let native = natives.methods().iter().find(|it| !it.has_code()).unwrap();
    assert!(!natives.is_small(native), "nobody knows what it does");
}

/// Of a class file with one method.
fn is_small(bytes: &[u8]) -> bool {
    let class = ClassFile::read(bytes).unwrap();
    class.is_small(&class.methods()[0])
}

#[test]
fn small_constructors_only_set_fields_of_their_own() {
    const OBJECT: &str = "java/lang/Object";
    let constructor = |superclass: &'static str, body: &dyn Fn(&mut Assembler) -> Vec<u8>| {
        let mut class = Assembler::new(49);
        class.super_name = superclass;
        let code = body(&mut class);
        class.method(&Body {
            access: 1,
            name: "<init>",
            descriptor: "(IJLT;)V",
            max_stack: 5,
            max_locals: 5,
            code: &code,
            ..Body::default()
        });
        class.finish()
    };
    let of_object = |rest: &dyn Fn(&mut Assembler) -> Vec<u8>| {
        is_small(&constructor(OBJECT, &|class: &mut Assembler| {
            let call = class.construct(OBJECT, "()V");
            [&[42][..], &call, &rest(class), &[177]].concat()
        }))
    };
    let put = |class: &mut Assembler, kind: &str, value: &[u8]| {
        let field = class.field(2, "f", kind);
        [&[42][..], value, &[181], &field].concat()
    };
    assert!(of_object(&|_| Vec::new()));
    assert!(of_object(&|class| put(class, "I", &[27])));
    assert!(of_object(&|class| put(class, "J", &[32])));
    assert!(of_object(&|class| put(class, "LT;", &[1])));
    assert!(of_object(&|class| put(class, "I", &[27, 4, 100])));
    assert!(of_object(&|class| {
        let [high, low] = class.constant(vec![4, 0, 0, 0, 0]).to_be_bytes();
        put(class, "F", &[19, high, low])
    }));
    assert!(of_object(&|class| {
        let ours = put(class, "I", &[27]);
        let other = class.field(2, "g", "I");
        [&ours[..], &[42, 4, 181], &other].concat()
    }));
    // What the compiler sets before the call.
    assert!(is_small(&constructor(OBJECT, &|class| {
        let before = put(class, "LT;", &[25, 4]);
        let call = class.construct(OBJECT, "()V");
        [&before[..], &[42], &call, &[177]].concat()
    })));

    // Another object's field, which may be none's.
    assert!(!of_object(&|class| {
        let field = class.field(2, "f", "I");
        [&[25, 4, 27, 181][..], &field].concat()
    }));
    // Fields that are not there, another's, or static.
    for (owner, name, access) in [("T", "g", 2), ("S", "f", 2), ("T", "f", 10)] {
        assert!(!of_object(&|class| {
            class.field(access, "f", "I");
            let [high, low] = class.member(9, owner, name, "I").to_be_bytes();
            vec![42, 27, 181, high, low]
        }));
    }
    // A string that may have to be made, a division, other calls, other locals for `this`.
    assert!(!of_object(&|class| {
        let text = class.utf8("text");
        let [high, low] = class
            .constant([&[8][..], &text.to_be_bytes()].concat())
            .to_be_bytes();
        put(class, "LT;", &[19, high, low])
    }));
    assert!(!of_object(&|class| put(class, "I", &[4, 27, 108])));
    assert!(!of_object(&|class| put(class, "I", &[25, 4, 190])));
    assert!(!of_object(&|class| {
        let [high, low] = class.member(10, "T", "m", "()V").to_be_bytes();
        vec![184, high, low]
    }));
    assert!(!of_object(&|class| {
        let put = put(class, "I", &[27]);
        [&[25, 4, 75][..], &put].concat()
    }));
    // `this` put into another's field or overwritten: istore 0, astore_0, dup_x1 and swap behind `this` and a value.
    for moved in [
        &[27, 54, 0, 1][..],
        &[25, 4, 75, 1],
        &[25, 4, 90],
        &[25, 4, 95],
    ] {
        assert!(!of_object(&|class| put(class, "LT;", moved)), "{moved:?}");
    }
    assert!(!of_object(&|_| vec![167, 0, 3]));
    // The superclass's, another of its own, and none.
    let calls = |superclass, called: &str| {
        is_small(&constructor(superclass, &|class| {
            let call = class.construct(called, "()V");
            [&[42][..], &call, &[177]].concat()
        }))
    };
    assert!(calls(OBJECT, OBJECT));
    assert!(!calls("S", "S"));
    assert!(!calls(OBJECT, "T"));
    assert!(!is_small(&constructor(OBJECT, &|_| vec![177])));
    assert!(is_small(&constructor("", &|_| vec![177])), "Object's own");
}

#[test]
fn methods_that_are_not_told_of_keep_their_other_hooks() {
    let all = Wish {
        monitors: true,
        ..ALL
    };
    let others = Wish {
        entry: Entry::Off,
        exit: false,
        ..all
    };
    let monitors = Wish {
        instructions: false,
        ..all
    };
    let only_monitors = Wish {
        instructions: false,
        ..others
    };
    for (path, bytes) in corpus() {
        let class = ClassFile::read(&bytes).unwrap();
        for (wish, left) in [
            (all, others),
            (monitors, only_monitors),
            (
                METHODS,
                Wish {
                    entry: Entry::Off,
                    ..ENTRY
                },
            ),
        ] {
            let untold = rewrite(&class, &wish, 7, |_| false).unwrap();
            let expected = run(&bytes, &left, 7);
            assert_eq!(untold.hooked, expected.hooked, "{}", path.display());
            assert!(untold.bytes == expected.bytes, "{}", path.display());
        }
    }
}
