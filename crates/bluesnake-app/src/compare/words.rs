//! The words of a comparison: classes of URLs, fields that change, and what happens to issues.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Declares an enum whose variants are words in JSON, tables and text.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $( $(#[$variant_meta:meta])* $variant:ident = $word:literal, )* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
        // Every word is the name of its variant in snake case; the schema does not see a word that a macro passes on.
        #[schema(rename_all = "snake_case")]
        pub enum $name { $( $(#[$variant_meta])* #[serde(rename = $word)] $variant, )* }

        impl $name {
            /// Every variant, in order.
            pub const ALL: [Self; [ $( $word, )* ].len()] = [ $( Self::$variant, )* ];

            /// Its name in JSON, tables and text.
            pub fn as_str(self) -> &'static str {
                match self { $( Self::$variant => $word, )* }
            }

            /// The variant of this name.
            pub fn from_word(word: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|variant| variant.as_str() == word)
            }
        }
    };
}

words! {
    /// What happened to a URL between two runs.
    Class {
        /// The site has it now: it responds, or is linked, for the first time.
        Appeared = "appeared",
        /// The site no longer has it: it responds with 404 or 410, or no page links to it any more.
        Gone = "gone",
        /// Not visited this time, so nothing is known about it; the reason says why.
        NotVisited = "not_visited",
        /// Visited now, but not by the earlier run: nothing is known about it then.
        NotVisitedBefore = "not_visited_before",
        /// It is in both runs and differs.
        Changed = "changed",
        /// It is in both runs without a difference.
        Same = "same",
    }
}

impl Class {
    /// The class of the same URL when the runs change places.
    #[must_use]
    pub fn mirrored(self) -> Self {
        match self {
            Self::Appeared => Self::Gone,
            Self::Gone => Self::Appeared,
            Self::NotVisited => Self::NotVisitedBefore,
            Self::NotVisitedBefore => Self::NotVisited,
            Self::Changed => Self::Changed,
            Self::Same => Self::Same,
        }
    }
}

words! {
    /// What of a URL can change.
    Field {
        /// HTTP status.
        Status = "status",
        /// Where it redirects to.
        Redirect = "redirect",
        /// The title.
        Title = "title",
        /// The meta description.
        Description = "description",
        /// The first h1.
        H1 = "h1",
        /// The canonical URL.
        Canonical = "canonical",
        /// What meta robots and X-Robots-Tag say.
        Robots = "robots",
        /// Whether it is indexable, and why not.
        Indexable = "indexable",
        /// The fingerprint of its content.
        Content = "content",
        /// Words on it.
        Words = "words",
        /// Distance from a seed in links.
        Depth = "depth",
        /// Links to it.
        Inlinks = "inlinks",
        /// Why it was not visited, if neither run visited it.
        Reason = "reason",
    }
}

words! {
    /// What happened to an issue of a URL.
    IssueChange {
        /// It has the issue now and did not have it before.
        New = "new",
        /// It had the issue, is still there, and does not have it now.
        Fixed = "fixed",
        /// It has the issue in both runs.
        Still = "still",
        /// It had the issue and is gone, or redirects now.
        GoneWithPage = "gone_with_page",
    }
}
