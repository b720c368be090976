//! Codes of languages and regions.

/// ISO 639-1.
const LANGUAGES: &str = " aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de \
    dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is \
    it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na \
    nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr \
    ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu ";

/// Codes of languages that were replaced and are still in use.
const OLD_LANGUAGES: &str = " in iw ji jw mo sh ";

/// ISO 3166-1 alpha-2.
const REGIONS: &str = " ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bl bm bn bo bq br bs bt \
    bv bw by bz ca cc cd cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg eh er es et fi fj fk \
    fm fo fr ga gb gd ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je \
    jm jo jp ke kg kh ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mf mg mh mk ml mm mn mo mp mq \
    mr ms mt mu mv mw mx my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re ro \
    rs ru rw sa sb sc sd se sg sh si sj sk sl sm sn so sr ss st sv sx sy sz tc td tf tg th tj tk tl tm tn to tr tt tv tw \
    tz ua ug um us uy uz va vc ve vg vi vn vu wf ws ye yt za zm zw ";

/// Regions that language tags may have beyond those of countries.
const OTHER_REGIONS: &str = " ac cp dg ea eu ez ic ta un xk ";

/// Whether search engines know this code of a language version, in lower case: a language, perhaps a script, perhaps
/// a region.
pub(crate) fn is_hreflang(code: &str) -> bool {
    let mut parts = code.split('-').peekable();
    let is_language = parts.next().is_some_and(|language| contains(LANGUAGES, language));
    parts.next_if(|part| is_script(part));
    let is_region = parts.next().is_none_or(|region| contains(REGIONS, region));
    is_language && is_region && parts.next().is_none()
}

/// Whether it is a language tag of BCP 47 whose language and region exist.
pub(crate) fn is_language_tag(tag: &str) -> bool {
    let tag = tag.to_ascii_lowercase();
    let is_subtag = |part: &str| (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if !tag.split('-').all(is_subtag) {
        return false;
    }
    let mut parts = tag.split('-').peekable();
    let language = parts.next().unwrap_or_default();
    if matches!(language, "x" | "i") {
        return parts.next().is_some();
    }
    let is_known = match language.len() {
        2 => contains(LANGUAGES, language) || contains(OLD_LANGUAGES, language),
        3 => is_alphabetic(language),
        _ => false,
    };
    while parts.next_if(|part| part.len() == 3 && is_alphabetic(part)).is_some() {}
    parts.next_if(|part| is_script(part));
    parts.next_if(|part| is_region(part));
    while parts.next_if(|part| is_variant(part)).is_some() {}
    is_known && parts.next().is_none_or(|singleton| singleton.len() == 1 && parts.next().is_some())
}

fn is_region(part: &str) -> bool {
    contains(REGIONS, part) || contains(OTHER_REGIONS, part) || (part.len() == 3 && is_numeric(part))
}

fn is_variant(part: &str) -> bool {
    part.len() >= 5 || (part.len() == 4 && part.as_bytes()[0].is_ascii_digit())
}

fn is_script(part: &str) -> bool {
    part.len() == 4 && is_alphabetic(part)
}

fn is_alphabetic(part: &str) -> bool {
    part.bytes().all(|byte| byte.is_ascii_alphabetic())
}

fn is_numeric(part: &str) -> bool {
    part.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a list of codes between spaces contains this one.
fn contains(list: &str, code: &str) -> bool {
    code.len() == 2 && is_alphabetic(code) && list.as_bytes()[1..].chunks(3).any(|entry| &entry[..2] == code.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_have_a_language_and_perhaps_a_script_and_a_region() {
        for code in ["en", "de-at", "zh-hant", "zh-hant-tw", "pt-br", "zu-zw"] {
            assert!(is_hreflang(code), "{code}");
        }
        for code in ["", "english", "en-uk", "en_us", "es-419", "jp", "en-gb-", "en-us-us", "x", "e", " a"] {
            assert!(!is_hreflang(code), "{code}");
        }
    }

    #[test]
    fn language_tags_follow_the_standard() {
        for tag in [
            "en",
            "EN-us",
            "zh-Hans-CN",
            "es-419",
            "sr-Latn",
            "de-CH-1901",
            "sl-rozaj-biske",
            "gsw",
            "x-klingon",
            "i-default",
            "en-US-u-hc-h12",
            "iw",
            "zh-yue",
            "en-EU",
            "ca-valencia",
        ] {
            assert!(is_language_tag(tag), "{tag}");
        }
        for tag in ["", "en_US", "english", "en-UK", "jp", "de-", "-de", "en us", "e", "deutsch-DE", "en-US-u"] {
            assert!(!is_language_tag(tag), "{tag}");
        }
    }
}
