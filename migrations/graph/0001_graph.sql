-- The graph: people, companies, who is who, and the log of what changed.

-- One row an installation: which secret the digests were made with, and the epoch of the change log.
create table graph_meta (
    only_row         boolean primary key default true check (only_row),
    key_fingerprint  text,
    log_epoch        uuid not null default gen_random_uuid()
);
insert into graph_meta default values;

-- Records are kept as the JSON text they were written as (`json`, not `jsonb`): they are found by id and handed out
-- whole, and taking a binary form apart again would cost more than all the rest of the read.
create table company (
    id            uuid primary key,
    version       bigint not null,
    merged_into   uuid,
    facts         json not null,
    provenance    json not null,
    -- What the records of the people who work there show of it.
    card          json not null,
    refreshed_at  timestamptz not null,
    -- Of all that a write says about the record: the same hash means there is nothing to write.
    content_hash  bytea not null
);

create table person (
    id            uuid primary key,
    version       bigint not null,
    merged_into   uuid,
    facts         json not null,
    provenance    json not null,
    -- The employments, newest first: one row is the whole record, and always of one version.
    experience    json not null,
    refreshed_at  timestamptz not null,
    content_hash  bytea not null
);

-- The same employments as rows, for questions from the company's side.
create table employment (
    person_id     uuid not null,
    ordinal       smallint not null,
    company_id    uuid,
    company_name  text not null,
    title         text not null,
    seniority     smallint,
    department    smallint,
    started_on    date,
    ended_on      date,
    primary key (person_id, ordinal)
);
create index employment_company on employment (company_id, person_id) where company_id is not null;

-- Who an identifier belongs to. The identifier itself is not here: only its keyed digest.
create table identity (
    digest        bytea not null,
    entity_id     uuid not null,
    kind          smallint not null,
    primary key (digest, entity_id)
);
create index identity_entity on identity (entity_id);

-- Writers append here in their own transaction; the sequencer moves rows to the log.
create table change_inbox (
    id            bigint generated always as identity primary key,
    entity_kind   smallint not null,
    entity_id     uuid not null,
    version       bigint not null,
    at            timestamptz not null default now()
) with (
    -- A queue: every row dies within moments, so the table is cleaned by count, not by share.
    autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_threshold = 10000,
    autovacuum_vacuum_insert_threshold = -1
);

create table change_log (
    seq           bigint primary key,
    entity_kind   smallint not null,
    entity_id     uuid not null,
    version       bigint not null,
    at            timestamptz not null
);

-- Which node may do what only one node at a time may do. The fence grows with each new holder.
create table lease (
    name          text primary key,
    holder        uuid not null,
    fence         bigint not null,
    until         timestamptz not null
);
create table change_log_head (
    only_row      boolean primary key default true check (only_row),
    seq           bigint not null default 0
);
insert into change_log_head default values;
