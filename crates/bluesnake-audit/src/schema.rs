//! Which properties rich results need, by type of schema.org.
//!
//! After Google's documentation of rich results. `a|b` means one of them is enough.

/// What search engines expect of a type.
struct Expectation {
    types: &'static [&'static str],
    required: &'static [&'static str],
    recommended: &'static [&'static str],
}

const EXPECTATIONS: &[Expectation] = &[
    Expectation {
        types: &["Article", "NewsArticle", "BlogPosting"],
        required: &[],
        recommended: &["author", "datePublished", "headline", "image"],
    },
    Expectation {
        types: &["Product"],
        required: &["name", "offers|review|aggregateRating"],
        recommended: &["image", "description", "offers"],
    },
    Expectation {
        types: &["Recipe"],
        required: &["name", "image"],
        recommended: &["author", "recipeIngredient", "recipeInstructions", "totalTime|cookTime"],
    },
    Expectation {
        types: &["Event"],
        required: &["name", "startDate", "location"],
        recommended: &["description", "endDate", "image", "offers", "organizer"],
    },
    Expectation { types: &["BreadcrumbList"], required: &["itemListElement"], recommended: &[] },
    Expectation { types: &["FAQPage", "QAPage"], required: &["mainEntity"], recommended: &[] },
    Expectation {
        types: &["JobPosting"],
        required: &[
            "title",
            "description",
            "datePosted",
            "hiringOrganization",
            "jobLocation|applicantLocationRequirements",
        ],
        recommended: &["validThrough", "employmentType", "baseSalary"],
    },
    Expectation {
        types: &["VideoObject"],
        required: &["name", "thumbnailUrl", "uploadDate"],
        recommended: &["description", "duration", "contentUrl|embedUrl"],
    },
    Expectation {
        types: &["LocalBusiness", "Restaurant", "Store", "Hotel"],
        required: &["name", "address"],
        recommended: &["telephone", "url", "openingHoursSpecification|openingHours"],
    },
    Expectation { types: &["Review"], required: &["author", "reviewRating"], recommended: &[] },
    Expectation {
        types: &["AggregateRating"],
        required: &["ratingValue", "ratingCount|reviewCount"],
        recommended: &[],
    },
    Expectation {
        types: &["SoftwareApplication", "MobileApplication", "WebApplication"],
        required: &["name", "offers", "aggregateRating|review"],
        recommended: &["applicationCategory", "operatingSystem"],
    },
    Expectation { types: &["Course"], required: &["name", "description"], recommended: &["provider"] },
    Expectation {
        types: &["Dataset"],
        required: &["name", "description"],
        recommended: &["license", "creator", "distribution"],
    },
];

/// How urgently a property is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// Without it there is no rich result.
    Required,
    /// With it the result shows more.
    Recommended,
}

/// What an item of this type lacks, as "Product: name, offers or review"; `None` if nothing.
pub(crate) fn missing<'a>(kind: &str, has: impl Fn(&str) -> bool, need: Need) -> Option<std::borrow::Cow<'a, str>> {
    // A type may be written as a URL.
    let kind = kind.rsplit(['/', '#']).next().unwrap_or(kind);
    let expectation = EXPECTATIONS.iter().find(|expectation| expectation.types.contains(&kind))?;
    let expected = match need {
        Need::Required => expectation.required,
        Need::Recommended => expectation.recommended,
    };
    let missing = expected.iter().filter(|names| !names.split('|').any(&has)).map(|names| names.replace('|', " or "));
    let missing: Vec<String> = missing.collect();
    (!missing.is_empty()).then(|| format!("{kind}: {}", missing.join(", ")).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_item_lacks_is_listed() {
        let lacks = |kind, names: &[&str], need| missing(kind, |name| names.contains(&name), need).unwrap_or_default();
        assert_eq!(lacks("Product", &["name", "review"], Need::Required), "");
        assert_eq!(lacks("Product", &["name"], Need::Required), "Product: offers or review or aggregateRating");
        assert_eq!(lacks("https://schema.org/Event", &["name"], Need::Required), "Event: startDate, location");
        assert_eq!(lacks("Article", &["headline", "image"], Need::Recommended), "Article: author, datePublished");
        assert_eq!(lacks("WebPage", &[], Need::Required), "", "nothing is expected of other types");
    }
}
