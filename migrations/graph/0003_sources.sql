-- Sources: who said what of whom. What a person's or company's record shows is made of these by a rule (docs/import.md).

create table source (
    id              smallint generated always as identity primary key,
    name            text not null unique,
    licence         text not null,
    -- Whether its values may be kept at all, for how many days after the source last showed them, and by whom they may be
    -- seen: an owner's source is that account's alone.
    storable        boolean not null default true,
    retention_days  integer check (retention_days > 0),
    owner_id        uuid,
    created_at      timestamptz not null default now()
);

create table source_record (
    source_id     smallint not null references source,
    kind          smallint not null,
    -- The source's own id.
    ref           text not null,
    entity_id     uuid not null,
    content       json not null,
    content_hash  bytea not null,
    first_seen    date not null,
    last_seen     date not null,
    -- Why it was taken for this person or company, and whom it must not be taken for again; none for whoever was new.
    link          json,
    primary key (source_id, kind, ref)
);
create index source_record_entity on source_record (entity_id);

-- Short keyed hashes of names at companies: under one of them, whoever is written down in another way is still met.
create table match_key (
    key        bigint not null,
    entity_id  uuid not null,
    primary key (key, entity_id)
);

-- How far each import is, so that one that was killed goes on where its last commit ended.
create table import_run (
    id           uuid primary key,
    source_id    smallint not null,
    kind         smallint not null,
    fingerprint  bytea not null,
    mapping      text not null,
    position     text not null default '',
    counts       json not null default '{}',
    started_at   timestamptz not null,
    finished_at  timestamptz
);
create index import_run_source on import_run (source_id, kind, fingerprint);

-- What two snapshots of one source show of somebody's work. The line of the change log with the same version tells of it.
create table employment_change (
    person_id        uuid not null,
    version          bigint not null,
    kind             smallint not null,
    source_id        smallint not null,
    from_company_id  uuid,
    from_company     text,
    from_title       text,
    to_company_id    uuid,
    to_company       text,
    to_title         text,
    observed_on      date not null,
    primary key (person_id, version, kind)
);

-- Whose record it is, when its sources may be seen by one account only; and until when it may be shown as it is.
alter table person add column owner_id uuid, add column expires_on date;
alter table company add column owner_id uuid, add column expires_on date;
create index person_expires on person (expires_on) where expires_on is not null;
create index company_expires on company (expires_on) where expires_on is not null;
