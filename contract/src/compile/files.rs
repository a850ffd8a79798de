//! The files of one document: itself and those in its folder that it refers to, directly or through one another.
//! Nothing outside of that folder is read, and nothing over a network.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use waf_shared::limits::{CONTRACT_FILES_MAX, CONTRACT_NODES_MAX, CONTRACT_REFERENCES_MAX};
use waf_shared::plan::Digest;

use super::location::Location;
use super::node::Node;

/// Access to the files of a document.
pub trait ReadFile {
    /// The text of the file at `path`, or the reason why it cannot be used, as a sentence without its subject. With
    /// `folder` the file, after all links, has to be in that folder.
    fn read(&self, path: &Path, folder: Option<&Path>) -> Result<String, String>;
}

/// All files, read.
#[derive(Debug)]
pub(super) struct Files {
    list: Vec<File>,
    by_path: HashMap<PathBuf, usize>,
    /// The folder of the document.
    folder: PathBuf,
}

#[derive(Debug)]
struct File {
    path: PathBuf,
    /// Relative to the folder.
    name: String,
    content: Result<Node, String>,
    digest: [u8; 32],
}

impl Files {
    /// Reads the document at `path` and what it refers to. The error says why the document itself cannot be used.
    pub(super) fn load(
        path: &Path,
        reader: &dyn ReadFile,
        named: &mut Vec<PathBuf>,
    ) -> Result<Files, String> {
        let folder = path.parent().unwrap_or(Path::new("/")).to_owned();
        let mut files = Files { list: Vec::new(), by_path: HashMap::new(), folder };
        files.add(path, reader, named);
        let mut next = 0;
        let mut nodes = 0;
        while let Some(file) = files.list.get(next) {
            let mut wanted = Vec::new();
            match &file.content {
                Ok(node) => {
                    nodes += node.count(CONTRACT_NODES_MAX);
                    wanted.extend(
                        node.references().into_iter().filter_map(|text| files.path_of(&file.path, text)),
                    );
                }
                Err(why) if next == 0 => return Err(why.clone()),
                Err(_) => {}
            }
            if nodes > CONTRACT_NODES_MAX {
                return Err(format!("does not parse: it has more than {CONTRACT_NODES_MAX} values"));
            }
            for path in wanted {
                if !files.by_path.contains_key(&path) {
                    if files.list.len() >= CONTRACT_FILES_MAX {
                        return Err(format!(
                            "does not parse: it refers to more than {CONTRACT_FILES_MAX} files"
                        ));
                    }
                    files.add(&path, reader, named);
                }
            }
            next += 1;
        }
        Ok(files)
    }

    /// A document that stands alone.
    pub(super) fn of_text(text: &str) -> Result<Files, String> {
        let (path, folder) = (PathBuf::from("/document"), PathBuf::from("/"));
        let content = parse(text)?;
        if content.count(CONTRACT_NODES_MAX) > CONTRACT_NODES_MAX {
            return Err(format!("does not parse: it has more than {CONTRACT_NODES_MAX} values"));
        }
        let file = File { path: path.clone(), name: String::new(), content: Ok(content), digest: [0; 32] };
        Ok(Files { list: vec![file], by_path: HashMap::from([(path, 0)]), folder })
    }

    fn add(&mut self, path: &Path, reader: &dyn ReadFile, named: &mut Vec<PathBuf>) {
        let (content, digest) = match self.read(path, reader) {
            Ok((node, digest)) => (Ok(node), digest),
            Err(why) => (Err(why), [0; 32]),
        };
        let name = path.strip_prefix(&self.folder).unwrap_or(path).display().to_string();
        named.push(path.to_owned());
        self.by_path.insert(path.to_owned(), self.list.len());
        self.list.push(File { path: path.to_owned(), name, content, digest });
    }

    fn read(&self, path: &Path, reader: &dyn ReadFile) -> Result<(Node, [u8; 32]), String> {
        let folder = (!self.list.is_empty()).then_some(self.folder.as_path());
        let text = reader.read(path, folder)?;
        Ok((parse(&text)?, Digest::of(text.as_bytes()).0))
    }

    /// SHA-256 over the digests of all files.
    pub(super) fn digest(&self) -> [u8; 32] {
        match self.list.as_slice() {
            [only] => only.digest,
            all => Digest::of(&all.iter().flat_map(|file| file.digest).collect::<Vec<u8>>()).0,
        }
    }

