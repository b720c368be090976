// The document as HTML, with the contents of shadow trees where they are shown. Runs apart from the page's own scripts.
(limit => {
  const elements = document.getElementsByTagName('*');
  let hasShadow = false;
  for (let i = 0; i < elements.length && !hasShadow; i++) hasShadow = Boolean(elements[i].shadowRoot);
  const root = document.documentElement;
  const shownChildren = node => {
    if (node.shadowRoot) return node.shadowRoot.childNodes;
    const assigned = node.localName === 'slot' ? node.assignedNodes() : [];
    return assigned.length ? assigned : node.childNodes;
  };
  const flattened = () => {
    const inert = document.implementation.createHTMLDocument('');
    const copy = inert.importNode(root, false);
    const open = [[root, copy]];
    while (open.length) {
      const [node, target] = open.pop();
      for (const child of shownChildren(node)) {
        const isTemplate = child.localName === 'template';
        const made = target.appendChild(inert.importNode(child, isTemplate));
        if (child.nodeType === Node.ELEMENT_NODE && !isTemplate) open.push([child, made]);
      }
    }
    return copy.outerHTML;
  };
  const doctype = document.doctype ? `<!DOCTYPE ${document.doctype.name}>` : '';
  const html = root ? doctype + (hasShadow ? flattened() : root.outerHTML) : '';
  return { html: html.slice(0, limit), isCut: html.length > limit, url: location.href };
})
