//! Enums whose variants are words in columns, JSON and text.

/// Declares an enum with the word of each variant and, if given, the sentence that `Display` shows.
#[macro_export]
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $( $(#[$variant_meta:meta])* $variant:ident = $word:literal, )* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $( $(#[$variant_meta])* $variant, )* }

        impl $name {
            /// Every variant, in order.
            pub const ALL: [Self; [ $( $word, )* ].len()] = [ $( Self::$variant, )* ];

            /// Its name in columns, JSON and text.
            pub fn as_str(self) -> &'static str {
                match self { $( Self::$variant => $word, )* }
            }

            /// The variant of this name.
            pub fn from_word(word: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|variant| variant.as_str() == word)
            }
        }
    };
    ($(#[$meta:meta])* $name:ident {
        $( $(#[$variant_meta:meta])* $variant:ident = $word:literal: $sentence:literal, )*
    }) => {
        $crate::words! { $(#[$meta])* $name { $( $(#[$variant_meta])* $variant = $word, )* } }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(match self { $( Self::$variant => $sentence, )* })
            }
        }
    };
}

pub(crate) use words;
