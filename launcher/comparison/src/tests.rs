//! Each verdict, from recordings made here.

mod births;
mod made;
mod nouns;
mod samples;
mod wrong;
