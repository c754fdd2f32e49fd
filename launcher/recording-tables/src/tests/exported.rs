//! What was exported, read again.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

use own_files::Folder;
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::record::Field;
use recording_format::Recording;

use crate::encode::path_of;
use crate::schema::Table;
use crate::{Counted, Place, export};

pub(super) struct Exported {
    folder: Folder,
    pub(super) counted: Counted,
}

/// A row: what is not NULL, by column.
pub(super) type Row = BTreeMap<String, String>;

impl Exported {
    pub(super) fn of(recording: &Recording<'_>) -> Self {
        let folder = Folder::new(&std::env::temp_dir(), "xrun-tables-").unwrap();
        let place = Place {
            folder: folder.path(),
            process: "run",
        };
        let counted = export(recording, "run.rec", place).unwrap();
        assert!(place.files().all(|file| file.is_file()));
        Self { folder, counted }
    }

    pub(super) fn rows(&self, table: &Table) -> Vec<Row> {
        rows(self.folder.path(), table)
    }

    /// Columns of the rows of a table that has a column of numbers to sort by.
    pub(super) fn columns(&self, table: &Table, names: &[&str]) -> Vec<String> {
        let by = table.columns.first().unwrap().name;
        let mut rows = self.rows(table);
        rows.sort_by_key(|row| row.get(by).and_then(|it| it.parse::<i64>().ok()));
        let cell = |row: &Row, name: &&str| row.get(*name).cloned().unwrap_or("-".to_owned());
        let line = |row| names.iter().map(|name| cell(row, name)).collect::<Vec<_>>();
        rows.iter().map(|row| line(row).join(" ")).collect()
    }
}

pub(super) fn rows(folder: &Path, table: &Table) -> Vec<Row> {
    let file = File::open(path_of(folder, table, "run")).unwrap();
    let reader = SerializedFileReader::new(file).unwrap();
    let rows = reader.get_row_iter(None).unwrap();
    rows.map(|row| {
        let row = row.unwrap();
        let told = row.get_column_iter().filter_map(|(name, field)| {
            let text = match field {
                Field::Null => return None,
                Field::Str(text) => text.clone(),
                other => other.to_string(),
            };
            Some((name.clone(), text))
        });
        told.collect()
    })
    .collect()
}
