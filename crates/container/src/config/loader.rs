//! Finds and reads the files. Nothing else of the configuration touches the file system but the look at a certificate.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::names::did_you_mean;
use super::problem::{Problem, Report};
use super::sources::{ConfigFile, Sources};
use super::spot::Spot;

/// The file that is read when none is named.
const DEFAULT_FILE: &str = "hearken.toml";
/// What a text in the place of a file is called.
const INLINE: &str = "inline";

/// A file as read.
pub(crate) struct Loaded {
    pub(crate) path: String,
    pub(crate) profile: Option<String>,
    pub(crate) bytes: Vec<u8>,
}

/// The file and the profile's file, as far as there are any.
pub(crate) fn load(sources: &Sources<'_>, report: &mut Report) -> Vec<Loaded> {
    let (named, help) = match &sources.file {
        ConfigFile::None => return Vec::new(),
        ConfigFile::Text(text) => {
            let bytes = text.clone().into_bytes();
            return vec![Loaded { path: INLINE.to_owned(), profile: None, bytes }];
        }
        ConfigFile::Named(file) => (Some(file.clone()), None),
        ConfigFile::Search(otherwise) => match sources.environment.config() {
            Some(file) => (Some(PathBuf::from(file)), Some("named by HEARKEN_CONFIG".to_owned())),
            None => (otherwise.clone(), None),
        },
    };
    let must_exist = named.is_some();
    let path = sources.directory.join(named.unwrap_or_else(|| PathBuf::from(DEFAULT_FILE)));
    let mut loaded = Vec::new();
    match std::fs::read(&path) {
        Ok(bytes) => loaded.push(Loaded { path: show(&path), profile: None, bytes }),
        Err(error) if error.kind() == ErrorKind::NotFound && !must_exist => {}
        Err(error) => report.add(unreadable(&path, &error).help(help)),
    }
    let profile = sources.profile.as_deref().or_else(|| sources.environment.profile());
    if let Some(profile) = profile.filter(|profile| !profile.is_empty()) {
        loaded.extend(load_profile(&path, profile, report));
    }
    loaded
}

fn load_profile(base: &Path, profile: &str, report: &mut Report) -> Option<Loaded> {
    let plain = profile.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    if !plain {
        let message =
            format!("the profile {profile:?} has other characters than letters, digits, `_` and `-`");
        report.add(Problem::error(&Spot::WholeFile(show(base).into()), "", message));
        return None;
    }
    let path = profile_path(base, profile);
    match std::fs::read(&path) {
        Ok(bytes) => Some(Loaded { path: show(&path), profile: Some(profile.to_owned()), bytes }),
        Err(error) => {
            let near = profiles_beside(base);
            let near = did_you_mean(profile, near.iter().map(String::as_str));
            let help = near.unwrap_or_else(|| format!("named by the profile `{profile}`"));
            report.add(unreadable(&path, &error).help(help));
            None
        }
    }
}

/// `hearken.toml` and `test`: `hearken.test.toml`.
fn profile_path(base: &Path, profile: &str) -> PathBuf {
    let stem = base.file_stem().unwrap_or_default().to_string_lossy();
    base.with_file_name(format!("{stem}.{profile}.toml"))
}

fn profiles_beside(base: &Path) -> Vec<String> {
    let directory = base.parent().filter(|path| !path.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let stem = base.file_stem().unwrap_or_default().to_string_lossy();
    let files = std::fs::read_dir(directory).into_iter().flatten().flatten();
    files
        .filter_map(|file| {
            let name = file.file_name().to_string_lossy().into_owned();
            let rest = name.strip_prefix(&*stem)?.strip_prefix('.')?;
            rest.strip_suffix(".toml").map(str::to_owned)
        })
        .collect()
}

fn unreadable(path: &Path, error: &std::io::Error) -> Problem {
    Problem::error(&Spot::WholeFile(show(path).into()), "", reason(error))
}

/// Why a file cannot be read.
pub(crate) fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "not found".to_owned(),
        ErrorKind::PermissionDenied => "may not be read: permission denied".to_owned(),
        ErrorKind::IsADirectory => "is a directory".to_owned(),
        _ => format!("cannot be read: {error}"),
    }
}

fn show(path: &Path) -> String {
    path.display().to_string()
}
