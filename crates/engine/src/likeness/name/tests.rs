//! Names compared: what is one name and what is not.

use super::*;

fn parts(name: &str) -> NameParts {
    NameParts::of(&PersonName::parse(name).unwrap())
}

fn compare(one: &str, other: &str) -> NameLikeness {
    compare_names(&parts(one), &parts(other))
}

#[test]
fn ways_of_writing_one_name_are_possible() {
    for (one, other) in [
        ("Jürgen Müller", "Juergen Mueller"),
        ("Bob Smith", "Robert J. Smith"),
        ("Dr. Ana García López", "Ana García"),
        ("Jan van den Berg", "Jan Vandenberg"),
        ("J Smith", "John Smith"),
        ("Jonh Smith", "John Smith"),
        ("Smith John", "John Smith"),
        ("Maria Anna Weber", "Maria Weber"),
        ("Smith John R.", "John Smith"),
    ] {
        assert!(compare(one, other).is_possible(), "{one} {other}: {:?}", compare(one, other));
        assert_eq!(compare(one, other), compare(other, one));
    }
    assert!(compare("Smith John", "John Smith").swapped);
    assert!(!compare("John Smith", "John Smith").swapped);
}

#[test]
fn other_people_are_told_apart() {
    for (one, other) in [
        ("John Smith", "Jane Smith"),
        ("John Smith", "John Swift"),
        ("Ana Lima", "Paulo Rocha"),
        ("Lima Rocha Ana", "Ana Lima Costa"),
        ("Ana Lima Costa", "Ana Rocha Costa"),
    ] {
        assert!(!compare(one, other).is_possible(), "{one} {other}: {:?}", compare(one, other));
    }
}

#[test]
fn what_stands_around_a_name_in_two_fields_does_not_count() {
    let written = |first, last| NameParts::of(&PersonName::from_parts(first, last).unwrap());
    let plain = written("Anna", "Weber");
    for other in
        [written("Mag. Dr. Anna M.", "Weber"), written("Anna", "Weber Jr."), written("Anna M", "Weber")]
    {
        assert_eq!((other.given(), other.family()), ("anna", "weber"));
        assert_eq!(compare_names(&plain, &other).given, GivenLikeness::Same);
    }
    assert_eq!(written("Jean-Pierre", "Roux").first_given(), "jean");
}

#[test]
fn an_address_tells_how_else_somebody_is_called() {
    let read = |name: &str, address: &str| {
        parts(name).in_address(address).map(|name| [name.given(), " ", name.family()].concat())
    };
    assert_eq!(read("Bob Smith", "robert.smith").as_deref(), Some("robert smith"));
    assert_eq!(read("Bob Smith", "smith.robert-4711").as_deref(), Some("robert smith"));
    assert_eq!(read("Robert Smiht", "robert-smith-1f").as_deref(), Some("robert smith"));
    assert_eq!(read("Jan Vandenberg", "johannes-van-den-berg-9").as_deref(), Some("johannes vandenberg"));
    assert_eq!(read("Robert Smiht", "rsmith").as_deref(), Some("robert smith"));
    assert_eq!(read("Robert Smiht", "r.smith").as_deref(), Some("robert smith"));
    assert_eq!(read("Bob Smith", "robert").as_deref(), Some("robert smith"));
    assert_eq!(read("Bob Smith", "bsmith"), None);
    assert_eq!(read("Robert Smith", "robert.smith"), None);
    assert_eq!(read("Robert Smith", "r.smith"), None);
    assert_eq!(read("Robert Smith", "anna.weber"), None);
}

#[test]
fn middle_initials_tell_namesakes_apart() {
    assert_eq!(compare("John A. Smith", "John B Smith").middle, MiddleLikeness::Different);
    let adam = NameParts::of(&PersonName::from_parts("John Adam", "Smith").unwrap());
    assert_eq!(compare_names(&parts("John A. Smith"), &adam).middle, MiddleLikeness::Same);
    assert_eq!(compare("Ana B. Lima Costa", "Ana Lima Costa").middle, MiddleLikeness::Unknown);
    assert_eq!(compare("John Smith", "John B. Smith").middle, MiddleLikeness::Unknown);
}
