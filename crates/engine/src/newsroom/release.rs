//! What a press release announces, as a notice.

use assay_domain::Notice;
use assay_domain::company::Round;
use assay_domain::signal::{Content, Deal, Party};
use assay_domain::taxonomy::FundingStage;
use assay_sources::feeds::Release;
use assay_sources::press::{self, Announced};

/// Nothing where it announces neither a round nor a purchase.
pub(super) fn notice_of(release: &Release) -> Option<Notice> {
    let announced_on = release.published_at.date_naive();
    let read = press::read(&press::Release {
        title: &release.title,
        body: &release.body,
        published_on: announced_on,
    })?;
    let (company, confidence, content) = match read {
        Announced::Funding { company, amount, stage, investors, lead_investors, confidence } => {
            let round = Round {
                stage: stage.unwrap_or(FundingStage::Other),
                amount: amount.map(|money| money.amount),
                currency: amount.map(|money| money.currency.to_owned()),
                announced_on,
                investors,
                lead_investors,
            };
            (Party::named(company), confidence, Content::Funding(round))
        }
        Announced::Acquisition { acquirer, target, price, confidence } => {
            let deal = Deal {
                acquirer: Party::named(acquirer),
                target: Party::named(target),
                price: price.map(|money| money.amount),
                currency: price.map(|money| money.currency.to_owned()),
                announced_on,
            };
            (deal.target.clone(), confidence, Content::Acquisition(deal))
        }
    };
    Some(Notice {
        reference: release.id.clone(),
        url: release.url.clone(),
        occurred_at: release.published_at,
        company,
        person: None,
        confidence,
        content,
    })
}
