-- What vendors answered, and what is learnt of them.

create table upstream_answer (
    lookup      text not null,
    -- Of whom was asked for, as everywhere: whoever reads the table learns nobody's name from it.
    question    bytea not null check (length(question) = 16),
    -- The only account that may see it; the nil id when all may.
    owner_id    uuid not null,
    -- What was found; none for a miss, which is kept as well.
    value       json,
    -- Digests of what was found, so that whoever is erased is erased here too.
    subjects    bytea[] not null,
    provider    text not null,
    asked_at    timestamptz not null,
    primary key (question, lookup, owner_id)
);
create index upstream_answer_asked on upstream_answer (asked_at);
create index upstream_answer_subjects on upstream_answer using gin (subjects);

-- What one verified answer of a vendor costs, by kind of question and segment; the recent counts more than the old. The empty
-- segment is all of them together.
create table vendor_tally (
    lookup      text not null,
    segment     text not null,
    vendor      text not null,
    charged     double precision not null,
    verified    double precision not null,
    spent       double precision not null,
    updated_at  timestamptz not null,
    primary key (lookup, segment, vendor)
) with (fillfactor = 70);
