//! Each verdict, from recordings made here.

mod arenas;
mod births;
mod dumps;
mod in_one;
mod listening;
mod made;
mod nouns;
mod own;
mod said;
mod samples;
mod tags;
mod threads;
mod wrong;
