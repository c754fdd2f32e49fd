//! Formats of today: one line per stack, JSON, a page with a flame graph.
