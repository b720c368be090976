//! The rows of a comparison as a table.

use bluesnake_store::ColumnKind;

use super::view::ChangeView;
use super::words::{Field, IssueChange};
use crate::export::{Cell, Column};
use crate::secrets::Secrets;

const FIRST: [(&str, ColumnKind); 6] = [
    ("class", ColumnKind::Text),
    ("url", ColumnKind::Text),
    ("reason", ColumnKind::Text),
    ("number_before", ColumnKind::Integer),
    ("number_after", ColumnKind::Integer),
    ("fields", ColumnKind::Text),
];
const LAST: [&str; 3] = ["new_issues", "fixed_issues", "issues_gone_with_page"];

/// Declares the names of the columns for the values of fields, which must be known at compile time.
macro_rules! values {
    ($( $field:ident $name:literal )*) => {
        const VALUES: [(Field, &str, &str); Field::ALL.len()] =
            [ $( (Field::$field, concat!($name, "_before"), concat!($name, "_after")), )* ];
    };
}

values! {
    Status "status" Redirect "redirect" Title "title" Description "description" H1 "h1" Canonical "canonical"
    Robots "robots" Indexable "indexable" Content "content" Words "words" Depth "depth" Inlinks "inlinks" Reason "reason"
}

/// The columns: what happened, then every field before and after.
pub(super) fn columns() -> Vec<Column> {
    let text = |name: &'static str| Column { name: name.into(), kind: ColumnKind::Text };
    let mut columns: Vec<Column> = FIRST.into_iter().map(|(name, kind)| Column { name: name.into(), kind }).collect();
    columns.extend(VALUES.into_iter().flat_map(|(_, before, after)| [before, after]).map(text));
    columns.extend(LAST.into_iter().map(text));
    columns
}

/// A row, in the order of the columns.
pub(super) fn cells(row: &ChangeView, secrets: Secrets) -> Vec<Cell<'_>> {
    let shown = |text: Option<&str>| text.map_or(Cell::Null, |text| Cell::Text(secrets.show(text).into_owned().into()));
    let number = |number: Option<u32>| number.map_or(Cell::Null, |number| Cell::Integer(number.into()));
    let names: Vec<&str> = row.fields.iter().map(|field| field.name.as_str()).collect();
    let mut cells = vec![
        Cell::Text(row.class.as_str().into()),
        shown(Some(&row.url)),
        shown(row.reason),
        number(row.number_a),
        number(row.number_b),
        Cell::Text(names.join(" ").into()),
    ];
    for (field, ..) in VALUES {
        let change = row.fields.iter().find(|change| change.name == field);
        cells.push(shown(change.and_then(|change| change.before.as_deref())));
        cells.push(shown(change.and_then(|change| change.after.as_deref())));
    }
    for change in [IssueChange::New, IssueChange::Fixed, IssueChange::GoneWithPage] {
        let ids: Vec<&str> = row.issues.iter().filter(|issue| issue.change == change).map(|issue| issue.id).collect();
        cells.push(if ids.is_empty() { Cell::Null } else { Cell::Text(ids.join(" ").into()) });
    }
    cells
}
