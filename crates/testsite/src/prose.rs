//! Plain sentences that differ from page to page, in English and German.
//!
//! Short words and short sentences: easy to read by any formula. Two pages have next to no three words in a row in
//! common, so that none looks like a copy of another.

use crate::random::Dice;

/// The language of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    English,
    German,
}

/// Sentences of one page; the same name and language give the same sentences.
pub(crate) struct Prose {
    dice: Dice,
    language: Language,
}

impl Prose {
    /// The text of a named page.
    pub(crate) fn of(name: &str, language: Language) -> Self {
        Self { dice: Dice::named(7, name), language }
    }

    /// One sentence of about ten words.
    pub(crate) fn sentence(&mut self) -> String {
        match self.language {
            Language::English => self.english(),
            Language::German => self.german(),
        }
    }

    /// Sentences in a row.
    pub(crate) fn sentences(&mut self, count: usize) -> String {
        (0..count).map(|_| self.sentence()).collect::<Vec<_>>().join(" ")
    }

    /// Paragraphs of five sentences with at least this many words in all.
    pub(crate) fn paragraphs(&mut self, words: usize) -> String {
        let (mut html, mut count) = (String::new(), 0);
        while count < words {
            let paragraph = self.sentences(5);
            count += paragraph.split(' ').count();
            html.push_str(&format!("<p>{paragraph}</p>\n"));
        }
        html
    }

    fn english(&mut self) -> String {
        let (who, what, where_) = (self.pick(NOUNS), self.pick(NOUNS), self.pick(NOUNS));
        let (kind, other) = (self.pick(ADJECTIVES), self.pick(ADJECTIVES));
        let (verb, place) = (self.pick(VERBS), self.pick(PLACES));
        match self.dice.below(3) {
            0 => format!("The {kind} {who} {verb} a {other} {what} {place} the {where_}."),
            1 => format!("{} the {who} {verb} the {kind} {what} {place} a {other} {where_}.", self.pick(TIMES)),
            _ => format!("A {kind} {who} and its {other} {what} {verb} the town {place} the {where_}."),
        }
    }

    fn german(&mut self) -> String {
        let (who, what) = (self.pick(GERMAN_SUBJECTS), self.pick(GERMAN_OBJECTS));
        let (verb, place) = (self.pick(GERMAN_VERBS), self.pick(GERMAN_PLACES));
        match self.dice.below(2) {
            0 => format!("{} {verb} {who} {what} {place}.", self.pick(GERMAN_TIMES)),
            _ => format!("Auch {who} {verb} {what} {place} und bleibt {}.", self.pick(GERMAN_TIMES).to_lowercase()),
        }
    }

