//! The tree in a ZIP file. Times, order and permissions are fixed, so equal pages give equal bytes.

use std::io::Write;
use std::path::Path;

use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{CompressionMethod, DateTime, System, ZipWriter};

use crate::export::muted::Muted;
use crate::export::{Existing, ExportError, Output};

/// Well below 4 GiB, above which an entry needs zip64, which must be chosen before its size is known.
const PLAIN_BYTES: u64 = 3 * 1024 * 1024 * 1024;

/// A ZIP file that is being written. Without [`Archive::finish`] no file appears.
pub(super) struct Archive {
    zip: ZipWriter<StreamWriter<Muted<Output>>>,
}

impl Archive {
    pub(super) fn create(target: &Path, existing: Existing) -> Result<Self, ExportError> {
        Ok(Self { zip: ZipWriter::new_stream(Muted::new(Output::file(target, existing)?)) })
    }

    pub(super) fn start(&mut self, path: &str, about_bytes: u64) -> Result<(), ExportError> {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(6))
            .last_modified_time(DateTime::default())
            .system(System::Unix)
            .unix_permissions(0o644)
            .large_file(about_bytes > PLAIN_BYTES);
        Ok(self.zip.start_file(path, options)?)
    }

    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<(), ExportError> {
        Ok(self.zip.write_all(bytes)?)
    }

    pub(super) fn finish(self) -> Result<(), ExportError> {
        self.zip.finish()?.into_inner().finish()?.finish()
    }
}
