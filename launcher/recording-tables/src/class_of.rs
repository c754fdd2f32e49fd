//! Which class an object is of: a word for each id, in pages, for ids are numbered upwards and
//! used again.

use rustc_hash::FxHashMap;

const BITS: u32 = 9;
const PAGE: usize = 1 << BITS;

/// Rows of `classes` by the ids of objects.
#[derive(Debug, Default)]
pub(crate) struct ClassOf {
    pages: FxHashMap<u64, Box<[u32; PAGE]>>,
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
        let (page, low) = Self::place(id);
        let page = match class {
            Some(_) => self
                .pages
                .entry(page)
                .or_insert_with(|| Box::new([0; PAGE])),
            None => self.pages.get_mut(&page)?,
        };
        let word = page.get_mut(low)?;
        let old = *word;
        *word = class.map_or(0, |class| class.saturating_add(1));
        old.checked_sub(1)
    }

    pub(crate) fn get(&self, id: u64) -> Option<u32> {
        let (page, low) = Self::place(id);
        self.pages.get(&page)?.get(low)?.checked_sub(1)
    }
}
