// Writes a document that a value was pasted into to a frame, and reports whether a script in it opened a dialogue. `hook`
// runs in every new window, also in those that the document makes.
window.hook = function (target, mark) {
  for (const name of ["alert", "confirm", "prompt", "print"]) target[name] = mark;
};
if (window !== window.top) {
  window.hook(window, () => {
    let frame = window;
    while (frame.parent !== window.top) frame = frame.parent;
    window.top.marked.add(frame.name);
    return true;
  });
} else {
  window.marked = new Set();
}
window.run = function (source, isAlone) {
  return new Promise((resolve) => {
    const frame = document.createElement("iframe");
    const name = "n" + Math.random();
    frame.name = name;
    document.body.appendChild(frame);
    window.hook(window, () => { if (isAlone) window.marked.add(name); return true; });
    const inner = frame.contentWindow;
    inner.document.open();
    inner.document.write(source);
    inner.document.close();
    inner.name = name;
    const events = ["click", "mouseover", "mouseenter", "pointerover", "focus", "focusin", "blur", "input", "change", "keydown",
      "toggle", "submit", "wheel", "copy", "drag", "dblclick", "beforetoggle", "animationstart"];
    setTimeout(() => {
      try {
        for (const element of [...inner.document.querySelectorAll("*")].slice(0, 40)) {
          if (window.marked.has(name)) break;
          for (const event of events) element.dispatchEvent(new Event(event, { bubbles: true, cancelable: true }));
          if (element.click) element.click();
        }
      } catch (error) { }
    }, 20);
    setTimeout(() => {
      frame.remove();
      resolve(window.marked.delete(name) ? "a dialogue is opened" : null);
    }, 55);
  });
};
