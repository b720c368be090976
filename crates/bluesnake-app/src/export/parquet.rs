//! Tables as Parquet: optional columns, zstd, row groups of bounded size. Always exact.
//!
//! A row group is written column by column, so its rows are buffered here until there are enough, in rows or in
//! bytes.

use std::io::Write;
use std::ops::Range;
use std::sync::Arc;

use ::parquet::basic::{Compression, LogicalType, Repetition, Type as PhysicalType, ZstdLevel};
use ::parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use ::parquet::errors::{ParquetError, Result as ParquetResult};
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use ::parquet::schema::types::{Type, TypePtr};

use super::{Cell, Column, ExportError, Kind};

const ROWS_PER_GROUP: usize = 128 * 1024;
const TEXT_BYTES_PER_GROUP: usize = 32 * 1024 * 1024;

pub(super) struct ParquetTable<W: Write + Send> {
    file: SerializedFileWriter<W>,
    waiting: Vec<Waiting>,
    rows: usize,
    text_bytes: usize,
}

impl<W: Write + Send> ParquetTable<W> {
    pub(super) fn new(columns: &[Column], out: W) -> Result<Self, ExportError> {
        let properties = WriterProperties::builder()
            .set_created_by("bluesnake".to_owned())
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
            .build();
        let file = SerializedFileWriter::new(out, schema(columns)?, Arc::new(properties))?;
        let waiting = columns.iter().map(|column| Waiting::new(column.kind)).collect();
        Ok(Self { file, waiting, rows: 0, text_bytes: 0 })
    }

    pub(super) fn row(&mut self, cells: &[Cell<'_>]) -> Result<(), ExportError> {
        for (column, cell) in self.waiting.iter_mut().zip(cells) {
            self.text_bytes += column.push(cell);
        }
        self.rows += 1;
        if self.rows >= ROWS_PER_GROUP || self.text_bytes >= TEXT_BYTES_PER_GROUP {
            self.write_group()?;
        }
        Ok(())
    }

    fn write_group(&mut self) -> ParquetResult<()> {
        let mut group = self.file.next_row_group()?;
        for column in &mut self.waiting {
            column.write(group.next_column()?.expect("the schema has every column"))?;
        }
        group.close()?;
        (self.rows, self.text_bytes) = (0, 0);
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<W, ExportError> {
        if self.rows > 0 {
            self.write_group()?;
        }
        let mut out = self.file.into_inner()?;
        out.flush()?;
        Ok(out)
    }
}

fn schema(columns: &[Column]) -> ParquetResult<TypePtr> {
    let fields = columns.iter().map(field).collect::<ParquetResult<_>>()?;
    Ok(Arc::new(Type::group_type_builder("bluesnake").with_fields(fields).build()?))
}

fn field(column: &Column) -> ParquetResult<TypePtr> {
    let (physical, logical) = match column.kind {
        Kind::Integer => (PhysicalType::INT64, None),
        Kind::Real => (PhysicalType::DOUBLE, None),
        Kind::Text => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
        Kind::Boolean => (PhysicalType::BOOLEAN, None),
    };
    let field = Type::primitive_type_builder(&column.name, physical).with_logical_type(logical);
    Ok(Arc::new(field.with_repetition(Repetition::OPTIONAL).build()?))
}

/// One column of the buffered rows.
struct Waiting {
    /// 1 for a value, 0 for null, in row order.
    levels: Vec<i16>,
    values: Values,
}

enum Values {
    Integer(Vec<i64>),
    Real(Vec<f64>),
    /// All texts in one buffer, and their ranges.
    Text(Vec<u8>, Vec<Range<usize>>),
    Boolean(Vec<bool>),
}

impl Waiting {
    fn new(kind: Kind) -> Self {
        let values = match kind {
            Kind::Integer => Values::Integer(Vec::new()),
            Kind::Real => Values::Real(Vec::new()),
            Kind::Text => Values::Text(Vec::new(), Vec::new()),
            Kind::Boolean => Values::Boolean(Vec::new()),
        };
        Self { levels: Vec::new(), values }
    }

    /// Returns the bytes of text added.
    fn push(&mut self, cell: &Cell<'_>) -> usize {
        self.levels.push(i16::from(*cell != Cell::Null));
        match (&mut self.values, cell) {
            (_, Cell::Null) => {}
            (Values::Integer(values), Cell::Integer(value)) => values.push(*value),
            (Values::Real(values), Cell::Real(value)) => values.push(*value),
            (Values::Boolean(values), Cell::Boolean(value)) => values.push(*value),
            (Values::Text(buffer, places), Cell::Text(text)) => {
                places.push(buffer.len()..buffer.len() + text.len());
                buffer.extend_from_slice(text.as_bytes());
                return text.len();
            }
            _ => unreachable!("the table has checked the kinds of its cells"),
        }
        0
    }

    /// Writes the column and clears it for the next group.
    fn write(&mut self, column: SerializedColumnWriter<'_>) -> ParquetResult<()> {
        let levels = &self.levels;
        match &mut self.values {
            Values::Integer(values) => write::<Int64Type>(column, values, levels)?,
            Values::Real(values) => write::<DoubleType>(column, values, levels)?,
            Values::Boolean(values) => write::<BoolType>(column, values, levels)?,
            Values::Text(buffer, places) => {
                let buffer = ByteArray::from(std::mem::take(buffer));
                let mut texts = places.drain(..).map(|place| buffer.slice(place.start, place.len())).collect();
                write::<ByteArrayType>(column, &mut texts, levels)?;
            }
        }
        self.levels.clear();
        Ok(())
    }
}

fn write<T: DataType>(
    mut column: SerializedColumnWriter<'_>,
    values: &mut Vec<T::T>,
    levels: &[i16],
) -> Result<(), ParquetError> {
    column.typed::<T>().write_batch(values, Some(levels), None)?;
    values.clear();
    column.close()
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use ::parquet::file::reader::{FileReader, SerializedFileReader};
    use ::parquet::record::{Field, Row};

    use super::super::naughty::{COLUMNS, TEXT, example_rows, texts, write, write_texts};
    use super::super::{Format, Formulas};
    use super::*;

    fn open(bytes: Vec<u8>) -> SerializedFileReader<::bytes::Bytes> {
        SerializedFileReader::new(::bytes::Bytes::from(bytes)).unwrap()
    }

    fn cell(field: &Field) -> Cell<'static> {
        match field {
            Field::Null => Cell::Null,
            Field::Long(value) => Cell::Integer(*value),
            Field::Double(value) => Cell::Real(*value),
            Field::Bool(value) => Cell::Boolean(*value),
            Field::Str(text) => Cell::Text(Cow::Owned(text.clone())),
            other => panic!("{other:?} is none of our kinds"),
        }
    }

    fn cells(row: Row) -> Vec<Cell<'static>> {
        row.get_column_iter().map(|(_, field)| cell(field)).collect()
    }

