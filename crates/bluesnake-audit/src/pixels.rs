//! How wide titles and descriptions are in search results.
//!
//! Widths of characters as in Arial: titles at 20 px, where whole pixels per character reproduce what auditors are
//! used to, descriptions at 13.8 px.

/// Widths of the characters from space to `~` in Arial, in units of 1/2048 of the font size.
const ARIAL: [u16; 95] = [
    569, 569, 727, 1139, 1139, 1821, 1366, 391, 682, 682, 797, 1196, 569, 682, 569, 569, // space to /
    1139, 1139, 1139, 1139, 1139, 1139, 1139, 1139, 1139, 1139, 569, 569, 1196, 1196, 1196, 1139, // 0 to ?
    2079, 1366, 1366, 1479, 1479, 1366, 1251, 1593, 1479, 569, 1024, 1366, 1139, 1706, 1479, 1593, // @ to O
    1366, 1593, 1479, 1366, 1251, 1479, 1366, 1933, 1366, 1366, 1251, 569, 569, 569, 961, 1139, // P to _
    682, 1139, 1139, 1024, 1139, 1139, 569, 1139, 1139, 455, 455, 1024, 455, 1706, 1139, 1139, // ` to o
    1139, 1139, 682, 1024, 569, 1139, 1024, 1479, 1024, 1024, 1024, 684, 532, 684, 1196, // p to ~
];
const FULL_WIDTH: u16 = 2048;
const FONT_UNITS: usize = 2048;

/// The width of a title in pixels.
pub fn title_pixels(title: &str) -> usize {
    title.chars().map(title_width).sum()
}

/// The width of a meta description in pixels.
pub fn description_pixels(description: &str) -> usize {
    let units: usize = description.chars().map(|letter| usize::from(units(letter))).sum();
    // 13.8 px, rounded once for the whole text.
    (units * 138 + FONT_UNITS * 5) / (FONT_UNITS * 10)
}

fn title_width(letter: char) -> usize {
    match letter {
        ' ' | 'i' | 'l' | '|' => 5,
        '-' => 6,
        't' | 'r' => 7,
        'c' | 's' => 10,
        'a' | 'e' | 'n' | 'o' | 'u' | 'd' | 'h' | 'p' | 'g' | 'E' => 11,
        '&' | 'S' | 'T' | 'R' => 12,
        'A' | 'C' => 13,
        'M' => 17,
        'm' => 18,
        other => (usize::from(units(other)) * 20 + FONT_UNITS / 2) / FONT_UNITS,
    }
}

fn units(letter: char) -> u16 {
    match letter {
        ' '..='~' => ARIAL[letter as usize - ' ' as usize],
        '\u{a0}' => 569,
        '’' | '‘' | '‚' => 455,
        '“' | '”' | '„' | '·' | '•' => 682,
        '—' | '…' | '™' => FULL_WIDTH,
        '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200f}' | '\u{fe00}'..='\u{fe0f}' => 0,
        _ if is_wide(letter) => FULL_WIDTH,
        _ if letter.is_uppercase() => 1422,
        // Most letters are as wide as an `a`.
        _ => 1139,
    }
}

/// Whether it takes the space of two letters: Chinese, Japanese, Korean, emoji.
fn is_wide(letter: char) -> bool {
    matches!(letter,
        '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{303e}' | '\u{3041}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe4f}' | '\u{ff00}'..='\u{ff60}' | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f300}'..='\u{1faff}' | '\u{20000}'..='\u{3fffd}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_have_the_measured_widths() {
        for (title, pixels) in [
            ("", 0),
            ("mm", 36),
            ("tar", 7 + 11 + 7),
            ("A & M", 13 + 5 + 12 + 5 + 17),
            ("STREAM-lines", 12 * 3 + 11 + 13 + 17 + 6 + 5 + 5 + 11 + 11 + 10),
        ] {
            assert_eq!(title_pixels(title), pixels, "{title}");
        }
    }

    #[test]
    fn sixty_common_letters_are_about_as_wide_as_a_title_may_be() {
        let title = "The quick brown fox jumps over the lazy dog, then sleeps well";
        let pixels = title_pixels(title);
        assert!((540..600).contains(&pixels), "{pixels}");
    }

    #[test]
    fn wide_characters_take_their_full_width() {
        assert_eq!(title_pixels("日本語"), 60);
        assert_eq!(title_pixels("e\u{301}"), title_pixels("e"), "accents take no space");
        assert_eq!(description_pixels(&"漢".repeat(10)), 138);
    }

    #[test]
    fn descriptions_are_smaller() {
        // 100 × 1139 / 2048 × 13.8
        assert_eq!(description_pixels(&"a".repeat(100)), 767);
        assert_eq!(description_pixels(""), 0);
    }
}
