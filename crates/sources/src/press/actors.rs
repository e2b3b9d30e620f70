//! Everybody whom a release names, and what it tells of them: by this whoever is meant is found where a sentence does not say.

use super::Story;
use super::backers::names_giver;
use super::language::{any_at, is_in};
use super::name::{Run, is_legal_form};
use super::naming::{body_name, is_certain, is_in_title, settled_name};
use super::scene::{Scene, is_break};
use super::sense::is_relative;
use super::table::is_one_of;
use super::text::{Kind, Token};

/// Somebody who is named, under all forms of the name.
#[derive(Debug)]
pub(super) struct Actor {
    /// As it is written where it is first named in full.
    pub name: String,
    pub is_titled: bool,
    pub places: usize,
    /// `A, which makes`, `A, a maker of`, `the maker A`.
    pub is_described: bool,
    /// Begins a sentence or stands before its verb.
    pub acts: bool,
    /// Gives money: leads, invests, or is called like those that do.
    pub gives: bool,
    /// A person, or somebody who only works on it.
    pub is_person: bool,
    /// One word where nouns have capitals, which nothing shows to be a name.
    pub is_noun: bool,
    /// Only ever owns something.
    is_owner: bool,
    /// Only ever stands where towns do.
    pub is_place: bool,
    /// The first sentence that has it; none is the headline.
    pub first: usize,
}

impl Actor {
    /// How much the release is about it.
    pub fn weight(&self) -> usize {
        const TITLED: usize = 4;
        const PLACES_MAX: usize = 3;
        let titled = if self.is_titled { TITLED } else { 0 };
        let early = usize::from(self.first <= 2);
        titled
            + self.places.min(PLACES_MAX)
            + 2 * usize::from(self.is_described)
            + usize::from(self.acts)
            + early
    }

    /// Whether it may be a company.
    pub fn is_firm(&self) -> bool {
        !self.is_person && !self.is_place && !self.is_noun
    }

    pub fn is_called(&self, name: &str) -> bool {
        is_kin(&self.name, name)
    }
}

/// Sentences after these are about other things.
const SENTENCES: usize = 6;

/// All who are named in the headline and the first sentences, in their order.
pub(super) fn actors<'a>(story: &'a Story<'_>) -> &'a [Actor] {
    story.actors.get_or_init(|| named(story))
}

fn named(story: &Story<'_>) -> Vec<Actor> {
    let mut found: Vec<Actor> = Vec::new();
    for run in &story.title.runs {
        if let Some(name) = settled_name(story, *run) {
            add(&mut found, story, &story.title, *run, name, 0);
        }
    }
    for (at, scene) in story.body.iter().take(SENTENCES).enumerate() {
        for run in &scene.runs {
            let name = body_name(story, scene, *run);
            let name = name.filter(|name| {
                name.ends_with(char::is_alphanumeric) && (is_in_title(story, name) || is_certain(story, name))
            });
            if let Some(name) = name {
                add(&mut found, story, scene, *run, name, at + 1);
            }
        }
    }
    found
}

fn add(found: &mut Vec<Actor>, story: &Story<'_>, scene: &Scene<'_>, run: Run, name: String, at: usize) {
    let is_titled = std::ptr::eq(scene, &story.title);
    let formed = word(scene, run.to.checked_sub(1)).is_some_and(is_legal_form);
    let place = found.iter().position(|actor| is_kin(&actor.name, &name));
    let told = Actor {
        is_titled,
        places: 1,
        is_described: formed || is_described(scene, run),
        acts: acts(scene, run),
        gives: gives(scene, run),
        is_person: is_person(scene, run) || is_adviser(scene, run),
        is_place: is_placed(scene, run),
        is_noun: story.language().has_capital_nouns()
            && !is_titled
            && !is_in_title(story, &name)
            && !name.contains([' ', '-'])
            && !formed
            && !is_described(scene, run),
        is_owner: word(scene, Some(run.to)).is_some_and(|next| next.is_mark("'")),
        first: at,
        name,
    };
    let Some(known) = place.and_then(|place| found.get_mut(place)) else {
        found.push(told);
        return;
    };
    // The body has names in full; the headline may shorten them.
    let is_fuller = told.name.len() > known.name.len() && told.name.starts_with(&known.name);
    let is_loud = |name: &str| !name.chars().any(char::is_lowercase);
    if is_fuller && known.places == 1
        || is_loud(&known.name) && !is_loud(&told.name) && told.name.len() >= known.name.len()
    {
        known.name = told.name;
    }
    known.is_titled |= told.is_titled;
    known.places += 1;
    known.is_described |= told.is_described;
    known.acts |= told.acts;
    known.gives |= told.gives;
    known.is_person |= told.is_person;
    // What is somebody's tells nothing of where it is: `Dunmore's hardware store`.
    known.is_place = told.is_place && (known.is_place || known.is_owner) || known.is_place && told.is_owner;
    known.is_owner &= told.is_owner;
    known.is_noun = known.is_noun && told.is_noun && known.places < 2;
}

