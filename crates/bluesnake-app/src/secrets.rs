//! Whether values of secret-looking URL parameters are shown.

use std::borrow::Cow;

use bluesnake_engine::secrets::{mask_secret_bytes, mask_secrets};

/// What happens to the values of secret-looking URL parameters (`token`, `key`, `password` …) in output. The database keeps
/// URLs whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Secrets {
    /// They become `***`. URLs that differ only in a secret look equal; their numbers tell them apart.
    #[default]
    Masked,
    /// They are shown.
    Shown,
}

impl Secrets {
    /// The text as it may be shown.
    pub fn show(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::Masked => mask_secrets(text),
            Self::Shown => Cow::Borrowed(text),
        }
    }

    /// The same for text in any encoding that extends ASCII.
    pub(crate) fn show_bytes(self, text: &[u8]) -> Cow<'_, [u8]> {
        match self {
            Self::Masked => mask_secret_bytes(text),
            Self::Shown => Cow::Borrowed(text),
        }
    }

    /// Masks the text in place.
    pub(crate) fn apply(self, text: &mut String) {
        if let Cow::Owned(masked) = self.show(text) {
            *text = masked;
        }
    }
}
