// One key for each decision: that of the first thing that waits, or of the one that has the focus.
"use strict";
document.addEventListener("keydown", (event) => {
  if (event.repeat || event.ctrlKey || event.altKey || event.metaKey || event.target.matches("input, textarea, select")) return;
  if (!/^[a-z]$/.test(event.key)) return;
  const waits = event.target.closest(".decided") || document.querySelector(".decided");
  const button = waits && waits.querySelector(`button[data-key="${event.key}"]`);
  if (!button) return;
  event.preventDefault();
  button.click();
});
// What is copied needs a script: so its button is shown by one.
const buttons = () => document.querySelectorAll("button[data-copy][hidden]").forEach((button) => {
  button.hidden = !navigator.clipboard;
});
document.addEventListener("htmx:load", buttons);
document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-copy]");
  if (!button) return;
  await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).innerText);
  button.textContent = "Copied";
});
// How far back a slider looks is told while it moves.
document.addEventListener("input", (event) => {
  if (event.target.type === "range") event.target.nextElementSibling.value = event.target.value;
});
// What is refused says why on a page of its own, which htmx would leave out.
document.addEventListener("htmx:beforeSwap", (event) => {
  const { xhr, target } = event.detail;
  const isPage = (xhr.getResponseHeader("content-type") || "").startsWith("text/html");
  if (xhr.status >= 400 && isPage && target.matches("main, body")) event.detail.shouldSwap = true;
});
