//! Made-up companies for the simulation: people, how their mailboxes are written, and who got which.
//!
//! Deliberately not written with the finder's own tables: names, frequencies and spellings are set here anew, and companies
//! break their own rules.

use std::collections::HashSet;

use assay_domain::PersonName;

/// A small generator of random numbers that gives the same ones everywhere.
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn throw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    pub(super) fn below(&mut self, limit: u64) -> u64 {
        self.throw() % limit.max(1)
    }

    pub(super) fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// The first ones come more often, about as names do.
    fn ranked<'a>(&mut self, of: &[&'a str]) -> &'a str {
        let count = u64::try_from(of.len()).unwrap();
        of[usize::try_from(self.below(count) * (self.below(count) + 1) / count.max(1)).unwrap()]
    }
}

struct Region {
    country: &'static str,
    given: &'static str,
    family: &'static str,
}

const REGIONS: &[Region] = &[
    Region {
        country: "US",
        given: "James, Mary, Robert, Patricia, John, Jennifer, Michael, Linda, William, Elizabeth, \
                David, Barbara, Richard, Susan, Joseph, Jessica, Thomas, Sarah, Christopher, Karen, \
                Daniel, Lisa, Matthew, Nancy, Anthony, Betty, Mark, Sandra, Steven, Ashley, Andrew, \
                Emily, Paul, Donna, Joshua, Kimberly, Kevin, Megan, Brian, Olivia, Ethan, Grace, \
                Noah, Chloe, Tyler, Ivy",
        family: "Smith, Johnson, Williams, Brown, Jones, Garcia, Miller, Davis, Rodriguez, Martinez, \
                Wilson, Anderson, Taylor, Thomas, Moore, Jackson, Lee, Thompson, White, Harris, \
                Clark, Lewis, Robinson, Walker, Young, Allen, King, Wright, Scott, Hill, O'Brien, \
                O'Neil, Parker, Reed",
    },
    Region {
        country: "DE",
        given: "Jürgen, Anna, Björn, Ute, Thomas, Sabine, Stefan, Petra, Karl-Heinz, Anna-Lena, \
                Michael, Claudia, Jörg, Käthe, Wolfgang, Birgit, Felix, Lena, Jonas, Lea, Tobias, \
                Nina, Uwe, Eva, Matthias, Heike, Lukas, Marie, Florian, Katrin, Sebastian, Julia, \
                Moritz, Franziska",
        family: "Müller, Schmidt, Schneider, Fischer, Weber, Meyer, Wagner, Becker, Schulz, Hoffmann, \
                Schäfer, Koch, Bauer, Richter, Klein, Wolf, Schröder, Neumann, Schwarz, Zimmermann, \
                Krüger, Hofmann, Weiß, von Braun, Lange, Köhler, Voß, Meyer-Landrut, Groß, Böhm",
    },
    Region {
        country: "ES",
        given: "Antonio, María, José, Carmen, Manuel, Ana, Francisco, Laura, Juan Carlos, Isabel, \
                Javier, Lucía, Miguel, Pilar, Ángel, Marta, Rafael, Cristina, Pedro, Rosa, Sergio, \
                Elena, Pablo, Sofía, Luis, Paula, Jorge, Raquel, Íñigo, Begoña",
        family: "García, Rodríguez, González, Fernández, López, Martínez, Sánchez, Pérez, Gómez, \
                Martín, García Márquez, Ruiz, Díaz, Muñoz, Álvarez, Romero, de la Fuente, Torres, \
                Núñez, Vázquez, Ibáñez, Peña, Ortega Lara",
    },
    Region {
        country: "NL",
        given: "Jan, Anna, Pieter, Sanne, Kees, Femke, Willem, Lotte, Daan, Eva, Sjoerd, Marieke, \
                Bram, Gert-Jan, Thijs, Anouk, Joost, Ilse, Ruben, Fleur, Sven, Maaike, Lars, Noor",
        family: "de Jong, Jansen, de Vries, van den Berg, van Dijk, Bakker, Visser, Smit, Meijer, \
                de Boer, Mulder, van der Meer, Bos, Vos, Peters, Hendriks, van Leeuwen, Dekker, \
                Brouwer, de Wit",
    },
    Region {
        country: "DK",
        given: "Søren, Anne, Jørgen, Mette, Lars, Kirsten, Bjørn, Hanne, Åse, Mikkel, Ida, Rasmus, \
                Freja, Magnus, Signe, Kasper, Line, Emil, Maja, Oskar",
        family: "Jensen, Nielsen, Hansen, Pedersen, Andersen, Sørensen, Larsen, Rasmussen, Jørgensen, \
                Møller, Madsen, Kristensen, Østergaard, Kjær, Holm, Lund, Bæk",
    },
];

