// The viewer in a notebook as a widget: its page in a frame, whose step, lane and result are the model's, both ways.

const PLACES = ["step", "lane", "result"];

function render({model, el}) {
  const frame = document.createElement("iframe");
  frame.srcdoc = model.get("page");
  frame.title = "lanes by time";
  frame.style = `width:100%;height:${model.get("height")}px;border:1px solid #dadce0`;
  const asked = () => Object.fromEntries(PLACES.map(name => [name, model.get(name)]));
  const go = () => frame.contentWindow && frame.contentWindow.postMessage({reknit: asked()}, "*");
  const heard = event => {
    if (event.source !== frame.contentWindow || !event.data || !event.data.reknit) return;
    for (const name of PLACES) model.set(name, event.data.reknit[name]);
    model.save_changes();
  };
  addEventListener("message", heard);
  frame.addEventListener("load", go);
  for (const name of PLACES) model.on(`change:${name}`, go);
  el.append(frame);
  return () => {
    removeEventListener("message", heard);
    for (const name of PLACES) model.off(`change:${name}`, go);
  };
}

export default {render};
