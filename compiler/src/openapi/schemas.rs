//! Schemas: every keyword of JSON Schema that OpenAPI 3.0 and 3.1 use, lowered one schema at a time, so that no nesting of
//! references can grow the stack.

use waf_shared::limits::CONTRACT_SCHEMAS_MAX;
use waf_shared::plan::contract::{Format, Keyword, PatternId, Schema, SchemaId, types};

use super::node::Node;
use super::operations::Lowering;
use super::spot::Spot;

impl<'d> Lowering<'d> {
    /// The number of a schema; it is lowered later. References that stand alone are followed here.
    pub(super) fn schema_id(&mut self, spot: Spot<'d>) -> Option<SchemaId> {
        let stands_alone = |spot: &Spot<'d>| {
            spot.node
                .members()
                .is_some_and(|members| self.is_3_0 || members.iter().all(|(name, _)| is_plain(name)))
        };
        let mut at = spot;
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

    fn numbered(&mut self, spot: Spot<'d>) -> Option<SchemaId> {
        if let Some(known) = self.schema_ids.get(&spot.identity()) {
            return Some(*known);
        }
        if self.schema_spots.len() >= CONTRACT_SCHEMAS_MAX {
            self.error(&spot, &format!("it has more than {CONTRACT_SCHEMAS_MAX} schemas"));
            return None;
        }
        let id = SchemaId(u32::try_from(self.schema_spots.len()).ok()?);
        self.schema_ids.insert(spot.identity(), id);
        self.schema_spots.push(spot);
        self.contract.schemas.push(Schema::default());
        self.waiting.push_back(id);
        Some(id)
    }

    /// Lowers every schema that is numbered, and those that they name.
    pub(super) fn schemas(&mut self) {
        while let Some(id) = self.waiting.pop_front() {
            let Some(spot) = self.schema_spots.get(id.0 as usize).cloned() else { continue };
            let keywords = self.keywords(&spot, id);
            if let Some(schema) = self.contract.schemas.get_mut(id.0 as usize) {
                schema.keywords = keywords;
            }
        }
        self.circles();
    }

    fn keywords(&mut self, spot: &Spot<'d>, id: SchemaId) -> Vec<Keyword> {
        match spot.node {
            Node::Bool(true) => return Vec::new(),
            Node::Bool(false) => return vec![Keyword::Never],
            Node::Object(_) => {}
            _ => {
                self.error(spot, "a schema is an object, `true` or `false`");
                return Vec::new();
            }
        }
        let mut out = Vec::new();
        self.kinds(spot, &mut out);
        self.numbers(spot, &mut out);
        self.texts(spot, &mut out);
        self.arrays(spot, &mut out);
        self.objects(spot, &mut out);
        self.combinations(spot, &mut out);
        out.extend(self.discriminator(spot, id));
        for (name, make) in [
            ("unevaluatedItems", Keyword::UnevaluatedItems as fn(SchemaId) -> Keyword),
            ("unevaluatedProperties", Keyword::UnevaluatedProperties),
        ] {
            out.extend(self.child(spot, name).map(make));
        }
        out
    }

    fn child(&mut self, spot: &Spot<'d>, name: &str) -> Option<SchemaId> {
        spot.get(name).and_then(|child| self.schema_id(child))
    }

