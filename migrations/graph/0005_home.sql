-- Which database of which server the log was written in. A copy of it, restored from a dump, is another: what happened since
-- the copy was made is not in it, so whoever followed the log must begin anew (docs/decisions/0018).
alter table graph_meta add column home text;
