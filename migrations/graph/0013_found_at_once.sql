-- What is found by the digests of many people is looked for one digest after the other, and each look reads all that such an index has
-- put off: nothing is put off any more.
alter index signal_subjects set (fastupdate = off);
alter index upstream_answer_subjects set (fastupdate = off);
select gin_clean_pending_list('signal_subjects'), gin_clean_pending_list('upstream_answer_subjects');
