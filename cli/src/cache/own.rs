//! Whose a directory is. A cache is used only if it belongs to the user who runs, and nobody else can write to it: what is kept in it is
//! believed, and files in it are removed when room is needed. As root with somebody's `HOME` there is none.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

/// The mode bits by which others than the owner may write.
const OTHERS_WRITE: u32 = 0o022;

/// The directory `names`, one below the other, below `base`, which is made where it is missing.
///
/// # Errors
/// When one of them cannot be made, is a link, somebody else's, or open to others: which, and why.
pub(super) fn directory(base: &Path, names: &[&str]) -> Result<PathBuf, String> {
    let at = |path: &Path, why: &dyn std::fmt::Display| format!("{}: {why}", path.display());
    fs::create_dir_all(base).map_err(|error| at(base, &error))?;
    // The user's own cache directory may be a link, to a larger disk for instance.
    let metadata = fs::metadata(base).map_err(|error| at(base, &error))?;
    if metadata.uid() != user() {
        return Err(at(base, &"it belongs to somebody else"));
    }
    let mut path = base.to_owned();
    for name in names {
        path.push(name);
        match DirBuilder::new().mode(0o700).create(&path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(at(&path, &error)),
            _ => {}
        }
        let metadata = fs::symlink_metadata(&path).map_err(|error| at(&path, &error))?;
        let wrong = match (
            metadata.is_dir(),
            metadata.uid() == user(),
            metadata.mode() & OTHERS_WRITE,
        ) {
            (false, ..) => "it is a link or a file, and no directory",
            (true, false, _) => "it belongs to somebody else",
            (true, true, 1..) => "others may write to it",
            (true, true, 0) => continue,
        };
        return Err(at(&path, &wrong));
    }
    Ok(path)
}

/// Whether a file is one that hindmost has put into its cache: by its name, a hash with one of our endings, and by its owner.
pub(super) fn is_kept(path: &Path, metadata: &fs::Metadata) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    let is_ours = matches!(ending, Some("hmap" | "pmap" | "graph" | "unit" | "tmp"));
    let stem = path
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let hash = stem.split('.').next().unwrap_or_default();
    let is_hash = hash.len() >= 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    metadata.is_file() && metadata.uid() == user() && is_ours && is_hash
}

fn user() -> u32 {
    nix::unistd::geteuid().as_raw()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    /// A directory that goes away with this value.
    struct Base(PathBuf);

    impl Base {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("hindmost-own-{}-{name}", std::process::id()));
            fs::create_dir_all(&path).unwrap();
            Self(path)
        }
    }

    impl Drop for Base {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_directory_of_ones_own_is_made() {
        let base = Base::new("made");
        let found = directory(&base.0, &["hindmost", "maps"]).unwrap();
        assert_eq!(found, base.0.join("hindmost/maps"));
        assert_eq!(fs::metadata(&found).unwrap().mode() & 0o777, 0o700);
        assert_eq!(directory(&base.0, &["hindmost", "maps"]), Ok(found));
    }

    #[test]
    fn a_link_is_not_followed() {
        let (base, other) = (Base::new("link"), Base::new("other"));
        symlink(&other.0, base.0.join("hindmost")).unwrap();
        let error = directory(&base.0, &["hindmost", "maps"]).unwrap_err();
        assert!(error.contains("is a link"), "{error}");
        assert_eq!(fs::read_dir(&other.0).unwrap().count(), 0);
    }

    #[test]
    fn a_directory_that_others_write_to_is_not_used() {
        let base = Base::new("open");
        let path = directory(&base.0, &["hindmost"]).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o777)).unwrap();
        let error = directory(&base.0, &["hindmost", "maps"]).unwrap_err();
        assert!(error.contains("others may write"), "{error}");
    }

    #[test]
    fn only_what_has_our_names_is_ours() {
        let base = Base::new("names");
        let kept = |name: &str| {
            let path = base.0.join(name);
            fs::write(&path, "x").unwrap();
            is_kept(&path, &fs::symlink_metadata(&path).unwrap())
        };
        assert!(kept("0123456789abcdef0123.hmap"));
        assert!(kept("0123456789abcdef0123.unit"));
        assert!(!kept("precious.img"));
        assert!(!kept("notes.hmap"));
        assert!(!kept("0123456789abcdef0123.img"));
    }
}
