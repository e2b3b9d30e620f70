//! Whatever the size of a file or a row, memory stays where it is. A process of its own: its peak is what is measured.

#[cfg(test)]
mod memory {
    use std::fs::File;
    use std::io::{BufWriter, Write};
    use std::path::Path;
    use std::sync::Arc;

    use assay_domain::NetworkHosts;
    use assay_intake::{Batch, Format, Kind, Mapping, Position, Reader, Reject, read_headers};
    use parquet::data_type::{ByteArray, ByteArrayType};
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;

    const MEGABYTE: usize = 1024 * 1024;
    const LINES: usize = 30_000;
    /// Rows of a batch, one row of the largest size and what is read ahead.
    const GROWTH_KB_MAX: u64 = 24_000;

    /// How much memory this process has needed at most, in kilobytes.
    fn peak_kb() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }

    fn read(path: &Path, mut tell: impl FnMut(Batch)) {
        let (format, hosts) = (Format::guess(path).unwrap(), NetworkHosts::default());
        let mapping = Mapping::guess(Kind::People, &read_headers(path, format, None).unwrap(), &hosts);
        let mut reader = Reader::open(path, format, &mapping, hosts, Position::START).unwrap();
        while let Some(batch) = reader.next_batch(1_000).unwrap() {
            tell(batch);
        }
    }

    fn check_growth(name: &str, before: u64) {
        let growth = peak_kb() - before;
        assert!(growth < GROWTH_KB_MAX, "{name}: {growth} kB");
    }

    fn check_huge_row(folder: &Path, name: &str, [head, begin, end, tail]: [&str; 4]) {
        let path = folder.join(name);
        let mut out = BufWriter::new(File::create(&path).unwrap());
        write!(out, "{head}{begin}").unwrap();
        (0..30).for_each(|_| out.write_all(&[b'x'; MEGABYTE]).unwrap());
        write!(out, "{end}{tail}").unwrap();
        out.flush().unwrap();
        let (before, mut rejects, mut rows) = (peak_kb(), Vec::<Reject>::new(), 0);
        read(&path, |batch| {
            rows += batch.rows.len();
            rejects.extend(batch.rejects);
        });
        check_growth(name, before);
        assert_eq!((rejects.len(), rejects[0].row), (1, 1 + u64::from(head.starts_with('{'))), "{name}");
        assert!(rejects[0].raw.starts_with(begin.as_bytes()) && rejects[0].raw.len() <= 4096, "{name}");
        assert_eq!(rows, usize::from(head.starts_with('{')) + usize::from(!tail.is_empty()), "{name}");
    }

    fn check_long_file(path: &Path, rows: usize) {
        let (before, mut found) = (peak_kb(), 0);
        read(path, |batch| found += batch.rows.len());
        assert_eq!(found, rows);
        check_growth(&path.display().to_string(), before);
    }

    /// Line by line: what this needs itself must not hide what is measured.
    fn write_lines(path: &Path, head: &str, line: &str) {
        let mut out = BufWriter::new(File::create(path).unwrap());
        out.write_all(head.as_bytes()).unwrap();
        (0..LINES).for_each(|_| out.write_all(line.as_bytes()).unwrap());
        out.flush().unwrap();
    }

    fn write_parquet(path: &Path, groups: usize, group_rows: usize) {
        let schema = "message rows { required binary name (UTF8); required binary summary (UTF8); }";
        let schema = Arc::new(parse_message_type(schema).unwrap());
        let mut out =
            SerializedFileWriter::new(File::create(path).unwrap(), schema, Default::default()).unwrap();
        for begin in 0..groups {
            let mut group = out.next_row_group().unwrap();
            for filler in ["", " and so on and so forth, for as long as a summary may be"] {
                let values: Vec<ByteArray> = (0..group_rows)
                    .map(|row| ByteArray::from(format!("Jane {begin}-{row}{}", filler.repeat(20)).as_str()))
                    .collect();
                let mut writer = group.next_column().unwrap().unwrap();
                writer.typed::<ByteArrayType>().write_batch(&values, None, None).unwrap();
                writer.close().unwrap();
            }
            group.close().unwrap();
        }
        out.close().unwrap();
    }

    #[test]
    fn memory_does_not_grow_with_the_file() {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("memory-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (csv, json) = ("name,email\n", "{\"name\":\"A\"}\n");
        check_huge_row(&folder, "a.csv", [csv, "Jane,", "\n", "Jo,jo@x.example\n"]);
        check_huge_row(&folder, "b.csv", [csv, "Jane,\"\n,\"\"", "\"\n", "Jo,jo@x.example\n"]);
        check_huge_row(&folder, "c.csv", [csv, "Jane,\"\n", "", ""]);
        check_huge_row(&folder, "d.jsonl", [json, "{\"name\":\"", "\"}\n", "{\"name\":\"Jo\"}\n"]);
        check_huge_row(&folder, "e.jsonl", [json, "{\"name\":\"", "", ""]);
        let notes = "n".repeat(2_000);
        let long = folder.join("long.csv");
        write_lines(&long, "name,notes\n", &format!("Jane,{notes}\n"));
        check_long_file(&long, LINES);
        let lines = folder.join("long.jsonl");
        write_lines(&lines, "", &format!("{{\"name\":\"Jane\",\"notes\":\"{notes}\"}}\n"));
        check_long_file(&lines, LINES);
        let table = folder.join("long.parquet");
        write_parquet(&table, 12, 5_000);
        check_long_file(&table, 60_000);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
