//! What each thread keeps for itself, at hand without a common table: that of a thread of the operating
//! system lies in its place, that of a virtual thread goes on with it to any carrier.
//!
//! # Threads
//! All is for the thread itself; its THREAD_END comes on it, too. So nobody ever waits for the lock of what a
//! virtual thread keeps: it is there because carriers that the thread has left know that still.

use std::cell::RefCell;
use std::sync::Arc;
use std::thread::LocalKey;

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

/// Of a virtual thread; `None` once it has ended.
type Carried<T> = Arc<Mutex<Option<Box<T>>>>;

/// Of a thread of the operating system; each with the JNIEnv of whom it belongs to.
pub(crate) struct Place<T> {
    own: Option<(usize, Box<T>)>,
    /// Of the virtual thread that was here last.
    carried: Option<(usize, Carried<T>)>,
}

impl<T> Place<T> {
    pub(crate) const fn new() -> Self {
        Self {
            own: None,
            carried: None,
        }
    }
}

/// Of all virtual threads, by JNIEnv.
pub(crate) struct AllCarried<T>(Mutex<Option<FxHashMap<usize, Carried<T>>>>);

impl<T> AllCarried<T> {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(None))
    }
}

/// Something that threads keep, each one of its own.
pub(crate) trait OfThread: Sized + 'static {
    const PLACE: &'static LocalKey<RefCell<Place<Self>>>;

    fn carried() -> &'static AllCarried<Self>;

    /// Does something with the calling thread's, of this JNIEnv; `None` if there is none here.
    #[inline]
    fn with<O>(env: usize, body: impl FnOnce(&mut Self) -> O) -> Option<O> {
        in_place(|place| {
            if let Some((whose, own)) = &mut place.own
                && *whose == env
            {
                return Some(body(own));
            }
            let carried = place.carried.as_ref();
            let (_, own) = carried.filter(|(whose, _)| *whose == env)?;
            own.try_lock()?.as_deref_mut().map(body)
        })
    }

    /// From now on the calling thread has this.
    fn begin(self: Box<Self>, env: usize, is_virtual: bool) {
        in_place(|place| {
            if is_virtual || place.own.is_some() {
                let own = Arc::new(Mutex::new(Some(self)));
                place.carried = Some((env, Arc::clone(&own)));
                let mut all = Self::carried().0.lock();
                all.get_or_insert_default().insert(env, own);
            } else {
                place.own = Some((env, self));
            }
            Some(())
        });
    }

    /// The calling thread, which has none here, goes on with what it has left elsewhere; false if that is
    /// nothing.
    #[cold]
    fn comes(env: usize) -> bool {
        let all = Self::carried().0.lock();
        let own = all.as_ref().and_then(|all| all.get(&env).cloned());
        drop(all);
        let comes = |place: &mut Place<Self>| {
            place.carried = Some((env, own?));
            Some(())
        };
        in_place(comes).is_some()
    }

    /// What the calling thread has had: it ends.
    fn end(env: usize) -> Option<Box<Self>> {
        let here = in_place(|place| place.own.take_if(|(whose, _)| *whose == env));
        here.map(|(_, own)| own).or_else(|| {
            let carried = Self::carried().0.lock().as_mut()?.remove(&env)?;
            carried.lock().take()
        })
    }
}

/// The calling thread's place, unless we are in it or it has gone.
#[inline]
fn in_place<T: OfThread, O>(body: impl FnOnce(&mut Place<T>) -> Option<O>) -> Option<O> {
    let done = T::PLACE.try_with(|place| body(&mut *place.try_borrow_mut().ok()?));
    done.ok().flatten()
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};
    use std::thread;

    use super::*;

    struct Own(u32);

    thread_local! {
        static PLACE: RefCell<Place<Own>> = const { RefCell::new(Place::new()) };
    }

    static CARRIED: AllCarried<Own> = AllCarried::new();

    impl OfThread for Own {
        const PLACE: &'static LocalKey<RefCell<Place<Self>>> = &PLACE;

        fn carried() -> &'static AllCarried<Self> {
            &CARRIED
        }
    }

    fn begin(env: usize, number: u32, is_virtual: bool) {
        assert!(Own::with(env, |_| ()).is_none() && !Own::comes(env));
        Box::new(Own(number)).begin(env, is_virtual);
    }

    /// The number of the calling thread of this env, wherever it comes from.
    fn number(env: usize) -> Option<u32> {
        let here = Own::with(env, |own| own.0);
        here.or_else(|| Own::comes(env).then(|| Own::with(env, |own| own.0))?)
    }

    /// A carrier, and what has it do something and waits for the end.
    fn carrier<'a>(scope: &'a thread::Scope<'a, '_>) -> impl Fn(fn()) + use<> {
        let (tell, told) = channel::<(fn(), Sender<()>)>();
        scope.spawn(move || {
            for (run, done) in told {
                run();
                done.send(()).unwrap();
            }
        });
        move |run| {
            let (done, is_done) = channel();
            tell.send((run, done)).unwrap();
            is_done.recv().unwrap();
        }
    }

    #[test]
    fn each_finds_its_own_wherever_it_goes_on() {
        thread::scope(|scope| {
            let (one, other) = (carrier(scope), carrier(scope));
            one(|| begin(100, 1, false));
            one(|| begin(7, 70, true));
            // Nobody has taken the place that it leaves.
            other(|| assert_eq!(number(7), Some(70)));
            other(|| begin(8, 80, true));
            one(|| assert_eq!(number(8), Some(80)));
            one(|| assert_eq!(number(7), Some(70)));
            one(|| assert_eq!(number(100), Some(1)));
            other(|| assert_eq!(number(7), Some(70)));
            other(|| assert_eq!(Own::end(7).map(|own| own.0), Some(70)));
            // Its env is the next one's, and begins where that one was seen last.
            one(|| assert_eq!(number(7), None));
            one(|| begin(7, 71, true));
            other(|| assert_eq!(number(7), Some(71)));
            other(|| assert!(Own::end(9).is_none()));
            one(|| assert_eq!(Own::end(100).map(|own| own.0), Some(1)));
            one(|| assert_eq!(Own::end(8).map(|own| own.0), Some(80)));
        });
    }
}
