//! Questions of spelling that each company answers for itself, and what is usual before anything is known of one.

/// A question of spelling that companies answer differently, and mostly once for everybody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    Umlauts,
    Nordic,
    Script,
    /// Whether the mailbox has the given name as written or another form of it.
    LongGiven,
    /// The same for a name that is itself short for others.
    ShortGiven,
    GivenHyphened,
    GivenSpaced,
    /// Of a double given name one initial or both.
    GivenInitials,
    FamilyHyphened,
    FamilySpaced,
    Particles,
    Apostrophe,
    /// How those who come after a namesake are counted.
    Count,
    /// Whether they are counted at all.
    Namesake,
}

/// An answer to such a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    Plain,
    Spelt,
    AsWritten,
    OtherForm,
    Joined,
    Hyphened,
    Dotted,
    FirstOnly,
    LastOnly,
    /// Particles as initials: vdberg.
    Shortened,
    Kept,
    FromOne,
    FromTwo,
    Numbered,
    Renamed,
}

/// What was chosen, and of what.
pub type Choice = (Topic, Way);

/// What is usual before anything is known of a company, in thousandths for each topic. Written by hand, from what addresses in
/// public look like; a few examples of a company outweigh it.
pub(super) const USUAL: &[(Topic, Way, u32)] = &[
    (Topic::Umlauts, Way::Plain, 500),
    (Topic::Umlauts, Way::Spelt, 500),
    (Topic::Nordic, Way::Plain, 750),
    (Topic::Nordic, Way::Spelt, 250),
    (Topic::Script, Way::Plain, 300),
    (Topic::Script, Way::Spelt, 700),
    (Topic::LongGiven, Way::AsWritten, 975),
    (Topic::LongGiven, Way::OtherForm, 25),
    (Topic::ShortGiven, Way::AsWritten, 950),
    (Topic::ShortGiven, Way::OtherForm, 50),
    (Topic::GivenHyphened, Way::Hyphened, 500),
    (Topic::GivenHyphened, Way::Joined, 230),
    (Topic::GivenHyphened, Way::FirstOnly, 200),
    (Topic::GivenHyphened, Way::Dotted, 50),
    (Topic::GivenHyphened, Way::LastOnly, 20),
    (Topic::GivenSpaced, Way::FirstOnly, 580),
    (Topic::GivenSpaced, Way::Joined, 270),
    (Topic::GivenSpaced, Way::Dotted, 60),
    (Topic::GivenSpaced, Way::Hyphened, 60),
    (Topic::GivenSpaced, Way::LastOnly, 30),
    (Topic::GivenInitials, Way::FirstOnly, 780),
    (Topic::GivenInitials, Way::Joined, 220),
    (Topic::FamilyHyphened, Way::Hyphened, 560),
    (Topic::FamilyHyphened, Way::Joined, 200),
    (Topic::FamilyHyphened, Way::FirstOnly, 110),
    (Topic::FamilyHyphened, Way::LastOnly, 110),
    (Topic::FamilyHyphened, Way::Dotted, 20),
    (Topic::FamilySpaced, Way::FirstOnly, 420),
    (Topic::FamilySpaced, Way::Joined, 270),
    (Topic::FamilySpaced, Way::LastOnly, 200),
    (Topic::FamilySpaced, Way::Hyphened, 60),
    (Topic::FamilySpaced, Way::Dotted, 50),
    (Topic::Particles, Way::Joined, 720),
    (Topic::Particles, Way::LastOnly, 110),
    (Topic::Particles, Way::Shortened, 60),
    (Topic::Particles, Way::Hyphened, 60),
    (Topic::Particles, Way::Dotted, 50),
    (Topic::Apostrophe, Way::Plain, 970),
    (Topic::Apostrophe, Way::Kept, 30),
    (Topic::Count, Way::FromTwo, 650),
    (Topic::Count, Way::FromOne, 350),
    (Topic::Namesake, Way::Numbered, 700),
    (Topic::Namesake, Way::Renamed, 300),
];
