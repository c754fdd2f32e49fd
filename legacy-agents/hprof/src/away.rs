//! What threads keep for themselves, while they do not run: virtual threads leave their carrier and go
//! on with another, where another's lies in the place of the thread of the operating system.

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

/// Something that belongs to the thread of one JNIEnv.
pub(crate) trait OfThread {
    fn env(&self) -> usize;
}

/// What belongs to threads that run nowhere now, by JNIEnv.
pub(crate) struct Away<T>(Mutex<Option<FxHashMap<usize, Box<T>>>>);

impl<T: OfThread> Away<T> {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(None))
    }

    fn with<O>(&self, body: impl FnOnce(&mut FxHashMap<usize, Box<T>>) -> O) -> O {
        let mut away = self.0.lock();
        body(away.get_or_insert_default())
    }

    /// Whose lies in `place` has left it to the thread of this env: puts that one's there, if it has
    /// some; whether it has.
    pub(crate) fn comes(&self, place: &mut Option<Box<T>>, env: usize) -> bool {
        if place.as_ref().is_none_or(|there| there.env() != env) {
            self.with(|away| {
                if let Some(left) = place.take() {
                    away.insert(left.env(), left);
                }
                *place = away.remove(&env);
            });
        }
        place.is_some()
    }

    /// The thread of this env has ended, perhaps with what lies in `place`: that, or what it left.
    pub(crate) fn ends(&self, place: &mut Option<Box<T>>, env: usize) -> Option<Box<T>> {
        let here = place.take_if(|there| there.env() == env);
        here.or_else(|| self.with(|away| away.remove(&env)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Own(usize, u32);

    impl OfThread for Own {
        fn env(&self) -> usize {
            self.0
        }
    }

    #[test]
    fn each_finds_its_own_wherever_it_goes_on() {
        let away = Away::new();
        let (mut one, mut other) = (Some(Box::new(Own(1, 10))), None);
        assert!(away.comes(&mut one, 1));
        // Thread 2 is new on this carrier, and thread 1 goes on with the other.
        assert!(!away.comes(&mut one, 2));
        one = Some(Box::new(Own(2, 20)));
        assert!(away.comes(&mut other, 1));
        assert_eq!(other.as_ref().map(|own| own.1), Some(10));
        assert!(away.ends(&mut other, 2).is_none());
        assert_eq!(away.ends(&mut one, 2).map(|own| own.1), Some(20));
        assert!(!away.comes(&mut other, 3));
        assert_eq!(away.ends(&mut other, 1).map(|own| own.1), Some(10));
    }
}
