//! Stored responses as WARC/1.1 (ISO 28500): one gzip member per record, `warcinfo` first.
//!
//! Bodies are stored decoded, so encoding headers are omitted and the length is recomputed. Ids are derived from a
//! record's contents, so equal crawls give equal files. Header values come from the web: nothing in them can start a
//! line. Secrets in URLs are masked in URLs, headers and documents, and the first record says so.

use std::io::{self, Write};

use flate2::{Compression, GzBuilder};
use sha1::{Digest, Sha1};

use super::ExportError;
use super::date::date;
use crate::secrets::Secrets;

/// A stored response.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WarcResponse<'a> {
    pub(crate) url: &'a str,
    pub(crate) fetched_at_ms: i64,
    pub(crate) status: u16,
    pub(crate) headers: &'a [(&'a str, &'a str)],
    /// Decoded.
    pub(crate) body: &'a [u8],
    /// Whether the stored body is incomplete.
    pub(crate) is_cut: bool,
}

/// Writes records as they arrive; the file is valid after each of them.
#[derive(Debug)]
pub(crate) struct WarcWriter<W: Write> {
    out: W,
    info_id: String,
    secrets: Secrets,
}

impl<W: Write> WarcWriter<W> {
    /// `software` is a name and a version, such as `bluesnake/1.0`.
    pub(crate) fn new(mut out: W, software: &str, started_at_ms: i64, secrets: Secrets) -> Result<Self, ExportError> {
        let masked = match secrets {
            Secrets::Masked => "; values of secret-looking URL parameters are masked as ***",
            Secrets::Shown => "",
        };
        let block = format!(
            "software: {}\r\nformat: WARC File Format 1.1\r\n\
            conformsTo: https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n\
            description: bodies are stored decoded, without Content-Encoding and Transfer-Encoding{masked}\r\n",
            one_line(software)
        );
        let date = date(started_at_ms);
        let info_id = record_id(&["warcinfo", &date, &block]);
        let fields = [
            ("WARC-Type", "warcinfo"),
            ("WARC-Record-ID", &info_id),
            ("WARC-Date", &date),
            ("WARC-Block-Digest", &digest(&[block.as_bytes()])),
            ("Content-Type", "application/warc-fields"),
        ];
        write_record(&mut out, &fields, &[block.as_bytes()])?;
        Ok(Self { out, info_id, secrets })
    }

    pub(crate) fn response(&mut self, response: &WarcResponse<'_>) -> Result<(), ExportError> {
        let whole_url = one_word(response.url);
        let url = self.secrets.show(&whole_url);
        let date = date(response.fetched_at_ms);
        let body = self.secrets.show_bytes(response.body);
        let payload_digest = digest(&[&body]);
        let head = http_head(response, body.len(), self.secrets);
        let block = [head.as_bytes(), body.as_ref()];
        // Derived from the whole URL: records whose URLs differ only in a secret are different records.
        let id = record_id(&[&whole_url, &date, &payload_digest]);
        let block_digest = digest(&block);
        let mut fields = vec![
            ("WARC-Type", "response"),
            ("WARC-Record-ID", &id),
            ("WARC-Warcinfo-ID", &self.info_id),
            ("WARC-Date", &date),
            ("WARC-Target-URI", &url),
            ("WARC-Payload-Digest", &payload_digest),
            ("WARC-Block-Digest", &block_digest),
            ("Content-Type", "application/http;msgtype=response"),
        ];
        if response.is_cut {
            fields.push(("WARC-Truncated", "unspecified"));
        }
        Ok(write_record(&mut self.out, &fields, &block)?)
    }

    pub(crate) fn finish(mut self) -> Result<W, ExportError> {
        self.out.flush()?;
        Ok(self.out)
    }
}

fn write_record(out: impl Write, fields: &[(&str, &str)], block: &[&[u8]]) -> io::Result<()> {
    let mut member = GzBuilder::new().mtime(0).operating_system(255).write(out, Compression::default());
    member.write_all(b"WARC/1.1\r\n")?;
    for (name, value) in fields {
        write!(member, "{name}: {value}\r\n")?;
    }
    let block_bytes: usize = block.iter().map(|part| part.len()).sum();
    write!(member, "Content-Length: {block_bytes}\r\n\r\n")?;
    for part in block {
        member.write_all(part)?;
    }
    member.write_all(b"\r\n\r\n")?;
    member.finish()?;
    Ok(())
}

/// The reason phrase is empty: HTTP/2 has none, and RFC 9112 does not require one.
fn http_head(response: &WarcResponse<'_>, body_bytes: usize, secrets: Secrets) -> String {
    let mut head = format!("HTTP/1.1 {} \r\n", response.status);
    for (name, value) in response.headers.iter().filter(|(name, _)| is_kept(name)) {
        head.push_str(&format!("{name}: {}\r\n", secrets.show(&one_line(value))));
    }
    head.push_str(&format!("Content-Length: {body_bytes}\r\n\r\n"));
    head
}

fn is_kept(name: &str) -> bool {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    let recomputed = ["content-encoding", "transfer-encoding", "content-length"];
    !name.is_empty() && name.bytes().all(is_token) && !recomputed.iter().any(|other| name.eq_ignore_ascii_case(other))
}

fn one_line(value: &str) -> String {
    value.replace(|character: char| character.is_control() && character != '\t', " ")
}

fn one_word(url: &str) -> String {
    let mut word = String::with_capacity(url.len());
    for character in url.chars() {
        match character {
            '\0'..=' ' | '\u{7f}' => word.push_str(&format!("%{:02X}", u32::from(character))),
            other => word.push(other),
        }
    }
    word
}

/// `sha1:` and 32 characters of base32, as all WARC tools write it.
fn digest(parts: &[&[u8]]) -> String {
    let mut sha1 = Sha1::new();
    parts.iter().for_each(|part| sha1.update(part));
    let fives = sha1.finalize().chunks(5).flat_map(base32).collect::<String>();
    format!("sha1:{fives}")
}

fn base32(five_bytes: &[u8]) -> impl Iterator<Item = char> {
    const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let bits = five_bytes.iter().fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte));
    (0..8).rev().map(move |place| char::from(ALPHABET[(bits >> (5 * place) & 31) as usize]))
}

/// A version 5 UUID: the hash of the record's contents.
fn record_id(parts: &[&str]) -> String {
    let hash = Sha1::digest(parts.join("\n"));
    let mut bytes: [u8; 16] = hash[..16].try_into().expect("SHA-1 has 20 bytes");
    bytes[6] = bytes[6] & 0x0f | 0x50;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex = u128::from_be_bytes(bytes);
    let hex = format!("{hex:032x}");
    format!("<urn:uuid:{}-{}-{}-{}-{}>", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

#[cfg(test)]
mod tests;
