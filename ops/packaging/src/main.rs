//! The command line of the packaging tool.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use waf_packaging::bill::Workspace;
use waf_packaging::tree::{Entry, Sources};
use waf_packaging::{chart, image, licences, manual, pages, tree};

/// Makes what is shipped beside the programs.
#[derive(Debug, Parser)]
#[command(name = "waf-packaging", version)]
struct Arguments {
    /// Root of the repository
    #[arg(long, value_name = "DIR", default_value = ".", global = true)]
    root: PathBuf,
    /// Triple for which the programs are built
    #[arg(long, value_name = "TRIPLE", default_value = "x86_64-unknown-linux-gnu", global = true)]
    target: String,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write manual pages and completions anew into the repository
    Manual,
    /// Write the schema of the Helm chart's values, its alert rules and its dashboard anew into the repository
    Chart,
    /// Write the pages of the command lines and of all names anew into the repository
    Pages,
    /// Print the bill of materials (CycloneDX 1.5, JSON)
    Bill,
    /// Print the licences of what is linked into the programs
    Licences,
    /// Write the image's file tree as a tar archive
    Tree(Build),
    /// Write the container image as an archive for `docker load`, `podman load` and others
    Image(Build),
}

#[derive(Debug, clap::Args)]
struct Build {
    /// Folder that holds the programs
    #[arg(long, value_name = "DIR")]
    programs: PathBuf,
    /// Certificates of authorities in PEM
    #[arg(long, value_name = "FILE", default_value = "/etc/ssl/certs/ca-certificates.crt")]
    certificates: PathBuf,
    /// Date of everything, in seconds since 1970
    #[arg(long, value_name = "SECONDS", env = "SOURCE_DATE_EPOCH", default_value_t = 0)]
    time: u64,
    /// File to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let mut text = error.to_string();
            let mut cause = error.source();
            while let Some(below) = cause {
                text = format!("{text}: {below}");
                cause = below.source();
            }
            eprintln!("{text}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    let root = &arguments.root;
    match &arguments.command {
        Command::Manual => {
            for (name, text) in manual::files() {
                let path = root.join(manual::FOLDER).join(name);
                std::fs::create_dir_all(path.parent().unwrap_or(root))?;
                std::fs::write(path, text)?;
            }
        }
        Command::Chart => {
            for (name, text) in chart::files()? {
                std::fs::write(root.join(name), text)?;
            }
        }
        Command::Pages => {
            for (name, text) in pages::files() {
                std::fs::write(root.join(name), text)?;
            }
        }
        Command::Bill => print(&bill(&Workspace::read(root, &arguments.target)?))?,
        Command::Licences => print(&licences::text(&Workspace::read(root, &arguments.target)?)?)?,
        Command::Tree(build) => {
            let entries = entries(build, root, &arguments.target)?;
            std::fs::write(&build.out, tree::archive(&entries, build.time)?)?;
        }
        Command::Image(build) => {
            let entries = entries(build, root, &arguments.target)?;
            let architecture = architecture(&arguments.target)?;
            std::fs::write(&build.out, image::archive(&entries, architecture, build.time)?)?;
        }
    }
    Ok(())
}

/// A reader that closes the pipe early has seen what it wanted.
fn print(text: &str) -> Result<(), Failure> {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

fn bill(workspace: &Workspace) -> String {
    format!("{:#}\n", workspace.bill())
}

fn entries(build: &Build, root: &Path, target: &str) -> Result<Vec<Entry>, Failure> {
    let workspace = Workspace::read(root, target)?;
    let licence = std::fs::read_to_string(root.join("LICENSE"))?;
    Ok(tree::entries(&Sources {
        programs: &build.programs,
        certificates: &build.certificates,
        licence: &licence,
        bill: &bill(&workspace),
        licences: &licences::text(&workspace)?,
    })?)
}

/// As the image specification names it.
fn architecture(target: &str) -> Result<&'static str, Failure> {
    match target.split('-').next() {
        Some("x86_64") => Ok("amd64"),
        Some("aarch64") => Ok("arm64"),
        _ => Err(format!("{target}: images are made for x86_64 and aarch64").into()),
    }
}
