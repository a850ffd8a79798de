//! Exceptions that are shipped, by the name of an application. Each file is written like a configuration's `exceptions`,
//! with the name of the application and what its entries cover.

pub(crate) mod files;

use std::sync::LazyLock;

use crate::diagnostic::Sink;
use crate::field::FieldKind;
use crate::raw::Preset;
use crate::read::{FromNode as _, Reader};
use crate::tree;
use files::{NAMES, TEXTS};

/// The preset of that name.
pub(crate) fn named(name: &str) -> Option<&'static Preset> {
    all().find(|(known, _)| *known == name).map(|(_, preset)| preset)
}

/// Every preset with its name.
pub(crate) fn all() -> impl Iterator<Item = (&'static str, &'static Preset)> {
    static READ: LazyLock<Vec<Preset>> =
        LazyLock::new(|| NAMES.iter().zip(TEXTS).map(|(name, text)| read(name, text)).collect());
    NAMES.iter().copied().zip(READ.iter())
}

/// A file that cannot be read whole covers nothing; the tests find it.
fn read(name: &str, text: &str) -> Preset {
    let mut sink = Sink::new(name, u32::MAX);
    let node = tree::read(text, &mut sink);
    let preset = node.and_then(|node| {
        Preset::from_node(&mut Reader::new(&mut sink, &[]), &node, &FieldKind::Section(Preset::FIELDS))
    });
    preset.filter(|_| sink.errors() == 0).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resolve::entries;

    #[test]
    fn every_preset_can_be_read_whole() {
        assert!(NAMES.is_sorted() && NAMES.len() == TEXTS.len());
        for (name, text) in NAMES.iter().zip(TEXTS) {
            let mut sink = Sink::new(name, u32::MAX);
            let node = tree::read(text, &mut sink).expect("YAML");
            let kind = FieldKind::Section(Preset::FIELDS);
            let preset = Preset::from_node(&mut Reader::new(&mut sink, &[]), &node, &kind);
            assert!(sink.errors() == 0 && preset.is_some(), "{name}: {:?}", sink.finish());
        }
    }

    #[test]
    fn presets_are_narrow() {
        for (name, preset) in all() {
            let exceptions = entries(preset.exceptions.as_ref());
            assert!(!exceptions.is_empty(), "{name}");
            for exception in exceptions {
                let paths = entries(exception.value.paths.as_ref());
                assert!(!paths.is_empty(), "{name}: each exception names its paths");
                assert!(paths.iter().all(|path| path.value.text.len() >= 5), "{name}");
            }
        }
    }
}
