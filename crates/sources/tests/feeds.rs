//! Feeds against pages in the shape their sources document: what they say, and what they make of pages that say nothing.

#[cfg(test)]
mod feeds {
    mod boards;
    mod current_reports;
    mod form_d;
    mod kit;
    mod press;
    mod robust;
}
