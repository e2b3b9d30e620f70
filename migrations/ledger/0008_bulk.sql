-- Bulk jobs: up to 500 lookups that are answered later. Their work is done in slices, each a job of the queue.

create table bulk_job (
    id           uuid primary key,
    account_id   uuid not null references account,
    -- Whose history and whose cap the slices count in, as they were when the job was submitted.
    key_id       text not null,
    line_id      text not null,
    monthly_cap  bigint,
    status       text not null check (status in ('queued', 'running', 'paused_insufficient_credits', 'completed',
                     'completed_with_errors', 'canceled', 'failed')),
    total        integer not null,
    pending      integer not null check (pending >= 0),
    resolved     integer not null default 0,
    not_found    integer not null default 0,
    invalid      integer not null default 0,
    failed       integer not null default 0,
    skipped      integer not null default 0,
    charged      bigint not null default 0 check (charged >= 0),
    max_credits  bigint check (charged <= max_credits),
    -- The client's own words about the job, sealed.
    metadata     bytea,
    webhook_id   uuid,
    delivery_id  uuid,
    created_at   timestamptz not null default now(),
    started_at   timestamptz,
    paused_at    timestamptz,
    finished_at  timestamptz,
    expires_at   timestamptz not null,
    constraint bulk_job_counts_every_item
        check (pending + resolved + not_found + invalid + failed + skipped = total)
) with (fillfactor = 70);
create index bulk_job_newest on bulk_job (account_id, created_at, id);
create index bulk_job_paused on bulk_job (paused_at) where status = 'paused_insufficient_credits';
create index bulk_job_end on bulk_job (expires_at);

-- 50 items of a job, sealed: what is asked for while it is not answered, and who was found after. A person is an id here,
-- looked up when the results are read, so that an erased one is gone from them at once.
create table bulk_slice (
    bulk_id     uuid not null references bulk_job on delete cascade,
    account_id  uuid not null,
    number      smallint not null,
    content     bytea not null,
    -- The job of the queue that does it; null when there is nothing to do.
    job_id      uuid,
    primary key (bulk_id, number)
) with (fillfactor = 70);
