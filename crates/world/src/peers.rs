//! Which companies of a country do the same: most people change jobs among them.

use crate::dice::Dice;
use crate::firm::{Base, Firm};
use crate::roster::draw;

/// Four bytes a company.
#[derive(Debug, Default)]
pub(crate) struct Peers {
    sectors: u64,
    kinds: u64,
    trades_from: u64,
    /// By country and then sector, or trade for local businesses.
    lists: Vec<Vec<u32>>,
}

impl Peers {
    pub(crate) fn new(base: &Base) -> Self {
        let tables = &base.tables;
        // Segments are numbered on by the trades.
        let trades_from = tables.segments.len();
        let sectors = tables.sectors.len();
        let kinds = sectors + tables.trades.len();
        let count = usize::try_from(tables.countries.len() * kinds).unwrap_or(0);
        let mut peers = Self { sectors, kinds, trades_from, lists: vec![Vec::new(); count] };
        for company in 0..base.roster.companies() {
            let at = usize::try_from(peers.at(&base.firm(company))).ok();
            let list = at.and_then(|at| peers.lists.get_mut(at));
            if let (Some(list), Ok(company)) = (list, u32::try_from(company)) {
                list.push(company);
            }
        }
        peers
    }

    /// A random company of the same country and sector, or trade for local businesses; perhaps the company itself.
    pub(crate) fn draw(&self, firm: &Firm<'_>, dice: &mut Dice) -> Option<u64> {
        draw(self.lists.get(usize::try_from(self.at(firm)).ok()?)?, dice)
    }

    fn at(&self, firm: &Firm<'_>) -> u64 {
        let trade = u64::from(firm.segment.number).saturating_sub(self.trades_from);
        let kind = if firm.trade.is_some() { self.sectors + trade } else { firm.branch.sector };
        firm.country.number * self.kinds + kind
    }
}
