//! Files that hold what should not be public and lie where a server may publish them: hidden ones, those of projects and of
//! assistants.

use super::places::{PATH, VALUES};
use crate::field::{Place, Places};
use crate::rule::{Rule, RuleMatcher, STRONG};
use waf_shared::catalog::Leaf;

pub(super) static DOTFILE: Rule = Rule {
    id: "local-file-access-dotfiles/in-value",
    leaf: Leaf::LocalFileAccessDotfiles,
    weight: STRONG,
    places: VALUES,
    matcher: RuleMatcher::Detected,
    summary: "A value names a hidden file that holds secrets.",
    attacks: &[
        "/home/u/.docker/secrets",
        "cat /root/.ssh/id_rsa",
        "/root/.aws/credentials",
        "members/.htpasswd",
        "../.env",
        "app/.git/config",
        "/home/deploy/.bash_history",
    ],
    benign: &[
        "/test.environment",
        ".github/workflows/test.yml",
        "./.app.json",
        "https://github.com/octo-org/octo-repo.git",
        "Put the token into ~/.cargo/credentials.toml or your .env file and restart.",
        "/home/user/.config/yap/keys/deb.gpg",
        "price: .50",
    ],
};

pub(super) static DOTFILE_REQUESTED: Rule = Rule {
    id: "local-file-access-dotfiles/requested",
    leaf: Leaf::LocalFileAccessDotfiles,
    weight: STRONG,
    places: PATH,
    matcher: RuleMatcher::Detected,
    summary: "The request path leads to a hidden file that should not be published.",
    attacks: &[
        "/.env",
        "/.git/config",
        "/app/.svn/entries",
        "/@fs/.env",
        "/.htpasswd",
        "/.env.production",
        "/%2egit/HEAD",
    ],
    benign: &[
        "/.well-known/openid-configuration",
        "/a/.hidden-feature",
        "/environment",
        "/x.env.js",
        "/.env.example",
    ],
};

pub(super) static DOTFILE_UPLOADED: Rule = Rule {
    id: "local-file-access-dotfiles/uploaded",
    leaf: Leaf::LocalFileAccessDotfiles,
    weight: STRONG,
    places: Places::of(&[Place::FileName, Place::Header]),
    matcher: RuleMatcher::Detected,
    summary: "An upload has the name of a hidden file, or of a file of the project, that programs read settings or keys from.",
    attacks: &[".boto", "a/.ssh/authorized_keys", ".bashrc", "wp-config.php.bak", "web.config"],
    benign: &["photo.jpg", ".hidden-feature.png", "config.yml", "notes.env.txt", "wp-content.zip"],
};

pub(super) static PROJECT_FILE_REQUESTED: Rule = Rule {
    id: "local-file-access-dotfiles/project-file-requested",
    leaf: Leaf::LocalFileAccessDotfiles,
    weight: STRONG,
    places: PATH,
    matcher: RuleMatcher::Detected,
    summary: "The request path leads to a file of the project, a log or a dump that should not be published.",
    attacks: &[
        "/wp-config.php",
        "/backup.sql.zip",
        "/wp-content/error.log",
        "/dump.sql",
        "/config/master.key",
    ],
    benign: &["/wp-login.php", "/blog/sql-basics", "/error", "/docs/dockerfile-reference", "/login"],
};

pub(super) static ASSISTANT_FILE: Rule = Rule {
    id: "local-file-access-ai-tool-files/in-value",
    leaf: Leaf::LocalFileAccessAiToolFiles,
    weight: STRONG,
    places: VALUES,
    matcher: RuleMatcher::Detected,
    summary: "A value is an absolute or climbing path to the settings of a coding assistant.",
    attacks: &[
        "/home/dev/.claude/settings.json",
        "../.cursor/mcp.json",
        "file:///root/.codex/auth.json",
        "/srv/app/.mcp.json",
    ],
    benign: &[
        "./.mcp.json",
        ".cursorrules",
        "continue",
        "The .claude directory is described in our handbook.",
    ],
};

pub(super) static ASSISTANT_FILE_REQUESTED: Rule = Rule {
    id: "local-file-access-ai-tool-files/requested",
    leaf: Leaf::LocalFileAccessAiToolFiles,
    weight: STRONG,
    places: PATH,
    matcher: RuleMatcher::Detected,
    summary: "The request path leads to the settings of a coding assistant.",
    attacks: &[
        "/.claude/settings.json",
        "/.cursor/mcp.json",
        "/app/.windsurf/rules/global.md",
        "/.n8n/config",
        "/.cursorignore",
    ],
    benign: &[
        "/api/continue/session",
        "/blog/cursor-and-zed",
        "/claude/settings.json",
        "/.well-known/security.txt",
    ],
};
