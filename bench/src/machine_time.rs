//! What the machine's processors were given to whom: beside this one others may run on the same hardware.

use anyhow::{Context, Result};

/// What became of the processors' time so far, in ticks.
#[derive(Debug, Clone, Copy)]
pub struct MachineTime {
    all: f64,
    stolen: f64,
}

impl MachineTime {
    pub fn now() -> Result<Self> {
        Self::read(&std::fs::read_to_string("/proc/stat")?)
    }

    /// user, nice, system, idle, iowait, irq, softirq, steal; guests' time behind them is counted in the first two already.
    fn read(stat: &str) -> Result<Self> {
        let line = stat.lines().next().context("no processor time")?;
        let ticks: Vec<f64> =
            line.split_whitespace().skip(1).take(8).map(str::parse).collect::<Result<_, _>>()?;
        Ok(Self { all: ticks.iter().sum(), stolen: *ticks.get(7).context("no stolen time")? })
    }

    /// What others were given of the time since then.
    pub fn stolen_since(self, before: Self) -> f64 {
        (self.stolen - before.stolen) / (self.all - before.all).max(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stolen_time_is_a_share_of_all() {
        let before = MachineTime::read("cpu  100 0 50 40 10 0 0 0 0 0\ncpu0 1").unwrap();
        let after = MachineTime::read("cpu  130 0 60 70 10 0 0 30 5 0\n").unwrap();
        assert!((after.stolen_since(before) - 0.3).abs() < 1e-9);
        assert!(after.stolen_since(after).abs() < 1e-9);
    }
}
