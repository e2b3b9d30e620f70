-- What is sealed does not compress: nobody need try.
alter table bulk_slice alter column content set storage external;

-- One index finds both whether an account knows a person and which accounts do.
drop index resolved_person_person;
alter table resolved_person drop constraint resolved_person_pkey;
alter table resolved_person add primary key (person_id, account_id);
