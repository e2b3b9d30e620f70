//! Item 5.02: officers who come and go.

use super::Reported;
use super::officers::{is_elsewhere, is_owned, title_at};
use super::people::{Mention, People};
use super::phrases::{effective_day, is_doubtful, is_past};
use super::words::{Word, find, is_current, says, sentences};
use assay_domain::name::fold_text;
use assay_domain::signal::{Content, Move, MoveKind, PersonNamed, Post};
use assay_domain::{Confidence, Notice};
use chrono::NaiveDate;

/// How far a title may be from the verb or the name it belongs to, in words.
const REACH: usize = 16;
const APPOINT: &[&str] =
    &["appointed", "appoint", "named", "elected", "promoted", "promote", "hired", "appointing"];
const LEFT: &[&str] = &["resigned", "retired", "departed"];
/// They need something before them that makes them certain.
const LEAVE: &[&str] = &["resign", "retire", "depart", "leave", "step"];
const DECIDED: &[&str] =
    &["decision", "decided", "intention", "intent", "intends", "plans", "elected", "desire", "notice"];
/// Said outright; said, with something left to guess; and read from beside it.
const PLAIN: Confidence = Confidence::percent(85);
const LIKELY: Confidence = Confidence::percent(75);
const GUESSED: Confidence = Confidence::percent(65);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    In,
    Out,
}

#[derive(Debug)]
struct Found {
    way: Way,
    name: String,
    title: String,
    on: Option<NaiveDate>,
    promoted: bool,
    confidence: Confidence,
}

/// A sentence with who is named in it.
struct Sentence<'a> {
    words: &'a [Word],
    mentions: Vec<Mention>,
    company: &'a str,
}

pub(crate) fn read_moves(reported: &Reported, lines: &[&str]) -> Vec<Notice> {
    let all = sentences(lines);
    let company = reported.company.name.as_str();
    let people = People::read(&all, company);
    let read: Vec<Sentence<'_>> =
        all.iter().map(|words| Sentence { words, mentions: people.mentions(words), company }).collect();
    let mut found: Vec<Found> = Vec::new();
    for sentence in read.iter().filter(|it| !is_past(it.words) && is_current(it.words, reported.period)) {
        for verb in 0..sentence.words.len() {
            let it = sentence.appointed(verb).or_else(|| sentence.departed(verb));
            // Told first is told best; later sentences tell of terms.
            found.extend(it.filter(|it| !found.iter().any(|old| old.way == it.way && old.name == it.name)));
        }
    }
    let leaves = |name: &str| found.iter().find(|it| it.way == Way::Out && it.name == name);
    let comes = |name: &str| found.iter().any(|it| it.way == Way::In && it.name == name);
    found
        .iter()
        .filter(|it| it.way == Way::In || !comes(&it.name))
        .map(|it| notice(reported, it, leaves(&it.name), incumbent(&read, &it.name)))
        .collect()
}

fn notice(reported: &Reported, found: &Found, left: Option<&Found>, held: Option<Option<String>>) -> Notice {
    let post = |title: &str, on| Post { title: title.to_owned(), company: reported.company.clone(), on };
    let (kind, from, to) = match (found.way, left) {
        (Way::Out, _) => (MoveKind::Left, Some(post(&found.title, found.on)), None),
        // From the top there is no higher post.
        (Way::In, Some(left)) => {
            let was_top = fold_text(&left.title).contains("chief executive") && !found.promoted;
            let kind = if was_top { MoveKind::NewRole } else { MoveKind::Promotion };
            (kind, Some(post(&left.title, left.on)), Some(post(&found.title, found.on)))
        }
        (Way::In, None) => {
            let from = held.clone().flatten().filter(|title| fold_text(title) != fold_text(&found.title));
            let known = found.promoted || held.is_some();
            let kind = if known { MoveKind::Promotion } else { MoveKind::NewCompany };
            (kind, from.map(|title| post(&title, None)), Some(post(&found.title, found.on)))
        }
    };
    let way = if found.way == Way::In { "in" } else { "out" };
    Notice {
        reference: reported.reference(way, &fold_text(&found.name)),
        url: Some(reported.url.clone()),
        occurred_at: reported.occurred_at(found.on),
        company: reported.company.clone(),
        person: Some(PersonNamed { full_name: found.name.clone(), ..PersonNamed::default() }),
        confidence: found.confidence,
        content: Content::JobChange(Move {
            kind,
            from,
            to,
            announcement_post_url: None,
            announcement_text: None,
        }),
    }
}

