-- How nodes tell each other what they admitted, so that an account's request rate holds over all of them. Nothing here
-- outlives a minute, so nothing is logged: after a crash of the server the tables are empty, and the nodes tell again.

-- The nodes that are there. A node without company writes nothing else.
create unlogged table rate_node (
    node_id  uuid primary key,
    seen_at  timestamptz not null
) with (fillfactor = 50);

-- What a node admitted of an account's requests in the last minute (key_id = ''), or of a key's that has a rate of its own.
-- Each row is written again and again by one node, so its page keeps room for that, and no index may hold what changes.
create unlogged table rate_window (
    account_id  uuid not null,
    key_id      text not null,
    node_id     uuid not null,
    -- The slot of the last count, by the node's clock, and the counts of it and those before, two bytes each.
    newest      bigint not null,
    counts      bytea not null,
    -- Requests that wait to be admitted by the node.
    claims      integer not null check (claims >= 0),
    told_at     timestamptz not null,
    primary key (account_id, key_id, node_id)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
