//! `bluesnake serve`: the REST API, until a signal ends it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;

use anyhow::Context;
use bluesnake_app::plan::AuditInput;
use bluesnake_app::{App, AuditRequest, Caller, ResumeRequest, StartRequest};
use bluesnake_server::{ServerLimits, ServerOptions, Token};
use tokio::net::TcpListener;

use crate::args::ServeArguments;
use crate::exit::Exit;
use crate::home::{self, Access};
use crate::interrupt::Interrupts;
use crate::output::{bluesnake, print, say};
use crate::report::{self, Hinted, Usage};

pub(crate) async fn run(db: Option<&Path>, arguments: &ServeArguments) -> anyhow::Result<Exit> {
    let mut interrupts = Interrupts::listen();
    let options = options(arguments)?;
    let listener = listen(SocketAddr::new(arguments.host, arguments.port)).await?;
    let address = listener.local_addr().context("cannot serve")?;
    let path = home::database_path(db)?;
    let app = home::open(db, Access::Create, arguments.max_sessions).await.context("cannot serve")?;
    print(&start_lines(address, &options, arguments.generate_token, &path));
    if arguments.open {
        open_browser(&url_of(address));
    }
    let to_resume = (bluesnake_server::resume_request(&options), bluesnake_server::caller(&options));
    let shutdown = async {
        interrupts.next().await;
        report_pauses(&app);
    };
    let (mut again, serving) =
        (Interrupts::listen(), bluesnake_server::serve(listener, app.clone(), options, shutdown));
    // The server exists already, so it receives all events of these crawls.
    if arguments.auto_resume {
        resume(&app, &to_resume.0, &to_resume.1).await?;
    }
    tokio::select! {
        () = serving => Ok(Exit::Done),
        // Both listeners see the first signal; a second one exits immediately.
        () = async { again.next().await; again.next().await } => Ok(Exit::Stopped),
    }
}

async fn listen(address: SocketAddr) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).await.map_err(|cause| {
        let hint = match cause.kind() {
            std::io::ErrorKind::AddrInUse => "the port is in use: choose another with `--port`, or 0 for any",
            std::io::ErrorKind::PermissionDenied => "ports below 1024 need privileges: choose another with `--port`",
            _ => "`--host` must be an address of this machine",
        };
        Hinted { what: format!("cannot listen on {address}"), cause, hint }.into()
    })
}

fn options(arguments: &ServeArguments) -> anyhow::Result<ServerOptions> {
    let token = token(arguments)?;
    if token.is_none() && !arguments.host.is_loopback() {
        return Err(Usage(format!(
            "{} can be reached from other machines, so requests must carry a token: \
             add --generate-token, --token-file FILE, or set BLUESNAKE_TOKEN",
            arguments.host
        ))
        .into());
    }
    for origin in &arguments.cors_origin {
        let is_origin = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        if is_origin.is_none_or(|host| host.is_empty() || host.contains(['/', '*'])) {
            return Err(Usage(format!(
                "--cors-origin must be an origin such as https://app.example.com, not {origin}"
            ))
            .into());
        }
    }
    check_resolve(&arguments.resolve)?;
    Ok(ServerOptions {
        token,
        allow_hosts: arguments.allow_host.clone(),
        cors_origins: arguments.cors_origin.clone(),
        allow_private: arguments.allow_private,
        resolve: arguments.resolve.clone(),
        allow_sql: arguments.allow_sql,
        limits: ServerLimits {
            connections: arguments.max_connections,
            connections_per_client: arguments.max_connections_per_client,
            event_streams: arguments.max_event_streams,
            requests_per_second: arguments.rate_limit,
            ..ServerLimits::default()
        },
    })
}

/// Reports a mistake now, not to the client that starts the first crawl.
fn check_resolve(resolve: &[String]) -> anyhow::Result<()> {
    let mut settings = AuditInput::default();
    settings.fetch.resolve = Some(resolve.to_vec());
    let request = AuditRequest { urls: vec!["http://example.com/".to_owned()], settings, ..AuditRequest::default() };
    StartRequest::from(request).check(&Caller::operator()).map_err(|error| match error.problems() {
        [problem, ..] => Usage(format!("--resolve: {}", problem.message)).into(),
        [] => error.into(),
    })
}

fn token(arguments: &ServeArguments) -> anyhow::Result<Option<Token>> {
    if arguments.generate_token {
        return Ok(Some(Token::generate()));
    }
    let text = match (&arguments.token, &arguments.token_file) {
        (Some(text), _) => text.clone(),
        (None, Some(file)) => {
            std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?
        }
        (None, None) => return Ok(None),
    };
    Ok(Some(Token::new(&text).map_err(|problem| Usage(problem.to_string()))?))
}

/// The URL, the access rules, and the database.
fn start_lines(address: SocketAddr, options: &ServerOptions, is_new: bool, database: &Path) -> String {
    let token = match &options.token {
        None => "no token required (loopback only)".to_owned(),
        Some(token) if is_new => format!("token: {} (shown once)", token.reveal()),
        Some(_) => "token required".to_owned(),
    };
    let reach = if options.allow_private { "may reach private addresses" } else { "reach public addresses only" };
    let (url, others) = (url_of(address), others(address));
    format!(
        "bluesnake serves {url}{others} · API at {url}api/v1 · {token} · crawls {reach} · database {}\n",
        database.display()
    )
}

/// A URL that works: the unspecified address becomes loopback.
fn url_of(address: SocketAddr) -> String {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    format!("http://{}/", SocketAddr::new(ip, address.port()))
}

/// Opens a URL in the user's browser. A machine without one is not an error: the URL is printed anyway.
fn open_browser(url: &str) {
    let (program, arguments): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/C", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    let streams = std::process::Stdio::null;
    let mut command = std::process::Command::new(program);
    let started = command.args(arguments).arg(url).stdin(streams()).stdout(streams()).stderr(streams()).spawn();
    match started {
        // Waits in the background, so that the ended process does not stay in the process table.
        Ok(mut browser) => drop(std::thread::spawn(move || browser.wait())),
        Err(cause) => say(&format!("could not open a browser ({program}: {cause}); visit {url}")),
    }
}

/// How other machines reach the server, if they can.
fn others(address: SocketAddr) -> &'static str {
    match address.ip().is_unspecified() {
        true => ", and under every address of this machine; names of it need --allow-host",
        false => "",
    }
}

async fn resume(app: &App, request: &ResumeRequest, caller: &Caller) -> anyhow::Result<()> {
    for resumed in app.resume_interrupted(request, caller).await.context("cannot resume")? {
        match resumed {
            Ok(handle) => say(&format!("resuming {}", handle.project().host)),
            Err(error) => {
                say("error: cannot resume an interrupted run");
                report::causes(&error);
            }
        }
    }
    Ok(())
}

fn report_pauses(app: &App) {
    let crawls = app.active_sessions();
    match crawls.len() {
        0 => say("stopping"),
        1 => say("stopping: pausing 1 crawl"),
        count => say(&format!("stopping: pausing {count} crawls")),
    }
    for crawl in crawls {
        say(&format!("resume with: {} resume {}, or serve --auto-resume", bluesnake(), crawl.project().host));
    }
}
