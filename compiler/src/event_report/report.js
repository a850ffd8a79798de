"use strict";
document.documentElement.classList.add("js");
const field = document.getElementById("filter");
const events = Array.from(document.querySelectorAll(".events details"));
const shown = document.getElementById("shown");
function filter() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const event of events) {
    const text = event.textContent.toLowerCase();
    const fits = words.every((word) => text.includes(word));
    event.hidden = !fits;
    count += fits ? 1 : 0;
  }
  shown.textContent = count + " of " + events.length + " events are shown";
}
field.addEventListener("input", filter);
for (const button of document.querySelectorAll("button[data-filter]")) {
  button.addEventListener("click", () => {
    field.value = button.dataset.filter;
    filter();
    document.getElementById("events").scrollIntoView({ behavior: "smooth" });
  });
}
filter();
