//! What macros call that were left as they are.

use crate::{FileId, FunctionId, Map, PointId, PointKind};

/// In functions of C in this file, the macro of this name calls some of these functions, and nothing else: whoever is called from its
/// position by another name is called by an argument. Those of [`Map::macros`] evaluate each of their arguments once at most, before they
/// call anything.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MacroCalls {
    /// The file.
    pub file: FileId,
    /// The macro.
    pub name: String,
    /// The functions, sorted.
    pub callees: Vec<String>,
}

impl Map {
    /// The functions that the macro at a point may call once it has its arguments; `None` when that is not known, or the point is no
    /// macro.
    pub fn called_by_macro(&self, function: FunctionId, point: PointId) -> Option<&[String]> {
        self.by_macro(&self.macros, function, point)
    }

    /// The functions that the macro at a point may call, before its arguments or after them; `None` when that is not known, or the
    /// point is no macro.
    pub fn possibly_called_by_macro(&self, function: FunctionId, point: PointId) -> Option<&[String]> {
        let ordered = self.called_by_macro(function, point);
        ordered.or_else(|| self.by_macro(&self.may_call, function, point))
    }

    fn by_macro<'m>(
        &self,
        macros: &'m [MacroCalls],
        function: FunctionId,
        point: PointId,
    ) -> Option<&'m [String]> {
        let body = self.functions.get(function)?;
        let PointKind::MacroCall(name) = &body.points.get(point)?.kind else {
            return None;
        };
        // The body of a C++ macro may make implicit calls.
        if body.is_qualified() {
            return None;
        }
        let key = (body.file, name.as_str());
        let found = macros.binary_search_by(|each| (each.file, each.name.as_str()).cmp(&key));
        found.ok().map(|at| macros[at].callees.as_slice())
    }
}
