//! Phone numbers: separators make no difference, fiction is allowed, national forms are not.

use assay_domain::Phone;

#[test]
fn every_punctuation_of_a_number_gives_one_phone() {
    for (groups, e164, country) in [
        (&["1", "415", "555", "2671"][..], "+14155552671", "US"),
        (&["44", "20", "7183", "8750"], "+442071838750", "GB"),
        (&["49", "30", "901820"], "+4930901820", "DE"),
        (&["39", "06", "42001234"], "+390642001234", "IT"),
        (&["33", "6", "12", "34", "56", "78"], "+33612345678", "FR"),
        (&["1", "416", "967", "1111"], "+14169671111", "CA"),
        (&["81", "3", "3211", "3211"], "+81332113211", "JP"),
    ] {
        for separator in ["", " ", ".", "-", "\u{2011}", "\u{2013}", "\u{a0}", " - ", "  "] {
            for parenthesised in [false, true] {
                let mut groups: Vec<String> = groups.iter().map(|group| (*group).to_owned()).collect();
                if parenthesised {
                    groups[1] = format!("({})", groups[1]);
                }
                let text = format!(" +{} ", groups.join(separator));
                let phone = Phone::parse(&text).unwrap_or_else(|e| panic!("{text:?}: {e}"));
                assert_eq!(phone.as_str(), e164, "{text:?}");
                assert_eq!(phone.country().as_deref(), Some(country), "{text:?}");
            }
        }
    }
    assert_eq!(Phone::parse("+44 (0)20 7183 8750").unwrap().as_str(), "+442071838750");
}

#[test]
fn numbers_reserved_for_fiction_are_valid() {
    for area in ["202", "212", "415", "555", "800", "907"] {
        for line in 0..100 {
            let phone = Phone::parse(&format!("+1 {area} 555 01{line:02}")).unwrap();
            assert_eq!(phone.as_str(), format!("+1{area}55501{line:02}"));
            assert!(phone.country().is_some());
        }
    }
    assert_eq!(Phone::parse("+1 202 555 0100").unwrap().country().as_deref(), Some("US"));
    for line in 0..1_000 {
        for (prefix, compact) in [("+44 7700 900", "+447700900"), ("+44 20 7946 0", "+442079460")] {
            let phone = Phone::parse(&format!("{prefix}{line:03}")).unwrap();
            assert_eq!(phone.as_str(), format!("{compact}{line:03}"));
            assert_eq!(phone.country().as_deref(), Some("GB"));
        }
    }
}

#[test]
fn a_number_of_no_country_has_none() {
    let phone = Phone::parse("+800 1234 5678").unwrap();
    assert_eq!((phone.as_str(), phone.country()), ("+80012345678", None));
}

#[test]
fn what_is_no_international_number_is_refused() {
    let long = format!("+1{}", "0".repeat(10_000));
    for text in [
        "",
        "+",
        "++14155552671",
        "14155552671",
        "0014155552671",
        "(415) 555-2671",
        "415-555-2671",
        "+1",
        "+1415",
        "+1415555267",
        "+141555526711",
        "+1 415 555 2671 x12",
        "+1 415 555 2671 ext. 12",
        "+1 415 555 2671;ext=12",
        "tel:+14155552671",
        "+1-800-FLOWERS",
        "+999 123 456 789",
        "+0 123 456 789",
        "+1 115 555 2671",
        "+1 155 555 0100",
        "+1 415/555/2671",
        "+1\u{0}4155552671",
        "+1 415\n555 2671",
        "+１４１５５５５２６７１",
        "+44 7700 9000000",
        long.as_str(),
    ] {
        let error = Phone::parse(text).expect_err(text);
        assert_eq!(error.code(), "invalid_phone");
    }
}

#[test]
fn values_survive_json_and_are_masked_in_debug_output() {
    for text in ["+12025550100", "+442079460999", "+4930901820", "+80012345678"] {
        let phone = Phone::parse(text).unwrap();
        let json = serde_json::to_string(&phone).unwrap();
        assert_eq!(json, format!("\"{text}\""));
        assert_eq!(serde_json::from_str::<Phone>(&json).unwrap(), phone);
        assert_eq!(phone.to_string(), text);
        assert!(!format!("{phone:?}").contains(&text[4..]));
    }
    assert!(serde_json::from_str::<Phone>("\"2025550100\"").is_err());
}