/// Whether one is the other, or its beginning or end.
fn is_kin(one: &str, two: &str) -> bool {
    let (one, two) = (&one.to_lowercase(), &two.to_lowercase());
    let (long, short) = if one.len() >= two.len() { (one, two) } else { (two, one) };
    let begins = long.strip_prefix(short).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    let ends = long.strip_suffix(short).is_some_and(|rest| rest.ends_with(' '));
    begins || ends
}

fn word<'a>(scene: &'a Scene<'_>, at: Option<usize>) -> Option<&'a Token<'a>> {
    at.and_then(|at| scene.tokens().get(at))
}

fn is_described(scene: &Scene<'_>, run: Run) -> bool {
    let language = scene.language;
    let parted = word(scene, Some(run.to)).is_some_and(|next| next.is_mark(",("));
    let told = word(scene, Some(run.to + 1))
        .is_some_and(|next| is_in(next, language.articles) || is_relative(next) || is_told(next));
    let last = word(scene, run.from.checked_sub(1));
    let is_kind = last.is_some_and(|last| is_in(last, language.kinds));
    // `own a slice of A`, `a stake in A`.
    let is_owned = last.is_some_and(|last| is_in(last, language.stops))
        && word(scene, run.from.checked_sub(2))
            .is_some_and(|share| is_in(share, language.shares) || share.lower == "slice");
    // `we at A`.
    let is_ours = last.is_some_and(|last| is_one_of(&last.lower, "at bei chez bij"))
        && word(scene, run.from.checked_sub(2)).is_some_and(|it| is_one_of(&it.lower, "we us team"));
    parted && told || is_kind || is_owned || is_ours
}

/// What follows the comma after a company.
fn is_told(token: &Token<'_>) -> bool {
    const TOLD: &str = "whose founded based started established set known maker makers developer provider gegründet deren \
        dessen fondée fondé créée créé spécialisée spécialiste basée dont fundada especializada dedicada cuya con fondata \
        specializzata attiva opgericht gevestigd waarvan fundada especializada cuja sediada grundat vars";
    is_one_of(&token.lower, TOLD)
}

fn acts(scene: &Scene<'_>, run: Run) -> bool {
    let language = scene.language;
    let next = word(scene, Some(run.to));
    let last = word(scene, run.from.checked_sub(1));
    // `A judge in Akron has`.
    let is_inside = last.is_some_and(|last| {
        is_in(last, language.inside) && last.lower != "at" || is_one_of(&last.lower, "uit aus från on")
    });
    run.from == 0 || !is_inside && next.is_some_and(|next| is_in(next, language.helpers))
}

/// After these stands whoever gives.
const FROM: &str = "from by von vom durch par por da dal dalla dall' van door pela pelo från av with";

/// What whoever gives money does with it.
const PUTS: &str = "put puts provided provides supplied supplies wrote writes subscribed subscribes contributed contributes chipped \
    topped injected injects lent lends granted matched stumped re-upped returned joined joins participated invested invests fronted \
    headed brought bought-in zeichnet steuert stockt stockten legt steckt steckte beteiligt beteiligte bewilligt gewährt \
    apporte apportent souscrit remet accorde octroie participe verse injecte aporta aportan aportó puso pone presta prestó concedió \
    concede invierte invirtió participa participó investe mette versa sottoscrive partecipa eroga stopt stoppen steekt steken \
    verstrekt investeert entrou aportou colocou investiu pôs concedeu satsar skjuter investerar kliver bidrar";

