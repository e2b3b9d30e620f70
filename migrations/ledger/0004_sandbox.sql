-- The sandbox's daily counter. It is the only thing the sandbox stores, and it holds no address: a client is a digest
-- under a salt that is thrown away with its day, after which nobody can tell who a row was.

create table sandbox_day (
    day   date primary key,
    salt  bytea not null check (length(salt) = 32)
);

-- Calls a client made on a day. Each row is written again for each call, so its page keeps room for that.
create table sandbox_use (
    day     date not null,
    client  bytea not null check (length(client) = 32),
    calls   bigint not null check (calls > 0),
    primary key (day, client)
) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05);
