// j and k go to the next and the previous item, u back to the list: each key follows the link that names it.
"use strict";
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.isComposing || event.repeat) return;
  if (event.target.closest("input, select, textarea, [contenteditable]")) return;
  // On a keyboard with other letters the place of the key counts.
  const key = event.key.charCodeAt(0) > 127 ? event.code.slice(3).toLowerCase() : event.key;
  const link = ["j", "k", "u"].includes(key) && document.querySelector(`a[data-key="${key}"]`);
  if (link) link.click();
});
