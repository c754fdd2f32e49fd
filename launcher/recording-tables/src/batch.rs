//! Rows on their way to a file, column by column.

use parquet::data_type::ByteArray;
use terminal_text::modified_utf8;

use crate::schema::{Kind, Table};

/// Rows of a row group at most.
pub(crate) const ROWS: usize = 1 << 17;

/// NULL in a column of numbers. (The one number of 64 bits that cannot be told apart from it is
/// no id, no size and no time.)
pub(crate) const NULL: i64 = i64::MIN;

/// A value.
#[derive(Clone, Debug)]
pub(crate) enum Cell {
    Number(i64),
    Text(Option<ByteArray>),
}

impl Cell {
    pub(crate) const NOTHING: Self = Self::Number(NULL);

    pub(crate) fn text(bytes: &[u8]) -> Self {
        Self::Text(Some(utf8(bytes)))
    }

    pub(crate) fn maybe(bytes: Option<&[u8]>) -> Self {
        bytes.map_or(Self::NOTHING, Self::text)
    }
}

impl From<i64> for Cell {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<u64> for Cell {
    /// Ids and addresses with the highest bit set are negative numbers.
    fn from(number: u64) -> Self {
        Self::Number(number.cast_signed())
    }
}

impl<T: Into<Self>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::NOTHING, T::into)
    }
}

/// The text of bytes that nobody promises to be one, the VM's most of them.
pub(crate) fn utf8(bytes: &[u8]) -> ByteArray {
    match modified_utf8::text(bytes) {
        std::borrow::Cow::Borrowed(text) => ByteArray::from(text),
        std::borrow::Cow::Owned(text) => ByteArray::from(text.into_bytes()),
    }
}

/// One column of a batch. An empty one in a batch with rows is NULL in all of them.
#[derive(Debug)]
pub(crate) enum Cells {
    Numbers(Vec<i64>),
    Texts(Vec<Option<ByteArray>>),
    /// The same in each row.
    Same(ByteArray),
}

/// Rows of one table.
#[derive(Debug)]
pub(crate) struct Batch {
    pub(crate) table: &'static Table,
    pub(crate) rows: usize,
    pub(crate) columns: Vec<Cells>,
}

impl Batch {
    pub(crate) fn new(table: &'static Table) -> Self {
        let empty = |kind| match kind {
            Kind::Number | Kind::Instant => Cells::Numbers(Vec::new()),
            Kind::Text => Cells::Texts(Vec::new()),
        };
        Self {
            table,
            rows: 0,
            columns: table.columns.iter().map(|it| empty(it.kind)).collect(),
        }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.rows >= ROWS
    }

    /// Adds a row: the values of the table's columns, in their order.
    pub(crate) fn push<const N: usize>(&mut self, row: [Cell; N]) {
        debug_assert_eq!(N, self.columns.len(), "{}", self.table.name);
        for (column, cell) in self.columns.iter_mut().zip(row) {
            match (column, cell) {
                (Cells::Numbers(numbers), Cell::Number(number)) => numbers.push(number),
                (Cells::Texts(texts), Cell::Text(text)) => texts.push(text),
                (Cells::Texts(texts), Cell::Number(_)) => texts.push(None),
                (Cells::Numbers(numbers), Cell::Text(_)) => numbers.push(NULL),
                (Cells::Same(_), _) => {}
            }
        }
        self.rows += 1;
    }

    /// A number of the row that is being added.
    #[inline]
    pub(crate) fn add(&mut self, place: usize, number: i64) {
        if let Some(Cells::Numbers(numbers)) = self.columns.get_mut(place) {
            numbers.push(number);
        }
    }

    pub(crate) fn texts(&mut self, place: usize) -> Option<&mut Vec<Option<ByteArray>>> {
        match self.columns.get_mut(place) {
            Some(Cells::Texts(texts)) => Some(texts),
            _ => None,
        }
    }
}
