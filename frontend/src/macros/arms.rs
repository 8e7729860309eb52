//! Which definition of a macro holds where another one is known to hold.
//!
//! What stands in an arm of `#if` is there in the builds that take the arm. So a macro that is named in another's replacement list has the
//! definition of the same arm, whatever other builds define it as.

use super::Visible;
use crate::directive::Definition;
use crate::facts::OpenArm;

impl<'m> Visible<'m> {
    /// The one place where `name` gets `definition`, as far as this file sees: the file, and the conditional arms around.
    fn place_of(&self, name: &[u8], definition: &Definition) -> Option<(Option<u32>, &'m [OpenArm])> {
        let own = self.own.get(name).and_then(|history| history.last());
        let own = own.map(|(_, state)| (None, self.own_facts, state));
        let states = self.macros.states.get(name).into_iter().flatten();
        let included = states
            .filter(|(id, _)| self.included.all.contains(id))
            .map(|(id, state)| (Some(*id), &self.macros.files[*id as usize].1, state));
        let mut found = None;
        for (file, facts, state) in own.into_iter().chain(included) {
            for index in &state.definitions {
                let event = &facts.events[*index as usize];
                if event.definition.as_ref() == Some(definition)
                    && found.replace((file, &*event.arms)).is_some()
                {
                    return None;
                }
            }
        }
        found
    }

    /// The one of `definitions` of `name` that is in force wherever `outer_name` has the definition `outer`, because it stands in the same
    /// arm of a conditional group or around it, and the others stand in other arms.
    pub fn in_force_within(
        &self,
        name: &[u8],
        definitions: &[&'m Definition],
        outer_name: &[u8],
        outer: &Definition,
    ) -> Option<&'m Definition> {
        let (file, arms) = self.place_of(outer_name, outer)?;
        let mut only = None;
        for definition in definitions {
            let (its_file, its_arms) = self.place_of(name, definition)?;
            if its_file != file {
                return None;
            }
            let other_arm = |its: &OpenArm| {
                arms.iter()
                    .any(|arm| arm.group == its.group && arm.arm != its.arm)
            };
            if its_arms.iter().any(other_arm) {
                continue;
            }
            let around = its_arms.iter().all(|arm| arms.contains(arm));
            if !around || only.replace(*definition).is_some() {
                return None;
            }
        }
        only
    }
}
