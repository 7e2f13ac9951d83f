//! Whose method a call on the own object enters: that of the object which the method around it was
//! called on.

use rustc_hash::{FxHashMap, FxHashSet};

use super::graph::{Origin, Site};
use crate::code::ir::{ExprId, ExprKind};
use crate::code::project::{ClassRef, ExprRef, FuncRef, Project, Target};

/// What the calls of a project say about the objects whose methods they enter.
#[derive(Debug, Default)]
pub(crate) struct Dispatch {
    /// Calls on the own object: `self.body()`.
    own: FxHashSet<Site>,
    /// The classes of the objects of other calls.
    of: FxHashMap<Site, ClassRef>,
    /// For each of these classes, it, those that it is made of and those that are made of it.
    kin: FxHashMap<ClassRef, FxHashSet<ClassRef>>,
    /// The classes of the methods that are entered.
    methods: FxHashMap<FuncRef, ClassRef>,
}

impl Dispatch {
    /// Notes a call, which stands in `here` and enters methods.
    pub(super) fn note(&mut self, project: &Project, here: FuncRef, site: Site, call: ExprRef, entered: &[FuncRef]) {
        let at = |expr| ExprRef {
            module: call.module,
            expr,
        };
        let mut object = None;
        for function in entered {
            let ir = project.function(*function);
            let Some(class) = ir.class.filter(|_| ir.has_receiver) else {
                continue;
            };
            let class = ClassRef {
                module: function.module,
                class,
            };
            self.methods.insert(*function, class);
            let receiver = project.bind(call, *function).into_iter().find(|(param, _)| *param == 0);
            object = object.or(receiver.map(|(_, value)| at(value)));
        }
        let Some(object) = object else { return };
        if is_own(project, here, object) {
            self.own.insert(site);
        } else if let Some(class) = only_class(project, here, object.expr) {
            self.of.insert(site, class);
            self.kin.entry(class).or_insert_with(|| project.kin(class));
        }
    }

    /// Whether a call enters a function where a walk went into `calls` before, outermost first.
    pub(super) fn enters(&self, site: Site, calls: &[Site], origin: &Origin) -> bool {
        let (Origin::Result(function) | Origin::Param(function, _)) = origin else {
            return true;
        };
        let Some(class) = self.methods.get(function).filter(|_| self.own.contains(&site)) else {
            return true;
        };
        let other = calls.iter().rev().find(|site| !self.own.contains(site));
        let object = other.and_then(|site| self.of.get(site));
        object.is_none_or(|object| self.kin[object].contains(class))
    }
}

fn is_own(project: &Project, here: FuncRef, object: ExprRef) -> bool {
    match project.module(object.module).kind(object.expr) {
        ExprKind::Name(name) => project.is_receiver(here, name),
        _ => false,
    }
}

/// The class of an object, if it is one only.
fn only_class(project: &Project, here: FuncRef, object: ExprId) -> Option<ClassRef> {
    match project.types_of(here, object)[..] {
        [Target::Class(class)] => Some(class),
        _ => None,
    }
}
