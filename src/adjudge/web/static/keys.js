// j and k go to the next and the previous item, u back to the list: each key follows the link that names it.
"use strict";
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.isComposing || event.repeat) return;
  if (event.target.closest("input, select, textarea, [contenteditable]")) return;
  const link = ["j", "k", "u"].includes(event.key) && document.querySelector(`a[data-key="${event.key}"]`);
  if (link) link.click();
});
