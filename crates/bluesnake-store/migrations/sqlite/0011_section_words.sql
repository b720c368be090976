-- The words of the index of sections, to find what a misspelled word was meant to be.
CREATE VIRTUAL TABLE section_words USING fts5vocab(sections, row);
