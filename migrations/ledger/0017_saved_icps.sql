-- Saved ICPs: searches an account runs again, and whom each has shown it.

create table saved_icp (
    id                 uuid primary key,
    account_id         uuid not null references account,
    name               text not null,
    -- Of people, or of companies.
    target             smallint not null check (target in (1, 2)),
    filters            json not null,
    created_at         timestamptz not null,
    last_run_at        timestamptz,
    last_result_count  integer
) with (fillfactor = 80);
create index saved_icp_newest on saved_icp (account_id, created_at, id);

create table saved_icp_seen (
    icp_id       uuid not null references saved_icp on delete cascade,
    account_id   uuid not null,
    -- A person or a company.
    record_id    uuid not null,
    primary key (icp_id, record_id)
);
create index saved_icp_seen_record on saved_icp_seen (record_id);
