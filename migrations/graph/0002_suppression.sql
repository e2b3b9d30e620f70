-- Who must not be here. Digests of identifiers, never the identifiers themselves; a person's own id is its own digest.
create table suppression (
    digest      bytea primary key check (length(digest) = 16),
    id          uuid not null unique,
    kind        smallint not null,
    -- Of an address or a number: its hash as deletion lists exchange it, sealed, because numbers can be guessed.
    list_hash   bytea,
    reason      text not null check (reason in ('request', 'drop', 'operator')),
    created_at  timestamptz not null default now()
);

-- Whom the graph has forgotten, and whether the ledger has too. Nothing but ids: it stays as the proof.
create table erasure (
    id              uuid primary key,
    person_id       uuid not null,
    -- Late in the transaction that erased: calls that read the person before it ended count from here.
    asked_at        timestamptz not null default clock_timestamp(),
    ledger_done_at  timestamptz,
    -- When the ledger was asked a second time, after every call that ran meanwhile had ended.
    done_at         timestamptz
);
create index erasure_open on erasure (asked_at) where done_at is null;

-- Erasing somebody takes along whoever was merged into them.
create index person_merged on person (merged_into) where merged_into is not null;
