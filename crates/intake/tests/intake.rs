//! Reading real files, good ones and bad ones.

#[cfg(test)]
mod intake {
    mod exports;
    mod files;
    mod headers;
    mod hostile;
    mod mapping;
    mod nested;
    mod parquet_files;
    mod resume;
    mod rows;
    mod samples;
    mod text_files;
    mod values;
}
