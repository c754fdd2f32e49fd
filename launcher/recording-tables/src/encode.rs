//! Batches as Parquet: one file a table, one row group a batch.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use own_files::Fresh;
use parquet::basic::{
    Compression, ConvertedType, Encoding, LogicalType, Repetition, TimeUnit, Type,
};
use parquet::column::writer::ColumnWriterImpl;
use parquet::data_type::{ByteArrayType, DataType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{ColumnPath, Type as Schema};

use crate::batch::{Batch, Cells, NULL, ROWS};
use crate::schema::{Column, Kind, Table};

/// A file that becomes whole, or never was.
pub(crate) struct TableFile {
    fresh: Fresh,
    writer: SerializedFileWriter<File>,
}

impl TableFile {
    pub(crate) fn beside(path: &Path, table: &Table) -> io::Result<Self> {
        let fresh = Fresh::beside(path)?;
        let file = fresh.file().try_clone()?;
        let writer = SerializedFileWriter::new(file, Arc::new(schema(table)?), properties(table))?;
        Ok(Self { fresh, writer })
    }

    pub(crate) fn write(&mut self, batch: &Batch) -> io::Result<()> {
        let mut group = self.writer.next_row_group()?;
        for (column, cells) in batch.table.columns.iter().zip(&batch.columns) {
            let Some(mut writer) = group.next_column()? else {
                break;
            };
            column_of(&mut writer, column, cells, batch.rows)?;
            writer.close()?;
        }
        group.close()?;
        Ok(())
    }

    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.writer.finish()?;
        self.fresh.put_in_place()?;
        Ok(())
    }
}

/// Where the file of a table is.
pub(crate) fn path_of(folder: &Path, table: &Table, process: &str) -> PathBuf {
    let mut path = folder.join(table.name);
    path.push(format!("process={process}"));
    path.push(format!("{}.parquet", table.name));
    path
}

fn schema(table: &Table) -> Result<Schema, ParquetError> {
    let field = |column: &Column| {
        let (physical, logical) = match column.kind {
            Kind::Number => (Type::INT64, None),
            Kind::Text => (Type::BYTE_ARRAY, Some(LogicalType::String)),
            Kind::Instant => (
                Type::INT64,
                Some(LogicalType::timestamp(true, TimeUnit::MICROS)),
            ),
        };
        let repetition = match column.always {
            true => Repetition::REQUIRED,
            false => Repetition::OPTIONAL,
        };
        let field = Schema::primitive_type_builder(column.name, physical)
            .with_repetition(repetition)
            .with_logical_type(logical)
            .with_converted_type(ConvertedType::NONE)
            .build()?;
        Ok(Arc::new(field))
    };
    let fields: Result<Vec<_>, ParquetError> = table.columns.iter().map(field).collect();
    Schema::group_type_builder(table.name)
        .with_fields(fields?)
        .build()
}

/// Numbers that grow are differences; all else is a dictionary as long as that pays.
fn properties(table: &Table) -> Arc<WriterProperties> {
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by(concat!("xrun ", env!("CARGO_PKG_VERSION")).to_owned())
        // Engines skip whole row groups by these; those of pages cost more than they spare.
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true)
        .set_max_row_group_row_count(Some(ROWS));
    for name in ["number", "nanos", "object", "new_object"] {
        if table.place(name).is_some() {
            let path = ColumnPath::from(name);
            properties = properties
                .set_column_dictionary_enabled(path.clone(), false)
                .set_column_encoding(path, Encoding::DELTA_BINARY_PACKED);
        }
    }
    Arc::new(properties.build())
}

fn column_of(
    writer: &mut SerializedColumnWriter<'_>,
    column: &Column,
    cells: &Cells,
    rows: usize,
) -> Result<(), ParquetError> {
    match (column.kind, cells) {
        (Kind::Number | Kind::Instant, Cells::Numbers(numbers)) => {
            let writer = writer.typed::<Int64Type>();
            if numbers.is_empty() {
                same(writer, rows, None)
            } else if column.always {
                writer.write_batch(numbers, None, None).map(drop)
            } else {
                let cells = numbers.iter().map(|&it| (it != NULL).then_some(it));
                let (defined, values) = split(cells);
                writer.write_batch(&values, Some(&defined), None).map(drop)
            }
        }
        (Kind::Text, Cells::Texts(texts)) => {
            let writer = writer.typed::<ByteArrayType>();
            if texts.is_empty() {
                return same(writer, rows, None);
            }
            let (defined, values) = split(texts.iter().cloned());
            let levels = (!column.always).then_some(&defined[..]);
            writer.write_batch(&values, levels, None).map(drop)
        }
        (Kind::Text, Cells::Same(text)) => same(writer.typed::<ByteArrayType>(), rows, Some(text)),
        (Kind::Number | Kind::Instant, Cells::Texts(_) | Cells::Same(_))
        | (Kind::Text, Cells::Numbers(_)) => Err(ParquetError::General(format!(
            "{} of another kind",
            column.name
        ))),
    }
}

/// A column with one value in all rows, or NULL.
fn same<T: DataType>(
    writer: &mut ColumnWriterImpl<'_, T>,
    rows: usize,
    value: Option<&T::T>,
) -> Result<(), ParquetError> {
    const STEP: usize = 1024;
    let values: Vec<T::T> = value.map(|it| vec![it.clone(); STEP]).unwrap_or_default();
    let levels = [i16::from(value.is_some()); STEP];
    for begin in (0..rows).step_by(STEP) {
        let step = STEP.min(rows - begin);
        let values = values.get(..step).unwrap_or_default();
        writer.write_batch(values, levels.get(..step), None)?;
    }
    Ok(())
}

/// Which are there, and those.
fn split<T>(cells: impl Iterator<Item = Option<T>>) -> (Vec<i16>, Vec<T>) {
    let (least, _) = cells.size_hint();
    let mut defined = Vec::with_capacity(least);
    let mut values = Vec::with_capacity(least);
    for cell in cells {
        defined.push(i16::from(cell.is_some()));
        values.extend(cell);
    }
    (defined, values)
}
