//! The nginx configuration of a static site.
//!
//! `nginx -c OUT/nginx.conf` serves it; `server.conf` is for a server with other sites.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};

use super::StaticSite;
use crate::web::{Target, Web};

/// Writes `nginx.conf` (complete), `server.conf` (to include in an `http` block) and `redirects.map`.
pub(super) fn write(site: &StaticSite, web: &Web) -> io::Result<()> {
    let out = fs::canonicalize(&site.out)?;
    let mut map = BufWriter::new(File::create(out.join("redirects.map"))?);
    for number in 0..web.redirect_count() {
        let (from, to) = (web.path(Target::Redirect(number)), web.path(web.redirects_to(number)));
        writeln!(map, "{from} {to};")?;
    }
    map.flush()?;
    let out = out.display();
    let log = site.access_log.as_ref().map_or("off".into(), |path| path.display().to_string());
    // Not every nginx has this module, so it appears only when needed.
    let gzip = if site.is_gzipped { "    gzip_static on;\n" } else { "" };
    let server = format!(
        "map_hash_max_size 1048576;\n\
         map_hash_bucket_size 128;\n\
         map $uri $moved_to {{\n    default \"\";\n    include {out}/redirects.map;\n}}\n\
         server {{\n\
         \x20   listen 127.0.0.1:{port} backlog=4096;\n\
         \x20   root {out}/www;\n\
         \x20   index index.html;\n\
         \x20   access_log {log};\n\
{gzip}\
         \x20   absolute_redirect off;\n\
         \x20   if ($moved_to) {{ return 301 $moved_to; }}\n\
         }}\n",
        port = site.port,
    );
    fs::write(site.out.join("server.conf"), &server)?;
    let whole = format!(
        "worker_processes 1;\npid {out}/nginx.pid;\nerror_log {out}/error.log;\n\
         events {{ worker_connections 4096; }}\n\
         http {{\n\
         types {{ text/html html; text/css css; text/javascript js; image/png png; text/plain txt; }}\n\
         default_type text/html;\ncharset utf-8;\nsendfile on;\ntcp_nopush on;\nkeepalive_requests 100000;\n\
         {server}}}\n"
    );
    fs::write(site.out.join("nginx.conf"), whole)
}
