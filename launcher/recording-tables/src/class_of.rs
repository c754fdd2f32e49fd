//! Which class an object is of: a word for each id, in pages, for ids are numbered upwards and
//! used again. A page lasts as long as one of its objects is known.

use rustc_hash::FxHashMap;

const BITS: u32 = 9;
const PAGE: usize = 1 << BITS;

/// Rows of `classes` by the ids of objects.
#[derive(Debug, Default)]
pub(crate) struct ClassOf {
    pages: FxHashMap<u64, Page>,
}

#[derive(Debug)]
struct Page {
    /// One more than the row, 0 if there is none.
    words: Box<[u32; PAGE]>,
    /// Words that are not 0.
    used: usize,
}

impl ClassOf {
    /// Ids lie eight apart.
    fn place(id: u64) -> (u64, usize) {
        let index = id.rotate_right(3);
        let low = usize::try_from(index & (PAGE as u64 - 1)).unwrap_or(0);
        (index >> BITS, low)
    }

    /// What it was before, if anything.
    pub(crate) fn set(&mut self, id: u64, class: Option<u32>) -> Option<u32> {
        let (number, low) = Self::place(id);
        let page = match class {
            Some(_) => self.pages.entry(number).or_insert_with(|| Page {
                words: Box::new([0; PAGE]),
                used: 0,
            }),
            None => self.pages.get_mut(&number)?,
        };
        let word = page.words.get_mut(low)?;
        let new = class.map_or(0, |class| class.saturating_add(1));
        let old = std::mem::replace(word, new);
        page.used += usize::from(new != 0);
        page.used -= usize::from(old != 0);
        if page.used == 0 {
            self.pages.remove(&number);
        }
        old.checked_sub(1)
    }

    pub(crate) fn get(&self, id: u64) -> Option<u32> {
        let (page, low) = Self::place(id);
        self.pages.get(&page)?.words.get(low)?.checked_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_the_dead_are_given_back() {
        let mut class_of = ClassOf::default();
        for id in (8..80_000).step_by(8) {
            assert_eq!(class_of.set(id, Some(3)), None);
        }
        assert_eq!(class_of.set(16, Some(0)), Some(3));
        assert_eq!(class_of.get(16), Some(0));
        assert!(class_of.pages.len() >= 80_000 / 8 / PAGE);
        for id in (8..80_000).step_by(8).filter(|&id| id != 16) {
            assert_eq!(class_of.set(id, None), Some(3));
            assert_eq!(class_of.set(id, None), None);
        }
        assert_eq!(class_of.pages.len(), 1);
        assert_eq!(class_of.set(16, None), Some(0));
        assert!(class_of.pages.is_empty() && class_of.get(16).is_none());
    }
}
