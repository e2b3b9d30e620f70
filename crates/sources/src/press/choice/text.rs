//! What can be seen of a whole release, by which it announces a round, a purchase or nothing.

use super::items::{Item, Line};
use crate::press::deal::{deal, is_denied, is_undone, is_unreal};
use crate::press::funding::{round, speaks_of_round};
use crate::press::retold::is_uncertain;
use crate::press::scene::Scene;
use crate::press::stage::stage;
use crate::press::{Story, veto};

const SENTENCES: usize = 4;

pub(super) fn of_story(marks: &mut Vec<String>, story: &Story<'_>, lines: &[Line], actors: usize) {
    for line in lines.iter().take(SENTENCES) {
        let mut last: Option<&Item> = None;
        for item in &line.items {
            marks.push(format!("{}={}", line.zone, item.word));
            marks.push(format!("={}", item.word));
            if let Some(stem) = item.stem() {
                marks.push(format!("{}^{stem}", line.zone));
                marks.push(format!("^{stem}"));
            }
            for table in &item.tables {
                marks.push(format!("{}:{table}", line.zone));
            }
            if let Some(last) = last {
                marks.push(format!("={}_{}", last.word, item.word));
                let about = format!("#{}_{}", last.concept(), item.concept());
                marks.push(format!("{}{about}", line.zone));
                marks.push(about);
            }
            last = Some(item);
        }
        if line.zone != 'R'
            && let (Some(first), Some(next)) = (line.items.first(), line.items.get(1))
        {
            marks.push(format!("{}begins {}", line.zone, first.word));
            if next.word == ":" {
                marks.push(format!("{}label", line.zone));
                marks.extend(first.tables.iter().map(|table| format!("{}label {table}", line.zone)));
            }
        }
        let sums = line.items.iter().filter(|item| item.sum.is_some()).count();
        marks.push(format!("{}sums {}", line.zone, sums.min(2)));
    }
    let flags = [
        ("else", story.is_about_else()),
        ("doubtful", story.is_doubtful()),
        ("barred", veto::is_barred(story)),
        ("pays for else", veto::pays_for_else(story)),
        ("evident", story.is_evident()),
        ("definite", story.is_definite()),
        ("uncertain", is_uncertain(story)),
        ("unreal", is_unreal(&story.title)),
    ];
    marks.extend(flags.iter().filter(|(_, is_so)| *is_so).map(|(flag, _)| format!("is {flag}")));
    of_scene(marks, story, &story.title, 'T');
    for (at, scene) in story.body.iter().take(3).enumerate() {
        of_scene(marks, story, scene, if at == 0 { 'F' } else { 'R' });
    }
    marks.push(format!("language {}", story.language().code));
    marks.push(format!("length {}", (story.whole.len() / 300).min(6)));
    marks.push(format!("actors {}", actors.min(6)));
}

fn of_scene(marks: &mut Vec<String>, story: &Story<'_>, scene: &Scene<'_>, zone: char) {
    let bought = deal(scene, story.year);
    let raised = round(scene, true, story.year);
    let flags = [
        ("deal", bought.is_some()),
        ("whole deal", bought.is_some_and(|it| it.is_whole())),
        ("minority", bought.is_some_and(|it| it.minority)),
        ("round", raised.is_some()),
        ("round with sum", raised.is_some() && !scene.sums.is_empty()),
        ("speaks", speaks_of_round(scene)),
        ("undone", is_undone(scene)),
        ("denied", is_denied(scene)),
        ("other business", scene.is_other_business()),
        ("says topic", scene.says(scene.tokens(), story.language().topics)),
        ("says doubt", scene.says(scene.tokens(), story.language().doubts)),
    ];
    marks.extend(flags.iter().filter(|(_, is_so)| *is_so).map(|(flag, _)| format!("{zone} {flag}")));
    if let Some(stage) = stage(scene) {
        marks.push(format!("{zone} stage {stage:?}"));
    }
}