    fn pick(&mut self, words: &'static str) -> &'static str {
        let words: Vec<&str> = words.split('|').map(str::trim).collect();
        words[self.dice.below(words.len() as u64) as usize]
    }
}

const ADJECTIVES: &str = "old|new|small|large|red|green|blue|brown|quick|slow|calm|loud|warm|cold|bright|dark|round|flat|sweet|\
    dry|wet|kind|proud|shy|brave|odd|plain|rich|poor|strong|weak|soft|hard|sharp|smooth|thick|thin|tall|short|young|\
    clean|fresh|grey|light|broad|narrow|deep|quiet|rough|neat";
const NOUNS: &str = "baker|river|lamp|garden|horse|boat|bridge|clock|door|farmer|field|fire|flower|forest|friend|gate|guest|\
    hammer|harbour|hill|house|kettle|key|kitchen|ladder|lake|letter|market|meadow|mill|mirror|mountain|neighbour|oven|\
    painter|paper|path|piano|pocket|pond|potter|rabbit|ribbon|road|roof|sailor|school|shepherd|shop|singer|spoon|stable|\
    stone|storm|table|tailor|tower|train|tree|valley|village|wagon|wall|weaver|window|winter|wood|worker|yard|barn";
const VERBS: &str = "saw|found|took|left|made|held|lost|sold|bought|drew|kept|met|sent|showed|brought|built|carried|cleaned|\
    counted|covered|crossed|fixed|followed|heard|hid|liked|moved|opened|painted|passed|picked|pulled|pushed|reached|shared|\
    turned|washed|watched";
const PLACES: &str =
    "near|behind|beside|under|above|across|beyond|around|below|before|against|past|inside|outside|over|along";
const TIMES: &str = "In May|One day|At noon|Last night|At dawn|In spring|After lunch|Each week|On Monday|Long ago|By chance|\
    In June|At last|Next day|On Friday|In autumn";

const GERMAN_SUBJECTS: &str = "der alte Bäcker|die junge Malerin|der stille Fischer|die kluge Lehrerin|der müde Schäfer|\
    die schnelle Läuferin|der freundliche Nachbar|die neue Köchin|der große Tischler|die kleine Gärtnerin|der Sänger|\
    die Weberin|der Müller|die Ärztin|der Schneider|die Botin|der Wirt|die Töpferin|der Seemann|die Imkerin|das Kind|\
    der Gast|die Freundin|der Bauer|die Reiterin|der Uhrmacher|die Schreiberin|der Maurer|die Händlerin|der Förster";
const GERMAN_OBJECTS: &str = "den roten Wagen|die alte Lampe|das kleine Boot|den runden Tisch|die breite Brücke|das helle Fenster|\
    den schweren Hammer|die neue Leiter|das frische Brot|den langen Brief|die warme Decke|das blaue Tuch|den tiefen Korb|\
    die weiße Blume|das grüne Tor|den flachen Stein|die volle Kanne|das dünne Seil|den hohen Baum|die süße Birne|\
    das leere Glas|den jungen Hund|die graue Katze|das starke Pferd|den hellen Spiegel|die spitze Nadel|das dicke Buch|\
    den alten Schlüssel|die schmale Bank|das warme Hemd|den neuen Ofen|die rote Kerze|das schöne Bild|den kalten Krug|\
    die lange Kette|das weiche Kissen|den bunten Teppich|die kleine Glocke|das schnelle Rad|den trockenen Ast";
const GERMAN_VERBS: &str = "findet|sieht|holt|bringt|nimmt|zeigt|trägt|kauft|malt|sucht|öffnet|putzt|hebt|schiebt|zieht|verkauft|\
    versteckt|repariert|bestellt|verschenkt|verliert|betrachtet|behält|baut|wäscht|tauscht";
const GERMAN_PLACES: &str = "hinter dem Haus|am Fluss|neben der Mühle|vor dem Tor|unter der Brücke|auf dem Markt|im Garten|am See|\
    bei der Schule|in der Küche|auf dem Hügel|im Wald|am Hafen|neben dem Brunnen|vor der Scheune|auf dem Dach|im Keller|\
    am Feld|bei den Bäumen|in der Werkstatt|an der Mauer|auf der Wiese|im Dorf|am Bahnhof|vor dem Laden";
const GERMAN_TIMES: &str = "Am Morgen|Am Abend|Im Mai|Im Herbst|Am Montag|Jeden Tag|Nach der Arbeit|Vor dem Essen|Im Winter|\
    Gegen Mittag|Heute früh|Am Sonntag|Im Sommer|Nach dem Regen";

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn triples(text: &str) -> BTreeSet<Vec<&str>> {
        let words: Vec<&str> = text.split_whitespace().collect();
        words.windows(3).map(<[&str]>::to_vec).collect()
    }

    #[test]
    fn pages_share_next_to_nothing() {
        for language in [Language::English, Language::German] {
            let texts: Vec<String> =
                (0..60).map(|page| Prose::of(&page.to_string(), language).paragraphs(220)).collect();
            for (at, one) in texts.iter().enumerate() {
                assert!(one.split_whitespace().count() >= 220);
                for other in &texts[..at] {
                    let (one, other) = (triples(one), triples(other));
                    let common = one.intersection(&other).count();
                    assert!(common * 4 < one.len().min(other.len()), "{common} of {}", one.len());
                }
            }
        }
    }

    #[test]
    fn a_name_has_one_text() {
        let text = |name| Prose::of(name, Language::English).sentences(3);
        assert_eq!(text("/a"), text("/a"));
        assert_ne!(text("/a"), text("/b"));
    }
}
