// A link to code ends in ?to=LAST#L-FIRST: mark these lines.
document.addEventListener("DOMContentLoaded", () => {
  const first = /^#L-(\d+)$/.exec(location.hash);
  if (!first) return;
  const last = Number(new URLSearchParams(location.search).get("to")) || Number(first[1]);
  for (let line = Number(first[1]); line <= last; line++) {
    document.getElementById(`L-${line}`)?.classList.add("hll");
  }
});

// What scrolls sideways (code, tables, formulas) can be reached and scrolled with the keyboard.
const SCROLLS = "pre, .table-wrapper, div.math, .concepts";
const reachable = new ResizeObserver(entries => {
  for (const {target} of entries) {
    if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
    else target.removeAttribute("tabindex");
  }
});
document.addEventListener("DOMContentLoaded", () => document.querySelectorAll(SCROLLS).forEach(box => reachable.observe(box)));
