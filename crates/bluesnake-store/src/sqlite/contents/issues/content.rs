//! Text and images.

super::checks! {
    "low-content" "Content: Low Content Pages (Below 200 Words)" Opportunity Medium
    why "A page with few words may offer little to readers and search engines."
    fix "Add content, or merge the page with another one."
    page "word_count < 200" "word_count";

    "exact-duplicate" "Content: Exact Duplicates" Issue High
    why "Search engines show only one of them; crawling the others is wasted."
    fix "Redirect the copies to one URL, or declare it as their canonical."
    sql "SELECT number, original FROM (
             SELECT number, count(*) OVER same AS pages, first_value(url) OVER (same ORDER BY number) AS original
             FROM page WHERE is_indexable AND cut IS NULL AND body_bytes > 0
             WINDOW same AS (PARTITION BY raw_hash, body_bytes))
         WHERE pages > 1";

    "lorem-ipsum" "Content: Lorem Ipsum Placeholder" Warning High
    why "Placeholder text was published."
    fix "Replace it with the real text."
    page "has_lorem_ipsum";

    "soft-404" "Content: Soft 404 Pages" Warning High
    why "Search engines keep a page that says it does not exist but returns 200."
    fix "Return status 404 or 410."
    page "EXISTS (
        SELECT 1 FROM json_each('[\"page not found\", \"404 not found\", \"error 404\", \"404 error\",
            \"page does not exist\", \"page cannot be found\"]') AS f
        WHERE instr(lower(title || ' ' || h1), f.value) > 0)" "title";

    "image-missing-alt-text" "Images: Missing Alt Text" Issue Low
    why "Visitors who cannot see the image learn nothing about it. Empty text is right only for decoration."
    fix "Describe images that convey information."
    page "images_with_empty_alt > 0" "images_with_empty_alt";

    "image-missing-alt-attribute" "Images: Missing Alt Attribute" Issue Low
    why "Screen readers read out the file name of an image without an alt attribute."
    fix "Add an alt attribute to every image."
    page "images_without_alt > 0" "images_without_alt";

    "image-alt-too-long" "Images: Alt Text Over 100 Characters" Opportunity Low
    why "Long alt text is tedious to listen to."
    fix "Use at most 100 characters."
    page "long_alts > 0" "long_alts";

    "image-missing-size" "Images: Missing Size Attributes" Opportunity Low
    why "Without width and height the layout shifts while images load."
    fix "Set width and height on every image."
    page "images_without_size > 0" "images_without_size";

    "image-too-large" "Images: Over 100 KB" Opportunity Medium
    why "Large images make pages slow."
    fix "Compress the image, use a modern format, or serve it at its displayed size."
    url "is_internal AND fate = 'answer' AND kind = 'image' AND body_bytes > 102400" "body_bytes";
}
