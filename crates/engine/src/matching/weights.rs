//! What each agreement and each difference is worth: logarithms of how much likelier it is among records of one person
//! than among records of two who meet under one key, in hundredths of a bit.

use crate::likeness::{CompanyLikeness, FamilyLikeness, GivenLikeness};

/// Hundredths of a bit. Integers, so that the same records weigh the same on every machine.
pub type Weight = i32;

/// From here on a record is linked to a person.
pub const LINK_ENOUGH: Weight = 1_500;
/// The same where nothing but the name speaks for it.
pub const LINK_BY_NAME_ENOUGH: Weight = 1_700;
/// And only if the next best is so much worse.
pub const LINK_MARGIN: Weight = 300;

pub(super) fn given(likeness: GivenLikeness) -> Weight {
    match likeness {
        GivenLikeness::Same => 500,
        GivenLikeness::Nickname => 350,
        GivenLikeness::Slip => 200,
        GivenLikeness::Clipped => 300,
        GivenLikeness::Cousins => 150,
        GivenLikeness::Initial => 100,
        GivenLikeness::Unknown => 0,
        GivenLikeness::Kin => -50,
        GivenLikeness::Different => -800,
    }
}

pub(super) fn family(likeness: FamilyLikeness) -> Weight {
    match likeness {
        FamilyLikeness::Same => 700,
        FamilyLikeness::Slip => 450,
        FamilyLikeness::Part => 350,
        FamilyLikeness::Initial => 100,
        FamilyLikeness::Unknown => 0,
        FamilyLikeness::Different => -900,
    }
}

pub(super) const SWAPPED: Weight = -100;
pub(super) const SAME_MIDDLE: Weight = 200;
pub(super) const OTHER_MIDDLE: Weight = -500;

/// Companies of which it is certain that they are one.
pub(super) const SAME_EMPLOYER: Weight = 800;
/// A vague name of a company that may mean the other.
pub(super) const POSSIBLE_EMPLOYER: Weight = 650;
/// One of them has left.
pub(super) const FORMER_EMPLOYER: Weight = -50;
/// Both are known, and not the same: people change their jobs, and lists grow old.
pub(super) const OTHER_EMPLOYER: Weight = -200;
/// For each further company of the one who has fewer: whole careers that have nothing in common are two.
pub(super) const OTHER_CAREER: Weight = -200;
/// Who asks for somebody at a company means somebody who is or was there.
pub(super) const NEVER_THERE: Weight = -1_200;

pub(super) fn employer_name(likeness: CompanyLikeness) -> Weight {
    match likeness {
        CompanyLikeness::Same => 750,
        CompanyLikeness::Core => 650,
        CompanyLikeness::Abbreviated => 650,
        CompanyLikeness::Slip => 600,
        CompanyLikeness::Acronym => 400,
        CompanyLikeness::Contained => 450,
        CompanyLikeness::Different => 0,
    }
}

pub(super) const SAME_TITLE: Weight = 600;
pub(super) const LIKE_TITLE: Weight = 450;
/// Another title of the same department.
pub(super) const NEAR_TITLE: Weight = 50;
pub(super) const OTHER_TITLE: Weight = -50;
/// The same company now, and another title of the same department.
pub(super) const LIKE_TITLE_THERE: Weight = -150;
/// Another department of the same company, now: rather a namesake.
pub(super) const OTHER_TITLE_THERE: Weight = -800;

pub(super) const SAME_CITY: Weight = 250;
/// With a slip of the finger in one of them.
pub(super) const LIKE_CITY: Weight = 150;
pub(super) const SAME_COUNTRY: Weight = 50;
pub(super) const OTHER_CITY: Weight = -150;
pub(super) const OTHER_COUNTRY: Weight = -400;

pub(super) const SAME_EMAIL: Weight = 1_800;
/// A mailbox that several people read.
pub(super) const SHARED_MAILBOX: Weight = 100;
/// Two addresses at one company: it gives everybody one.
pub(super) const OTHER_EMAIL: Weight = -1_800;
pub(super) const SAME_PHONE: Weight = 1_000;
pub(super) const SAME_LANDLINE: Weight = 500;
pub(super) const OTHER_PHONE: Weight = -250;
pub(super) const SAME_PAGE: Weight = 1_800;
pub(super) const OTHER_PAGE: Weight = -1_200;

pub(super) const SAME_SCHOOL: Weight = 250;
pub(super) const SAME_SCHOOL_AND_YEAR: Weight = 450;

/// What a family name proves beyond what the commonest do: by how many of 100,000 people have it, and by how many under the
/// same key do.
pub(super) fn rare_family(of_all: u32, of_those: u32) -> Weight {
    let by_list = match of_all {
        0 => 800,
        1..=7 => 500,
        8..=15 => 350,
        16..=39 => 250,
        40..=99 => 150,
        _ => 0,
    };
    // Each of them has another given name; that the next has the same is as likely as they are many.
    let by_count = match of_those {
        0 | 1 => 800,
        2 => 700,
        3 => 650,
        4..=6 => 550,
        7..=12 => 400,
        13..=25 => 250,
        _ => 0,
    };
    by_list.min(by_count)
}

pub(super) const EACH_DOUBLING: Weight = 100;

/// Few people are in one source twice.
pub(super) const SAME_SOURCE: Weight = -400;
pub(super) const OTHER_COPY: Weight = -800;
