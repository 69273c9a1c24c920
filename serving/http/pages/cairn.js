// One key for each decision: that of the first thing that waits, or of the one that has the focus.
"use strict";
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.matches("input, textarea, select")) return;
  if (!/^[a-z]$/.test(event.key)) return;
  const beside = event.target.closest(".decided");
  const button = (beside || document).querySelector(`button[data-key="${event.key}"]`);
  if (!button) return;
  event.preventDefault();
  button.click();
});
