//! Whose numbers begin like this: the carrier a block of numbers was given to. Numbers are taken along to other carriers, and in
//! some countries (all of +1) nobody publishes the blocks.

use super::Phone;
use std::collections::HashMap;
use std::sync::LazyLock;

static BLOCKS: &str = include_str!("../../data/carriers.txt");

/// Carrier by the first digits, and how many digits a block has at most.
static CARRIERS: LazyLock<(HashMap<&'static str, &'static str>, usize)> = LazyLock::new(|| {
    let blocks: HashMap<_, _> = BLOCKS.lines().filter_map(|line| line.split_once('|')).collect();
    let longest = blocks.keys().map(|digits| digits.len()).max().unwrap_or(0);
    (blocks, longest)
});

/// The carrier of the longest block a number is in.
pub fn carrier_of(number: &Phone) -> Option<&'static str> {
    let (blocks, longest) = &*CARRIERS;
    let digits = number.as_str().strip_prefix('+')?;
    (1..=digits.len().min(*longest)).rev().find_map(|length| blocks.get(digits.get(..length)?).copied())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::person::LineType;

    #[test]
    fn the_longest_block_says_whose_a_number_is() {
        for (number, carrier) in [
            ("+447400123456", Some("Three")),
            ("+4915112345678", Some("T-Mobile")),
            ("+919876512345", Some("Airtel")),
            ("+12025550143", None),
        ] {
            assert_eq!(carrier_of(&Phone::parse(number).unwrap()), carrier, "{number}");
        }
    }

    #[test]
    fn the_plan_of_a_country_tells_lines_apart_or_not() {
        for (number, line) in [
            ("+447400123456", LineType::Mobile),
            ("+4915112345678", LineType::Mobile),
            ("+493012345678", LineType::Landline),
            ("+12025550143", LineType::Unknown),
        ] {
            assert_eq!(Phone::parse(number).unwrap().line_type(), line, "{number}");
        }
    }
}
