//! Packages of `Cargo.lock`: each with its version, checksum and dependencies. Cargo writes the file in one fixed
//! form, line by line, and only that form is read.

/// A package of the lock file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Locked {
    /// Name of the crate.
    pub name: String,
    /// Its version.
    pub version: String,
    /// SHA-256 of its archive in hex; the workspace's own crates have none.
    pub checksum: Option<String>,
    /// Dependencies: `name`, or `name version` where there are several.
    dependencies: Vec<String>,
}

/// Every package, in the order of the file.
pub fn read(text: &str) -> Vec<Locked> {
    let blocks = text.split("\n[[package]]\n").skip(1);
    blocks.filter_map(package).collect()
}

fn package(block: &str) -> Option<Locked> {
    let value = |key: &str| {
        let line = block.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = \""))?;
        line.strip_suffix('"').map(str::to_owned)
    };
    let dependencies = block.lines().filter_map(|line| line.strip_prefix(" \"")?.strip_suffix("\","));
    Some(Locked {
        name: value("name")?,
        version: value("version")?,
        checksum: value("checksum"),
        dependencies: dependencies.map(str::to_owned).collect(),
    })
}

impl Locked {
    /// Its package URL, by which tools for bills of materials find it.
    pub fn purl(&self) -> String {
        format!("pkg:cargo/{}@{}", self.name, self.version)
    }

    /// Dependencies, among `all`.
    pub fn dependencies<'a>(&'a self, all: &'a [Locked]) -> impl Iterator<Item = &'a Locked> {
        self.dependencies.iter().filter_map(|said| {
            let mut words = said.split(' ');
            let (name, version) = (words.next()?, words.next());
            all.iter()
                .find(|other| other.name == name && version.is_none_or(|version| other.version == version))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_with_everything_and_with_little() {
        let text = "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nsource = \"registry\"\n\
                    checksum = \"c0ffee\"\ndependencies = [\n \"b 2.0.0\",\n]\n\n[[package]]\nname = \"b\"\nversion = \"1.0.0\"\n\n\
                    [[package]]\nname = \"b\"\nversion = \"2.0.0\"\n";
        let all = read(text);
        assert_eq!(all.len(), 3);
        assert_eq!(
            (all[0].purl().as_str(), all[0].checksum.as_deref()),
            ("pkg:cargo/a@1.0.0", Some("c0ffee"))
        );
        assert_eq!(all[0].dependencies(&all).map(Locked::purl).collect::<Vec<_>>(), ["pkg:cargo/b@2.0.0"]);
        assert_eq!(all[1].checksum, None);
    }
}
