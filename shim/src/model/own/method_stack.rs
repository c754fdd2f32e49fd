//! The methods of a thread that the agent believes to be running.

use event_translate::method_costs::Meter;
use event_translate::shadow::Shadow;

use crate::model::method_flow::EPOCH;
use crate::model::own::cell::OwnCell;

/// The methods of a thread that the agent believes to be running.
#[derive(Debug)]
pub(crate) struct MethodStack {
    shadow: Shadow,
    epoch: u32,
    /// Which of its events are looked at for what they cost.
    pub(crate) meter: Meter,
}

impl MethodStack {
    pub(crate) const fn new() -> OwnCell<Self> {
        OwnCell::new(Self {
            shadow: Shadow::new(),
            epoch: 0,
            meter: Meter::new(),
        })
    }

    /// The shadow as of now.
    pub(crate) fn of_epoch(&mut self, active: u32) -> &mut Shadow {
        let epoch = active & !(EPOCH - 1);
        if self.epoch != epoch {
            self.shadow.clear();
            self.epoch = epoch;
        }
        &mut self.shadow
    }

    /// What runs has gone elsewhere ([`Shadow::is_moved`]).
    pub(in crate::model) fn is_moved(&mut self) {
        self.shadow.is_moved();
    }

    /// The shadow, if it is of the time that this word of the gate's knows: it may be a moment
    /// behind what flows.
    #[inline(always)]
    pub(crate) fn at_once(&mut self, active: u32) -> Option<&mut Shadow> {
        (self.epoch == active & !(EPOCH - 1)).then_some(&mut self.shadow)
    }
}
