-- What the graph keeps out, once more: a graph that was restored from a backup learns from here whom it has to erase again. Keyed digests
-- and sealed hashes, as there.
create table suppression_copy (
    digest      bytea primary key check (length(digest) = 16),
    id          uuid not null,
    kind        smallint not null,
    list_hash   bytea,
    reason      text not null,
    created_at  timestamptz not null
);

-- The last of them that was copied. A graph that does not have it at this place is not the one it was copied from; with none, nobody knows
-- what either side lacks, and all of both is compared.
create table suppression_mark (
    only_row  boolean primary key default true check (only_row),
    seq       bigint,
    id        uuid,
    -- How often copies came from elsewhere than the graph: whoever compares both meanwhile has not seen them all.
    learned   bigint not null default 0,
    check ((seq is null) = (id is null))
);
insert into suppression_mark default values;
