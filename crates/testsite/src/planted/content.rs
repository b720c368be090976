//! Texts and images.

use super::leaf::{Leaf, Text, page};

/// About 40 by Flesch: long sentences of ordinary words.
const DIFFICULT: &str = "<p>The council of the old museum examined several documents from the archive before it \
    published a report about the condition of the house. Its members agreed that the foundation needs immediate \
    repair, and that the renovation should begin before winter. A careful examination of the cellar, which the \
    architect made together with two engineers, demonstrated that water had entered through the eastern wall for \
    many years. The city office therefore prepared a proposal for the building, and it intends to compare the offers \
    of different companies before any decision about the budget is made. Several visitors wrote in their letters \
    that the exhibition remains popular although important rooms are closed at present. The collection of musical \
    instruments attracts families from the whole country, and many of them return every summer. The director \
    explained that the temporary closure protects valuable objects against the moisture in the air. She invited the \
    citizens to a public meeting in the library, where the engineers will present their conclusions. According to \
    the current schedule the construction begins in autumn, and the museum expects that the larger galleries open \
    again after eighteen months. A separate agreement with the university allows students to document the process in \
    pictures. Their photographs will later become part of a permanent display about the history of the house and its \
    previous owners.</p>";

/// Far below 30 by Flesch: long sentences of long words.
const VERY_DIFFICULT: &str = "<p>Institutional responsibility necessitates comprehensive organisational accountability, \
    particularly considering contemporary administrative complexities, interdepartmental communication difficulties, and \
    continuously diversifying international regulatory expectations regarding environmental sustainability documentation. \
    Multidisciplinary investigations systematically demonstrate that insufficiently coordinated infrastructural \
    modernisation simultaneously deteriorates operational efficiency, undermines professional specialisation, and \
    complicates retrospective evaluation of experimental methodologies. Consequently, representative organisations \
    increasingly recommend participatory decision architectures, incorporating statistically significant consultation \
    procedures, independently administered verification mechanisms, and proportionally distributed supervisory \
    competencies. Nevertheless, philosophical considerations concerning individual autonomy, constitutional legitimacy, \
    and intergenerational responsibility fundamentally problematise unconditional standardisation of administrative \
    terminology. Theoretical generalisations notwithstanding, comparative interpretations of heterogeneous epidemiological \
    observations occasionally contradict established categorisations, characteristically overemphasising quantitative \
    regularities and correspondingly underestimating situational particularities. Conceptual differentiation between \
    technological determinism and sociological constructivism accordingly requires terminological sophistication, \
    historical contextualisation, and methodological self-consciousness. Professional associations periodically reformulate \
    certification requirements, additionally encouraging experimental collaboration, international standardisation, and \
    interdisciplinary qualification. Administrative simplification initiatives unfortunately accumulate supplementary \
    documentation obligations, disproportionately disadvantaging decentralised organisations, voluntary associations, and \
    economically vulnerable municipalities. Contemporary historiographical reinterpretations similarly emphasise \
    multidimensional causality, institutional interdependencies, and communicative uncertainties. Ultimately, sustainable \
    organisational transformation presupposes transparent responsibilities, continuous professional development, \
    participatory evaluation, and internationally comparable documentation.</p>";

const COPIES: &[(&str, &str)] = &[("[canonical]", "")];

