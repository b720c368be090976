-- Which form of a page has a link: html, rendered or both.
ALTER TABLE places ADD COLUMN origin TEXT NOT NULL DEFAULT 'html';
-- The rendered document and a picture of it, as keys of bodies.
ALTER TABLE visits ADD COLUMN rendered BLOB;
ALTER TABLE visits ADD COLUMN screenshot BLOB;
