-- A person's employments are part of their record (docs/decisions/0005); nobody read these rows. No release has had them.
drop table employment;
