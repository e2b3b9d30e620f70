-- What lists were told of somebody who is erased goes, also where the account had taken them out of the list before.
create index watch_match_subject on watch_match (subject);