    fn kinds(&mut self, spot: &Spot<'d>, out: &mut Vec<Keyword>) {
        if self.flag(spot, "readOnly") {
            out.push(Keyword::ReadOnly);
        }
        if self.flag(spot, "writeOnly") {
            out.push(Keyword::WriteOnly);
        }
        if self.flag(spot, "nullable") {
            out.push(Keyword::Nullable);
        }
        if let Some(written) = spot.get("type") {
            let names: Vec<Spot<'d>> = match written.node {
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
        if let Some(values) = spot.get("enum") {
            match values.node.items() {
                Some(items) => out.push(Keyword::Enum(items.iter().map(Node::json).collect())),
                None => self.error(&values, "a list is expected"),
            }
        }
        if let Some(value) = spot.node.get("const") {
            out.push(Keyword::Const(value.json()));
        }
        for name in ["$ref", "$dynamicRef"] {
            if let Some(reference) = spot.node.get(name).and_then(Node::text) {
                match self.files.target(spot, reference) {
                    Ok(target) => out.extend(self.schema_id(target).map(Keyword::Ref)),
                    Err(why) => self.error(spot, &format!("the reference `{reference}` {why}")),
                }
            }
        }
    }

    fn number(&mut self, spot: &Spot<'d>, name: &str) -> Option<String> {
        let value = spot.get(name)?;
        match value.node {
            Node::Number(text) => Some(text.clone()),
            _ => {
                self.error(&value, "a number is expected");
                None
            }
        }
    }

    fn count(&mut self, spot: &Spot<'d>, name: &str) -> Option<u64> {
        let text = self.number(spot, name)?;
        let whole = text.parse::<u64>().ok();
        if whole.is_none() {
            self.error(spot, &format!("`{name}` has to be a whole number of 0 or more"));
        }
        whole
    }

    fn numbers(&mut self, spot: &Spot<'d>, out: &mut Vec<Keyword>) {
        if let Some(step) = self.number(spot, "multipleOf") {
            if step.parse::<f64>().is_ok_and(|step| step > 0.0) {
                out.push(Keyword::MultipleOf(step));
            } else {
                self.error(spot, "`multipleOf` has to be above 0");
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
            let is_flag = matches!(spot.node.get(exclusive), Some(Node::Bool(true)));
            let is_number = spot.node.get(exclusive).is_some_and(|node| !matches!(node, Node::Bool(_)));
            if let Some(limit) = self.number(spot, limit) {
                out.push(make(limit, is_flag));
            }
            if is_number && let Some(limit) = self.number(spot, exclusive) {
                out.push(make(limit, true));
            }
        }
    }

    fn texts(&mut self, spot: &Spot<'d>, out: &mut Vec<Keyword>) {
        out.extend(self.count(spot, "minLength").map(Keyword::MinLength));
        out.extend(self.count(spot, "maxLength").map(Keyword::MaxLength));
        if let Some(pattern) = spot.get("pattern") {
            match pattern.node.text() {
                Some(text) => out.extend(self.pattern(&pattern, text).map(Keyword::Pattern)),
                None => self.error(&pattern, "a text is expected"),
            }
        }
        let format = spot.node.get("format").and_then(Node::text);
        out.extend(format.and_then(Format::named).map(Keyword::Format));
    }

    /// The number of an expression; `None` when it cannot be matched, which is a warning.
    fn pattern(&mut self, spot: &Spot<'d>, text: &str) -> Option<PatternId> {
        if let Some(known) = self.pattern_ids.get(text) {
            return *known;
        }
        let id = match waf_contract::pattern::Pattern::new(text) {
            Ok(_) => {
                self.contract.patterns.push(text.to_owned());
                u32::try_from(self.contract.patterns.len() - 1).ok().map(PatternId)
            }
            Err(why) => {
                self.warning(spot, &format!("the pattern is not checked: {why}"));
                None
            }
        };
        self.pattern_ids.insert(text.to_owned(), id);
        id
    }

    fn arrays(&mut self, spot: &Spot<'d>, out: &mut Vec<Keyword>) {
        let mut prefix = self.list(spot, "prefixItems");
        let mut rest = None;
        match spot.get("items") {
            // The form of older drafts, which generators still write.
            Some(items) if items.node.items().is_some() => {
                prefix = self.list(spot, "items");
                rest = self.child(spot, "additionalItems");
            }
            Some(items) => rest = self.schema_id(items),
            None => {}
        }
        if !prefix.is_empty() || rest.is_some() {
            out.push(Keyword::Items { prefix, rest });
        }
        let (min, max) = (self.count(spot, "minContains"), self.count(spot, "maxContains"));
        if let Some(schema) = self.child(spot, "contains") {
            out.push(Keyword::Contains { schema, min: min.unwrap_or(1), max });
        }
        out.extend(self.count(spot, "minItems").map(Keyword::MinItems));
        out.extend(self.count(spot, "maxItems").map(Keyword::MaxItems));
        if self.flag(spot, "uniqueItems") {
            out.push(Keyword::UniqueItems);
        }
    }

    fn list(&mut self, spot: &Spot<'d>, name: &str) -> Vec<SchemaId> {
        let Some(list) = spot.get(name) else { return Vec::new() };
        if list.node.items().is_none_or(<[Node]>::is_empty) {
            self.error(&list, "a list of at least one schema is expected");
        }
        list.items().filter_map(|item| self.schema_id(item)).collect()
    }

    fn objects(&mut self, spot: &Spot<'d>, out: &mut Vec<Keyword>) {
        let mut named = self.map(spot, "properties");
        named.sort();
        let mut patterns = Vec::new();
        let mut rest = self.child(spot, "additionalProperties");
        if let Some(holder) = self.object(spot, "patternProperties") {
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
        out.extend(self.child(spot, "propertyNames").map(Keyword::PropertyNames));
        if let Some(required) = spot.get("required") {
            out.push(Keyword::Required(self.names(&required)));
        }
        out.extend(self.count(spot, "minProperties").map(Keyword::MinProperties));
        out.extend(self.count(spot, "maxProperties").map(Keyword::MaxProperties));
        if let Some(holder) = self.object(spot, "dependentRequired") {
            let list = holder.members().map(|(name, list)| (name.to_owned(), self.names(&list))).collect();
            out.push(Keyword::DependentRequired(list));
        }
        let dependent = self.map(spot, "dependentSchemas");
        if !dependent.is_empty() {
            out.push(Keyword::DependentSchemas(dependent));
        }
    }

    fn map(&mut self, spot: &Spot<'d>, name: &str) -> Vec<(String, SchemaId)> {
        let Some(holder) = self.object(spot, name) else { return Vec::new() };
        let members = holder.members();
        members.filter_map(|(name, schema)| Some((name.to_owned(), self.schema_id(schema)?))).collect()
    }

    fn names(&mut self, list: &Spot<'d>) -> Vec<String> {
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

    fn combinations(&mut self, spot: &Spot<'d>, out: &mut Vec<Keyword>) {
        for (name, make) in [
            ("allOf", Keyword::AllOf as fn(Vec<SchemaId>) -> Keyword),
            ("anyOf", Keyword::AnyOf),
            ("oneOf", Keyword::OneOf),
        ] {
            let ids = self.list(spot, name);
            if !ids.is_empty() {
                out.push(make(ids));
            }
        }
        out.extend(self.child(spot, "not").map(Keyword::Not));
        if let Some(condition) = self.child(spot, "if") {
            let (then, otherwise) = (self.child(spot, "then"), self.child(spot, "else"));
            if then.is_some() || otherwise.is_some() {
                out.push(Keyword::If { condition, then, otherwise });
            }
        }
    }

    /// Finds schemas that apply themselves to the same value again, which would never end.
    fn circles(&mut self) {
        const NEW: u8 = 0;
        const OPEN: u8 = 1;
        const DONE: u8 = 2;
        let inner: Vec<Vec<SchemaId>> = self.contract.schemas.iter().map(in_place).collect();
        let mut state = vec![NEW; inner.len()];
        let mut circular = Vec::new();
        for start in 0..inner.len() {
            let mut stack = vec![(start, 0)];
            while let Some((at, next)) = stack.pop() {
                if next == 0 && state.get(at) != Some(&NEW) {
                    continue;
                }
                if let Some(state) = state.get_mut(at) {
                    *state = OPEN;
                }
                match inner.get(at).and_then(|ids| ids.get(next)) {
                    Some(id) => {
                        stack.push((at, next + 1));
                        let id = id.0 as usize;
                        match state.get(id) {
                            Some(&OPEN) => circular.push(id),
                            Some(&NEW) => stack.push((id, 0)),
                            _ => {}
                        }
                    }
                    None => {
                        if let Some(state) = state.get_mut(at) {
                            *state = DONE;
                        }
                    }
                }
            }
        }
        for id in circular {
            if let Some(spot) = self.schema_spots.get(id).cloned() {
                self.error(&spot, "the schema applies itself to the same value, which never ends");
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

/// The schemas that a schema applies to the same value.
fn in_place(schema: &Schema) -> Vec<SchemaId> {
    let mut ids = Vec::new();
    for keyword in &schema.keywords {
        match keyword {
            Keyword::Ref(id) | Keyword::Not(id) => ids.push(*id),
            Keyword::AllOf(list) | Keyword::AnyOf(list) | Keyword::OneOf(list) => ids.extend(list),
            Keyword::If { condition, then, otherwise } => {
                ids.push(*condition);
                ids.extend(then.iter().chain(otherwise));
            }
            Keyword::DependentSchemas(list) => ids.extend(list.iter().map(|(_, id)| *id)),
            _ => {}
        }
    }
    ids
}
