// What all pages of the viewer have in common: elements, canvases, colours. Texts are put in as text, never as HTML.

export function make(tag, properties = {}, ...inside) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "dataset") Object.assign(made.dataset, value);
    else if (name in made) made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...inside.filter(one => one !== null));
  return made;
}

// The place in a page is kept in its address; what is shown within a notebook has no address of its own.
export function keepInAddress(hash) {
  if (location.protocol !== "about:") history.replaceState(null, "", `#${hash}`);
}

export function fitted(canvas) {
  const ratio = devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  return {pen, width, height};
}

export function inks() {
  const style = getComputedStyle(document.documentElement), found = {};
  for (const name of ["bg", "fg", "dim", "line", "whole", "wait", "ready", "hot", "accent", "panel", "mark"])
    found[name] = style.getPropertyValue("--" + name).trim();
  return found;
}
