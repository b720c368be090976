//! Large finite sites, which a crawler must not mistake for traps.
//!
//! Every page is generated on request, with its own title and text.

use crate::page::Page;
use crate::random::Dice;
use crate::words;

/// A large part of a site, below the prefix it is declared with; its front page is `prefix/`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Large {
    /// Articles in twenty categories, listed twenty per page; each list page links to the next only.
    Archive {
        /// Number of articles.
        articles: u64,
    },
    /// One list, ten articles per page; each list page links to the next only.
    List {
        /// Number of articles.
        articles: u64,
    },
    /// Posts that link to the next and previous one only.
    Posts {
        /// Number of posts.
        posts: u64,
    },
    /// A tree of pages without other links, except to the front page.
    Tree {
        /// Number of pages.
        pages: u64,
        /// Children per page.
        fan_out: u64,
    },
    /// Pages with unpredictable names that link to twelve random others each.
    Wiki {
        /// Number of pages.
        pages: u64,
    },
    /// Lists that link to thousands of pages each: URLs are discovered much faster than they can be fetched.
    Lists {
        /// Number of lists.
        lists: u64,
        /// Pages per list.
        links: u64,
    },
    /// Pages that consist of one very long word.
    Words {
        /// Number of words.
        words: u64,
        /// Length of each word.
        bytes: usize,
    },
    /// Nested folders, ten levels deep, with pages in each.
    Docs,
}

const PER_LIST: u64 = 20;
const CATEGORIES: u64 = 20;
const DOC_LEVELS: usize = 10;

impl Large {
    /// The number of pages, including the front page.
    pub fn page_count(self) -> u64 {
        match self {
            Self::Archive { articles } => {
                let in_category = |category| (articles + CATEGORIES - 1 - category) / CATEGORIES;
                let lists: u64 = (0..CATEGORIES).map(|category| in_category(category).div_ceil(PER_LIST).max(1)).sum();
                1 + lists + articles
            }
            Self::List { articles } => 1 + articles.div_ceil(10) + articles,
            Self::Posts { posts } => 1 + posts,
            Self::Tree { pages, .. } | Self::Wiki { pages } => 1 + pages,
            Self::Lists { lists, links } => 1 + lists + lists * links,
            Self::Words { words, .. } => 1 + words,
            Self::Docs => (0..=DOC_LEVELS as u32).map(|level| 2_u64.pow(level) * 5).sum(),
        }
    }

    /// The page at `target` below `prefix`, if it exists.
    pub(crate) fn page(self, prefix: &str, target: &str) -> Option<Page> {
        let parts: Vec<&str> = target[prefix.len()..].split('/').filter(|part| !part.is_empty()).collect();
        let mut dice = Dice::named(5, target);
        let page = Page::titled(&words::some(&mut dice, 4)).text(&words::text(&mut dice)).link(&format!("{prefix}/"));
        match self {
            Self::Archive { articles } => archive(prefix, &parts, articles, page),
            Self::List { articles } => list(prefix, &parts, articles, page),
            Self::Posts { posts } => post(prefix, &parts, posts, page),
            Self::Tree { pages, fan_out } => node(prefix, &parts, pages, fan_out, page),
            Self::Wiki { pages } => entry(prefix, &parts, pages, page, &mut dice),
            Self::Lists { lists, links } => listed(prefix, &parts, lists, links, page),
            Self::Words { words, bytes } => word(prefix, &parts, words, bytes, page, &mut dice),
            Self::Docs => folder(target, &parts, page),
        }
    }
}

/// The path of an article: a name that cannot be guessed from its number.
fn article(prefix: &str, number: u64) -> String {
    let name = words::some(&mut Dice::of(6, number), 3).replace(' ', "-");
    format!("{prefix}/articles/{name}-{number}")
}

fn number_at_the_end(part: &str) -> Option<u64> {
    part.rsplit('-').next()?.parse().ok()
}

