//! Changes of containers: elements, iterators, algorithms.

use super::{Generator, Scope};

impl Generator {
    pub(super) fn change_container(&mut self, scope: &mut Scope) -> bool {
        if self.rng.chance(40)
            && let Some(shelf) = (!scope.shelves.is_empty()).then(|| self.rng.pick(&scope.shelves).clone())
        {
            self.change_shelf(scope, shelf);
            return true;
        }
        if self.rng.chance(20)
            && let Some(map) = self.some(&scope.maps)
        {
            self.change_map(scope, &map);
            return true;
        }
        let Some(row) = self.some(&scope.rows) else {
            return false;
        };
        self.change_row(scope, &row);
        true
    }

    /// A container of objects.
    fn change_shelf(&mut self, scope: &Scope, shelf: (String, usize)) {
        let atom = self.given(scope);
        let (name, class) = shelf;
        let each = self.fresh("e");
        match self.rng.below(5) {
            0 => {
                let ty = self.classes[class].name.clone();
                self.line(&format!("{name}.push_back({ty}({atom}));"));
            }
            1 => self.line(&format!("{name}.emplace_back({atom});")),
            2 => {
                self.line(&format!("for (auto &{each} : {name})"));
                self.line(&format!("    {each}.inc({atom});"));
            }
            3 => {
                self.line(&format!(
                    "for (auto {each} = {name}.begin(); {each} != {name}.end(); ++{each})"
                ));
                self.line(&format!("    {each}->step({atom});"));
            }
            _ => {
                let ty = self.classes[class].name.clone();
                self.line(&format!(
                    "std::for_each({name}.begin(), {name}.end(), [&]({ty} &{each}) {{ {each}.inc({atom}); }});"
                ));
            }
        }
    }

    fn change_map(&mut self, scope: &Scope, map: &str) {
        let (k, atom) = (self.given(scope), self.given(scope));
        let each = self.fresh("e");
        match self.rng.below(3) {
            0 => self.line(&format!("{map}[{atom}] = {k};")),
            1 => self.line(&format!("{map}.insert(std::make_pair({atom}, {k}));")),
            _ => {
                self.line(&format!("for (auto &{each} : {map})"));
                self.line(&format!("    {each}.second += {k};"));
            }
        }
    }

    /// A container of numbers.
    fn change_row(&mut self, scope: &mut Scope, row: &str) {
        let (k, atom) = (self.given(scope), self.given(scope));
        let each = self.fresh("e");
        let grows = row.starts_with("row") || row == "o";
        match self.rng.below(7) {
            0 | 1 if grows => self.line(&format!("{row}.push_back({k});")),
            2 => {
                self.line(&format!("for (int &{each} : {row})"));
                self.line(&format!("    {each} += {k};"));
            }
            3 => self.line(&format!(
                "std::sort({row}.begin(), {row}.end(), [](int l, int r) {{ return l % 10 < r % 10; }});"
            )),
            4 => self.line(&format!("std::fill({row}.begin(), {row}.end() - 1, {k});")),
            5 => {
                self.line(&format!(
                    "int {each} = std::accumulate({row}.begin(), {row}.end(), {atom});"
                ));
                scope.ints.push(each);
            }
            _ => {
                self.line(&format!(
                    "for (auto {each} = {row}.begin(); {each} != {row}.end(); ++{each})"
                ));
                self.line(&format!("    *{each} -= {atom};"));
            }
        }
    }
}