/// Beginnings, middles and ends of names that few have.
type Syllables = [&'static str; 3];

const FAMILY_SYLLABLES: Syllables = [
    "Brand Cald Dorn Esk Fenn Gar Hol Ing Jar Kel Lin Mar Nor Orm Pell Quin Ros Stan Thor Ulm Var Wes Yar Zell Ash Birk Crom Dun Ell Farn",
    "en er ing el o a is um and",
    "berg stone well hofer sson ley worth mann dale quist by ford gate ham ski etti eau ardo wick brook",
];
const GIVEN_SYLLABLES: Syllables =
    ["A Be Ca Da E Fa Gi Ha I Jo Ka Le Ma Na O Pa Ro Sa Te Vi", "bri li mi re la vi", "na no el ette us"];

/// Given names that many use in another form at work.
const SHORT: &[(&str, &str)] = &[
    ("Robert", "rob"),
    ("Robert", "bob"),
    ("William", "bill"),
    ("William", "will"),
    ("Michael", "mike"),
    ("Thomas", "tom"),
    ("Jennifer", "jen"),
    ("Christopher", "chris"),
    ("Daniel", "dan"),
    ("Matthew", "matt"),
    ("Joseph", "joe"),
    ("Elizabeth", "liz"),
    ("Andrew", "andy"),
    ("Steven", "steve"),
    ("Francisco", "paco"),
    ("Sebastian", "basti"),
];

#[derive(Clone, Copy, PartialEq)]
enum Style {
    FirstDotLast,
    InitialLast,
    InitialDotLast,
    First,
    FirstUnderscoreLast,
    LastDotFirst,
    FirstLast,
    FirstInitial,
    LastInitial,
    FirstHyphenLast,
}

/// How one company writes names, apart from the pattern.
struct Manner {
    spells_umlauts: bool,
    double_given: u64,
    double_family: u64,
    particle: u64,
    counts_from: u32,
}

pub(super) struct Employee {
    given: String,
    family: String,
    pub(super) local: String,
}

impl Employee {
    pub(super) fn name(&self) -> PersonName {
        PersonName::from_parts(&self.given, &self.family).unwrap()
    }

    pub(super) fn is_namesake_of(&self, other: &Self) -> bool {
        (&self.given, &self.family) == (&other.given, &other.family)
    }
}

pub(super) struct Company {
    pub(super) country: &'static str,
    pub(super) staff: Vec<Employee>,
    pub(super) mailboxes: HashSet<String>,
}

/// How companies are drawn.
#[derive(Clone, Copy)]
pub(super) struct Mould {
    /// People, at least and at most.
    pub(super) size: (u64, u64),
    /// How many of a hundred have one of the family names that many have.
    pub(super) common_percent: u64,
    /// How many of a hundred have an address that follows another pattern than the company's.
    pub(super) exception_percent: u64,
}

pub(super) fn company(dice: &mut Dice, mould: Mould) -> Company {
    let (least, most) = mould.size;
    // As many between 10 and 100 as between 100 and 1,000.
    let mut size = most;
    while size > least && dice.percent(72) {
        size = (size * 2 / 3).max(least);
    }
    let region = &REGIONS[usize::try_from(dice.below(u64::try_from(REGIONS.len()).unwrap())).unwrap()];
    let [givens, families] =
        [region.given, region.family].map(|names| names.split(", ").collect::<Vec<&str>>());
    let style = style(dice, size);
    let is_german = region.country == "DE";
    let manner = Manner {
        spells_umlauts: dice.percent(if is_german { 90 } else { 18 }),
        double_given: dice.below(100),
        double_family: dice.below(100),
        particle: dice.below(100),
        counts_from: if dice.percent(75) { 2 } else { 1 },
    };
    let mut company = Company { country: region.country, staff: Vec::new(), mailboxes: HashSet::new() };
    for _ in 0..size {
        let made_up = rare(dice, &GIVEN_SYLLABLES);
        let given = if dice.percent(45) { dice.ranked(&givens) } else { &made_up };
        let family = if dice.percent(mould.common_percent) {
            dice.ranked(&families).to_owned()
        } else {
            rare(dice, &FAMILY_SYLLABLES)
        };
        let own = if dice.percent(mould.exception_percent) { self::style(dice, size) } else { style };
        let short: Vec<&str> =
            SHORT.iter().filter(|(long, _)| *long == given).map(|(_, short)| *short).collect();
        let written = if !short.is_empty() && dice.percent(8) { dice.ranked(&short) } else { given };
        let stem = manner.write(own, written, &family);
        let mut local = stem.clone();
        for number in manner.counts_from.. {
            if company.mailboxes.insert(local.clone()) {
                break;
            }
            local = format!("{stem}{number}");
        }
        company.staff.push(Employee { given: given.to_owned(), family, local });
    }
    company
}

fn rare(dice: &mut Dice, syllables: &Syllables) -> String {
    let pick = |of: &&'static str| {
        let count = u64::try_from(of.split(' ').count()).unwrap();
        of.split(' ').nth(usize::try_from(dice.below(count)).unwrap()).unwrap()
    };
    syllables.iter().map(pick).collect()
}

