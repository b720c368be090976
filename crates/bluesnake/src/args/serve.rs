//! The flags of `serve`.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

const EXAMPLES: &str = "\
Examples:
  bluesnake serve
  bluesnake serve --port 0 --auto-resume --max-sessions 4
  bluesnake serve --host 0.0.0.0 --generate-token --allow-host crawler.example.com
  curl -d '{\"url\": \"https://example.com\"}' -H 'Content-Type: application/json' localhost:8080/api/v1/crawl

/api/docs describes the interface, docs/guide/rest.md walks through it. Crawls asked for over HTTP reach public addresses
only, unless --allow-private is given. Ctrl-C pauses what runs; --auto-resume goes on with it at the next start.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ServeArguments {
    /// The address to listen on; one that others can reach needs a token.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub(crate) host: IpAddr,
    /// The port; 0 takes one that is free.
    #[arg(long, default_value_t = 8080)]
    pub(crate) port: u16,

    /// Requests must carry this token. Other users of this machine can see it in the list of processes.
    #[arg(long, value_name = "TOKEN", env = "BLUESNAKE_TOKEN", hide_env_values = true, help_heading = "Who may ask",
          conflicts_with_all = ["token_file", "generate_token", "no_token"])]
    pub(crate) token: Option<String>,
    /// Requests must carry the token in this file.
    #[arg(long, value_name = "FILE", help_heading = "Who may ask", conflicts_with_all = ["generate_token", "no_token"])]
    pub(crate) token_file: Option<PathBuf>,
    /// Make a token and print it once.
    #[arg(long, help_heading = "Who may ask", conflicts_with = "no_token")]
    pub(crate) generate_token: bool,
    /// Requests need no token; the default on a loopback address, and possible only there.
    #[arg(long, help_heading = "Who may ask")]
    pub(crate) no_token: bool,
    /// Also answer under this name: NAME, or NAME:PORT.
    #[arg(long, value_name = "NAME", help_heading = "Who may ask")]
    pub(crate) allow_host: Vec<String>,
    /// Let pages of this origin ask, as in `https://app.example.com`.
    #[arg(long, value_name = "ORIGIN", help_heading = "Who may ask")]
    pub(crate) cors_origin: Vec<String>,

    /// Crawls asked for over HTTP may reach private and loopback addresses.
    #[arg(long, help_heading = "What may be asked")]
    pub(crate) allow_private: bool,
    /// Connect to ADDRESS, which may be a private one, when a crawl asked for over HTTP asks HOST.
    #[arg(long, value_name = "HOST:ADDRESS[:PORT]", help_heading = "What may be asked")]
    pub(crate) resolve: Vec<String>,
    /// Answer questions in SQL, read-only.
    #[arg(long, help_heading = "What may be asked")]
    pub(crate) allow_sql: bool,

    /// Go on with runs that an earlier end of a program interrupted.
    #[arg(long, help_heading = "Sessions")]
    pub(crate) auto_resume: bool,
    /// Crawl at most N sites at a time; others wait for their turn, at most 100 of them. 0 = any number.
    #[arg(long, value_name = "N", help_heading = "Sessions", default_value_t = 2)]
    pub(crate) max_sessions: usize,

    /// At most N connections.
    #[arg(long, value_name = "N", help_heading = "Limits", default_value_t = 256)]
    pub(crate) max_connections: usize,
    /// At most N connections from one address (IPv6: from one /64); more where a proxy stands in between.
    #[arg(long, value_name = "N", help_heading = "Limits", default_value_t = 128)]
    pub(crate) max_connections_per_client: usize,
    /// At most N listeners to events.
    #[arg(long, value_name = "N", help_heading = "Limits", default_value_t = 64)]
    pub(crate) max_event_streams: usize,
    /// At most N requests per second and client; 0 = any number.
    #[arg(long, value_name = "N", help_heading = "Limits", default_value_t = 60)]
    pub(crate) rate_limit: u32,

    /// How logs look.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) log_format: LogFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// For people.
    Text,
    /// A line of JSON for each event.
    Json,
}
