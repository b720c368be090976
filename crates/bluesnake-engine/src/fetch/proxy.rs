//! Connections through a proxy: HTTP and HTTPS proxies with CONNECT, and SOCKS 5, each with an optional password.
//!
//! Plain http is forwarded by an HTTP proxy, with the URL in absolute form; everything else is tunnelled. The proxy
//! resolves names, so only what a URL spells out can be guarded, see [`super::guard::check_name`].

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::task::{Context, Poll};

use http::{HeaderValue, Uri};
use hyper_util::client::legacy::connect::proxy::{SocksV5, Tunnel};
use hyper_util::rt::TokioIo;
use tower_service::Service;
use url::Url;

use super::connector::Transport;
use super::credentials::basic;
use super::outcome::{Failure, FailureKind};

/// The proxy of a crawl.
#[derive(Clone)]
pub(super) struct Proxy {
    scheme: Scheme,
    /// An IPv6 address has brackets.
    pub(super) host: String,
    pub(super) port: u16,
    login: Option<(String, String)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Scheme {
    Http,
    Https,
    Socks5,
}

impl Proxy {
    /// Parses the setting; the error message never contains the password.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let url = Url::parse(text).map_err(|_| "is not a URL such as http://proxy.example:3128".to_owned())?;
        let (scheme, default_port) = match url.scheme() {
            "http" => (Scheme::Http, 80),
            "https" => (Scheme::Https, 443),
            "socks5" | "socks5h" => (Scheme::Socks5, 1080),
            other => return Err(format!("cannot be a {other} proxy; use http, https or socks5")),
        };
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or("names no host")?;
        let has_login = !url.username().is_empty() || url.password().is_some();
        let login = || (percent_decoded(url.username()), percent_decoded(url.password().unwrap_or("")));
        Ok(Self {
            scheme,
            host: host.to_owned(),
            port: url.port().unwrap_or(default_port),
            login: has_login.then(login),
        })
    }

    /// Whether the connection to the proxy uses TLS.
    pub(super) fn is_secure(&self) -> bool {
        self.scheme == Scheme::Https
    }

    /// Whether the proxy forwards requests instead of tunnelling them.
    pub(super) fn forwards(&self, is_https: bool) -> bool {
        !is_https && self.scheme != Scheme::Socks5
    }

    /// The password as a header, for forwarded requests.
    pub(super) fn authorization(&self) -> Option<HeaderValue> {
        self.login.as_ref().map(|(user, password)| basic(user, password))
    }

    /// Turns the stream to the proxy into a stream to the target.
    pub(super) async fn tunnel(&self, stream: Transport, host: &str, port: u16) -> Result<Transport, Failure> {
        let target: Uri = format!("https://{host}:{port}").parse().map_err(|_| FailureKind::Unsendable)?;
        let connected = Connected(Some(TokioIo::new(stream)));
        let tunneled = match self.scheme {
            Scheme::Http | Scheme::Https => {
                let mut tunnel = Tunnel::new(Uri::default(), connected);
                if let Some(authorization) = self.authorization() {
                    tunnel = tunnel.with_auth(authorization);
                }
                tunnel.call(target).await.map_err(|error| error.to_string())
            }
            Scheme::Socks5 => {
                let mut socks = SocksV5::new(Uri::default(), connected);
                if let Some((user, password)) = self.login.clone() {
                    socks = socks.with_auth(user, password);
                }
                socks.call(target).await.map_err(|error| error.to_string())
            }
        };
        tunneled.map(TokioIo::into_inner).map_err(|text| Failure::new(FailureKind::Proxy, text))
    }
}

/// An open connection, in the shape in which the tunnel library expects to make one.
struct Connected(Option<TokioIo<Transport>>);

impl Service<Uri> for Connected {
    type Response = TokioIo<Transport>;
    type Error = Infallible;
    type Future = Ready<Result<TokioIo<Transport>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Uri) -> Self::Future {
        ready(Ok(self.0.take().expect("a tunnel is made once")))
    }
}

fn percent_decoded(text: &str) -> String {
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let hex = (byte == b'%').then(|| after.get(..2)).flatten();
        let escaped = hex.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        decoded.push(escaped.unwrap_or(byte));
        rest = if escaped.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_is_named_by_a_url_perhaps_with_a_password() {
        let proxy = Proxy::parse("http://me:p%40ss@proxy.example:3128").unwrap();
        assert_eq!((proxy.host.as_str(), proxy.port), ("proxy.example", 3128));
        assert_eq!(proxy.login, Some(("me".to_owned(), "p@ss".to_owned())));
        assert_eq!(
            Proxy::parse("socks5://[::1]").map(|proxy| (proxy.host, proxy.port)).unwrap(),
            ("[::1]".to_owned(), 1080)
        );
    }

    #[test]
    fn invalid_proxies_are_reported_without_passwords() {
        for wrong in ["proxy.example", "ftp://me:secret@proxy.example", "http://", "socks4://a:1"] {
            let message = Proxy::parse(wrong).err().unwrap_or_else(|| panic!("{wrong} was taken"));
            assert!(!message.contains("secret"), "{message}");
        }
    }
}
