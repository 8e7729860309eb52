//! Section `BSIT`: whom call instructions name, where a position in the source has several calls. Not required: a reader without
//! it orders less, and nothing wrongly.

use super::columns::Column;
use super::strings::{Sink, Source};
use crate::BoundSite;
use crate::error::ReadError;

const RETURN: Column = Column(0);
const NAME: Column = Column(1);

pub(crate) fn write_sites<'a>(sink: &mut Sink<'a, '_>, sites: &'a [BoundSite]) {
    let mut address = 0;
    for site in sites {
        sink.columns.at(RETURN).after64(address, site.return_address);
        // No function has an empty name.
        sink.text(NAME, site.named.as_deref().unwrap_or_default());
        address = site.return_address;
    }
}

pub(crate) fn read_sites(mut source: Source<'_, '_>) -> Result<Vec<BoundSite>, ReadError> {
    let mut sites = Vec::with_capacity(source.columns.left(RETURN));
    let mut address = 0;
    while source.columns.left(RETURN) > 0 {
        address = source.columns.at(RETURN).after64(address)?;
        let name = source.text(NAME)?;
        sites.push(BoundSite {
            return_address: address,
            named: Some(name).filter(|name| !name.is_empty()),
        });
    }
    source.columns.finish()?;
    Ok(sites)
}
