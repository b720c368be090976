//! Rate limits per client. Pure except for a lock: time is an argument.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::error::{Code, Problem};
use crate::options::ServerLimits;

/// The burst size, in seconds' worth of requests.
const BURST_SECONDS: f64 = 10.0;
/// The delay of a rate-limit refusal.
pub(super) const REFUSALS_TAKE: Duration = Duration::from_secs(1);
/// How many clients are remembered before idle ones are forgotten.
const REMEMBERED: usize = 4096;
/// How long a wrong token counts.
const GUESSES_COUNT_FOR: Duration = Duration::from_secs(60);

/// The state of all clients.
#[derive(Debug)]
pub(crate) struct Clients {
    per_second: f64,
    wrong_guesses: u32,
    known: Mutex<HashMap<Asker, Client>>,
}

/// A client. Many may share an address, behind a proxy or NAT: clients with the token are counted separately, so that
/// others cannot use up their requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Asker {
    pub(super) address: IpAddr,
    pub(super) has_token: bool,
}

#[derive(Debug)]
struct Client {
    /// Requests available now.
    left: f64,
    seen: Instant,
    guesses: u32,
    guessing_since: Instant,
}

impl Clients {
    pub(crate) fn new(limits: &ServerLimits) -> Self {
        let per_second = f64::from(limits.requests_per_second);
        Self { per_second, wrong_guesses: limits.wrong_tokens_per_minute, known: Mutex::default() }
    }

    /// Counts a request, or returns when the next one is allowed.
    pub(super) fn take_request(&self, asker: Asker, now: Instant) -> Result<(), Problem> {
        if self.per_second == 0.0 {
            return Ok(());
        }
        self.with(asker, now, |client, most| {
            let quiet = now.saturating_duration_since(client.seen).as_secs_f64();
            client.left = (client.left + quiet * self.per_second).min(most);
            client.seen = now;
            if client.left < 1.0 {
                return Err(wait(Code::TooManyRequests, "too many requests", 1));
            }
            client.left -= 1.0;
            Ok(())
        })
    }

    /// Counts a wrong token, or returns how long a client with too many recent ones has to wait.
    pub(super) fn count_wrong_token(&self, address: IpAddr, now: Instant) -> Result<(), Problem> {
        self.with(Asker { address, has_token: false }, now, |client, _| {
            let since = now.saturating_duration_since(client.guessing_since);
            if since >= GUESSES_COUNT_FOR {
                (client.guesses, client.guessing_since) = (0, now);
            }
            if client.guesses < self.wrong_guesses {
                client.guesses += 1;
                return Ok(());
            }
            let rest = GUESSES_COUNT_FOR.saturating_sub(since).as_secs() as u32 + 1;
            Err(wait(Code::TooManyWrongTokens, "too many wrong tokens", rest))
        })
    }

    fn with<T>(&self, asker: Asker, now: Instant, then: impl FnOnce(&mut Client, f64) -> T) -> T {
        let most = self.per_second * BURST_SECONDS;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= REMEMBERED && !known.contains_key(&asker) {
            known.retain(|_, client| now.saturating_duration_since(client.seen) < GUESSES_COUNT_FOR);
        }
        let new = || Client { left: most, seen: now, guesses: 0, guessing_since: now };
        then(known.entry(asker).or_insert_with(new), most)
    }
}

fn wait(code: Code, detail: &str, seconds: u32) -> Problem {
    Problem::new(code, detail).retry_after(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));
    const OTHER: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 2));

    fn without_token(address: IpAddr) -> Asker {
        Asker { address, has_token: false }
    }

    fn clients(requests_per_second: u32) -> Clients {
        Clients::new(&ServerLimits { requests_per_second, ..ServerLimits::default() })
    }

    #[test]
    fn a_burst_is_fine_and_then_the_rate_counts_for_each_client_alone() {
        let (clients, start) = (clients(2), Instant::now());
        for _ in 0..20 {
            clients.take_request(without_token(ONE), start).unwrap();
        }
        assert_eq!(clients.take_request(without_token(ONE), start).unwrap_err().code, Code::TooManyRequests);
        clients.take_request(without_token(OTHER), start).unwrap();
        clients.take_request(without_token(ONE), start + Duration::from_millis(500)).unwrap();
        assert!(clients.take_request(without_token(ONE), start + Duration::from_millis(500)).is_err());
    }

    #[test]
    fn who_has_the_token_does_not_pay_for_who_has_not() {
        let (clients, start) = (clients(2), Instant::now());
        let with_token = Asker { address: ONE, has_token: true };
        while clients.take_request(without_token(ONE), start).is_ok() {}
        for _ in 0..20 {
            clients.take_request(with_token, start).unwrap();
        }
        assert_eq!(clients.take_request(with_token, start).unwrap_err().code, Code::TooManyRequests);
    }

    #[test]
    fn ten_wrong_guesses_are_enough_for_a_minute() {
        let (clients, start) = (clients(100), Instant::now());
        for _ in 0..10 {
            clients.count_wrong_token(ONE, start).unwrap();
        }
        assert_eq!(clients.count_wrong_token(ONE, start).unwrap_err().code, Code::TooManyWrongTokens);
        clients.count_wrong_token(OTHER, start).unwrap();
        clients.count_wrong_token(ONE, start + Duration::from_secs(61)).unwrap();
    }
}
