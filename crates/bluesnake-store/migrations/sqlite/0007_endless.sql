-- What the links of a document led to when it was committed, so that a resumed run recognises endless sites as a straight
-- one does. Bits: a new page of the same part of the site 1, of another part 2, a page found elsewhere and waiting 4.
ALTER TABLE visits ADD COLUMN leads INTEGER;
