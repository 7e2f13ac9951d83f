//! The rows of the decision matrix, as a finding's help names them.

/// Dates, plans, files, permissions: what holds at the moment.
pub(super) const STATE: &str = "decision matrix, row `state`: rebuild it for every call and send it with that call only, \
     behind the history";
/// An attachment, a mention: what happened once.
pub(super) const EVENT: &str = "decision matrix, row `event`: attach it to the message that is being written, when it is \
     written; that message is the newest by construction";
