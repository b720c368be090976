//! Small screens.

super::checks! { Mobile
    "viewport-missing" "Viewport Not Set" Issue High;
    why "Phones render the page at desktop width with tiny text."
    fix "Add a viewport meta tag with width=device-width."
    says "{page sets|pages set} no viewport"
    page when |page| page.facts.viewport.as_deref().is_none_or(|viewport| viewport.trim().is_empty());
}
