// Moves to the end of the page and says how long it is. Frames that would announce it may not come in virtual time.
(() => {
  const height = Math.max(document.documentElement.scrollHeight, document.body ? document.body.scrollHeight : 0);
  window.scrollTo(0, height);
  document.dispatchEvent(new Event('scroll', { bubbles: true }));
  return height;
})
