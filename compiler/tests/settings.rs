//! Every row of the tables of settings appears in all that is made of the rows: reading, resolution, `effective`, the
//! reference, the page of limits, the JSON Schema and the report of changes. Who adds a row changes nothing here.

use std::path::Path;

use serde_json::{Value, json};
use waf_compiler::field::{Field, FieldKind};
use waf_compiler::{Compiled, Options, changes, compile_text, document, reference, schema};

/// The sections whose rows are settings, below `global`; the first three may be part of a route too.
const SECTIONS: [&str; 4] = ["accept", "inspection", "multipart", "protocol"];

/// A setting: its section, its row.
struct Setting {
    section: &'static str,
    field: &'static Field,
}

impl Setting {
    /// Every row of the tables.
    fn all() -> Vec<Setting> {
        let mut all = Vec::new();
        for section in SECTIONS {
            let rows = below(below(document(), "global"), section);
            all.extend(rows.iter().map(|field| Setting { section, field }));
        }
        assert!(all.len() >= 24, "the tables are walked");
        all
    }

    fn path(&self) -> String {
        format!("{}.{}", self.section, self.field.name)
    }

    fn is_of_routes(&self) -> bool {
        self.section != "protocol"
    }

    /// A valid value other than the default, and its form in `effective`.
    fn other(&self) -> (String, String) {
        match self.field.kind {
            FieldKind::Bool => {
                let value = (self.field.default != "true").to_string();
                (value.clone(), value)
            }
            // The constraint in words says which texts a list takes.
            FieldKind::List(_) => {
                let entry = if self.field.bound.contains("method") { "PURGE" } else { "image/png" };
                (format!("[{entry}]"), format!("[\"{entry}\"]"))
            }
            FieldKind::Int(bound) => ((bound.min + 7).to_string(), (bound.min + 7).to_string()),
            FieldKind::Size(bound) => (format!("{}B", bound.min + 7), format!("{}B", bound.min + 7)),
            FieldKind::Duration(bound) => (format!("{}ms", bound.min + 7), format!("{}ms", bound.min + 7)),
            kind => panic!("{}: no other value of {} is known", self.path(), kind.type_name()),
        }
    }

    /// A file that sets it to `value`: on line 5 of the route, or in `global`.
    fn file(&self, value: &str) -> String {
        let (section, name) = (self.section, self.field.name);
        let route = "    upstream: http://a\n";
        if self.is_of_routes() {
            return format!(
                "version: v1alpha1\nroutes:\n  - id: x\n    {section}:\n      {name}: {value}\n{route}"
            );
        }
        format!("version: v1alpha1\nglobal:\n  {section}:\n    {name}: {value}\nroutes:\n  - id: x\n{route}")
    }
}

fn below(fields: &'static [Field], name: &str) -> &'static [Field] {
    let field = fields.iter().find(|field| field.name == name).unwrap();
    match field.kind {
        FieldKind::Section(below) => below,
        _ => panic!("{name} is a section"),
    }
}

fn compiled(text: &str) -> Compiled {
    let options = Options { host_checks: false, ..Options::default() };
    compile_text("waf.yaml", text, Path::new("/"), &options)
        .unwrap_or_else(|found| panic!("{text}\n{found:?}"))
}

fn minimal() -> Compiled {
    compiled("version: v1alpha1\nroutes:\n  - id: x\n    upstream: http://a\n")
}

#[test]
fn a_default_is_read_like_a_value_of_the_file() {
    let minimal = minimal();
    for setting in Setting::all() {
        let written = compiled(&setting.file(setting.field.default));
        assert_eq!(written.plan, minimal.plan, "{}", setting.path());
    }
}

#[test]
fn a_value_reaches_the_plan_and_is_reported_as_a_change() {
    let minimal = minimal();
    for setting in Setting::all() {
        let (path, (value, _)) = (setting.path(), setting.other());
        let changed = compiled(&setting.file(&value));
        assert_ne!(changed.plan, minimal.plan, "{path}");
        let reported = if setting.is_of_routes() {
            let [old, new] = [&minimal, &changed].map(|compiled| &compiled.plan.routes[0].settings);
            changes::settings(old, new)
        } else {
            changes::protocol(&minimal.plan.protocol, &changed.plan.protocol)
        };
        assert_eq!(reported, [path.as_str()]);
    }
}

#[test]
fn a_route_wins_over_global_and_global_over_the_default() {
    for setting in Setting::all().iter().filter(|setting| setting.is_of_routes()) {
        let (path, (value, _)) = (setting.path(), setting.other());
        let (section, name) = (setting.section, setting.field.name);
        let of_global = format!(
            "version: v1alpha1\nglobal: {{{section}: {{{name}: {value}}}}}\nroutes:\n  - {{id: x, upstream: http://a}}\n"
        );
        let of_both =
            of_global.replace("id: x,", &format!("id: x, {section}: {{{name}: {}}},", setting.field.default));
        let global = compiled(&of_global);
        assert_eq!(
            global.plan.routes[0].settings,
            compiled(&setting.file(&value)).plan.routes[0].settings,
            "{path}"
        );
        assert_eq!(compiled(&of_both).plan.routes[0].settings, minimal().plan.routes[0].settings, "{path}");
    }
}

#[test]
fn effective_shows_the_value_with_its_line_and_the_default_without() {
    let minimal = minimal().effective("x").unwrap();
    for setting in Setting::all().iter().filter(|setting| setting.is_of_routes()) {
        let (path, (value, shown)) = (setting.path(), setting.other());
        let page = compiled(&setting.file(&value)).effective("x").unwrap();
        let line = format!("\n  {}: {shown} # line 5\n", setting.field.name);
        assert!(page.contains(&line), "{path}: {line}\n{page}");
        let default = format!("\n  {}: ", setting.field.name);
        let rest = minimal.split_once(&default).map(|(_, rest)| rest.lines().next().unwrap_or_default());
        assert!(rest.is_some_and(|rest| rest.ends_with("# default")), "{path}");
    }
}

#[test]
fn the_reference_the_limits_and_the_schema_list_every_row() {
    let (configuration, limits) = (reference::configuration(), reference::limits());
    let schema: Value = serde_json::from_str(&schema::schema()).unwrap();
    for setting in Setting::all() {
        let (path, field) = (setting.path(), setting.field);
        let row = configuration.lines().find(|line| line.starts_with(&format!("| `global.{path}` |")));
        assert!(
            row.is_some_and(|row| row.contains(field.doc) && row.contains(field.default)),
            "{path}: {row:?}"
        );
        let has_row = limits.lines().any(|line| line.starts_with(&format!("| `{path}` |")));
        assert_eq!(has_row, field.limit.is_some(), "{path}");
        assert!(field.limit.is_some() || field.kind.bound().is_none(), "{path} is a number and has no limit");
        let section = &schema["properties"]["global"]["properties"][setting.section]["properties"];
        let property = &section[field.name];
        assert!(property["description"].as_str().is_some_and(|text| text.starts_with(field.doc)), "{path}");
        assert!(!property["default"].is_null(), "{path}");
        if let Some(bound) = field.kind.bound()
            && matches!(field.kind, FieldKind::Int(_))
        {
            assert_eq!(property["minimum"], json!(bound.min), "{path}");
        }
    }
}
