//! News of other kinds: who gets an office, and what a study found of all companies together.

use super::Story;
use super::funding::speaks_of_round;
use super::scene::Scene;
use super::table::is_one_of;

/// Who gets which office: what such a release tells of money and purchases is somebody's past.
pub(super) fn is_appointment(story: &Story<'_>) -> bool {
    const OFFICES: &[&str] = &[
        "appoints",
        "appointment of",
        "appointed",
        "names * chief",
        "names * ceo",
        "names * president",
        "names new",
        "hires * as",
        "promotes",
        "ernennt",
        "beruft",
        "bestellt",
        "wird * vorstand",
        "wird * finanzvorständin",
        "wird * geschäftsführer",
        "wird * geschäftsführerin",
        "neuer geschäftsführer",
        "neue geschäftsführerin",
        "nomination",
        "nommé",
        "nommée",
        "nomme",
        "nombra",
        "nombrado",
        "nombrada",
        "nombramiento",
        "nomina * amministratore",
        "nominato",
        "nominata",
        "nuovo amministratore",
        "nuova amministratrice",
        "nuovo direttore",
        "nuova direttrice",
        "benoemt",
        "benoemd",
        "benoeming",
        "nomeia",
        "nomeado",
        "nomeada",
        "nomeação",
        "utser",
        "utsedd",
        "utnämner",
        "ny vd",
    ];
    // `A joins B as its chief of finance`, where a company that joins another is bought.
    const JOINED_AS: &[&str] =
        &["joins * as", "en qualité de", "au poste de", "tillträder som", "tritt * ein als", "se une * como"];
    let (title, language) = (&story.title, story.language());
    let tokens = title.tokens();
    if title.find_said(JOINED_AS, 0, tokens.len()).is_some() && title.sums.is_empty() {
        return true;
    }
    let verbs = [language.buys, language.bought, language.sells, language.sold, language.deals];
    title.find_said(OFFICES, 0, tokens.len()).is_some()
        && title.sums.is_empty()
        && !verbs.iter().any(|words| title.has(words))
        && !speaks_of_round(title)
}

/// `Venture funding fell 12% to $13.7 billion, A finds`: what all companies of a kind were given.
pub(super) fn is_study(story: &Story<'_>) -> bool {
    const STUDIES: &str = "index report study survey barometer tracker census analysis monitor studie umfrage erhebung barometer \
        étude baromètre enquête rapport estudio informe encuesta barómetro studio rapporto indagine osservatorio onderzoek \
        peiling relatório pesquisa estudo levantamento undersökning rapporten studien";
    const FELL: &str = "fell falls rose rises dropped drops climbed grew declined slumped surged jumped sank sinken steigen stiegen \
        fielen sinkt steigt baisse hausse recule reculent bondit chute cae caen sube suben crecen crece calano cala crescono \
        cresce salgono daalt daalden stijgt stegen groeide cai caem crescem sobe sjunker ökar minskar steg föll";
    let title = &story.title;
    let says =
        |scene: &Scene<'_>, list: &str| scene.tokens().iter().any(|token| is_one_of(&token.lower, list));
    let has_share = (0..title.tokens().len()).any(|at| title.share_at(at).is_some());
    let is_told = || story.body.iter().take(2).any(|scene| says(scene, STUDIES));
    (has_share || says(title, FELL)) && (says(title, STUDIES) || is_told() && says(title, FELL))
}
