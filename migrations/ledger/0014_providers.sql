-- Which vendors are asked, and in which order. Their keys are sealed secrets.

create table provider (
    name         text primary key,
    enabled      boolean not null,
    -- Where it lives, if not where the program believes.
    base_url     text,
    -- The file of a vendor the program does not know by itself.
    declaration  text,
    updated_at   timestamptz not null default now()
);

-- An order somebody has fixed; a lookup without one is asked in the order that is learnt.
create table provider_order (
    lookup  text primary key,
    names   text[] not null
);

-- What a call cost upstream, in millionths of a US dollar.
alter table history add column upstream_micros bigint not null default 0;