    #[test]
    fn rows_come_back_exactly() {
        let file = open(write(Format::Parquet, &COLUMNS, &example_rows(), Formulas::Escaped));
        let read: Vec<_> = file.get_row_iter(None).unwrap().map(|row| cells(row.unwrap())).collect();
        assert_eq!(read, example_rows());
    }

    #[test]
    fn texts_come_back_exactly() {
        let file = open(write_texts(Format::Parquet, &texts(), Formulas::Escaped));
        let read = file.get_row_iter(None).unwrap().map(|row| cells(row.unwrap()).remove(0));
        assert_eq!(
            read.collect::<Vec<_>>(),
            texts().into_iter().map(|text| Cell::Text(text.into())).collect::<Vec<_>>()
        );
    }

    #[test]
    fn an_empty_table_has_columns_and_no_rows() {
        let file = open(write(Format::Parquet, &COLUMNS, &[], Formulas::Escaped));
        let names: Vec<_> =
            file.metadata().file_metadata().schema().get_fields().iter().map(|field| field.name()).collect();
        assert_eq!(names, ["url", "status", "score", "is_indexable"]);
        assert_eq!(file.metadata().file_metadata().num_rows(), 0);
    }

    #[test]
    fn a_group_ends_when_its_texts_are_long() {
        let long = "x".repeat(TEXT_BYTES_PER_GROUP / 2);
        let rows = vec![vec![Cell::Text(long.into())]; 5];
        let file = open(write(Format::Parquet, &TEXT, &rows, Formulas::Escaped));
        let rows_of_groups: Vec<_> = file.metadata().row_groups().iter().map(|group| group.num_rows()).collect();
        assert_eq!(rows_of_groups, [2, 2, 1]);
    }

    #[test]
    fn a_group_ends_when_it_has_many_rows() {
        let rows = vec![vec![Cell::Null]; ROWS_PER_GROUP + 1];
        let file = open(write(Format::Parquet, &TEXT, &rows, Formulas::Escaped));
        let rows_of_groups: Vec<_> = file.metadata().row_groups().iter().map(|group| group.num_rows()).collect();
        assert_eq!(rows_of_groups, [ROWS_PER_GROUP as i64, 1]);
    }
}
