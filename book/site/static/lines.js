// A link to code ends in ?to=LAST#L-FIRST: mark these lines.
document.addEventListener("DOMContentLoaded", () => {
  const first = /^#L-(\d+)$/.exec(location.hash);
  if (!first) return;
  const last = Number(new URLSearchParams(location.search).get("to")) || Number(first[1]);
  for (let line = Number(first[1]); line <= last; line++) {
    document.getElementById(`L-${line}`)?.classList.add("hll");
  }
});
