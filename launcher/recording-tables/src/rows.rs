//! Rows on their way from who reads the recording to who encodes them.

use std::sync::mpsc::SyncSender;

use crate::batch::{Batch, Cell};
use crate::schema::Table;

/// Nobody takes batches any more: a file could not be written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopped;

/// Rows of one table, sent as soon as they are many.
#[derive(Debug)]
pub(crate) struct Rows {
    batch: Batch,
    to: SyncSender<Batch>,
}

impl Rows {
    pub(crate) fn of(table: &'static Table, to: &SyncSender<Batch>) -> Self {
        Self {
            batch: Batch::new(table),
            to: to.clone(),
        }
    }

    pub(crate) fn push<const N: usize>(&mut self, row: [Cell; N]) -> Result<(), Stopped> {
        self.batch.push(row);
        if self.batch.is_full() {
            self.flush()
        } else {
            Ok(())
        }
    }

    pub(crate) fn flush(&mut self) -> Result<(), Stopped> {
        let table = self.batch.table;
        let full = std::mem::replace(&mut self.batch, Batch::new(table));
        send(&self.to, full)
    }
}

/// Sends what has rows.
pub(crate) fn send(to: &SyncSender<Batch>, batch: Batch) -> Result<(), Stopped> {
    if batch.rows == 0 {
        return Ok(());
    }
    to.send(batch).map_err(|_| Stopped)
}
