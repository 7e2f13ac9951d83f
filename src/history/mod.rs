//! The shared ground: messages, the reducers that fold updates into a history, turns and tool pairs.
//! Pure functions; no I/O.
