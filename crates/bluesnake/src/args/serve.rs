//! The flags of `serve` and `mcp`.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

const EXAMPLES: &str = "\
Examples:
  bluesnake serve --open
  bluesnake serve --port 0 --auto-resume --max-sessions 4
  bluesnake serve --host 0.0.0.0 --generate-token --allow-host crawler.example.com
  curl -d '{\"url\": \"https://example.com\"}' -H 'Content-Type: application/json' localhost:8080/api/v1/crawl

/api/docs is the API reference, docs/guide/rest.md a tutorial. Crawls started over HTTP reach public addresses only,
unless --allow-private is given. Ctrl-C pauses active crawls; --auto-resume resumes them at the next start.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ServeArguments {
    /// Address to listen on; anything but loopback requires a token.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub(crate) host: IpAddr,
    /// Port; 0 chooses a free one.
    #[arg(long, default_value_t = 8080)]
    pub(crate) port: u16,
    /// Open the web UI in a browser.
    #[arg(long)]
    pub(crate) open: bool,

    /// Require this token. Other users of this machine can see it in the process list.
    #[arg(long, value_name = "TOKEN", env = "BLUESNAKE_TOKEN", hide_env_values = true, help_heading = "Access",
          conflicts_with_all = ["token_file", "generate_token", "no_token"])]
    pub(crate) token: Option<String>,
    /// Require the token in this file.
    #[arg(long, value_name = "FILE", help_heading = "Access", conflicts_with_all = ["generate_token", "no_token"])]
    pub(crate) token_file: Option<PathBuf>,
    /// Generate a token and print it once.
    #[arg(long, help_heading = "Access", conflicts_with = "no_token")]
    pub(crate) generate_token: bool,
    /// Require no token; the default on loopback, and allowed only there.
    #[arg(long, help_heading = "Access")]
    pub(crate) no_token: bool,
    /// Also accept this host name: NAME or NAME:PORT.
    #[arg(long, value_name = "NAME", help_heading = "Access")]
    pub(crate) allow_host: Vec<String>,
    /// Accept requests from this origin, such as `https://app.example.com`.
    #[arg(long, value_name = "ORIGIN", help_heading = "Access")]
    pub(crate) cors_origin: Vec<String>,

    /// Let crawls started over HTTP reach private and loopback addresses.
    #[arg(long, help_heading = "Permissions")]
    pub(crate) allow_private: bool,
    /// Connect crawls started over HTTP to ADDRESS, which may be private, instead of HOST.
    #[arg(long, value_name = "HOST:ADDRESS[:PORT]", help_heading = "Permissions")]
    pub(crate) resolve: Vec<String>,
    /// Allow read-only SQL queries.
    #[arg(long, help_heading = "Permissions")]
    pub(crate) allow_sql: bool,

    /// Resume runs that were interrupted when a process ended.
    #[arg(long, help_heading = "Sessions")]
    pub(crate) auto_resume: bool,
    /// Crawl at most N sites at a time and queue up to 100 others; 0 = no limit.
    #[arg(long, value_name = "N", help_heading = "Sessions", default_value_t = 2)]
    pub(crate) max_sessions: usize,

    /// Accept at most N connections.
    #[arg(long, value_name = "N", help_heading = "Limits", default_value_t = 256)]
    pub(crate) max_connections: usize,
    /// Accept at most N connections per address (IPv6: per /64); raise it behind a proxy.
    #[arg(long, value_name = "N", help_heading = "Limits", default_value_t = 128)]
    pub(crate) max_connections_per_client: usize,
    /// Allow at most N event streams.
    #[arg(long, value_name = "N", help_heading = "Limits", default_value_t = 64)]
    pub(crate) max_event_streams: usize,
    /// Accept at most N requests per second and client; 0 = no limit.
    #[arg(long, value_name = "N", help_heading = "Limits", default_value_t = 60)]
    pub(crate) rate_limit: u32,

    /// Log format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) log_format: LogFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// For people.
    Text,
    /// One JSON line per event.
    Json,
}

const MCP_EXAMPLES: &str = "\
Examples:
  claude mcp add bluesnake -- bluesnake mcp
  bluesnake --db team.db mcp --max-sessions 4

The client starts this command and talks to it over standard input and output; logs go to standard error. Runs reach public
addresses only, unless --allow-private is given. Running runs are paused when the client leaves. `bluesnake serve` offers
the same tools at /mcp. docs/guide/mcp.md has the configuration of common clients.";

/// The flags of `mcp`.
#[derive(Debug, Args)]
#[command(after_help = MCP_EXAMPLES)]
pub(crate) struct McpArguments {
    /// Let runs reach private and loopback addresses.
    #[arg(long)]
    pub(crate) allow_private: bool,
    /// Connect to ADDRESS, which may be private, instead of HOST.
    #[arg(long, value_name = "HOST:ADDRESS[:PORT]")]
    pub(crate) resolve: Vec<String>,
    /// How many sessions may run at once; others wait.
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(crate) max_sessions: usize,
}
