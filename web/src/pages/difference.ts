// What is new in a text: everything between the start and the end that it shares with the old one, by words. Pure.
export function insertion(old: string, now: string): readonly [start: string, inserted: string, end: string] {
  const [a, b] = [old.split(/(?<=\W)|(?=\W)/), now.split(/(?<=\W)|(?=\W)/)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  return [b.slice(0, start).join(""), b.slice(start, b.length - end).join(""), b.slice(b.length - end).join("")];
}
