//! Who workers go on as when the service is started as root. It knows the system's users, nothing of what they do.

use nix::errno::Errno;
use nix::unistd::{Gid, Group, Uid, User as Entry, geteuid};
use waf_dataplane::confinement::identity::User;

/// The user with the least rights, and its number where no list of users says otherwise.
const NOBODY: &str = "nobody";
const NOBODY_ID: u32 = 65_534;

/// A fault that keeps workers from becoming another user.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum UserError {
    /// Only root may.
    #[error("--user {0}: only root can change the user, and this is user {1}")]
    NotRoot(String, u32),
    /// There is no such user.
    #[error("--user {0}: there is no user `{1}` on this machine")]
    NoUser(String, String),
    /// There is no such group.
    #[error("--user {0}: there is no group `{1}` on this machine")]
    NoGroup(String, String),
    /// A number without an entry has no group of its own.
    #[error("--user {0}: user {0} is not known to this machine; name the group too, as in `{0}:{0}`")]
    GroupMissing(u32),
    /// The list of users cannot be read.
    #[error("--user {0}: the users of this machine cannot be read: {1}")]
    Unreadable(String, Errno),
}

/// Whom workers become: `wanted` as `USER`, `UID`, `USER:GROUP` or `UID:GID`; as root `nobody` unless another one is
/// named. Nobody else when the service runs as that user already.
pub fn of_workers(wanted: Option<&str>) -> Result<Option<User>, UserError> {
    let (ours, Some(wanted)) = (geteuid(), wanted) else {
        return if geteuid().is_root() { nobody().map(Some) } else { Ok(None) };
    };
    let user = resolve(wanted)?;
    match ours {
        _ if ours.is_root() => Ok(Some(user)),
        _ if ours.as_raw() == user.uid => Ok(None),
        _ => Err(UserError::NotRoot(wanted.to_owned(), ours.as_raw())),
    }
}

fn nobody() -> Result<User, UserError> {
    let entry = Entry::from_name(NOBODY).map_err(|error| UserError::Unreadable(NOBODY.to_owned(), error))?;
    // A small image may have no list of users; the number stands for nobody everywhere.
    Ok(entry.map_or(User { uid: NOBODY_ID, gid: NOBODY_ID }, |entry| of(&entry)))
}

fn of(entry: &Entry) -> User {
    User { uid: entry.uid.as_raw(), gid: entry.gid.as_raw() }
}

fn resolve(wanted: &str) -> Result<User, UserError> {
    let (user, group) = wanted.split_once(':').map_or((wanted, None), |(user, group)| (user, Some(group)));
    let unreadable = |error| UserError::Unreadable(wanted.to_owned(), error);
    let number = user.parse::<u32>().ok();
    let entry = match number {
        // With both numbers there is nothing to look up.
        Some(_) if group.is_some_and(|group| group.parse::<u32>().is_ok()) => None,
        Some(uid) => Entry::from_uid(Uid::from_raw(uid)).map_err(unreadable)?,
        None => Entry::from_name(user).map_err(unreadable)?,
    };
    let uid = number.or(entry.as_ref().map(|entry| entry.uid.as_raw()));
    let uid = uid.ok_or_else(|| UserError::NoUser(wanted.to_owned(), user.to_owned()))?;
    let gid = match (group, entry) {
        (None, Some(entry)) => entry.gid,
        (None, None) => return Err(UserError::GroupMissing(uid)),
        (Some(group), _) => match group.parse::<u32>() {
            Ok(gid) => Gid::from_raw(gid),
            Err(_) => {
                let found = Group::from_name(group).map_err(unreadable)?;
                found.ok_or_else(|| UserError::NoGroup(wanted.to_owned(), group.to_owned()))?.gid
            }
        },
    };
    Ok(User { uid, gid: gid.as_raw() })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use super::*;

    #[test]
    fn users_are_had_by_name_or_number() {
        let user = |uid, gid| Ok(User { uid, gid });
        assert_eq!(resolve("1234:5678"), user(1234, 5678));
        assert_eq!(resolve("root"), user(0, 0));
        assert_eq!(resolve("0"), user(0, 0));
        assert_eq!(resolve("4321:root"), user(4321, 0));
        assert_eq!(resolve("root:4321"), user(0, 4321));
    }

    #[test]
    fn who_does_not_exist_is_said() {
        let said = |wanted: &str| resolve(wanted).unwrap_err().to_string();
        assert_eq!(said("no-such"), "--user no-such: there is no user `no-such` on this machine");
        assert_eq!(said("root:no-such"), "--user root:no-such: there is no group `no-such` on this machine");
        let number = said("3999999999");
        assert!(number.contains("name the group too, as in `3999999999:3999999999`"), "{number}");
        assert!(said("").contains("there is no user ``"));
        assert!(said(":0").contains("there is no user ``"));
    }

    #[test]
    fn without_a_name_root_becomes_nobody_and_others_stay() {
        let user = of_workers(None).unwrap();
        assert_eq!(user.is_some(), geteuid().is_root());
        assert!(user.is_none_or(|user| user.uid != 0 && user.gid != 0));
    }
}