fn archive(prefix: &str, parts: &[&str], articles: u64, page: Page) -> Option<Page> {
    match parts {
        [] => Some(page.links((0..CATEGORIES).map(|category| format!("{prefix}/category-{category}/1")))),
        ["articles", name] => {
            let number = number_at_the_end(name).filter(|number| *number < articles)?;
            let related = (1..4).map(|step| article(prefix, (number + step * CATEGORIES) % articles));
            Some(page.links(related))
        }
        [category, list] => {
            let (category, list) = (number_at_the_end(category)?, list.parse::<u64>().ok()?);
            let first = list.checked_sub(1)? * PER_LIST;
            let members = (first..first + PER_LIST).map(|place| place * CATEGORIES + category);
            let page = page.links(members.filter(|number| *number < articles).map(|number| article(prefix, number)));
            let has_next = (first + PER_LIST) * CATEGORIES + category < articles;
            let next = format!("{prefix}/category-{category}/{}", list + 1);
            Some(if has_next { page.link(&next) } else { page })
        }
        _ => None,
    }
}

fn list(prefix: &str, parts: &[&str], articles: u64, page: Page) -> Option<Page> {
    match parts {
        [] => Some(page.link(&format!("{prefix}/page/1"))),
        ["articles", name] => number_at_the_end(name).filter(|number| *number < articles).map(|_| page),
        ["page", number] => {
            let number: u64 = number.parse().ok()?;
            let page = page.links(((number - 1) * 10..(number * 10).min(articles)).map(|at| article(prefix, at)));
            Some(if number * 10 < articles { page.link(&format!("{prefix}/page/{}", number + 1)) } else { page })
        }
        _ => None,
    }
}

fn post(prefix: &str, parts: &[&str], posts: u64, page: Page) -> Option<Page> {
    let number = match parts {
        [] => return Some(page.link(&article(prefix, 0))),
        ["articles", name] => number_at_the_end(name).filter(|number| *number < posts)?,
        _ => return None,
    };
    let next = [number.checked_sub(1), Some(number + 1).filter(|next| *next < posts)];
    Some(page.links(next.into_iter().flatten().map(|number| article(prefix, number))))
}

fn node(prefix: &str, parts: &[&str], pages: u64, fan_out: u64, page: Page) -> Option<Page> {
    let number = match parts {
        [] => 0,
        ["node", number] => number.parse().ok()?,
        _ => return None,
    };
    let children = (number * fan_out + 1..=(number + 1) * fan_out).filter(|child| *child <= pages);
    (number <= pages).then(|| page.links(children.map(|child| format!("{prefix}/node/{child}"))))
}

fn entry(prefix: &str, parts: &[&str], pages: u64, page: Page, dice: &mut Dice) -> Option<Page> {
    let number = match parts {
        [] => return Some(page.link(&article(prefix, 0))),
        ["articles", name] => number_at_the_end(name).filter(|number| *number < pages)?,
        _ => return None,
    };
    // One such link each makes every page reachable.
    let others = (0..11).map(|_| dice.below(pages)).collect::<Vec<_>>();
    let way = (number + 1) % pages;
    Some(page.links(others.into_iter().chain([way]).map(|number| article(prefix, number))))
}

fn listed(prefix: &str, parts: &[&str], lists: u64, links: u64, page: Page) -> Option<Page> {
    match parts {
        [] => Some(page.links((0..lists).map(|list| format!("{prefix}/lists/{list}")))),
        ["lists", list] => Some(page.links((0..links).map(|link| format!("{prefix}/members/of-list-{list}/{link}")))),
        ["members", _, _] => Some(page),
        _ => None,
    }
}

fn word(prefix: &str, parts: &[&str], words: u64, bytes: usize, page: Page, dice: &mut Dice) -> Option<Page> {
    const PIECE: usize = 10_000;
    match parts {
        [] => Some(page.links((0..words).map(|word| format!("{prefix}/word-{word}")))),
        [name] => {
            number_at_the_end(name).filter(|number| *number < words)?;
            let piece: String = (0..PIECE).map(|_| char::from(b'a' + dice.below(26) as u8)).collect();
            Some(page.html(&format!("<p>{}</p>", piece.repeat(bytes.div_ceil(PIECE)))))
        }
        _ => None,
    }
}

fn folder(target: &str, parts: &[&str], page: Page) -> Option<Page> {
    if parts.last().is_some_and(|part| part.starts_with("page")) {
        return Some(page);
    }
    let here = target.trim_end_matches('/');
    let mut dice = Dice::named(7, here);
    let page = page.links((0..4).map(|number| format!("{here}/page-{number}")));
    let below = if parts.len() < DOC_LEVELS { 2 } else { 0 };
    Some(page.links((0..below).map(|side| format!("{here}/{}{side}", words::one(&mut dice)))))
}
