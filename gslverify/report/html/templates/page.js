"use strict";
{
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const form = document.getElementById("page-controls");
  const rules = all(".rule");

  function filter() {
    const words = form.elements.words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const kinds = new Set(all("input:checked", form).map((box) => box.value));
    const textOf = (rule) => rule.dataset.words ?? rule.textContent.toLowerCase();
    const has = (text) => words.every((word) => text.includes(word));
    for (const rule of rules) {
      rule.hidden = !kinds.has(rule.dataset.kind) || !(words.length === 0 || has(textOf(rule)));
    }
    for (const group of all("section.group")) {
      group.hidden = !group.querySelector(".rule:not([hidden])");
    }
    const shown = rules.filter((rule) => !rule.hidden).length;
    document.getElementById("page-count").textContent = `${shown} of ${rules.length} shown`;
  }

  function follow() {
    let id = location.hash.slice(1);
    try { id = decodeURIComponent(id); } catch { /* it is no encoded text */ }
    const rule = document.getElementById(id)?.closest(".rule");
    if (!rule) return;
    if (rule.hidden) { form.reset(); filter(); }
    rule.open = true;
    rule.scrollIntoView();
  }

  async function copy({ currentTarget: button }) {
    const text = button.parentElement.querySelector("code");
    getSelection().selectAllChildren(text);
    try { await navigator.clipboard.writeText(text.textContent); } catch { document.execCommand("copy"); }
    button.textContent = "copied";
    setTimeout(() => { button.textContent = "copy"; }, 1500);
  }

  const openAll = () => { for (const rule of rules) if (!rule.hidden) rule.open = true; };
  form.hidden = false;
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  document.getElementById("page-open").addEventListener("click", openAll);
  for (const button of all("button.copy")) { button.hidden = false; button.addEventListener("click", copy); }
  addEventListener("hashchange", follow);
  addEventListener("beforeprint", openAll);
  // Browsers remember what was typed into a form; where nothing was, everything is shown.
  if (form.elements.words.value || form.querySelector('[name="kind"]:not(:checked)')) filter();
  follow();
}
