use super::ListenerDescriptor;

/// Submitted to [`inventory`] by `#[listener]`. The registry is the only global state of hearken.
pub struct Registration(pub fn() -> &'static ListenerDescriptor);

inventory::collect!(Registration);

/// All listeners linked into this binary, by id, then by place.
///
/// A crate that nothing refers to is not linked, and its listeners are missing here without a word: `hearken::link!`
/// refers to it and checks.
pub fn registered() -> Vec<&'static ListenerDescriptor> {
    let mut found: Vec<_> =
        inventory::iter::<Registration>().map(|registration| (registration.0)()).collect();
    found.sort_by_key(|listener| (listener.id, listener.file, listener.line));
    found
}

/// A crate named by `hearken::link!`: it must have registered at least one listener.
#[derive(Clone, Copy, Debug)]
pub struct Linked {
    /// The crate, as in a path.
    pub name: &'static str,
    /// Where it was named.
    pub file: &'static str,
    /// Where it was named.
    pub line: u32,
}

inventory::collect!(Linked);

/// All crates named by `hearken::link!`.
pub fn linked() -> Vec<Linked> {
    let mut found: Vec<_> = inventory::iter::<Linked>().copied().collect();
    found.sort_by_key(|linked| (linked.name, linked.file, linked.line));
    found
}
