//! From answers that were right or wrong to a table of how sure such answers are.

use super::Answer;

/// From this margin on no rival takes anything away.
const CLEAR: i32 = 600;
const STEP: i32 = 100;
/// Fewer answers than this say too little for a step of their own.
const ANSWERS_LEAST: f64 = 60.0;
/// Below every weight.
const BOTTOM: i32 = -10_000;

/// Answers of one step: how many, and how many of them were right (or were expected to be).
#[derive(Debug, Clone, Copy)]
struct Step {
    from: i32,
    count: f64,
    right: f64,
}

/// The lines of the table `query`: first what a weight is worth without a rival, then what a margin leaves of it.
pub fn table(answers: &[Answer]) -> String {
    let clear = answers.iter().filter(|answer| answer.margin >= CLEAR);
    let by_weight = rising(clear.map(|answer| (answer.weight, 1.0, right(answer))));
    let expected = |answer: &Answer| share_at(&by_weight, answer.weight);
    // How much of what the weight promised came true.
    let near = answers.iter().filter(|answer| expected(answer) > 0.0);
    let by_margin = rising(near.map(|answer| (answer.margin.min(CLEAR), expected(answer), right(answer))));
    lines("weight", &by_weight) + &lines("margin", &by_margin)
}

fn right(answer: &Answer) -> f64 {
    f64::from(u8::from(answer.is_right))
}

/// Steps whose shares never fall: neighbours that would are made one.
fn rising(values: impl Iterator<Item = (i32, f64, f64)>) -> Vec<Step> {
    let mut values: Vec<(i32, f64, f64)> = values.collect();
    values.sort_by_key(|(at, ..)| *at);
    let mut steps: Vec<Step> = Vec::new();
    for (at, count, right) in values {
        let from = at.div_euclid(STEP) * STEP;
        match steps.last_mut().filter(|step| step.from == from || step.count < ANSWERS_LEAST) {
            Some(step) => {
                step.count += count;
                step.right += right;
            }
            None => steps.push(Step { from, count, right }),
        }
    }
    let mut pooled: Vec<Step> = Vec::new();
    for mut step in steps {
        while let Some(last) = pooled.pop_if(|last| last.right / last.count >= step.right / step.count) {
            step = Step { from: last.from, count: last.count + step.count, right: last.right + step.right };
        }
        pooled.push(step);
    }
    pooled
}

fn share_at(steps: &[Step], at: i32) -> f64 {
    let known = steps.partition_point(|step| step.from <= at);
    known.checked_sub(1).and_then(|place| steps.get(place)).map_or(0.0, |step| step.right / step.count)
}

fn lines(by: &str, steps: &[Step]) -> String {
    let line = |step: &Step| {
        let thousandths = (1_000.0 * step.right / step.count).round().min(1_000.0);
        format!("query {by} {} {thousandths}\n", step.from)
    };
    [format!("query {by} {BOTTOM} 0\n")].into_iter().chain(steps.iter().map(line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_domain::Confidence;

    #[test]
    fn shares_rise_with_the_weight_and_with_the_margin() {
        let answer = |weight, margin, is_right| Answer {
            weight,
            margin,
            confidence: Confidence::percent(0),
            is_right,
        };
        let mut answers = Vec::new();
        for number in 0..400 {
            answers.push(answer(500, CLEAR, number % 4 == 0));
            answers.push(answer(1_500, CLEAR, number % 10 != 0));
            answers.push(answer(1_500, 0, number % 2 == 0));
        }
        let steps =
            rising(answers.iter().filter(|answer| answer.margin == CLEAR).map(|a| (a.weight, 1.0, right(a))));
        assert!((share_at(&steps, 700) - 0.25).abs() < 0.01 && (share_at(&steps, 1_500) - 0.9).abs() < 0.01);
        let table = table(&answers);
        assert!(table.contains("query weight 500 250\nquery weight 1500 900\n"), "{table}");
        assert!(table.contains("query margin 0 556\n"), "{table}");
    }
}
