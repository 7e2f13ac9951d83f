//! Which files an import leads to, before they are read.

use super::ModuleIx;
use super::modules::ModuleMap;
use crate::code::ir::Module;

/// Where every file stands.
#[derive(Debug)]
pub(crate) struct Imports(ModuleMap);

impl Imports {
    /// Goes by the paths of modules alone.
    pub(crate) fn among(modules: &mut [Module]) -> Self {
        Self(ModuleMap::of(modules))
    }

    /// The modules that a module names in its imports: each itself, the packages around it, and what is
    /// taken from it where that is a module too.
    pub(crate) fn of(&self, from: ModuleIx, module: &Module) -> Vec<ModuleIx> {
        let mut found = Vec::new();
        for import in &module.imports {
            let direct = self.0.find(from, &import.module);
            found.extend(direct);
            let mut path = &*import.module;
            while let Some((outer, _)) = path.rsplit_once('.').filter(|(outer, _)| !outer.ends_with('.')) {
                found.extend(self.0.find(from, outer));
                path = outer;
            }
            let Some(symbol) = import.symbol.as_deref() else {
                continue;
            };
            found.extend(direct.and_then(|package| self.0.submodule(package, symbol)));
            let separator = if import.module.ends_with('.') { "" } else { "." };
            found.extend(self.0.find(from, &format!("{}{separator}{symbol}", import.module)));
        }
        found
    }
}
