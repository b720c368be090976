//! Everything that a run can be exported as, by name.

use serde::{Deserialize, Deserializer};

use super::Format;
use crate::capture::output::Format as PagesFormat;
use crate::weave::GraphFormat;

/// What a run is exported as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// One of its tables.
    Table(Format),
    /// An XML sitemap of the indexable pages.
    Sitemap,
    /// The stored documents as WARC.
    Warc,
    /// The pages of a capture.
    Pages(PagesFormat),
    /// The graph of a weave.
    Graph(GraphFormat),
}

use ExportFormat::{Graph, Pages, Table};

/// Every format with its name in requests, its name on the command line, and its help there.
pub const FORMATS: [(ExportFormat, &str, &str, &str); 20] = [
    (Table(Format::Csv), "csv", "csv", "Comma-separated values"),
    (Table(Format::Jsonl), "jsonl", "jsonl", "One JSON line per row"),
    (Table(Format::Parquet), "parquet", "parquet", "Apache Parquet"),
    (Table(Format::Xlsx), "xlsx", "xlsx", "Excel"),
    (ExportFormat::Sitemap, "sitemap", "sitemap", "An XML sitemap of the indexable pages; split at 50,000"),
    (ExportFormat::Warc, "warc", "warc", "The stored documents, each record gzipped"),
    (Pages(PagesFormat::Single), "markdown", "markdown", "The pages of a capture in one Markdown file"),
    (Pages(PagesFormat::Text), "text", "text", "The pages of a capture in one file of plain text"),
    (Pages(PagesFormat::Zip), "markdown_zip", "markdown-zip", "The pages of a capture as Markdown files in a ZIP file"),
    (Pages(PagesFormat::TextZip), "text_zip", "text-zip", "The pages of a capture as text files in a ZIP file"),
    (Pages(PagesFormat::Jsonl), "markdown_jsonl", "markdown-jsonl", "One JSON line per page of a capture"),
    (
        Pages(PagesFormat::Chunks),
        "chunks",
        "chunks",
        "One JSON line per section of a capture, in parts of limited size",
    ),
    (Graph(GraphFormat::Gexf), "gexf", "gexf", "A graph as GEXF 1.3, for Gephi and others"),
    (Graph(GraphFormat::Gexf12), "gexf12", "gexf-1.2", "A graph as GEXF 1.2draft"),
    (Graph(GraphFormat::Graphml), "graphml", "graphml", "A graph as GraphML"),
    (Graph(GraphFormat::Dot), "dot", "dot", "A graph as DOT, for Graphviz"),
    (Graph(GraphFormat::Json), "json", "json", "A graph as JSON"),
    (Graph(GraphFormat::Svg), "svg", "svg", "A picture of a graph"),
    (
        Graph(GraphFormat::CommonCrawl),
        "common_crawl",
        "common-crawl",
        "A graph as a folder of vertices, edges and ranks in Common Crawl's format",
    ),
    (
        Graph(GraphFormat::CsvPair),
        "csv_pair",
        "csv-pair",
        "A graph as a folder with nodes (including positions) and edges, for viewers",
    ),
];

impl<'de> Deserialize<'de> for ExportFormat {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        let found = FORMATS.iter().find(|(_, name, flag, _)| word == *name || word == *flag);
        let names = || FORMATS.map(|(_, name, ..)| format!("`{name}`")).join(", ");
        let unknown = || serde::de::Error::custom(format!("unknown variant `{word}`, expected one of {}", names()));
        found.map(|(format, ..)| *format).ok_or_else(unknown)
    }
}

impl Default for ExportFormat {
    fn default() -> Self {
        Table(Format::Csv)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_format_is_known_by_its_word() {
        for (format, name, flag, _) in FORMATS {
            for word in [name, flag] {
                assert_eq!(serde_json::from_value::<ExportFormat>(json!(word)).unwrap(), format);
            }
        }
        let error = serde_json::from_value::<ExportFormat>(json!("xls")).unwrap_err();
        assert!(error.to_string().starts_with("unknown variant `xls`, expected one of `csv`, `jsonl`"), "{error}");
    }
}
