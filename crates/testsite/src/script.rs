//! Broken HTTP/1.1, byte by byte.
//!
//! A protocol fault is a list of steps that the server plays on the socket. Start with [`script`].

use std::time::Duration;

use bytes::Bytes;

use crate::fault::Fault;
use crate::random::Dice;
use crate::reply::Pieces;

/// One step on the socket. After the last one the connection is closed.
pub(crate) enum Step {
    Send(Bytes),
    Stream(Pieces),
    Drip { bytes: Pieces, every: Duration },
    WaitUntilClientLeaves,
    Reset,
}

const PAGE: &str = "<!doctype html><html><head><title>Faulty</title></head><body><p>A page with a fault.</p>\
                    <a href=\"/\">home</a></body></html>\n";

/// The steps of a fault; `None` if it is valid HTTP with bad content.
pub(crate) fn script(fault: &Fault) -> Option<Vec<Step>> {
    Some(match fault {
        Fault::HangBeforeHeaders => vec![Step::WaitUntilClientLeaves],
        Fault::SlowHeaders { every } => {
            vec![Step::Drip { bytes: bytewise(sound_page()), every: *every }]
        }
        Fault::SlowBody { every } => {
            let endless = std::iter::repeat_with(|| Bytes::from_static(b"."));
            vec![send(head("")), Step::Drip { bytes: Box::new(endless), every: *every }]
        }
        Fault::DropBeforeHeaders => vec![],
        Fault::ResetBeforeHeaders | Fault::RefuseStream => vec![Step::Reset],
        Fault::ResetInHeaders => vec![send("HTTP/1.1 200 OK\r\nContent-Type: text/ht"), Step::Reset],
        Fault::ResetMidBody | Fault::ResetStream => vec![send(page_of_length(PAGE.len() * 2)), Step::Reset],
        Fault::ResetAfterBody => vec![send(page_of_length(PAGE.len())), Step::Reset],
        Fault::TruncatedBody => vec![send(page_of_length(PAGE.len() * 2))],
        Fault::BodyLongerThanLength => vec![send(page_of_length(PAGE.len() / 2))],
        Fault::EndlessBody => vec![send(head("")), send(PAGE), endless("<p>and so on</p>\n".repeat(256))],
        Fault::EndlessHeaders => vec![send("HTTP/1.1 200 OK\r\n"), endless("X-More: and so on\r\n".repeat(256))],
        Fault::HugeHeader => vec![send(with_header(&format!("X-Huge: {}\r\n", "h".repeat(1_000_000))))],
        Fault::ManyHeaders => vec![send(with_header(&many_headers()))],
        Fault::GarbageInsteadOfHttp => vec![send(garbage())],
        Fault::GarbageStatusLine => vec![send(sound_page().replacen("HTTP/1.1 200 OK", "HTTQ/x.y maybe", 1))],
        Fault::Http09 => vec![send(PAGE)],
        Fault::Status999 => vec![send(sound_page().replacen("200 OK", "999 Request Denied", 1))],
        Fault::NoContentWithBody => vec![send(sound_page().replacen("200 OK", "204 No Content", 1))],
        _ => return chunked_script(fault),
    })
}

fn chunked_script(fault: &Fault) -> Option<Vec<Step>> {
    let opened = || send(format!("{}{}", head("Transfer-Encoding: chunked\r\n"), chunk(PAGE)));
    Some(match fault {
        Fault::BadChunkSize => vec![opened(), send("xyz\r\nnot a chunk\r\n0\r\n\r\n")],
        Fault::MissingFinalChunk => vec![opened()],
        Fault::ChunkTrailers => vec![opened(), send("0\r\nX-Checksum: 1234\r\nX-Late: yes\r\n\r\n")],
        Fault::EmptyChunksForever => vec![opened(), endless("0\r\n\r\n".repeat(1024))],
        Fault::EndlessChunkSize => vec![opened(), endless("0".repeat(4096))],
        Fault::LengthAndChunked => {
            let both = head("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n");
            vec![send(format!("{both}{}0\r\n\r\n", chunk(PAGE)))]
        }
        _ => return None,
    })
}

fn head(headers: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n{headers}Connection: close\r\n\r\n")
}

fn page_of_length(length: usize) -> String {
    format!("{}{PAGE}", head(&format!("Content-Length: {length}\r\n")))
}

fn sound_page() -> String {
    page_of_length(PAGE.len())
}

fn with_header(header: &str) -> String {
    format!("{}{PAGE}", head(&format!("{header}Content-Length: {}\r\n", PAGE.len())))
}

fn many_headers() -> String {
    (0..10_000).map(|number| format!("X-Header-{number}: {number}\r\n")).collect()
}

/// Bytes that are not HTTP by any reading, the same in every run.
fn garbage() -> Vec<u8> {
    let mut dice = Dice::new(1);
    (0..4096).map(|_| 0x80 | dice.next() as u8).collect()
}

fn chunk(text: &str) -> String {
    format!("{:x}\r\n{text}\r\n", text.len())
}

fn send(bytes: impl Into<Bytes>) -> Step {
    Step::Send(bytes.into())
}

fn endless(piece: String) -> Step {
    let piece = Bytes::from(piece);
    Step::Stream(Box::new(std::iter::repeat_with(move || piece.clone())))
}

fn bytewise(text: String) -> Pieces {
    Box::new(text.into_bytes().into_iter().map(|byte| Bytes::from(vec![byte])))
}
