//! The files of the presets, by name.

macro_rules! presets {
    ($($name:literal),+) => {
        /// Names of all presets, sorted.
        pub(crate) const NAMES: &[&str] = &[$($name),+];
        /// Their texts, in the same order.
        pub(crate) const TEXTS: &[&str] = &[$(include_str!(concat!($name, ".yaml"))),+];
    };
}

presets!(
    "datasette",
    "directus",
    "dokuwiki",
    "elasticsearch",
    "gitea",
    "grafana",
    "jupyterlab",
    "mediawiki",
    "mlflow",
    "nextcloud",
    "node-red",
    "phpmyadmin",
    "wagtail",
    "wordpress"
);
