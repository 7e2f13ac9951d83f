//! Questions that are put back in front of what was said before them.

use super::{Facts, Pick, Scan, UseKind};
use crate::code::project::ExprRef;

impl Facts<'_> {
    /// Where a place that a search from the head found takes the newest question: the call that inserts it.
    /// The search may stop at a summary or at an older answer, and a place beside something marked was
    /// chosen.
    pub(crate) fn question_put_ahead(&self, scan: &Scan) -> Option<ExprRef> {
        let sought = self.sought(scan);
        if scan.pick != Pick::Oldest || scan.constant.is_some() || sought.wants_marked() || sought.is_by_id() {
            return None;
        }
        let newest: Vec<&Scan> = self
            .scans()
            .iter()
            .filter(|other| other.pick == Pick::Newest && other.constant.is_none() && self.sought(other).is_user())
            .collect();
        if newest.is_empty() {
            return None;
        }
        self.uses_of_found(scan).iter().find_map(|one| {
            let UseKind::InsertIndex { by } = one.kind else {
                return None;
            };
            let inserts = |other: &&&Scan| {
                let put = |found: &UseKind| matches!(found, UseKind::Element { by: into } if *into == by);
                self.uses_of_found(other)
                    .iter()
                    .any(|found| put(&found.kind) && !found.via.text && found.via.load.is_none())
            };
            newest.iter().any(|other| inserts(&other)).then_some(by)
        })
    }
}
