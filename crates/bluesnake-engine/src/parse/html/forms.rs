//! GET forms as links: their URL with the initial values.
//!
//! Only if the settings ask for it, because a form may do anything.

use std::borrow::Cow;

use bluesnake_html::{AttributeName as Name, Attributes, Text, decode_text};
use encoding_rs::{Encoding, UTF_8};

use super::Reader;
use crate::link::{LinkKind, Rel};
use crate::parse::links::{rel_flags, trim};
use crate::parse::text::collapse;
use crate::url::CanonicalUrl;

/// How many bytes of names and values to keep per form; longer URLs are refused anyway.
const ENTRY_BYTES: usize = 8 * 1024;

/// A form that is still open.
#[derive(Debug)]
pub(super) struct OpenForm {
    link: usize,
    entries: Vec<(String, String)>,
    bytes: usize,
    select: Option<OpenSelect>,
    /// The name of the text area being read.
    textarea: Option<String>,
    has_button: bool,
}

/// A list of options; the first one counts unless another is selected.
#[derive(Debug)]
struct OpenSelect {
    name: String,
    value: Option<String>,
    is_selected: bool,
}

impl OpenForm {
    fn add(&mut self, name: String, value: String) {
        self.end_select();
        self.bytes += name.len() + value.len();
        if self.bytes <= ENTRY_BYTES {
            self.entries.push((name, value));
        }
    }

    fn end_select(&mut self) {
        if let Some(OpenSelect { name, value: Some(value), .. }) = self.select.take() {
            self.add(name, value);
        }
    }

    /// The form's target: the entries replace the query of its URL. `None` without entries.
    fn target(&self, action: &CanonicalUrl, encoding: &str) -> Option<CanonicalUrl> {
        let address = format!("{}{}", action.origin(), action.path());
        if self.entries.is_empty() {
            return CanonicalUrl::parse(&address).ok();
        }
        let encoding = Encoding::for_label(encoding.as_bytes()).map_or(UTF_8, Encoding::output_encoding);
        let target = url::form_urlencoded::Serializer::for_suffix(format!("{address}?"), address.len() + 1)
            .encoding_override(Some(&|text| encoding.encode(text).0))
            .extend_pairs(self.entries.iter().map(|(name, value)| (with_line_ends(name), with_line_ends(value))))
            .finish();
        CanonicalUrl::parse(&target).ok()
    }
}

/// All line endings as CRLF, as browsers send them.
fn with_line_ends(text: &str) -> Cow<'_, str> {
    if !text.contains(['\r', '\n']) {
        return text.into();
    }
    text.replace("\r\n", "\n").replace('\r', "\n").replace('\n', "\r\n").into()
}

impl<'a> Reader<'a> {
    /// Whether to treat this form as a link.
    pub(super) fn opens_get_form(&self, attributes: &Attributes<'a>) -> bool {
        let method = attributes.value(Name::Method).unwrap_or_default();
        self.document.settings.get_forms
            && !self.open.surroundings().is_inert
            && !["post", "dialog"].iter().any(|other| trim(&method).eq_ignore_ascii_case(other))
    }

    pub(super) fn open_get_form(&mut self, attributes: &Attributes<'a>) {
        // Nested forms are ignored.
        if self.form.is_some() {
            return;
        }
        let action = attributes.value(Name::Action).unwrap_or_default();
        // Without an action, the form submits to the page itself, whatever the base.
        let action = if trim(&action).is_empty() { self.document.url.as_str().into() } else { action };
        let rel = attributes.value(Name::Rel).map_or(Rel::default(), |rel| rel_flags(&rel));
        let Some(link) = self.refer_with(LinkKind::GetForm, &action, rel, "") else { return };
        self.page.insecure_forms += usize::from(!self.target(link).is_https());
        let (entries, bytes) = (Vec::new(), 0);
        self.form = Some(OpenForm { link, entries, bytes, select: None, textarea: None, has_button: false });
    }

    pub(super) fn close_form(&mut self) {
        let Some(mut form) = self.form.take() else { return };
        form.end_select();
        let link = &mut self.links.found[form.link];
        if let Some(target) = form.target(&link.target, self.document.encoding) {
            link.target = target;
        }
    }

    /// The form that a control belongs to and the control's name, if it is submitted.
    fn control(&mut self, attributes: &Attributes<'a>) -> Option<(&mut OpenForm, String)> {
        let form = self.form.as_mut()?;
        let name = attributes.value(Name::Name).filter(|name| !name.is_empty())?;
        (!attributes.has(Name::Disabled)).then(|| (form, name.into_owned()))
    }

    pub(super) fn note_input(&mut self, attributes: &Attributes<'a>) {
        let Some((form, name)) = self.control(attributes) else { return };
        let kind = attributes.value(Name::Type).unwrap_or_default().to_ascii_lowercase();
        let value = attributes.value(Name::Value).map(String::from);
        match kind.as_str() {
            "submit" if form.has_button => {}
            "submit" => {
                form.has_button = true;
                form.add(name, value.unwrap_or_default());
            }
            "checkbox" | "radio" if attributes.has(Name::Checked) => form.add(name, value.unwrap_or("on".to_owned())),
            "checkbox" | "radio" | "button" | "reset" | "image" | "file" => {}
            _ => form.add(name, value.unwrap_or_default()),
        }
    }

    pub(super) fn button(&mut self, attributes: &Attributes<'a>) {
        self.form_action(attributes, Name::Formaction);
        let kind = attributes.value(Name::Type).unwrap_or_default();
        let value = attributes.value(Name::Value).unwrap_or_default();
        if let Some((form, name)) = self.control(attributes)
            && !form.has_button
            && !["reset", "button"].iter().any(|other| kind.eq_ignore_ascii_case(other))
        {
            form.has_button = true;
            form.add(name, value.into_owned());
        }
    }

    pub(super) fn open_select(&mut self, attributes: &Attributes<'a>) {
        if let Some((form, name)) = self.control(attributes) {
            form.end_select();
            form.select = Some(OpenSelect { name, value: None, is_selected: false });
        }
    }

    pub(super) fn option(&mut self, attributes: &Attributes<'a>) {
        let Some(select) = self.form.as_mut().and_then(|form| form.select.as_mut()) else { return };
        let is_selected = attributes.has(Name::Selected);
        if select.value.is_none() || is_selected && !select.is_selected {
            let words = || collapse(&decode_text(self.tokenizer.rest().split('<').next().unwrap_or_default()));
            select.value = Some(attributes.value(Name::Value).map_or_else(words, String::from));
            select.is_selected = is_selected;
        }
    }

    pub(super) fn textarea(&mut self, attributes: &Attributes<'a>) {
        if let Some((form, name)) = self.control(attributes) {
            form.textarea = Some(name.clone());
            form.add(name, String::new());
        }
    }

    pub(super) fn textarea_text(&mut self, text: Text<'a>) {
        let Some(form) = &mut self.form else { return };
        if let (Some(name), Some((last, value))) = (form.textarea.take(), form.entries.last_mut())
            && name == *last
            && text.raw.len() <= ENTRY_BYTES
        {
            *value = text.decoded().into_owned();
        }
    }
}