impl Sentence<'_> {
    fn word(&self, at: usize) -> &str {
        self.words.get(at).map_or("", |word| word.low.as_str())
    }

    fn before(&self, at: usize) -> &str {
        at.checked_sub(1).map_or("", |at| self.word(at))
    }

    /// Who does what the verb says: the nearest one named before it.
    fn subject(&self, verb: usize) -> Option<&Mention> {
        self.mentions.iter().rev().find(|it| it.end <= verb && it.is_subject(self.words))
    }

    fn named_at(&self, at: usize) -> Option<&Mention> {
        self.mentions.iter().find(|it| it.start == at)
    }

    fn found(&self, way: Way, who: &Mention, title: String, verb: usize, sure: Confidence) -> Found {
        let is_done = !LEAVE.contains(&self.word(verb)) && self.before(verb) != "will";
        Found {
            way,
            name: who.name.clone(),
            title,
            on: effective_day(self.words, verb, is_done),
            promoted: self.word(verb).starts_with("promot"),
            confidence: if who.is_full { sure } else { sure.min(LIKELY) },
        }
    }

    fn appointed(&self, verb: usize) -> Option<Found> {
        if is_doubtful(self.words, verb) {
            return None;
        }
        let word = self.words.get(verb)?;
        if word.is(APPOINT) {
            // `appointed Jane Roe as …`, and `Jane Roe was appointed as …`.
            if let Some(who) = self.named_at(verb + 1) {
                let (title, _) = self.title_after(who.end, verb)?;
                return Some(self.found(Way::In, who, title, verb, PLAIN));
            }
            let passive = ["was", "been", "were", "be", "also"].contains(&self.before(verb));
            let who = self.subject(verb).filter(|_| passive)?;
            let (title, _) = self.title_after(verb + 1, verb)?;
            return Some(self.found(Way::In, who, title, verb, PLAIN));
        }
        if says(self.words, verb, &["appointment", "of"]) || says(self.words, verb, &["promotion", "of"]) {
            let who = self.named_at(verb + 2)?;
            let (title, _) = self.title_after(who.end, verb)?;
            return Some(self.found(Way::In, who, title, verb, LIKELY));
        }
        let begins = self.before(verb) == "will"
            && (word.is(&["become", "assume", "join"]) || says(self.words, verb, &["serve", "as"]))
            || says(self.words, verb, &["became"])
            || says(self.words, verb, &["assumed", "the"]);
        let who = self.subject(verb).filter(|_| begins)?;
        let (title, _) = self.title_after(verb + 1, verb)?;
        Some(self.found(Way::In, who, title, verb, GUESSED))
    }

    /// The title after a place: at once, or after `as`, `to` or `of` within reach. What somebody was before is passed over.
    fn title_after(&self, from: usize, verb: usize) -> Option<(String, usize)> {
        let until = self.words.len().min(from + REACH);
        for at in from..until {
            let linked = ["as", "to", "of"].contains(&self.before(at));
            let life =
                at >= 2 && ["served", "serves", "serving", "worked", "works"].contains(&self.word(at - 2));
            // Anybody else's title begins with them, and whoever joins a committee stays what they are.
            let ends = ["committee", "capacity"].contains(&self.word(at));
            if ends || (at > from && self.mentions.iter().any(|it| it.start == at)) {
                return None;
            }
            if (linked || at == from)
                && !life
                && let Some((title, end)) = title_at(self.words, at, self.company)
            {
                // `Jane Roe, Chief Operating Officer, as …` is what she was.
                let beside =
                    at == from && at != verb + 1 && self.words.get(at - 1).is_some_and(Word::has_comma);
                if !beside {
                    return Some((title, end))
                        .filter(|(_, end)| !is_elsewhere(self.words, *end, self.company));
                }
            }
        }
        None
    }

    fn departed(&self, verb: usize) -> Option<Found> {
        if is_doubtful(self.words, verb) {
            return None;
        }
        let word = self.words.get(verb)?;
        if word.is(&["resignation", "retirement", "departure", "termination"]) && self.word(verb + 1) == "of"
        {
            let who = self.named_at(verb + 2)?;
            let title = self.title_left(who, who.end)?;
            return Some(self.found(Way::Out, who, title, verb, LIKELY));
        }
        if word.low == "terminated" {
            let passive = ["was", "been"].contains(&self.before(verb));
            let after = self.mentions.iter().find(|it| it.start > verb && it.start <= verb + 5);
            let employed = |it: &&Mention| self.before(it.start) == "of" && it.end <= verb;
            let before = self.subject(verb).or_else(|| self.mentions.iter().rev().find(employed));
            let who = if passive { before? } else { after? };
            let title = self.title_left(who, verb + 1)?;
            return Some(self.found(Way::Out, who, title, verb, LIKELY));
        }
        let who = self.subject(verb).filter(|_| self.leaves(verb))?;
        let title = self.title_left(who, verb + 1)?;
        Some(self.found(Way::Out, who, title, verb, PLAIN))
    }

    /// Whether a verb says that somebody goes, or has decided to.
    fn leaves(&self, verb: usize) -> bool {
        let word = self.word(verb);
        if LEFT.contains(&word) || (word == "stepped" && self.word(verb + 1) == "down") {
            return true;
        }
        if word == "tendered" {
            return self.word(verb + 2) == "resignation";
        }
        if word == "ceased" {
            return ["serving", "to"].contains(&self.word(verb + 1));
        }
        if !LEAVE.contains(&word) || (word == "step" && self.word(verb + 1) != "down") {
            return false;
        }
        let near = self.words.get(verb.saturating_sub(8)..verb).unwrap_or_default();
        self.before(verb) == "will" || (self.before(verb) == "to" && near.iter().any(|word| word.is(DECIDED)))
    }

    /// What somebody leaves: what is named after the verb, else what they are called beside their name. Nothing when it is a seat
    /// on the board.
    fn title_left(&self, who: &Mention, from: usize) -> Option<String> {
        let until = self.words.len().min(from + REACH);
        let mut seat = false;
        for at in from..until {
            let linked = ["as", "from", "of"].contains(&self.before(at));
            if linked && let Some((title, end)) = title_at(self.words, at, self.company) {
                return Some(title).filter(|_| !seat && !is_elsewhere(self.words, end, self.company));
            }
            seat |= ["board", "director", "directors"].contains(&self.word(at));
        }
        let comma = self.words.get(who.end.checked_sub(1)?)?.has_comma();
        let (title, end) = title_at(self.words, who.end, self.company).filter(|_| comma && !seat)?;
        Some(title).filter(|_| !is_elsewhere(self.words, end, self.company))
    }
}

/// Whether somebody is with the company already, and as what if it is told.
fn incumbent(read: &[Sentence<'_>], name: &str) -> Option<Option<String>> {
    let mut known = None;
    for sentence in read {
        let words = sentence.words;
        let Some(who) = sentence.mentions.iter().find(|it| it.name == name) else { continue };
        let beside = words.get(who.end - 1).is_some_and(Word::has_comma).then_some(who.end);
        let serves =
            [&["served", "as"][..], &["serves", "as"], &["serving", "as"]].iter().find_map(|phrase| {
                let at = find(words, who.end, phrase)?;
                // What ended says nothing of now.
                let now = ["has", "currently", "recently", "who"].contains(&sentence.before(at))
                    || sentence.word(at) != "served";
                now.then_some(at + 2)
            });
        for at in [serves, beside].into_iter().flatten() {
            if let Some((title, end)) = title_at(words, at, sentence.company)
                && is_owned(words, at, end, sentence.company)
            {
                return Some(Some(title));
            }
        }
        let joined = find(words, who.end, &["joined", "the", "company", "in"]);
        let with = find(words, who.end, &["been", "with", "the", "company", "since"]);
        if joined.or(with).is_some() {
            known = Some(None);
        }
    }
    known
}
