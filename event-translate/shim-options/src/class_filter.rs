//! Which classes' methods are looked at: `include=` and `exclude=`.

/// Class-name prefixes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassFilter {
    /// If any: only classes that begin so.
    include: Vec<String>,
    /// Not these.
    exclude: Vec<String>,
}

impl ClassFilter {
    /// Takes another list of prefixes, `com.acme.+org/example/`; none if it is empty.
    pub fn include(&mut self, list: &str) -> Option<()> {
        add(&mut self.include, list)
    }

    /// The same for what is left out. That wins.
    pub fn exclude(&mut self, list: &str) -> Option<()> {
        add(&mut self.exclude, list)
    }

    /// The prefixes that [`Self::include`] has taken, as it reads them.
    #[must_use]
    pub fn included(&self) -> String {
        self.include.join("+").replace('/', ".")
    }

    /// The same of [`Self::exclude`].
    #[must_use]
    pub fn excluded(&self) -> String {
        self.exclude.join("+").replace('/', ".")
    }

    /// Whether it takes all classes.
    #[must_use]
    pub fn takes_all(&self) -> bool {
        self.include.is_empty() && self.exclude.is_empty()
    }

    /// Whether it takes this class, named as in its class file (`java/lang/String`).
    #[must_use]
    pub fn takes(&self, class: &[u8]) -> bool {
        let listed = |list: &[String]| {
            list.iter()
                .any(|prefix| class.starts_with(prefix.as_bytes()))
        };
        (self.include.is_empty() || listed(&self.include)) && !listed(&self.exclude)
    }
}

fn add(prefixes: &mut Vec<String>, list: &str) -> Option<()> {
    let words = list.split('+').filter(|word| !word.is_empty());
    let before = prefixes.len();
    prefixes.extend(words.map(|word| word.replace('.', "/")));
    (prefixes.len() > before).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_unless_something_is_said() {
        let filter = ClassFilter::default();
        assert!(filter.takes_all() && filter.takes(b"A"));
    }

    #[test]
    fn prefixes_with_dots_or_slashes() {
        let mut filter = ClassFilter::default();
        assert_eq!(filter.include("com.acme.+org/x/Y"), Some(()));
        assert_eq!(filter.exclude("com.acme.gen"), Some(()));
        assert_eq!(filter.exclude("+"), None);
        assert!(filter.takes(b"com/acme/Main"));
        assert!(filter.takes(b"org/x/Y$1"));
        assert!(!filter.takes(b"com/acme/generated/A"));
        assert!(!filter.takes(b"com/acmes/A"));
        assert!(!filter.takes_all());
    }
}
