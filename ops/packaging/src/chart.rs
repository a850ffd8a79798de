//! The schema of the Helm chart's values: its own fields from `chart/values.schema.json`, and below `config` the schema
//! of the configuration, so that a chart with a misspelt field is refused before anything reaches a cluster.

use serde_json::{Value, json};

/// The committed file, below the repository's root.
pub const SCHEMA: &str = "ops/helm/waf/values.schema.json";

/// Files of the chart that are made, with their paths below the repository's root. A chart reads nothing outside of its
/// folder.
pub fn files() -> Result<Vec<(&'static str, String)>, serde_json::Error> {
    Ok(vec![
        (SCHEMA, schema()?),
        ("ops/helm/waf/alerts.yaml", waf_compiler::reference::alerts()),
        ("ops/helm/waf/dashboard.json", waf_compiler::reference::dashboard()),
    ])
}

/// The whole schema as text.
pub fn schema() -> Result<String, serde_json::Error> {
    let mut schema: Value = serde_json::from_str(include_str!("chart/values.schema.json"))?;
    let mut config: Value = serde_json::from_str(&waf_compiler::schema::schema())?;
    if let Some(root) = config.as_object_mut() {
        root.remove("$schema");
        root.remove("title");
    }
    // Probes need the health listener, which the configuration may leave out.
    let probed = json!({ "required": ["health_port"], "properties": { "health_port": { "minimum": 1 } } });
    // The mode is one or the other; the linter says more, and later.
    let one_mode = json!({ "not": { "required": ["host", "port"] } });
    schema["properties"]["config"] = json!({ "allOf": [config, probed, one_mode] });
    Ok(format!("{schema:#}\n"))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn committed_files_are_current() {
        for (name, text) in files().expect("both schemas are JSON") {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
            let committed = std::fs::read_to_string(path).unwrap_or_default();
            assert!(
                committed == text,
                "{name} is not current; fix it with\n  cargo run -p waf-packaging -- chart"
            );
        }
    }
}
