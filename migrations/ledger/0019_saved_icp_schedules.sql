-- Saved ICPs that run without anybody asking, and what each run has shown.

alter table saved_icp
    -- Whose history and whose cap scheduled runs count in: the key that set the schedule, or the one it was rotated into.
    add column line_id      text,
    add column every_hours  integer check (every_hours > 0),
    add column max_credits  bigint check (max_credits > 0),
    add column next_run_at  timestamptz,
    -- Until then a node is at it.
    add column leased_until timestamptz,
    add constraint saved_icp_schedule_is_whole
        check (num_nonnulls(line_id, every_hours, max_credits, next_run_at) in (0, 4));
create index saved_icp_due on saved_icp (next_run_at) where next_run_at is not null;

alter table saved_icp_seen
    -- The first run that showed it; none of those from before it was kept.
    add column run_id    uuid,
    add column shown_at  timestamptz not null default now();
create index saved_icp_seen_shown on saved_icp_seen (icp_id, shown_at, record_id);