fn style(dice: &mut Dice, size: u64) -> Style {
    let first = if size <= 12 {
        42
    } else if size <= 50 {
        16
    } else {
        1
    };
    if dice.percent(first) {
        return Style::First;
    }
    match dice.below(1_000) {
        0..530 => Style::FirstDotLast,
        530..780 => Style::InitialLast,
        780..860 => Style::InitialDotLast,
        860..905 => Style::FirstUnderscoreLast,
        905..945 => Style::LastDotFirst,
        945..965 => Style::FirstLast,
        965..982 => Style::FirstInitial,
        982..992 => Style::LastInitial,
        _ => Style::FirstHyphenLast,
    }
}

impl Manner {
    fn write(&self, style: Style, given: &str, family: &str) -> String {
        let given = self.ascii(given);
        let given = match (given.split_once(['-', ' ']), self.double_given) {
            (None, _) => given,
            (Some((first, second)), 0..45) if given.contains('-') => [first, "-", second].concat(),
            (Some((first, second)), 0..75) => [first, second].concat(),
            (Some((first, _)), _) => first.to_owned(),
        };
        let family = self.family(&self.ascii(family));
        let initial = |text: &str| text.chars().take(1).collect::<String>();
        match style {
            Style::FirstDotLast => format!("{given}.{family}"),
            Style::InitialLast => format!("{}{family}", initial(&given)),
            Style::InitialDotLast => format!("{}.{family}", initial(&given)),
            Style::First => given,
            Style::FirstUnderscoreLast => format!("{given}_{family}"),
            Style::LastDotFirst => format!("{family}.{given}"),
            Style::FirstLast => format!("{given}{family}"),
            Style::FirstInitial => format!("{given}{}", initial(&family)),
            Style::LastInitial => format!("{family}{}", initial(&given)),
            Style::FirstHyphenLast => format!("{given}-{family}"),
        }
    }

    fn family(&self, family: &str) -> String {
        let words: Vec<&str> = family.split([' ', '-']).collect();
        let is_particle = ["de", "van", "von"].contains(&words[0]);
        match (words.as_slice(), is_particle) {
            ([one], _) => (*one).to_owned(),
            (words, true) if self.particle < 80 => words.concat(),
            ([.., last], true) => (*last).to_owned(),
            ([first, second], false) if family.contains('-') && self.double_family < 60 => {
                format!("{first}-{second}")
            }
            ([first, second], false) if self.double_family >= 70 => [*first, *second].concat(),
            ([first, ..], false) => (*first).to_owned(),
            ([], _) => String::new(),
        }
    }

    fn ascii(&self, text: &str) -> String {
        let spelt = self.spells_umlauts;
        let mut ascii = String::new();
        for letter in text.to_lowercase().chars() {
            match letter {
                'ä' => ascii.push_str(if spelt { "ae" } else { "a" }),
                'ö' | 'ø' => ascii.push_str(if spelt { "oe" } else { "o" }),
                'ü' => ascii.push_str(if spelt { "ue" } else { "u" }),
                'å' => ascii.push_str(if spelt { "aa" } else { "a" }),
                'æ' => ascii.push_str("ae"),
                'ß' => ascii.push_str("ss"),
                'á' => ascii.push('a'),
                'é' => ascii.push('e'),
                'í' => ascii.push('i'),
                'ó' => ascii.push('o'),
                'ú' => ascii.push('u'),
                'ñ' => ascii.push('n'),
                '\'' => {}
                letter => ascii.push(letter),
            }
        }
        ascii
    }
}
