"use strict";
// Buttons that copy the text of an element; without a clipboard they stay hidden, and the text can be selected.
if (navigator.clipboard) {
  for (const button of document.querySelectorAll("button[data-copy]")) {
    const words = button.textContent;
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
      button.textContent = button.dataset.done;
      setTimeout(() => { button.textContent = words; }, 2000);
    });
  }
}
