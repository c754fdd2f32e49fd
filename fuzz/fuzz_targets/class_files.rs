//! Class files: they are refused, or rewritten into what is a class file as well.
#![no_main]

use class_rewriter::branches::Branches;
use class_rewriter::{ClassFile, Entry, LockDepths, Wish, rewrite};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    // The last byte says which hooks are wanted: in front it would be in the way of files as they are.
    let Some((&which, bytes)) = data.split_last() else {
        return;
    };
    let Ok(class) = ClassFile::read(bytes) else {
        return;
    };
    let _ = Branches::of(&class);
    let wish = Wish {
        hook_class: "xrun/Hooks",
        entry: match which & 3 {
            0 => Entry::Off,
            1 => Entry::Number,
            _ => Entry::Receiver,
        },
        exit: which & 4 != 0,
        instructions: which & 8 != 0,
        monitors: which & 16 != 0,
        sleeps: which & 32 != 0,
        parks: which & 64 != 0,
    };
    let odd = which & 128 != 0;
    let Ok(result) = rewrite(&class, &wish, 30_000, |method| {
        !odd || method.index() % 2 == 0
    }) else {
        return;
    };
    if let Some(new) = result.bytes {
        assert!(result.hooked > 0);
        let again = ClassFile::read(&new).expect("what was rewritten is a class file");
        assert_eq!(again.methods().len(), class.methods().len());
    }
    let _ = LockDepths::of(bytes);
});