fn gives(scene: &Scene<'_>, run: Run) -> bool {
    const NEAR_WORDS: usize = 3;
    let (tokens, language) = (scene.tokens(), scene.language);
    let led = (run.from.saturating_sub(NEAR_WORDS + 2)..run.from).any(|at| {
        any_at(tokens, at, language.led_by)
            .is_some_and(|hit| hit.to <= run.from && run.from <= hit.to + NEAR_WORDS)
    });
    let leads = (run.to..run.to + NEAR_WORDS).any(|at| {
        any_at(tokens, at, language.leads).is_some() || any_at(tokens, at, language.invests).is_some()
    });
    // `money from the state-run A`.
    let from = (run.from.saturating_sub(NEAR_WORDS)..run.from).any(|at| {
        let is_from = tokens.get(at).is_some_and(|token| is_one_of(&token.lower, FROM));
        is_from && !tokens.get(at..run.from).unwrap_or_default().iter().any(is_break)
    });
    // `A put up the rest`.
    let puts = (run.to..run.to + 2).any(|at| {
        word(scene, Some(at)).is_some_and(|token| !token.is_capital() && is_one_of(&token.lower, PUTS))
            && (run.to..at).all(|at| word(scene, Some(at)).is_some_and(|token| token.kind == Kind::Word))
    });
    let puts = puts && (!scene.sums.is_empty() || super::funding::speaks_of_round(scene));
    const PUBLIC: &str = "agency authority ministry council commission foundation fund lending lenders bank agentur behörde agence \
        ministère agencia ministerio agenzia ministero agentschap ministerie agência ministério myndigheten verket";
    let is_public = word(scene, run.to.checked_sub(1)).is_some_and(|last| is_one_of(&last.lower, PUBLIC));
    // `will get $2.5 million from A`.
    let gets = scene.sums.iter().any(|sum| sum.to < run.from && run.from <= sum.to + NEAR_WORDS);
    is_public
        || puts
        || led
        || leads
        || from && (gets || super::funding::speaks_of_round(scene))
        || names_giver(scene, run)
}

/// Words right before and after the names of people.
const ROLES: &str = "founder co-founder founders ceo cfo cto coo chief executive director chairman chairwoman president partner \
    owner minister mayor dr mr mrs ms analyst spokesman spokeswoman treasurer entrepreneur angel editor brewer officer manager \
    finance managing professor gründer gründerin geschäftsführer geschäftsführerin inhaber inhaberin unternehmer unternehmerin \
    vorstandschef vorstandschefin vorstand insolvenzverwalter insolvenzverwalterin bürgermeister fondateur fondatrice pdg \
    directeur directrice président présidente cofondateur cofondatrice maire fundador fundadora director directora presidente \
    presidenta consejero consejera fondatore fondatrice amministratore amministratrice oprichter oprichtster directeur eigenaar \
    curator burgemeester bestuurder diretor diretora sócio sócia grundare grundaren vd ägaren ordförande konkursförvaltaren";
const SAYING: &str = "said says told added explains explained sagt sagte erklärt erklärte so explique déclare assure dice dijo \
    explica afirma afferma spiega zegt aldus vertelt diz disse explica säger sa berättar kommenterar";

fn is_person(scene: &Scene<'_>, run: Run) -> bool {
    if !(2..=3).contains(&(run.to - run.from)) {
        return false;
    }
    let lower = |at: Option<usize>| word(scene, at).map_or("", |token| token.lower.as_str());
    // `mr. Femke Oltmans`.
    let back = if lower(run.from.checked_sub(1)) == "." { 2 } else { 1 };
    let (last, next, after) =
        (lower(run.from.checked_sub(back)), lower(Some(run.to)), lower(Some(run.to + 1)));
    let head = lower(Some(run.from));
    is_one_of(head, ROLES)
        || is_one_of(last, ROLES)
        || is_one_of(last, SAYING)
        || next == "," && (is_one_of(after, ROLES) || after == "who" || after.parse::<u8>().is_ok())
}

