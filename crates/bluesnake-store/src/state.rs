//! The states of runs and sessions, and their allowed transitions.
//!
//! A run is one logical crawl of a project; a session is one sitting of it. Only a run can be "paused".

/// Declares states with their names.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $( $(#[$variant_doc:meta])* $variant:ident = $word:literal, )* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $( $(#[$variant_doc])* $variant, )* }

        impl $name {
            /// All of them.
            pub const ALL: &'static [Self] = &[ $( Self::$variant, )* ];

            /// Its name in columns, JSON and text.
            pub fn as_str(self) -> &'static str {
                match self { $( Self::$variant => $word, )* }
            }

            /// The value of this name.
            pub fn from_word(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|state| state.as_str() == word)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let word: std::borrow::Cow<'_, str> = serde::Deserialize::deserialize(deserializer)?;
                Self::from_word(&word).ok_or_else(|| serde::de::Error::unknown_variant(&word, &[ $( $word, )* ]))
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

pub(crate) use words;

words! {
    /// The state of a run.
    RunState {
        /// A session of it is running.
        InProgress = "in_progress",
        /// It waits to be resumed.
        Paused = "paused",
        /// Every URL has had its turn, or it was closed by hand.
        Completed = "completed",
        /// It stopped because of an internal error; it can be resumed.
        Failed = "failed",
    }
}

words! {
    /// The purpose of a run.
    RunKind {
        /// An audit: every URL with its facts and links.
        Crawl = "crawl",
        /// The documents of a site.
        Capture = "capture",
        /// The graph of which hosts link to which, starting here.
        Weave = "weave",
    }
}

words! {
    /// Why a run is paused.
    PauseReason {
        /// The session's budget of URLs or time is spent.
        Budget = "budget",
        /// The user stopped it.
        User = "user",
        /// A signal stopped the program.
        Signal = "signal",
        /// Something outside failed: the disk is full, the database is locked.
        Error = "error",
        /// The site is down or is rate-limiting us.
        Breaker = "breaker",
        /// The process that crawled it is gone.
        Crashed = "crashed",
    }
}

words! {
    /// The state of a session.
    SessionState {
        /// It runs.
        InProgress = "in_progress",
        /// It reached its end or its budget.
        Completed = "completed",
        /// It was stopped before that.
        Stopped = "stopped",
        /// It stopped because of an error.
        Failed = "failed",
    }
}

impl RunState {
    /// Whether a run of this kind may change from this state to the next.
    pub fn may_become(self, next: Self, kind: RunKind) -> bool {
        use RunState::*;
        match self {
            InProgress => matches!(next, Paused | Completed | Failed),
            // Completed by hand when a new run replaces it.
            Paused | Failed => matches!(next, InProgress | Completed),
            // A graph continues to grow when a seed is added.
            Completed => kind == RunKind::Weave && next == InProgress,
        }
    }
}

impl SessionState {
    /// Whether a session may change from this state to the next. A session that died with its process has failed;
    /// when its run is resumed, the session continues with the rest of its budget.
    pub fn may_become(self, next: Self, has_crashed: bool) -> bool {
        match self {
            Self::InProgress => next != Self::InProgress,
            Self::Failed => has_crashed && next == Self::InProgress,
            Self::Completed | Self::Stopped => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_change_state_only_as_allowed() {
        use RunState::*;
        let allowed = |kind: RunKind| -> Vec<(RunState, RunState)> {
            let all = RunState::ALL.iter().flat_map(|from| RunState::ALL.iter().map(move |to| (*from, *to)));
            all.filter(|(from, to)| from.may_become(*to, kind)).collect()
        };
        let expected = [
            (InProgress, Paused),
            (InProgress, Completed),
            (InProgress, Failed),
            (Paused, InProgress),
            (Paused, Completed),
            (Failed, InProgress),
            (Failed, Completed),
        ];
        assert_eq!(allowed(RunKind::Crawl), expected);
        assert_eq!(allowed(RunKind::Capture), expected);
        let weave = allowed(RunKind::Weave);
        assert_eq!(
            weave.iter().filter(|step| !expected.contains(step)).collect::<Vec<_>>(),
            [&(Completed, InProgress)]
        );
    }

    #[test]
    fn a_session_ends_once_unless_it_crashed() {
        assert!(SessionState::InProgress.may_become(SessionState::Stopped, false));
        assert!(!SessionState::Stopped.may_become(SessionState::InProgress, true));
        assert!(!SessionState::Failed.may_become(SessionState::InProgress, false));
        assert!(SessionState::Failed.may_become(SessionState::InProgress, true));
    }
}
