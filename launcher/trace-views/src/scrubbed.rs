//! Names without what the VM and the JDK count up in them, or take from addresses: of classes that
//! they make while a program runs, and of whatever has an address in its name.

/// Followed by a number, or by a `$` and a number.
const COUNTED: [&str; 5] = [
    "$$Lambda",
    "$Proxy",
    "GeneratedConstructorAccessor",
    "GeneratedMethodAccessor",
    "GeneratedSerializationConstructorAccessor",
];

/// Packages of proxies, which change from JDK to JDK and are counted.
const PROXIES: [&str; 2] = ["com.sun.proxy.", "com/sun/proxy/"];
const COUNTED_PROXIES: [&str; 2] = ["jdk.proxy", "jdk/proxy"];

/// Appends a name without it: `A$$Lambda$14/0x00007f12.run()V` is `A$$Lambda.run()V`.
pub(crate) fn put_scrubbed(text: &mut String, name: &str) {
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        let (kept, after) = made(rest).unwrap_or_else(|| rest.split_at(first.len_utf8()));
        text.push_str(kept);
        rest = after;
    }
}

/// A name without that.
#[must_use]
pub fn scrubbed(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    put_scrubbed(&mut text, name);
    text
}

/// If something that is made begins here: what stays of it, and what comes behind it.
fn made(rest: &str) -> Option<(&str, &str)> {
    if let Some(word) = COUNTED.iter().find(|word| rest.starts_with(**word)) {
        let (word, after) = rest.split_at(word.len());
        let number = after.strip_prefix('$').filter(|after| digits(after) > 0);
        return Some((word, without_digits(number.unwrap_or(after))));
    }
    let proxy = PROXIES
        .iter()
        .find_map(|package| rest.strip_prefix(package));
    let counted = || {
        let after = COUNTED_PROXIES
            .iter()
            .find_map(|it| rest.strip_prefix(it))?;
        without_digits(after).strip_prefix(['.', '/'])
    };
    if let Some(after) = proxy.or_else(counted) {
        return after.starts_with("$Proxy").then_some(("", after));
    }
    // Of a hidden class, and of one without a name before there were hidden ones.
    if let Some(after) = rest.strip_prefix(['/', '.']) {
        if let Some(after) = after.strip_prefix("0x") {
            return Some(("", without_address(after)));
        }
        let behind = without_digits(after);
        let is_number = behind.len() < after.len() && !behind.starts_with(is_of_name);
        return (rest.starts_with('/') && is_number).then_some(("", behind));
    }
    let after = rest.strip_prefix("0x")?;
    Some(("0x", without_address(after)))
}

fn is_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '$' | '/' | '-')
}

fn digits(text: &str) -> usize {
    text.len() - without_digits(text).len()
}

fn without_digits(text: &str) -> &str {
    text.trim_start_matches(|c: char| c.is_ascii_digit())
}

fn without_address(text: &str) -> &str {
    text.trim_start_matches(|c: char| c.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As JDK 8, 11, 17, 21 and 25 call them.
    #[test]
    fn names_that_are_made_are_the_same_each_time() {
        for (name, same) in [
            ("A$$Lambda$14/1389647288", "A$$Lambda"),
            ("A$$Lambda$14/0x00007f5c24000c48", "A$$Lambda"),
            ("A$$Lambda/0x0000000800000a08", "A$$Lambda"),
            ("A$$Lambda/0x00007f13.run()V", "A$$Lambda.run()V"),
            ("A$$Lambda$2.0x00007f13", "A$$Lambda"),
            ("[LA$$Lambda$1/0x0f;", "[LA$$Lambda;"),
            ("LambdaForm$MH/0x12ab", "LambdaForm$MH"),
            ("LambdaForm$DMH/1809787067.f(I)V", "LambdaForm$DMH.f(I)V"),
            (
                "String$$StringConcat/0x0000000038084c00",
                "String$$StringConcat",
            ),
            ("$Proxy0", "$Proxy"),
            ("com.sun.proxy.$Proxy1", "$Proxy"),
            ("jdk.proxy1.$Proxy12.f(I)I", "$Proxy.f(I)I"),
            ("(Ljdk/proxy2/$Proxy3;)V", "(L$Proxy;)V"),
            ("com.acme.$Proxy7", "com.acme.$Proxy"),
            (
                "jdk.internal.reflect.GeneratedMethodAccessor12",
                "jdk.internal.reflect.GeneratedMethodAccessor",
            ),
            ("thread 0x7f12", "thread 0x"),
        ] {
            assert_eq!(scrubbed(name), same);
        }
    }

    #[test]
    fn other_names_stay() {
        for name in [
            "com.acme.Main",
            "com/acme/Main$1",
            "A$1.lambda$main$0()V",
            "pool-1-thread-2",
            "com.sun.proxy.Other",
            "jdk.proxy1.Other",
            "org/3d/Shape",
            "été",
            "",
        ] {
            assert_eq!(scrubbed(name), name);
        }
    }
}
