//! The bytes of an executable: those that tell which build it is and hold our sections at once, all of them when something asks for debug info or code.
//!
//! A map that is inside a program, beside it or kept needs no more than the outline, and most of a large program is debug info. The file stays open in
//! between, so that what is read later is of the same file, whatever its name leads to by then.

use regular_files::{Limit, Parts, read_opened};
use std::cell::OnceCell;
use std::fs::File;
use std::io::{self, Seek as _};

/// The bytes of one file.
pub(crate) struct Contents {
    /// As long as the file, with zeros for what was not read.
    outline: Vec<u8>,
    /// None once all of it was read.
    file: Option<File>,
    /// So many bytes it may have.
    most: Limit,
    whole: OnceCell<Vec<u8>>,
}

impl Contents {
    /// Reads the outline of a file; all of what is no regular file and cannot be read in parts.
    pub(crate) fn of(mut file: File, most: Limit) -> io::Result<Self> {
        if !file.metadata()?.is_file() {
            let bytes = read_opened(&mut file, most)?;
            return Ok(Self {
                outline: Vec::new(),
                file: None,
                most,
                whole: OnceCell::from(bytes),
            });
        }
        let mut parts = Parts::of(&file, most)?;
        for step in embed::outline::STEPS {
            for part in step(parts.so_far()) {
                parts.read(part)?;
            }
        }
        Ok(Self {
            outline: parts.into_bytes(),
            file: Some(file),
            most,
            whole: OnceCell::new(),
        })
    }

    /// What tells the build, and the sections that are ours, at their places.
    pub(crate) fn outline(&self) -> &[u8] {
        self.whole.get().unwrap_or(&self.outline)
    }

    /// All bytes.
    pub(crate) fn whole(&self) -> io::Result<&[u8]> {
        if let (None, Some(file)) = (self.whole.get(), &self.file) {
            let mut file = file.try_clone()?;
            file.rewind()?;
            let bytes = read_opened(&mut file, self.most)?;
            if bytes.len() != self.outline.len() {
                return Err(io::Error::other("it was changed while it was read"));
            }
            // Nobody else can have set it in between.
            let _ = self.whole.set(bytes);
        }
        Ok(self.outline())
    }

    /// The same, read now and closed: for one of so many files that they cannot all stay open.
    pub(crate) fn at_once(mut self) -> io::Result<Self> {
        self.whole()?;
        (self.file, self.outline) = (None, Vec::new());
        Ok(self)
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "the test reads itself")]
mod tests {
    use super::*;

    #[test]
    fn an_outline_tells_the_build_and_the_whole_is_that_of_the_same_file() {
        let itself = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let path = std::env::temp_dir().join(format!("hindmost-contents-{}", std::process::id()));
        std::fs::write(&path, &itself).unwrap();
        let contents = Contents::of(File::open(&path).unwrap(), Limit::PROGRAM).unwrap();
        let (of_outline, of_file) = (engine::identity(contents.outline()), engine::identity(&itself));
        assert_eq!(of_outline.unwrap(), of_file.unwrap());
        assert!(contents.outline() != itself, "not all of it was read");
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, b"another file of this name").unwrap();
        assert!(contents.whole().unwrap() == itself);
        let contents = contents.at_once().unwrap();
        assert!(contents.file.is_none() && contents.whole().unwrap() == itself);
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn a_file_that_was_cut_off_in_between_is_an_error() {
        let path = std::env::temp_dir().join(format!("hindmost-contents-cut-{}", std::process::id()));
        std::fs::write(&path, [b"\x7fELF".as_slice(), &[0; 5000]].concat()).unwrap();
        let contents = Contents::of(File::open(&path).unwrap(), Limit::PROGRAM).unwrap();
        std::fs::write(&path, b"\x7fELF").unwrap();
        let error = contents.whole().unwrap_err();
        assert_eq!(error.to_string(), "it was changed while it was read");
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn what_is_no_program_is_read_as_far_as_it_goes() {
        let path = std::env::temp_dir().join(format!("hindmost-contents-text-{}", std::process::id()));
        for text in [&b""[..], b"\x7fELF", &[b'x'; 70_000]] {
            std::fs::write(&path, text).unwrap();
            let contents = Contents::of(File::open(&path).unwrap(), Limit::PROGRAM).unwrap();
            assert_eq!(contents.outline().len(), text.len());
            assert!(contents.whole().unwrap() == text);
        }
        std::fs::remove_file(path).unwrap();
    }
}
