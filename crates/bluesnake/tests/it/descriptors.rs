//! Few file descriptors, and certificates that the environment names.

use std::process::Command;

use testsite::{Page, Running, Site, Tls, Web};

use crate::home::{Home, Working};
use crate::weave::{arguments, flags};

/// The binary in a process that may open only this many files.
fn within(home: &Home, files: u32, arguments: &[&str]) -> Working {
    let plain = home.command(arguments);
    let mut command = Command::new("/bin/sh");
    command.args(["-c", &format!("ulimit -n {files}; exec \"$0\" \"$@\"")]).arg(plain.get_program());
    command.args(plain.get_args()).env_clear().current_dir(home.folder());
    command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
    Working::start(command)
}

/// A page that links to this many other hosts.
async fn page_of_links(hosts: u32) -> Running {
    let page = Page::titled("links").links((0..hosts).map(|number| format!("http://h{number}.test/")));
    Site::new().page("/", page).start().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lack_of_file_descriptors_fails_no_live_host() {
    let site = page_of_links(400).await;
    let resolve = format!("*.test:127.0.0.1:{}", site.port());
    let url = site.url("/");
    let crawl = ["crawl", &url, "--resolve", &resolve, "--allow-private", "--rate", "0", "--parallelism", "64"];
    for files in [32, 64, 256] {
        let home = Home::new(&format!("files-{files}"));
        let ended = within(&home, files, &crawl).end().await.expect(0);
        let is_warned = ended.stderr.contains(&format!("may open only {files} files"));
        assert_eq!(
            (ended.stderr.matches("warning:").count(), is_warned),
            if files < 100 { (1, true) } else { (0, false) }
        );
        let fetched = "SELECT count(*) FROM urls WHERE disposition = 'fetched' AND url LIKE 'http://h%.test/'";
        assert_eq!(home.ask::<i64>(fetched), 400, "{ended:?}");
        assert_eq!(home.ask::<i64>("SELECT count(*) FROM urls WHERE disposition = 'failed'"), 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_graph_of_many_hosts_is_woven_with_few_file_descriptors() {
    let web = Web::hosts_graph(9, 500, 2).links_per_page(3..=7);
    let site = web.clone().start().await;
    let (seed, flags) = (site.url_on("h0.test", "/"), flags(&site));
    let home = Home::new("weave-files");
    let weave = arguments(&flags, &[&seed, "--parallelism", "64"]);
    within(&home, 48, &weave).end().await.expect(0).says(&["woven: 500 hosts"]);
    assert_eq!(home.ask::<i64>("SELECT count(*) FROM nodes WHERE disposition = 'failed'"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn certificate_authorities_from_the_environment_are_trusted() {
    let site = Site::new().page("/", Page::titled("secure")).tls(Tls::trusted()).start().await;
    let url = site.url("/");
    let home = Home::new("ssl-cert-file");
    let file = home.folder().join("authority.pem");
    std::fs::write(&file, site.ca_pem()).expect("a file can be written");

    home.run(&["crawl", &url]).await.expect(1).says(&["the certificate's issuer is not known", "fetch.ca_file"]);
    let mut command = home.command(&["crawl", &url]);
    command.env("SSL_CERT_FILE", &file);
    Working::start(command).end().await.expect(0);
}