    /// The document.
    pub(super) fn root(&self) -> Location<'_> {
        static NOTHING: Node = Node::Null;
        let node = self.list.first().and_then(|file| file.content.as_ref().ok()).unwrap_or(&NOTHING);
        Location { file: 0, pointer: String::new(), node }
    }

    /// A place as messages name it.
    pub(super) fn place(&self, location: &Location<'_>) -> String {
        match self.list.get(location.file) {
            Some(file) if location.file > 0 => format!("`{}#{}`", file.name, location.pointer),
            _ => format!("`#{}`", location.pointer),
        }
    }

    /// The path that a reference out of the file at `from` leads to; `None` when it stays in the file or leads out of
    /// the folder.
    fn path_of(&self, from: &Path, reference: &str) -> Option<PathBuf> {
        let file = reference.split('#').next().filter(|file| !file.is_empty())?;
        if file.contains(':') || file.starts_with('/') {
            return None;
        }
        let mut path = from.parent()?.to_owned();
        for component in Path::new(&decoded(file)).components() {
            match component {
                Component::Normal(name) => path.push(name),
                Component::ParentDir => {
                    path.pop();
                }
                _ => {}
            }
        }
        path.starts_with(&self.folder).then_some(path)
    }

    /// Target of a reference at `location`.
    pub(super) fn target<'f>(
        &'f self,
        location: &Location<'_>,
        reference: &str,
    ) -> Result<Location<'f>, String> {
        let (file, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let from = self.list.get(location.file).map_or(Path::new("/"), |file| file.path.as_path());
        let index = if file.is_empty() {
            location.file
        } else {
            let path = self
                .path_of(from, reference)
                .ok_or("leads out of the document's folder, where nothing is read")?;
            *self.by_path.get(&path).ok_or("was not read")?
        };
        let file = self.list.get(index).ok_or("was not read")?;
        let node = file.content.as_ref().map_err(|why| format!("is a file that {why}"))?;
        let root = Location { file: index, pointer: String::new(), node };
        let fragment = decoded(fragment);
        if fragment.is_empty() {
            return Ok(root);
        }
        let Some(pointer) = fragment.strip_prefix('/') else {
            return anchored(&root, &fragment).ok_or_else(|| "leads to no `$anchor`".to_owned());
        };
        let mut at = root;
        for part in pointer.split('/') {
            let name = part.replace("~1", "/").replace("~0", "~");
            let item = name.parse().ok().and_then(|index: usize| at.items().nth(index));
            at = at.get(&name).or(item).ok_or("leads nowhere")?;
        }
        Ok(at)
    }

    /// Follows `$ref` until a value is none; the error has its place.
    pub(super) fn resolved<'f>(
        &'f self,
        location: Location<'f>,
    ) -> Result<Location<'f>, (Location<'f>, String)> {
        let mut at = location;
        for _ in 0..CONTRACT_REFERENCES_MAX {
            let Some(reference) = at.node.get("$ref").and_then(Node::text) else { return Ok(at) };
            match self.target(&at, reference) {
                Ok(target) => at = target,
                Err(why) => return Err((at.clone(), format!("the reference `{reference}` {why}"))),
            }
        }
        Err((at, "the reference leads in a circle".to_owned()))
    }
}

fn parse(text: &str) -> Result<Node, String> {
    let yaml = || serde_yaml::from_str(text).map_err(|error| format!("does not parse: {error}"));
    if text.trim_start().starts_with('{') {
        // YAML that begins with a brace is rare; a text that neither reads is reported with YAML's error.
        return serde_json::from_str(text).or_else(|_| yaml());
    }
    yaml()
}

/// The schema with that `$anchor` or `$dynamicAnchor`.
fn anchored<'d>(root: &Location<'d>, anchor: &str) -> Option<Location<'d>> {
    let mut waiting = vec![root.clone()];
    while let Some(location) = waiting.pop() {
        let is_it = |name| location.node.get(name).and_then(Node::text) == Some(anchor);
        if is_it("$anchor") || is_it("$dynamicAnchor") {
            return Some(location);
        }
        waiting.extend(location.members().map(|(_, member)| member));
        waiting.extend(location.items());
    }
    None
}

/// A URI reference without its escapes.
fn decoded(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((byte, tail)) = rest.split_first() {
        rest = tail;
        let digits = tail.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let value = digits.filter(|_| *byte == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match value {
            Some(value) => {
                out.push(value);
                rest = tail.get(2..).unwrap_or_default();
            }
            None => out.push(*byte),
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}
