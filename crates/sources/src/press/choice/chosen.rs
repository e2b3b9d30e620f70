//! The likeliest of all that a release might announce, and how likely it is.

use super::View;
use super::form::{Forms, marks};
use super::weights::{WEIGHTS, WHOLE, likeliest, shares, worth};
use crate::money::Money;
use crate::press::merge::merge_round;
use crate::press::{Announced, Story, UNWEIGHED};

/// What is chosen, and how likely it is in percent.
#[derive(Debug)]
pub struct Chosen {
    pub found: Announced,
    pub percent: i64,
}

/// Who does what, before it is known how they are called.
#[derive(Debug, Clone, Copy)]
enum Event {
    Nothing,
    Round { company: usize },
    Purchase { buyer: usize, target: usize },
}

const RAISES: usize = 0;
const BUYS: usize = 1;
const IS_BOUGHT: usize = 2;

/// None when most likely nothing is announced.
pub(in crate::press) fn chosen(view: &View<'_>) -> Option<Chosen> {
    let (event, likely) = event(view)?;
    let (found, named, summed) = match event {
        Event::Nothing => return None,
        Event::Round { company } => {
            let (company, named) = name(view, company)?;
            let (amount, summed) = sum(view, RAISES);
            (round(view.story, company, amount), named, summed)
        }
        Event::Purchase { buyer, target } => {
            let ((acquirer, one), (target, two)) = (name(view, buyer)?, name(view, target)?);
            let (price, summed) = sum(view, 1);
            let found = Announced::Acquisition { acquirer, target, price, confidence: UNWEIGHED };
            (found, one * two / WHOLE, summed)
        }
    };
    let percent = likely * named / WHOLE * summed / WHOLE * 100 / WHOLE;
    Some(Chosen { found, percent })
}

fn event(view: &View<'_>) -> Option<(Event, i64)> {
    let weights = &*WEIGHTS;
    let text = view.text_marks();
    let of_text = |column| worth(&weights.text, &text, column);
    let (of_round, of_purchase) = (of_text(0), of_text(1));
    let sides = (0..view.actors.len()).map(|side| {
        let marks = view.side_marks(side);
        [RAISES, BUYS, IS_BOUGHT].map(|column| worth(&weights.side, &marks, column))
    });
    let sides = sides.collect::<Vec<_>>();
    let mut events = vec![(Event::Nothing, 0)];
    for (one, [raises, buys, _]) in sides.iter().enumerate() {
        events.push((Event::Round { company: one }, raises + of_round));
        for (two, [.., is_bought]) in sides.iter().enumerate().filter(|(two, _)| *two != one) {
            let pair = worth(&weights.pair, &view.pair_marks(one, two), 0);
            events.push((Event::Purchase { buyer: one, target: two }, buys + is_bought + pair + of_purchase));
        }
    }
    let worths = events.iter().map(|(_, worth)| *worth).collect::<Vec<_>>();
    let (at, share) = likeliest(&shares(&worths))?;
    events.get(at).map(|(event, _)| (*event, share))
}

/// How somebody is called.
fn name(view: &View<'_>, side: usize) -> Option<(String, i64)> {
    let forms = Forms::new(view, side);
    let worths = forms.all.iter().map(|form| worth(&WEIGHTS.form, &marks(view, &forms, form), 0));
    let (at, share) = likeliest(&shares(&worths.collect::<Vec<_>>()))?;
    forms.all.get(at).map(|name| (name.clone(), share))
}

/// The sum, and how likely no other is meant: that there is none at all is no other.
fn sum(view: &View<'_>, column: usize) -> (Option<Money>, i64) {
    let all = view.sums.iter().copied().map(Some).chain([None]).collect::<Vec<_>>();
    let worths = all.iter().map(|sum| worth(&WEIGHTS.sum, &view.sum_marks(*sum), column));
    let shares = shares(&worths.collect::<Vec<_>>());
    let Some((at, share)) = likeliest(&shares) else { return (None, WHOLE) };
    let found = all.get(at).copied().flatten();
    let none = shares.last().copied().unwrap_or_default();
    (found, if found.is_some() { share + none } else { share })
}

/// The round of a company with this sum, its stage and who gives as the sentences tell them.
fn round(story: &Story<'_>, company: String, sum: Option<Money>) -> Announced {
    let told = merge_round(story, company.clone(), 0, None);
    match told {
        Announced::Funding { stage, investors, lead_investors, confidence, .. } => {
            Announced::Funding { company, amount: sum, stage, investors, lead_investors, confidence }
        }
        Announced::Acquisition { .. } => told,
    }
}
