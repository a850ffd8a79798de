//! Schemas that apply themselves to the same value again: judging by them would never end, so they are errors.

use waf_shared::plan::contract::{Keyword, Schema, SchemaId};

use super::operations::Lowering;

impl Lowering<'_> {
    /// Finds schemas that apply themselves to the same value again, which would never end.
    pub(super) fn circles(&mut self) {
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
            if let Some(location) = self.schema_locations.get(id).cloned() {
                self.error(&location, "the schema applies itself to the same value, which never ends");
            }
        }
    }
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
