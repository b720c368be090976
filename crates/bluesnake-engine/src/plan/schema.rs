//! What forms and pages need to know about settings: their groups, fields, help texts and types, and a JSON Schema.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Map, Value, json};

/// One setting.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name in the group: `url_length`.
    pub name: &'static str,
    /// What it means.
    pub help: &'static str,
    /// The JSON Schema of its values.
    pub schema: fn() -> Value,
}

/// One group of settings.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// Its name: `limits`.
    pub name: &'static str,
    /// What it is about.
    pub help: &'static str,
    /// Its settings.
    pub fields: &'static [Field],
}

/// The JSON Schema of the settings of a job, with help texts and defaults.
pub(super) fn schema_of(groups: &[Group], defaults: &Value) -> Value {
    let groups = groups.iter().map(|group| {
        let fields = group.fields.iter().map(|field| {
            let mut schema = (field.schema)();
            schema["description"] = field.help.into();
            schema["default"] = defaults[group.name][field.name].clone();
            (field.name.to_owned(), schema)
        });
        (group.name.to_owned(), object(group.help, fields.collect()))
    });
    object("Settings in groups. An absent setting has its default.", groups.collect())
}

fn object(help: &str, properties: Map<String, Value>) -> Value {
    json!({ "type": "object", "description": help, "properties": properties, "additionalProperties": false })
}

/// The type of a setting's values.
pub(crate) trait SettingType {
    /// As JSON Schema.
    fn schema() -> Value;
}

macro_rules! setting_types {
    ($( $type:ty => $schema:tt, )*) => {
        $( impl SettingType for $type {
            fn schema() -> Value {
                json!($schema)
            }
        } )*
    };
}

setting_types! {
    bool => { "type": "boolean" },
    u32 => { "type": "integer", "minimum": 0, "maximum": 4294967295_u32 },
    u64 => { "type": "integer", "minimum": 0 },
    usize => { "type": "integer", "minimum": 0 },
    f64 => { "type": "number" },
    String => { "type": "string" },
    PathBuf => { "type": "string" },
    BTreeMap<String, String> => { "type": "object", "additionalProperties": { "type": "string" } },
}

impl<T: SettingType> SettingType for Vec<T> {
    fn schema() -> Value {
        json!({ "type": "array", "items": T::schema() })
    }
}