/// `Administrators at A`, `advised by A`: whoever only works on it.
fn is_adviser(scene: &Scene<'_>, run: Run) -> bool {
    const ADVISERS: &str = "administrators administrator liquidators liquidator receivers receiver insolvenzverwalter \
        insolvenzverwalterin kanzlei curator konkursförvaltaren adviser advisor advisers advisors broker bookrunner counsel \
        lawyers law auditor";
    const LINKS: &str = "at of from bei von van mr dr . chez";
    let is_one = |at: Option<usize>| word(scene, at).is_some_and(|it| is_one_of(&it.lower, ADVISERS));
    let linked =
        |back: usize| word(scene, run.from.checked_sub(back)).is_some_and(|it| is_one_of(&it.lower, LINKS));
    // `Pellow Legal advises the owners of B`.
    let advises = (run.to..run.to + 2).any(|at| any_at(scene.tokens(), at, scene.language.advises).is_some());
    advises
        || is_one(Some(run.from))
        || is_one(run.from.checked_sub(1))
        || linked(1) && is_one(run.from.checked_sub(2))
        || linked(1) && linked(2) && is_one(run.from.checked_sub(3))
}

/// `Billings trailer builder`: a town before what a company does.
fn is_before_doer(scene: &Scene<'_>, from: usize) -> bool {
    const DOER_WORDS: usize = 3;
    const DOERS: &[&str] =
        &["maker", "builder", "firm", "company", "startup", "start-up", "chain", "producer", "supplier"];
    let is_plain = |token: &&Token<'_>| {
        token.kind == Kind::Word
            && !token.is_capital()
            && !is_in(token, scene.language.stops)
            && !is_in(token, scene.language.helpers)
    };
    let mut words = scene.tokens().iter().skip(from).take(DOER_WORDS).take_while(is_plain);
    words.any(|token| {
        is_in(token, scene.language.kinds) || DOERS.iter().any(|doer| token.lower.ends_with(doer))
    })
}

/// Where shares are traded.
const MARKETS: &str =
    "aim nasdaq nyse euronext lse xetra bme tsx tsxv asx nse bse sgx b3 spotlight ngm us uk eu";

/// Whether it stands where a town does: `in Leeds`, `from Leeds`, `Leeds-based`.
fn is_placed(scene: &Scene<'_>, run: Run) -> bool {
    const PLACED: &str =
        "in near at across around outside aus nahe près en cerca vicino uit nabij em perto i från nära";
    const OF: &str = "of from de di da van von i";
    let last = word(scene, run.from.checked_sub(1));
    let next = word(scene, Some(run.to));
    // `Keystone of Altoona`: where somebody is.
    let of_other = last.is_some_and(|last| is_one_of(&last.lower, OF))
        && scene.runs.iter().any(|other| other.to + 1 == run.from);
    // `the south side of Billings`.
    let of_part = last.is_some_and(|last| is_one_of(&last.lower, "of"))
        && word(scene, run.from.checked_sub(2)).is_some_and(|it| {
            is_one_of(&it.lower, "side outskirts city town village suburb heart centre center north south east west outside edge")
        });
    let is_french = scene.language.code == "fr" && last.is_some_and(|last| last.lower == "à");
    let follows = is_french
        || of_other
        || of_part
        || last.is_some_and(|last| is_in(last, scene.language.inside) || is_one_of(&last.lower, PLACED));
    let describes = next.is_some_and(|next| {
        // `Dunmore residents`.
        let people = is_one_of(&next.lower, "residents locals people citizens commuters council councillors");
        people
            || is_before_doer(scene, run.to)
            || is_in(next, scene.language.kinds)
            || next.lower.starts_with("-based")
    });
    let is_street = word(scene, run.to.checked_sub(1)).is_some_and(|it| {
        is_one_of(&it.lower, "street avenue road boulevard county square straße strasse platz")
    });
    let described = is_described(scene, run);
    let is_market =
        run.to == run.from + 1 && word(scene, Some(run.from)).is_some_and(|it| is_one_of(&it.lower, MARKETS));
    is_market
        || is_street
        || (follows || describes || scene.is_town(0, run)) && run.to - run.from <= 2 && !described
}
