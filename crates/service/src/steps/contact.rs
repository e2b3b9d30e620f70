//! How somebody can be reached: their business address and their mobile, from what is known or from whoever can be asked.

use super::address::business_address;
use super::somebody::Who;
use super::telephone::{Wanted, look};
use crate::context::Context;
use crate::endpoint::{Step, Trace};
use crate::fault::{Code, Fault};
use crate::upstream::not_silent;
use assay_domain::Person;
use assay_domain::clock::Stopwatch;
use assay_engine::mail::Freshness;

/// What leads to somebody.
#[derive(Debug, Default)]
pub struct Contact {
    pub email: Option<String>,
    pub is_email_verified: bool,
    pub phone: Option<String>,
    /// Parts nobody could be asked for.
    pub failed_parts: Vec<&'static str>,
    pub trace: Trace,
}

impl Contact {
    /// Whether somebody can surely be reached by it.
    pub fn is_enough(&self) -> bool {
        self.phone.is_some() || (self.email.is_some() && self.is_email_verified)
    }
}

/// Both at once: neither waits for the other.
pub async fn contact(context: &Context, person: &Person) -> Result<Contact, Fault> {
    let (email, phone) = tokio::join!(Box::pin(email(context, person)), Box::pin(phone(context, person)));
    let mut contact = Contact::default();
    match email {
        Ok(Some((address, is_verified, steps))) => {
            (contact.email, contact.is_email_verified) = (Some(address), is_verified);
            contact.trace.steps.extend(steps);
        }
        Ok(None) => {}
        Err(fault) => contact.failed_parts.push(failed("email", fault)?),
    }
    match phone {
        Ok((number, steps)) => {
            contact.phone = number;
            contact.trace.steps.extend(steps);
        }
        Err(fault) => contact.failed_parts.push(failed("phone", fault)?),
    }
    Ok(contact)
}

/// What others failed at is a part that is missing; what we failed at is a failure.
fn failed(part: &'static str, fault: Fault) -> Result<&'static str, Fault> {
    if fault.code == Code::UpstreamError { Ok(part) } else { Err(fault) }
}

type FoundEmail = (String, bool, Vec<Step>);

async fn email(context: &Context, person: &Person) -> Result<Option<FoundEmail>, Fault> {
    let watch = Stopwatch::start();
    let Some(who) = Who::of(person) else { return Ok(None) };
    let searching = business_address(context, &who, Freshness::to_find(None), Some(person));
    let Some(search) = searching.await? else { return Ok(None) };
    let Some(found) = search.found else {
        not_silent(&search.trail)?;
        return Ok(None);
    };
    let mut trace = Trace { steps: vec![Step::own("mailbox", "found", watch.elapsed())], ..Trace::default() };
    trace.add_vendors(&search.trail);
    Ok(Some((String::from(found.email), found.is_verified, trace.steps)))
}

async fn phone(context: &Context, person: &Person) -> Result<(Option<String>, Vec<Step>), Fault> {
    let Some(who) = Who::of(person) else { return Ok((None, Vec::new())) };
    let wanted = Wanted { who, any_line: false, max_age: None };
    let (search, trace) = look(context, wanted, Some(person.clone())).await?;
    // That we know no number ourselves is not that there is none, where vendors should have been asked.
    if search.found.is_none() {
        not_silent(&search.trail)?;
    }
    Ok((search.found.map(|found| found.number.as_str().to_owned()), trace.steps))
}
