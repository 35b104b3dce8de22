// A page of the viewer within a page is as tall as the window allows.
for (const frame of document.querySelectorAll("figure.viewer iframe")) {
  frame.style.height = `${Math.max(360, Math.min(640, innerHeight - 120))}px`;
}
