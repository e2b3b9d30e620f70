//! The grammar of press releases, scored as the bar `signals-extract` scores it.

#[cfg(test)]
mod press {
    mod calibration;
    mod reading;
    #[path = "../../../../bench/src/signals/score.rs"]
    mod score;
    mod weighed;
}
