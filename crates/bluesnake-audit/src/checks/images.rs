//! Images.

use bluesnake_engine::LinkKind;

use crate::anchors::AnchorDigest;
use crate::catalogue::{grouped, size};
use crate::notes::Found;
use crate::subject::Subject;

super::checks! { Images
    "image-missing-alt-text" "Missing Alt Text" Issue Low;
    why "Visitors who cannot see the image learn nothing about it. Empty text is right only for decoration."
    fix "Describe images that convey information."
    says "{page has|pages have} images with an empty alt text"
    page each |page, found| images(page, found, AnchorDigest::HAS_EMPTY_ALT, page.facts.images_with_empty_alt);

    "image-missing-alt-attribute" "Missing Alt Attribute" Issue Low;
    why "Screen readers read out the file name of an image without an alt attribute."
    fix "Add an alt attribute to every image."
    says "{page has|pages have} images without an alt attribute"
    page each |page, found| images(page, found, AnchorDigest::LACKS_ALT, page.facts.images_without_alt);

    "image-alt-too-long" "Alt Text Over {} Characters" Opportunity Low, limit |settings| grouped(settings.alt_max);
    why "Long alt text is tedious to listen to."
    fix "Describe the image in one short sentence, and move details into the text."
    says "{page has|pages have} images with a long alt text"
    page link |_, link| link.is(LinkKind::Image) && link.anchor.has(AnchorDigest::IS_LONG);

    "image-missing-size" "Missing Size Attributes" Opportunity Low;
    why "Without width and height the layout shifts while images load."
    fix "Set width and height on every image."
    says "{page has|pages have} images without width and height"
    page each |page, found| images(page, found, AnchorDigest::LACKS_SIZE, page.facts.images_without_size);

    "image-too-large" "Over {}" Opportunity Medium, limit |settings| size(settings.image_bytes);
    why "Large images make pages slow."
    fix "Compress the image, use a modern format, or serve it at its displayed size."
    says "{image is|images are} too large"
    url number |url| url.bytes_over(url.settings.image_bytes).filter(|_| url.is_shown_image());
}

/// Reports the images with this mark. Inline images have no URL, so of a page with nothing else they are counted.
fn images(page: &Subject<'_>, found: &mut Found<'_>, mark: u8, count: u32) {
    let mut marked = page.each_link().filter(|(link, _)| link.is(LinkKind::Image) && link.anchor.has(mark)).peekable();
    if count > 0 && marked.peek().is_none() {
        found.number(count.into());
    }
    marked.for_each(|(link, anchor)| found.link(link.target, anchor));
}
