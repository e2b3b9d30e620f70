-- What erasing a person looks for, and secrets that customers and operators leave with us.

-- Stored replies that name a person.
create index reply_subjects on reply using gin (subjects) where subjects <> '{}';
-- Accounts that resolved a person.
create index resolved_person_person on resolved_person (person_id);

-- Sealed by the program before they come here; the database cannot read them.
create table sealed_secret (
    -- The installation's own when it is null.
    account_id  uuid references account,
    purpose     text not null,
    name        text not null,
    sealed      bytea not null,
    created_at  timestamptz not null default now(),
    rotated_at  timestamptz,
    unique nulls not distinct (account_id, purpose, name)
);
