//! Dumps are written into memory that grows without being copied.

use dump_format::{Sink, WriteError};

use crate::os::mapping::Mapping;

impl Sink for Mapping {
    #[inline]
    fn grow(&mut self, bytes: usize) -> Result<&mut [u8], WriteError> {
        self.append(bytes).ok_or(WriteError::NoMemory)
    }

    #[inline]
    fn written(&mut self) -> &mut [u8] {
        self.bytes_mut()
    }
}