#[rustfmt::skip]
pub(super) const PAGES: &[Leaf<'_>] = &[
    page("/content/few-words", &["low-content"], &[("[text]", "<p>Few words.</p>")]),
    // A long menu does not make up for a short text.
    page("/content/few-words-and-a-menu", &["low-content"], &[("[text]", "<p>Hardly any words.</p><aside class=\"sidebar\"><p>An aside that goes on and on for many words, which no reader has come for. It has been here for years, it is the same on many pages, and what it has to say about the site, its history, its people and its plans has little to do with this page. It names the founders of the site and the street where they live, the years in which they were young, the weather of those days, and what they liked to eat. It goes on about the printers and the paper, about the first letters that came in and those that were answered, about the dog of the house and the cat of the neighbours. It adds a word on the opening hours, another on the way from the station, and a third on the bicycles that were left in the yard. It ends with thanks to all who have helped, to those who will help one day, and to those who have read this far, although nobody has asked them to. Then it begins again with the founders and the street, the years and the weather, so that in the end there are more than two hundred words beside a text of three.</p></aside>")]),
    page("/content/copy", &["exact-duplicate", "title-duplicate", "description-duplicate", "h1-duplicate", "h2-duplicate", "canonical-missing"], COPIES).named("two equal copies"),
    page("/content/other-copy", &["exact-duplicate={self}/content/copy", "canonical-missing", "title-duplicate", "description-duplicate", "h1-duplicate", "h2-duplicate"], COPIES).named("two equal copies"),
    page("/content/similar-1", &["near-duplicate"], &[]).text(Text::Shared { of: "three pages", from: 0, until: 0 }),
    page("/content/similar-2", &["near-duplicate"], &[]).text(Text::Shared { of: "three pages", from: 20, until: 21 }),
    page("/content/similar-3", &["near-duplicate"], &[]).text(Text::Shared { of: "three pages", from: 60, until: 61 }),
    page("/content/pair-1", &["near-duplicate"], &[]).text(Text::Shared { of: "another pair", from: 0, until: 1 }),
    page("/content/pair-2", &["near-duplicate"], &[]).text(Text::Shared { of: "another pair", from: 0, until: 0 }),
    // Four fifths of their groups of words are the same: related, but not the same page.
    page("/content/related-1", &[], &[]).text(Text::Shared { of: "two related pages", from: 0, until: 0 }),
    page("/content/related-2", &[], &[]).text(Text::Shared { of: "two related pages", from: 40, until: 58 }),
    page("/content/lorem", &["lorem-ipsum"], &[("[text]", "[text]<p>Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labore et dolore magna aliqua.</p>")]),
    // Pages may explain what placeholders are.
    page("/content/about-lorem", &[], &[("[text]", "[text]<p>Printers fill empty pages with words such as <code>Lorem ipsum dolor sit amet</code> or <q>lorem ipsum</q>, which mean nothing.</p><pre>Lorem ipsum dolor sit amet, consectetur adipiscing elit.</pre><p>“Lorem ipsum dolor sit amet, consectetur adipiscing elit.”</p>")]),
    page("/content/not-there", &["soft-404"], &[("[title]", "<title>We are sorry, but: page not found</title>")]),
    page("/content/difficult", &["readability-difficult"], &[("[text]", DIFFICULT)]),
    page("/content/very-difficult", &["readability-very-difficult"], &[("[text]", VERY_DIFFICULT)]),
    // The formula is made for English.
    page("/content/difficult-german", &[], &[("[html]", "<html lang=\"de\">"), ("[text]", VERY_DIFFICULT)]),
    page("/images/empty-alt", &["image-missing-alt-text={self}/media/logo.png"], &[("[text]", "[text]<img src=\"{self}/media/logo.png\" alt=\"\" width=1 height=1>")]),
    page("/images/no-alt", &["image-missing-alt-attribute={self}/media/logo.png"], &[("[text]", "[text]<img src=\"{self}/media/logo.png\" width=1 height=1>")]),
    page("/images/long-alt", &["image-alt-too-long={self}/media/logo.png"], &[("[text]", "[text]<img src=\"{self}/media/logo.png\" width=1 height=1 alt=\"A picture that is described with so many words that nobody who has to listen to all of them will ever want to hear them\">")]),
    page("/images/no-size", &["image-missing-size={self}/media/logo.png"], &[("[text]", "[text]<img src=\"{self}/media/logo.png\" alt=\"The logo\">")]),
    page("/images/large", &[], &[("[text]", "[text]<img src=\"{self}/media/large.png\" alt=\"A large picture\" width=1 height=1>")]),
    // An image of the CDN is not the site's.
    page("/images/large-elsewhere", &[], &[("[text]", "[text]<img src=\"{host:cdn.planted.test}/large.png\" alt=\"A large picture\" width=1 height=1>")]),
];
