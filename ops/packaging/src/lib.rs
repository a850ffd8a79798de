//! Files that are shipped beside the programs, made from the workspace: manual pages and shell completions from the
//! command lines ([`manual`]), the schema of the chart's values ([`chart`]), a bill of materials from the lock file
//! ([`bill`]), the texts of licences ([`licences`]), and the container image from all of it ([`tree`], [`image`]). It
//! runs at build time alone; no request and no configuration comes near it.

pub mod manual;
pub mod pages;

pub mod chart;

pub mod lock;

pub mod bill;
pub mod licences;

pub mod tree;

pub mod image;
