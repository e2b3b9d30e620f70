//! The local parts the catalogue asks for, and which of them are mailboxes: servers are configured from these lists.

/// What the server that owns the address has under it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// A mailbox.
    Exists,
    /// A mailbox whose name is that of a role: it receives mail, and may be called risky for its name.
    Role,
    /// Nothing.
    Missing,
    /// A mailbox that is full for now (452).
    FullForNow,
    /// A mailbox that is full for good (552).
    FullForGood,
    /// A mailbox somebody switched off (550 5.2.1).
    Disabled,
    /// A mailbox that receives so much that the server defers everybody.
    TooFast,
    /// A mailbox whose name only SMTPUTF8 can say.
    Unicode,
    /// Nothing, under a name that only SMTPUTF8 can say.
    UnicodeMissing,
}

impl State {
    /// Whether there is a mailbox at all, in whatever state.
    pub(super) fn is_mailbox(self) -> bool {
        !matches!(self, Self::Missing | Self::UnicodeMissing)
    }
}

/// A local part as a caller writes it, and what the server has under it.
#[derive(Debug, Clone, Copy)]
pub struct Mailbox {
    pub local: &'static str,
    pub state: State,
}

impl Mailbox {
    const fn new(local: &'static str, state: State) -> Self {
        Self { local, state }
    }

    /// The name the server keeps: in lower case and without a tag, which every server here cuts off.
    pub(super) fn kept_name(&self) -> String {
        let lower = self.local.to_lowercase();
        lower.split('+').next().unwrap_or_default().to_owned()
    }
}

/// How many addresses each behaviour asks for.
pub const ADDRESSES: usize = 20;

const fn is(local: &'static str) -> Mailbox {
    Mailbox::new(local, State::Exists)
}

const fn role(local: &'static str) -> Mailbox {
    Mailbox::new(local, State::Role)
}

const fn no(local: &'static str) -> Mailbox {
    Mailbox::new(local, State::Missing)
}

pub(super) const STAFF: &[Mailbox; ADDRESSES] = &[
    is("anna"),
    is("ben.okafor"),
    is("c.delacroix-moreau"),
    is("DIETER"),
    is("emma+news"),
    is("j_smith"),
    is("x"),
    is("the-department-of-long-names-and-of-even-longer-mailbox-names-01"),
    role("info"),
    role("sales"),
    no("ana"),
    no("benokafor"),
    no("ben.okafo"),
    no("dieter1"),
    no("emma.news"),
    no("EMNA"),
    no("y"),
    no("the-department-of-long-names-and-of-even-longer-mailbox-names-02"),
    no("support"),
    no("admin"),
];

pub(super) const SMALL_FIRM: &[Mailbox; ADDRESSES] = &[
    is("maria.garcia"),
    is("m.garcia"),
    is("Tom.Fischer"),
    is("li"),
    is("noor.al-sayed"),
    is("d'angelo"),
    is("tom.fischer+invoices"),
    is("r2d2"),
    role("support"),
    role("office"),
    no("mariagarcia"),
    no("maria.garcia2"),
    no("maria.garica"),
    no("tom"),
    no("Fischer.Tom"),
    no("ll"),
    no("noor.alsayed"),
    no("r2d3"),
    no("info"),
    no("jobs"),
];

pub(super) const OLD_FIRM: &[Mailbox; ADDRESSES] = &[
    is("kowalski"),
    is("jan.kowalski"),
    is("jkowalski"),
    is("PETRA.HOLM"),
    is("o.nwosu+crm"),
    is("s-berg"),
    is("a.b.c.d"),
    is("1955"),
    role("contact"),
    role("billing"),
    no("kowalsky"),
    no("jan-kowalski"),
    no("janek.kowalski"),
    no("petra.holme"),
    no("PETRA"),
    no("o.nwosa"),
    no("sberg"),
    no("a.b.c"),
    no("marketing"),
    no("hr"),
];

/// Accounts that every Debian system has, and aliases.
pub(super) const SYSTEM_USERS: &[Mailbox; ADDRESSES] = &[
    role("root"),
    role("daemon"),
    role("mail"),
    role("nobody"),
    is("games"),
    is("grace.hopper"),
    is("Grace"),
    is("edsger+lists"),
    is("barbara-liskov"),
    role("info"),
    no("roots"),
    no("deamon"),
    no("game"),
    no("grace.hoper"),
    no("hopper"),
    no("edsgar"),
    no("barbara.liskov"),
    no("nobody1"),
    no("sales"),
    no("contact"),
];

pub(super) const STATES: &[Mailbox; ADDRESSES] = &[
    is("anna"),
    is("ben.okafor"),
    is("Emma"),
    role("info"),
    Mailbox::new("full", State::FullForNow),
    Mailbox::new("full.inbox", State::FullForNow),
    Mailbox::new("over+quota", State::FullForNow),
    Mailbox::new("NEVER.READS", State::FullForNow),
    Mailbox::new("stuffed", State::FullForGood),
    Mailbox::new("paul.fuller", State::FullForGood),
    Mailbox::new("archive-2011", State::FullForGood),
    Mailbox::new("left.in.may", State::Disabled),
    Mailbox::new("former", State::Disabled),
    Mailbox::new("Suspended", State::Disabled),
    no("fuller"),
    no("full.inbox2"),
    no("left"),
    no("anna.b"),
    no("sales"),
    no("archive-2012"),
];

pub(super) const UNICODE: &[Mailbox; ADDRESSES] = &[
    Mailbox::new("jürgen", State::Unicode),
    Mailbox::new("zoë.müller", State::Unicode),
    Mailbox::new("søren", State::Unicode),
    Mailbox::new("françois", State::Unicode),
    Mailbox::new("用户", State::Unicode),
    Mailbox::new("почта", State::Unicode),
    is("anna"),
    is("ben.okafor"),
    is("EMMA"),
    role("info"),
    Mailbox::new("jörgen", State::UnicodeMissing),
    Mailbox::new("zoé.müller", State::UnicodeMissing),
    Mailbox::new("sören", State::UnicodeMissing),
    Mailbox::new("用", State::UnicodeMissing),
    no("juergen"),
    no("jurgen"),
    no("francois"),
    no("soren"),
    no("ann"),
    no("sales"),
];

pub(super) const BUSY: &[Mailbox; ADDRESSES] = &[
    Mailbox::new("everybody.writes.me", State::TooFast),
    Mailbox::new("alerts", State::TooFast),
    Mailbox::new("celebrity", State::TooFast),
    Mailbox::new("Monitoring", State::TooFast),
    Mailbox::new("tickets", State::TooFast),
    Mailbox::new("k.owner", State::TooFast),
    is("anna"),
    is("ben.okafor"),
    is("Emma+alerts"),
    role("info"),
    no("alert"),
    no("celebrities"),
    no("monitor"),
    no("ticket"),
    no("kowner"),
    no("ann"),
    no("ben.okafor2"),
    no("emmas"),
    no("sales"),
    no("support"),
];
