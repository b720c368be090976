//! Server options: access control and limits.

use std::time::Duration;

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// The minimum length of a token.
const SHORTEST_TOKEN: usize = 16;

/// Server options.
#[derive(Clone, Debug, Default)]
pub struct ServerOptions {
    /// The token that every request must carry, except health checks and the docs page; `None` requires nothing.
    pub token: Option<Token>,
    /// Host names accepted besides those of this machine: `NAME` or `NAME:PORT`.
    pub allow_hosts: Vec<String>,
    /// Origins of other sites that may send requests: `https://app.example`.
    pub cors_origins: Vec<String>,
    /// Whether crawls started over HTTP may reach addresses that are not public.
    pub allow_private: bool,
    /// Addresses that crawls started over HTTP connect to instead: `HOST:ADDRESS[:PORT]`. The operator vouches for
    /// them, so they may be private; what their responses lead to may not.
    pub resolve: Vec<String>,
    /// Whether SQL queries are allowed.
    pub allow_sql: bool,
    /// Limits.
    pub limits: ServerLimits,
}

/// Limits on size, time and concurrency.
#[derive(Clone, Debug)]
pub struct ServerLimits {
    /// Bytes of a request body.
    pub body_bytes: usize,
    /// Bytes of a request head.
    pub header_bytes: usize,
    /// Time until the head of a request is complete; also the idle time of a connection.
    pub header_time: Duration,
    /// Time until a response begins.
    pub request_time: Duration,
    /// The same for exports, audits, comparisons and reports, which read a whole run before the first byte can be sent.
    pub export_time: Duration,
    /// How long a client may stop reading before the connection is closed.
    pub stall_time: Duration,
    /// Connections.
    pub connections: usize,
    /// Connections per client: an address, or a network of IPv6 addresses (/64).
    pub connections_per_client: usize,
    /// Requests per second and client; 0 = no limit. Bursts may be ten times as large; a refusal takes a second.
    /// Requests with the right token are counted separately from others at their address.
    pub requests_per_second: u32,
    /// Wrong tokens per minute and client before further wrong ones get 429. The right token is never refused.
    pub wrong_tokens_per_minute: u32,
    /// Open event streams.
    pub event_streams: usize,
    /// Concurrent exports.
    pub exports: usize,
    /// Concurrent SQL queries.
    pub queries: usize,
    /// Interval of keep-alive comments on event streams.
    pub heartbeat: Duration,
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            body_bytes: 1024 * 1024,
            header_bytes: 32 * 1024,
            header_time: Duration::from_secs(15),
            request_time: Duration::from_secs(30),
            export_time: Duration::from_secs(600),
            stall_time: Duration::from_secs(30),
            connections: 256,
            connections_per_client: 128,
            requests_per_second: 60,
            wrong_tokens_per_minute: 10,
            event_streams: 64,
            exports: 2,
            queries: 2,
            heartbeat: Duration::from_secs(15),
        }
    }
}

/// A secret token. It is never shown.
#[derive(Clone)]
pub struct Token(String);

/// A token that is too easy to guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a token needs at least {SHORTEST_TOKEN} characters, all visible ASCII")]
pub struct TokenTooShort;

impl Token {
    /// A chosen token.
    pub fn new(text: &str) -> Result<Self, TokenTooShort> {
        let text = text.trim();
        let is_fine = text.len() >= SHORTEST_TOKEN && text.bytes().all(|byte| byte.is_ascii_graphic());
        is_fine.then(|| Self(text.to_owned())).ok_or(TokenTooShort)
    }

    /// 256 random bits.
    pub fn generate() -> Self {
        Self(random_hex::<32>())
    }

    /// The token itself, to show to the operator once.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Compares in constant time, so that timing reveals nothing about a wrong guess.
    pub(crate) fn is(&self, guess: &str) -> bool {
        self.0.as_bytes().ct_eq(guess.as_bytes()).into()
    }

    /// What the cookie of a session contains instead of the token. It does not reveal the token, and is valid as long as
    /// the token is.
    pub(crate) fn session(&self) -> String {
        self.hash(b"bluesnake session\n")
    }

    /// A short name, different for each token.
    pub(crate) fn name(&self) -> String {
        self.hash(b"bluesnake token\n")[..8].to_owned()
    }

    fn hash(&self, purpose: &[u8]) -> String {
        hex(&Sha256::new().chain_update(purpose).chain_update(&self.0).finalize())
    }

    /// Compares in constant time too.
    pub(crate) fn is_session(&self, guess: &str) -> bool {
        self.session().as_bytes().ct_eq(guess.as_bytes()).into()
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}

/// This many random bytes as hexadecimal digits.
pub(crate) fn random_hex<const BYTES: usize>() -> String {
    let mut bytes = [0u8; BYTES];
    getrandom::fill(&mut bytes).expect("the system has randomness");
    hex(&bytes)
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_compared_whole_and_never_shown() {
        let token = Token::new(" 0123456789abcdef ").unwrap();
        assert!(token.is("0123456789abcdef"));
        assert!(!token.is("0123456789abcdeF") && !token.is("0123456789abcde") && !token.is(""));
        assert!(!format!("{token:?}").contains("0123"));
        assert!(Token::new("short").is_err() && Token::new("0123456789 abcdef").is_err());
        assert_ne!(Token::generate().reveal(), Token::generate().reveal());
        assert_eq!(Token::generate().reveal().len(), 64);
    }
}
