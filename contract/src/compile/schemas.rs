//! Schemas: every keyword of JSON Schema that OpenAPI 3.0 and 3.1 use, lowered one schema at a time, so that no nesting
//! of references can grow the stack.

use waf_shared::limits::CONTRACT_SCHEMAS_MAX;
use waf_shared::plan::contract::{Format, Keyword, PatternId, Schema, SchemaId, types};

use super::location::Location;
use super::node::Node;
use super::operations::Lowering;

impl<'d> Lowering<'d> {
    /// The number of a schema; it is lowered later. References that stand alone are followed here.
    pub(super) fn schema_id(&mut self, location: Location<'d>) -> Option<SchemaId> {
        let stands_alone = |location: &Location<'d>| {
            location
                .node
                .members()
                .is_some_and(|members| self.is_3_0 || members.iter().all(|(name, _)| is_plain(name)))
        };
        let mut at = location;
        for _ in 0..waf_shared::limits::CONTRACT_REFERENCES_MAX {
            let reference = at.node.get("$ref").and_then(Node::text).filter(|_| stands_alone(&at));
            let Some(reference) = reference else { return self.numbered(at) };
            match self.files.target(&at, reference) {
                Ok(target) => at = target,
                Err(why) => {
                    self.error(&at, &format!("the reference `{reference}` {why}"));
                    return None;
                }
            }
        }
        self.error(&at, "the reference leads in a circle");
        None
    }

    fn numbered(&mut self, location: Location<'d>) -> Option<SchemaId> {
        if let Some(known) = self.schema_ids.get(&location.identity()) {
            return Some(*known);
        }
        if self.schema_locations.len() >= CONTRACT_SCHEMAS_MAX {
            self.error(&location, &format!("it has more than {CONTRACT_SCHEMAS_MAX} schemas"));
            return None;
        }
        let id = SchemaId(u32::try_from(self.schema_locations.len()).ok()?);
        self.schema_ids.insert(location.identity(), id);
        self.schema_locations.push(location);
        self.contract.schemas.push(Schema::default());
        self.waiting.push_back(id);
        Some(id)
    }

    /// Lowers every schema that is numbered, and those that they name.
    pub(super) fn schemas(&mut self) {
        while let Some(id) = self.waiting.pop_front() {
            let Some(location) = self.schema_locations.get(id.0 as usize).cloned() else { continue };
            let keywords = self.keywords(&location, id);
            if let Some(schema) = self.contract.schemas.get_mut(id.0 as usize) {
                schema.keywords = keywords;
            }
        }
        self.circles();
    }

    fn keywords(&mut self, location: &Location<'d>, id: SchemaId) -> Vec<Keyword> {
        match location.node {
            Node::Bool(true) => return Vec::new(),
            Node::Bool(false) => return vec![Keyword::Never],
            Node::Object(_) => {}
            _ => {
                self.error(location, "a schema is an object, `true` or `false`");
                return Vec::new();
            }
        }
        let mut out = Vec::new();
        self.kinds(location, &mut out);
        self.numbers(location, &mut out);
        self.texts(location, &mut out);
        self.arrays(location, &mut out);
        self.objects(location, &mut out);
        self.combinations(location, &mut out);
        out.extend(self.discriminator(location, id));
        for (name, make) in [
            ("unevaluatedItems", Keyword::UnevaluatedItems as fn(SchemaId) -> Keyword),
            ("unevaluatedProperties", Keyword::UnevaluatedProperties),
        ] {
            out.extend(self.child(location, name).map(make));
        }
        out
    }

    fn child(&mut self, location: &Location<'d>, name: &str) -> Option<SchemaId> {
        location.get(name).and_then(|child| self.schema_id(child))
    }

    fn kinds(&mut self, location: &Location<'d>, out: &mut Vec<Keyword>) {
        if self.flag(location, "readOnly") {
            out.push(Keyword::ReadOnly);
        }
        if self.flag(location, "writeOnly") {
            out.push(Keyword::WriteOnly);
        }
        if self.flag(location, "nullable") {
            out.push(Keyword::Nullable);
        }
        if let Some(written) = location.get("type") {
            let names: Vec<Location<'d>> = match written.node {
                Node::List(_) => written.items().collect(),
                _ => vec![written.clone()],
            };
            let mut bits = 0;
            for name in names {
                match name.node.text().and_then(type_bits) {
                    Some(bit) => bits |= bit,
                    // YAML reads an unquoted null as nothing.
                    None if *name.node == Node::Null => bits |= types::NULL,
                    None => self.error(&name, "the type does not exist"),
                }
            }
            out.push(Keyword::Types(bits));
        }
        if let Some(values) = location.get("enum") {
            match values.node.items() {
                Some(items) => out.push(Keyword::Enum(items.iter().map(Node::json).collect())),
                None => self.error(&values, "a list is expected"),
            }
        }
        if let Some(value) = location.node.get("const") {
            out.push(Keyword::Const(value.json()));
        }
        for name in ["$ref", "$dynamicRef"] {
            if let Some(reference) = location.node.get(name).and_then(Node::text) {
                match self.files.target(location, reference) {
                    Ok(target) => out.extend(self.schema_id(target).map(Keyword::Ref)),
                    Err(why) => self.error(location, &format!("the reference `{reference}` {why}")),
                }
            }
        }
    }

    fn number(&mut self, location: &Location<'d>, name: &str) -> Option<String> {
        let value = location.get(name)?;
        match value.node {
            Node::Number(text) => Some(text.clone()),
            _ => {
                self.error(&value, "a number is expected");
                None
            }
        }
    }

    fn count(&mut self, location: &Location<'d>, name: &str) -> Option<u64> {
        let text = self.number(location, name)?;
        let whole = text.parse::<u64>().ok();
        if whole.is_none() {
            self.error(location, &format!("`{name}` has to be a whole number of 0 or more"));
        }
        whole
    }

    fn numbers(&mut self, location: &Location<'d>, out: &mut Vec<Keyword>) {
        if let Some(step) = self.number(location, "multipleOf") {
            if step.parse::<f64>().is_ok_and(|step| step > 0.0) {
                out.push(Keyword::MultipleOf(step));
            } else {
                self.error(location, "`multipleOf` has to be above 0");
            }
        }
        // Draft 4 has a boolean beside the limit, later drafts a limit of its own.
        for (limit, exclusive, is_lower) in
            [("minimum", "exclusiveMinimum", true), ("maximum", "exclusiveMaximum", false)]
        {
            let make = |limit, exclusive| {
                if is_lower {
                    Keyword::Minimum { limit, exclusive }
                } else {
                    Keyword::Maximum { limit, exclusive }
                }
            };
            let is_flag = matches!(location.node.get(exclusive), Some(Node::Bool(true)));
            let is_number = location.node.get(exclusive).is_some_and(|node| !matches!(node, Node::Bool(_)));
            if let Some(limit) = self.number(location, limit) {
                out.push(make(limit, is_flag));
            }
            if is_number && let Some(limit) = self.number(location, exclusive) {
                out.push(make(limit, true));
            }
        }
    }

    fn texts(&mut self, location: &Location<'d>, out: &mut Vec<Keyword>) {
        out.extend(self.count(location, "minLength").map(Keyword::MinLength));
        out.extend(self.count(location, "maxLength").map(Keyword::MaxLength));
        if let Some(pattern) = location.get("pattern") {
            match pattern.node.text() {
                Some(text) => out.extend(self.pattern(&pattern, text).map(Keyword::Pattern)),
                None => self.error(&pattern, "a text is expected"),
            }
        }
        let format = location.node.get("format").and_then(Node::text);
        out.extend(format.and_then(Format::named).map(Keyword::Format));
    }

    /// The number of an expression; `None` when it cannot be matched, which is a warning.
    fn pattern(&mut self, location: &Location<'d>, text: &str) -> Option<PatternId> {
        if let Some(known) = self.pattern_ids.get(text) {
            return *known;
        }
        let id = match crate::pattern::Pattern::new(text) {
            Ok(_) => {
                self.contract.patterns.push(text.to_owned());
                u32::try_from(self.contract.patterns.len() - 1).ok().map(PatternId)
            }
            Err(why) => {
                self.warning(location, &format!("the pattern is not checked: {why}"));
                None
            }
        };
        self.pattern_ids.insert(text.to_owned(), id);
        id
    }

    fn arrays(&mut self, location: &Location<'d>, out: &mut Vec<Keyword>) {
        let mut prefix = self.list(location, "prefixItems");
        let mut rest = None;
        match location.get("items") {
            // The form of older drafts, which generators still write.
            Some(items) if items.node.items().is_some() => {
                prefix = self.list(location, "items");
                rest = self.child(location, "additionalItems");
            }
            Some(items) => rest = self.schema_id(items),
            None => {}
        }
        if !prefix.is_empty() || rest.is_some() {
            out.push(Keyword::Items { prefix, rest });
        }
        let (min, max) = (self.count(location, "minContains"), self.count(location, "maxContains"));
        if let Some(schema) = self.child(location, "contains") {
            out.push(Keyword::Contains { schema, min: min.unwrap_or(1), max });
        }
        out.extend(self.count(location, "minItems").map(Keyword::MinItems));
        out.extend(self.count(location, "maxItems").map(Keyword::MaxItems));
        if self.flag(location, "uniqueItems") {
            out.push(Keyword::UniqueItems);
        }
    }

    fn list(&mut self, location: &Location<'d>, name: &str) -> Vec<SchemaId> {
        let Some(list) = location.get(name) else { return Vec::new() };
        if list.node.items().is_none_or(<[Node]>::is_empty) {
            self.error(&list, "a list of at least one schema is expected");
        }
        list.items().filter_map(|item| self.schema_id(item)).collect()
    }

    fn objects(&mut self, location: &Location<'d>, out: &mut Vec<Keyword>) {
        let mut named = self.map(location, "properties");
        named.sort();
        let mut patterns = Vec::new();
        let mut rest = self.child(location, "additionalProperties");
        if let Some(holder) = self.object(location, "patternProperties") {
            for (text, schema) in holder.members() {
                match (self.pattern(&schema, text), self.schema_id(schema)) {
                    (Some(pattern), Some(id)) => patterns.push((pattern, id)),
                    // Which names it takes nobody knows, so none is for the others.
                    (None, _) => rest = None,
                    (Some(_), None) => {}
                }
            }
        }
        if !named.is_empty() || !patterns.is_empty() || rest.is_some() {
            out.push(Keyword::Properties { named, patterns, rest });
        }
        out.extend(self.child(location, "propertyNames").map(Keyword::PropertyNames));
        if let Some(required) = location.get("required") {
            out.push(Keyword::Required(self.names(&required)));
        }
        out.extend(self.count(location, "minProperties").map(Keyword::MinProperties));
        out.extend(self.count(location, "maxProperties").map(Keyword::MaxProperties));
        if let Some(holder) = self.object(location, "dependentRequired") {
            let list = holder.members().map(|(name, list)| (name.to_owned(), self.names(&list))).collect();
            out.push(Keyword::DependentRequired(list));
        }
        let dependent = self.map(location, "dependentSchemas");
        if !dependent.is_empty() {
            out.push(Keyword::DependentSchemas(dependent));
        }
    }

    fn map(&mut self, location: &Location<'d>, name: &str) -> Vec<(String, SchemaId)> {
        let Some(holder) = self.object(location, name) else { return Vec::new() };
        let members = holder.members();
        members.filter_map(|(name, schema)| Some((name.to_owned(), self.schema_id(schema)?))).collect()
    }

    fn names(&mut self, list: &Location<'d>) -> Vec<String> {
        let mut names = Vec::new();
        match list.node.items() {
            None => self.error(list, "a list of names is expected"),
            Some(_) => {
                for item in list.items() {
                    match item.node {
                        Node::Text(text) | Node::Number(text) => names.push(text.clone()),
                        _ => self.error(&item, "a name is expected"),
                    }
                }
            }
        }
        names
    }

    fn combinations(&mut self, location: &Location<'d>, out: &mut Vec<Keyword>) {
        for (name, make) in [
            ("allOf", Keyword::AllOf as fn(Vec<SchemaId>) -> Keyword),
            ("anyOf", Keyword::AnyOf),
            ("oneOf", Keyword::OneOf),
        ] {
            let ids = self.list(location, name);
            if !ids.is_empty() {
                out.push(make(ids));
            }
        }
        out.extend(self.child(location, "not").map(Keyword::Not));
        if let Some(condition) = self.child(location, "if") {
            let (then, otherwise) = (self.child(location, "then"), self.child(location, "else"));
            if then.is_some() || otherwise.is_some() {
                out.push(Keyword::If { condition, then, otherwise });
            }
        }
    }
}

/// Keywords beside a reference that say nothing about values.
fn is_plain(name: &str) -> bool {
    matches!(
        name,
        "$ref"
            | "description"
            | "summary"
            | "title"
            | "example"
            | "examples"
            | "default"
            | "deprecated"
            | "$comment"
    ) || name.starts_with("x-")
}

fn type_bits(name: &str) -> Option<u8> {
    Some(match name {
        "null" => types::NULL,
        "boolean" => types::BOOLEAN,
        "integer" => types::INTEGER,
        "number" => types::INTEGER | types::NUMBER,
        "string" => types::STRING,
        "array" => types::ARRAY,
        "object" => types::OBJECT,
        _ => return None,
    })
}
