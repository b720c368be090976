//! Lays out a host: pages in sections, a start page, sitemaps, and the problems of all of them.

use super::leaf::{Leaf, page};
use super::png;
use crate::fault::Fault;
use crate::reply::Reply;
use crate::site::Site;
use crate::sitemap;

/// A host that is being laid out.
pub(super) struct Plot {
    site: Site,
    menu: String,
    listed: Vec<String>,
}

impl Plot {
    /// A host with these sections in its menu, named like folders, and the page and the icon that all pages refer to.
    pub(super) fn new(sections: &[&str]) -> Self {
        let mut plot = Self::bare(sections);
        plot.leaf(&page("/about", &[], &[]).named("this site and its plan"));
        plot.reply("/media/icon.png", png(0), &[]);
        plot
    }

    /// The same without page and icon.
    pub(super) fn bare(sections: &[&str]) -> Self {
        let items = sections.iter().map(|name| format!("<li><a href=\"{{self}}/{name}/\">All {name} pages</a></li>"));
        let menu = format!("<nav><ul>{}</ul></nav>", items.collect::<String>());
        Self { site: Site::new(), menu, listed: Vec::new() }
    }

    /// A page with its problems.
    pub(super) fn leaf(&mut self, leaf: &Leaf<'_>) {
        if leaf.is_listed {
            self.listed.push(leaf.url());
        }
        let address = if leaf.is_plain { leaf.url() } else { leaf.path.to_owned() };
        self.reports(&address, leaf.reports);
        let reply = leaf.reply(&self.menu);
        self.edit(|site| site.reply(leaf.path, reply));
    }

    /// The pages of a folder, and the page of that folder, which links to them.
    pub(super) fn section<'a>(&mut self, hub: &str, leaves: impl Iterator<Item = &'a Leaf<'a>>) {
        let mut links = String::new();
        for leaf in leaves {
            self.leaf(leaf);
            if leaf.is_linked {
                links.push_str(&format!("<li><a href=\"{}\">The page about {}</a></li>\n", leaf.url(), leaf.name()));
            }
        }
        self.leaf(&page(hub, &[], &[("[links]", &format!("<ul>\n{links}</ul>"))]));
    }

    /// Any reply, with its problems.
    pub(super) fn reply(&mut self, path: &str, reply: Reply, reports: &[&str]) {
        self.reports(path, reports);
        self.edit(|site| site.reply(path, reply));
    }

    /// A redirect, which is a problem by itself.
    pub(super) fn redirect(&mut self, path: &str, status: u16, to: &str, reports: &[&str]) {
        let found = format!("internal-redirection={to}");
        self.reports(path, &[&found]);
        self.reply(path, Reply::redirect(status, to), reports);
    }

    /// A fault, with its problems.
    pub(super) fn fault(&mut self, path: &str, fault: Fault, reports: &[&str]) {
        self.reports(path, reports);
        self.edit(|site| site.fault(path, fault));
    }

    /// Problems of a URL: ids of checks, each with `=` and its detail if that is declared.
    pub(super) fn reports(&mut self, url: &str, reports: &[&str]) {
        for report in reports {
            let (check, detail) = report.split_once('=').unwrap_or((report, ""));
            self.edit(|site| site.problem(check, url, detail));
        }
    }

    /// A sitemap of all pages that are listed so far, and these.
    pub(super) fn sitemap(&mut self, path: &str, more: &[&str]) {
        let listed = std::mem::take(&mut self.listed);
        let all = listed.iter().map(String::as_str).chain(more.iter().copied());
        let reply = sitemap::xml(all);
        self.edit(|site| site.reply(path, reply));
    }

    pub(super) fn finish(self) -> Site {
        self.site
    }

    pub(super) fn edit(&mut self, change: impl FnOnce(Site) -> Site) {
        self.site = change(std::mem::take(&mut self.site));
    }
}
