//! Who a worker is and what that allows: its user and groups, no capability, no way to new rights, no memory that
//! another process of the same user could read.

use std::fmt;
use std::io;

use nix::unistd::{Gid, Uid, getegid, geteuid, setgroups, setresgid, setresuid};
use rustix::io::Errno;
use rustix::process::{DumpableBehavior, set_dumpable_behavior};
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, capability_is_in_bounding_set, clear_ambient_capability_set,
    remove_capability_from_bounding_set, set_capabilities, set_no_new_privs,
};

use super::error::ConfinementError;

/// A user and its one group, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct User {
    /// The user.
    pub uid: u32,
    /// Its group.
    pub gid: u32,
}

impl fmt::Display for User {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.uid, self.gid)
    }
}

/// Who this process is.
pub fn current() -> User {
    User { uid: geteuid().as_raw(), gid: getegid().as_raw() }
}

/// Gives up every right that serving does not need, for good.
pub fn give_up_rights(become_user: Option<User>) -> Result<(), ConfinementError> {
    let right = |what| move |source: Errno| ConfinementError::Right { what, source: source.into() };
    // While there is still a capability to do it with.
    empty_bounding_set().map_err(right("the bounding set of capabilities"))?;
    if let Some(user) = become_user {
        change_user(user).map_err(|source| ConfinementError::User { user, source })?;
    }
    // An old kernel has no ambient set, and nothing in it.
    match clear_ambient_capability_set() {
        Ok(()) | Err(Errno::INVAL) => {}
        Err(error) => return Err(right("ambient capabilities")(error)),
    }
    let none = CapabilitySet::empty();
    set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })
        .map_err(right("capabilities"))?;
    set_no_new_privs(true).map_err(right("the way to new privileges"))?;
    // Changing the user sets it as the system likes; this is what holds.
    set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(right("being read by other processes"))
}

/// It takes a capability of its own. A process without that keeps the set, from which nothing can be gained without new
/// privileges.
fn empty_bounding_set() -> Result<(), Errno> {
    if !capabilities(None)?.effective.contains(CapabilitySet::SETPCAP) {
        return Ok(());
    }
    for bit in 0..u64::BITS {
        let capability = CapabilitySet::from_bits_retain(1 << bit);
        match capability_is_in_bounding_set(capability) {
            Ok(true) => remove_capability_from_bounding_set(capability)?,
            Ok(false) => {}
            // Beyond the last one that the kernel knows.
            Err(Errno::INVAL) => break,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Groups first: once the user is another one, they cannot be changed any more.
fn change_user(user: User) -> io::Result<()> {
    let (uid, gid) = (Uid::from_raw(user.uid), Gid::from_raw(user.gid));
    if geteuid() == uid && getegid() == gid {
        setgroups(&[])?;
        return Ok(());
    }
    setgroups(&[gid])?;
    setresgid(gid, gid, gid)?;
    setresuid(uid, uid, uid)?;
    if !uid.is_root() && setresuid(Uid::from_raw(0), Uid::from_raw(0), Uid::from_raw(0)).is_ok() {
        return Err(io::Error::other("the change of the user could be taken back"));
    }
    Ok(())
}
