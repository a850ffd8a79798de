//! The entities of one document: declared, counted, and expanded into text, so that what they hide is judged. Expansion is
//! bounded by the count and by bytes, and never recursive.

use std::collections::HashMap;

/// Entities within entities; more than anyone writes, and a loop ends here.
const NESTING_MAX: usize = 32;
/// Bytes that all entities of a document may expand to. Texts of documents are not made of entities.
const EXPANDED_BYTES_MAX: usize = 64 << 10;

/// The declared entities.
#[derive(Debug, Default)]
pub(super) struct Entities {
    max: u32,
    declared: u32,
    expanded: u32,
    expanded_bytes: usize,
    table: HashMap<Vec<u8>, Entity>,
    /// Replacement texts, one after the other.
    texts: Vec<u8>,
}

/// Position of a replacement text; `None` for one that lies outside the document.
#[derive(Debug, Clone, Copy)]
struct Entity(Option<(usize, usize)>);

/// The result of a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expansion {
    Done,
    /// Nothing of that name was declared.
    Unknown,
    /// A character reference to something that is no character.
    NoCharacter,
    /// More expansions than allowed, or a loop.
    TooMany,
}

impl Entities {
    pub(super) fn limit(&mut self, max: u32) {
        self.max = max;
    }

    pub(super) fn clear(&mut self) {
        self.declared = 0;
        self.expanded = 0;
        self.expanded_bytes = 0;
        self.table.clear();
        self.texts.clear();
    }

    /// Notes a declaration; `text` is `None` for an external entity. The first one of a name holds. `false` once there
    /// are too many.
    pub(super) fn declare(&mut self, name: &[u8], text: Option<&[u8]>) -> bool {
        self.declared = self.declared.saturating_add(1);
        if self.declared > self.max {
            return false;
        }
        if !self.table.contains_key(name) {
            let entity = text.map(|text| {
                let start = self.texts.len();
                self.texts.extend_from_slice(text);
                (start, self.texts.len())
            });
            self.table.insert(name.to_vec(), Entity(entity));
        }
        true
    }

    /// Appends to `out` what `&name;` stands for.
    pub(super) fn expand(&mut self, name: &[u8], out: &mut Vec<u8>) -> Expansion {
        match character(name) {
            Character::Is(character) => {
                push(character, out);
                return Expansion::Done;
            }
            Character::NoSuch => return Expansion::NoCharacter,
            Character::Other => {}
        }
        let Some(&Entity(first)) = self.table.get(name) else { return Expansion::Unknown };
        if !self.count() {
            return Expansion::TooMany;
        }
        // Texts that are being expanded, the innermost last.
        let mut open: Vec<(usize, usize)> = first.into_iter().collect();
        while let Some((start, end)) = open.pop() {
            let text = self.texts.get(start..end).unwrap_or_default();
            let plain = memchr::memchr(b'&', text).unwrap_or(text.len());
            self.expanded_bytes = self.expanded_bytes.saturating_add(plain);
            if self.expanded_bytes > EXPANDED_BYTES_MAX {
                return Expansion::TooMany;
            }
            out.extend_from_slice(text.get(..plain).unwrap_or_default());
            let Some(inside) = text.get(plain + 1..) else { continue };
            let length = memchr::memchr(b';', inside).unwrap_or(inside.len());
            let name = inside.get(..length).unwrap_or_default();
            open.push(((start + plain + 1 + length + 1).min(end), end));
            match character(name) {
                Character::Is(character) => push(character, out),
                Character::NoSuch => return Expansion::NoCharacter,
                Character::Other => {
                    let Some(&Entity(inner)) = self.table.get(name) else { return Expansion::Unknown };
                    if open.len() >= NESTING_MAX || !self.count() {
                        return Expansion::TooMany;
                    }
                    open.extend(inner);
                }
            }
        }
        Expansion::Done
    }

    fn count(&mut self) -> bool {
        self.expanded = self.expanded.saturating_add(1);
        self.expanded <= self.max
    }
}

/// The target of a reference, when it is no entity of the document's.
enum Character {
    Is(char),
    /// There is no character of that number.
    NoSuch,
    /// An entity.
    Other,
}

fn character(name: &[u8]) -> Character {
    let numeric = |digits: &[u8], radix: u32| {
        let digits = std::str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'))?;
        let character = char::from_u32(u32::from_str_radix(digits, radix).ok()?)?;
        let allowed = character >= ' ' || matches!(character, '\t' | '\n' | '\r');
        (allowed && !matches!(character, '\u{fffe}' | '\u{ffff}')).then_some(character)
    };
    let number = match name {
        b"lt" => return Character::Is('<'),
        b"gt" => return Character::Is('>'),
        b"amp" => return Character::Is('&'),
        b"quot" => return Character::Is('"'),
        b"apos" => return Character::Is('\''),
        [b'#', b'x', digits @ ..] => numeric(digits, 16),
        [b'#', digits @ ..] => numeric(digits, 10),
        _ => return Character::Other,
    };
    number.map_or(Character::NoSuch, Character::Is)
}

fn push(character: char, out: &mut Vec<u8>) {
    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entities(max: u32, declared: &[(&str, &str)]) -> Entities {
        let mut entities = Entities::default();
        entities.limit(max);
        for (name, text) in declared {
            entities.declare(name.as_bytes(), Some(text.as_bytes()));
        }
        entities
    }

    fn expand(entities: &mut Entities, name: &str) -> (String, Expansion) {
        let mut out = Vec::new();
        let end = entities.expand(name.as_bytes(), &mut out);
        (String::from_utf8(out).expect("the tests declare text"), end)
    }

    #[test]
    fn references_become_what_they_stand_for() {
        let mut all = entities(100, &[("a", "x&b;y"), ("b", "[&lt;&#98;]"), ("a", "later")]);
        assert_eq!(expand(&mut all, "a"), ("x[<b]y".into(), Expansion::Done));
        assert_eq!(expand(&mut all, "#x3c"), ("<".into(), Expansion::Done));
        assert_eq!(expand(&mut all, "c").1, Expansion::Unknown);
        for nobody in ["#0", "#xd800", "#x110000", "#", "#x", "#-1", "#+65"] {
            assert_eq!(expand(&mut all, nobody).1, Expansion::NoCharacter, "{nobody}");
        }
    }

    #[test]
    fn loops_and_floods_end() {
        let mut all = entities(10_000, &[("a", "&b;"), ("b", "&a;")]);
        assert_eq!(expand(&mut all, "a").1, Expansion::TooMany);
        let ten = |name: &str| format!("&{name};").repeat(10);
        let (two, three, four) = (ten("l1"), ten("l2"), ten("l3"));
        let mut all = entities(100, &[("l1", "ha"), ("l2", &two), ("l3", &three), ("l4", &four)]);
        assert_eq!(expand(&mut all, "l4").1, Expansion::TooMany);
        assert!(all.expanded <= 101);
        let long = "x".repeat(40_000);
        let mut all = entities(100, &[("q", &long)]);
        assert_eq!(expand(&mut all, "q").1, Expansion::Done);
        assert_eq!(expand(&mut all, "q").1, Expansion::TooMany);
        assert!(!entities(1, &[("a", "")]).declare(b"b", None));
    }
}
