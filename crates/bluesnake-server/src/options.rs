//! How the server works: who may ask, and how much at once.

use std::time::Duration;

use subtle::ConstantTimeEq;

/// The shortest token that is taken.
const SHORTEST_TOKEN: usize = 16;

/// How the server works.
#[derive(Clone, Debug, Default)]
pub struct ServerOptions {
    /// What every request must carry, except those for the server's health and the page of the docs; none = nothing.
    pub token: Option<Token>,
    /// Names beside those of this machine under which the server may be asked: `NAME` or `NAME:PORT`.
    pub allow_hosts: Vec<String>,
    /// Origins of other sites whose pages may ask: `https://app.example`.
    pub cors_origins: Vec<String>,
    /// Whether crawls asked for over HTTP may reach addresses that are not public.
    pub allow_private: bool,
    /// Where crawls asked for over HTTP connect to instead of what a name leads to: `HOST:ADDRESS[:PORT]`. The operator vouches
    /// for these addresses, so they may be private; what their answers lead to may not.
    pub resolve: Vec<String>,
    /// Whether questions in SQL are answered.
    pub allow_sql: bool,
    /// How much at once.
    pub limits: ServerLimits,
}

/// How much at once, and for how long.
#[derive(Clone, Debug)]
pub struct ServerLimits {
    /// Bytes of a request's body.
    pub body_bytes: usize,
    /// Bytes of a request's head.
    pub header_bytes: usize,
    /// Until the head of a request is there; also how long a connection may rest.
    pub header_time: Duration,
    /// Until an answer begins.
    pub request_time: Duration,
    /// The same for an export: some formats are written whole before the first byte can be sent.
    pub export_time: Duration,
    /// How long somebody may not take what is sent before the connection is closed.
    pub stall_time: Duration,
    /// Connections.
    pub connections: usize,
    /// Connections of one client: an address, or a network of IPv6 addresses (/64).
    pub connections_per_client: usize,
    /// Requests per second and client; 0 = any number. Ten times as many may come at once; a refusal takes a second. Requests
    /// with the right token are counted apart from others of their address.
    pub requests_per_second: u32,
    /// Wrong tokens per minute and client, before further wrong ones get 429. The right token is never refused.
    pub wrong_tokens_per_minute: u32,
    /// Clients of the stream of events.
    pub event_streams: usize,
    /// Exports that are written.
    pub exports: usize,
    /// Questions in SQL.
    pub queries: usize,
    /// How often the stream of events gives a sign of life.
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

/// What a client must know. It is never shown.
#[derive(Clone)]
pub struct Token(String);

/// A token that could be guessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenTooShort;

impl std::fmt::Display for TokenTooShort {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "a token has at least {SHORTEST_TOKEN} characters, all of them visible ASCII")
    }
}

impl std::error::Error for TokenTooShort {}

impl Token {
    /// A token that somebody chose.
    pub fn new(text: &str) -> Result<Self, TokenTooShort> {
        let text = text.trim();
        let is_fine = text.len() >= SHORTEST_TOKEN && text.bytes().all(|byte| byte.is_ascii_graphic());
        is_fine.then(|| Self(text.to_owned())).ok_or(TokenTooShort)
    }

    /// 256 random bits.
    pub fn generate() -> Self {
        Self(random_hex::<32>())
    }

    /// The token itself, to be told to the operator once.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Whether somebody knows it. How long that takes to find out tells nothing of where a guess is wrong.
    pub(crate) fn is(&self, guess: &str) -> bool {
        self.0.as_bytes().ct_eq(guess.as_bytes()).into()
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}

/// So many random bytes in hexadecimal digits.
pub(crate) fn random_hex<const BYTES: usize>() -> String {
    let mut bytes = [0u8; BYTES];
    getrandom::fill(&mut bytes).expect("the system has random numbers");
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
